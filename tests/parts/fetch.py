"""Fetches the real parts into the cache: what is there in the right version is left alone, one line a part.

Two lanes run side by side: what compiles (Go), and what only downloads (Maven, Debian packages).
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.parts import paths
from tests.parts.paths import (
    AXE_VERSION,
    COLLECTOR_VERSION,
    COMPOSE_VERSION,
    HELM_VERSION,
    KAFKA_VERSION,
    KEDA_VERSION,
    MLSERVER_VERSION,
    OPENVINO_VERSION,
    OPERATOR_VERSION,
    PHOENIX_VERSION,
    RAY_VERSION,
    SPARK_VERSION,
)

_POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>rag-sidecar</groupId><artifactId>test-kafka</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{KAFKA_VERSION}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
"""

_CONTRIB = "github.com/open-telemetry/opentelemetry-collector-contrib"
_COLLECTOR = f"""dist: {{name: otelcol, version: {COLLECTOR_VERSION}, output_path: OUTPUT}}
receivers: [{{gomod: "go.opentelemetry.io/collector/receiver/otlpreceiver v{COLLECTOR_VERSION}"}}]
exporters:
- {{gomod: "{_CONTRIB}/exporter/kafkaexporter v{COLLECTOR_VERSION}"}}
- {{gomod: "{_CONTRIB}/exporter/fileexporter v{COLLECTOR_VERSION}"}}
- {{gomod: "go.opentelemetry.io/collector/exporter/otlphttpexporter v{COLLECTOR_VERSION}"}}
processors: [{{gomod: "go.opentelemetry.io/collector/processor/batchprocessor v{COLLECTOR_VERSION}"}}]
"""

_OPERATOR = {
    f"example/prometheus-operator-crd/monitoring.coreos.com_{plural}.yaml"
    for plural in ("podmonitors", "prometheusrules")
}
_JAVA = "Debian: apt-get install openjdk-17-jre-headless maven"
_GO = "https://go.dev/dl, version 1.25 or newer"


class FetchError(Exception):
    """A part cannot be had; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part: `version` says what is there (None = nothing usable), `fetch` gets it. Both may raise FetchError."""

    name: str
    wanted: str
    version: Callable[[], str | None]
    fetch: Callable[[], None]


def main(names: Sequence[str] = ()) -> int:
    """Fetch every part that is missing, of those named where any is. 0 when all are there, 2 for a name that no part has, else 1."""
    known = {part.name for lane in LANES for part in lane}
    if unknown := set(names) - known:
        print(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
        return 2
    wanted = [[part for part in lane if not names or part.name in names] for lane in LANES]
    paths.cache().mkdir(parents=True, exist_ok=True)
    with _only_one_at_a_time(), ThreadPoolExecutor(len(LANES)) as pool:
        results = [well for lane in pool.map(_ensure_all, wanted) for well in lane]
    return 0 if all(results) else 1


def _ensure_all(parts: Sequence[Part]) -> list[bool]:
    return [ensure(part) for part in parts]


def ensure(part: Part) -> bool:
    """Fetch one part unless it is there; print one line; False when it cannot be had."""
    started = time.monotonic()
    try:
        version = part.version()
        how = "there"
        if version is None:
            part.fetch()
            version = part.version()
            how = f"fetched in {time.monotonic() - started:.0f} s"
        if version is None:
            raise FetchError(f"was fetched but does not run as {part.wanted}")
    except (FetchError, OSError, subprocess.TimeoutExpired) as error:
        print(f"{part.name:13} MISSING: {error}", flush=True)
        return False
    print(f"{part.name:13} {version}, {how}", flush=True)
    return True


def _kafka_version() -> str | None:
    try:
        jars = paths.find_kafka_jars()
    except paths.MissingPartError:
        return None
    # The broker needs a Java that runs it; without one the jars are of no use.
    _need("java", "Apache Kafka", _JAVA)
    return KAFKA_VERSION if any(jars.glob("slf4j-simple-*.jar")) else None


def _fetch_kafka() -> None:
    maven = _need("mvn", "Apache Kafka", _JAVA)
    with _workspace() as work:
        (work / "pom.xml").write_text(_POM, encoding="utf-8")
        _run(
            [
                maven,
                "-q",
                "-B",
                "-f",
                work / "pom.xml",
                "dependency:copy-dependencies",
                f"-DoutputDirectory={work / 'lib'}",
            ]
        )
        _install(work / "lib", paths.kafka_jars())


def _collector_version() -> str | None:
    binary = paths.collector_binary()
    said = _output([binary, "components"]) if binary.is_file() else ""
    wanted = (f"version: {COLLECTOR_VERSION}", "kafkaexporter", "fileexporter", "otlphttpexporter")
    return COLLECTOR_VERSION if all(one in said for one in wanted) else None


def _fetch_collector() -> None:
    go = _need("go", "the OpenTelemetry Collector", _GO)
    with _workspace() as work:
        _run([go, "install", f"go.opentelemetry.io/collector/cmd/builder@v{COLLECTOR_VERSION}"], GOBIN=str(work))
        config = work / "builder.yaml"
        config.write_text(_COLLECTOR.replace("OUTPUT", str(work / "out")), encoding="utf-8")
        _run([work / "builder", "--config", config])
        (work / "bin").mkdir()
        (work / "out" / "otelcol").rename(work / "bin" / "otelcol")
        _install(work / "bin", paths.collector_binary().parent)


def _helm_version() -> str | None:
    binary = paths.helm_binary()
    # A Helm that `go install` built does not know its patch version, so its place says it.
    works = binary.is_file() and _output([binary, "version", "--short"]).startswith("v3.")
    return HELM_VERSION if works else None


def _fetch_helm() -> None:
    go = _need("go", "Helm", _GO)
    with _workspace() as work:
        _run([go, "install", f"helm.sh/helm/v3/cmd/helm@v{HELM_VERSION}"], GOBIN=str(work / "bin"))
        _install(work / "bin", paths.helm_binary().parent)


def _compose_version() -> str | None:
    return COMPOSE_VERSION if paths.compose_binary().is_file() else None


def _fetch_compose() -> None:
    """The loader of Docker Compose as a program, which comes with its library; it needs no engine."""
    go = _need("go", "the loader of Compose files", _GO)
    with _workspace() as work:
        _run([go, "install", f"github.com/compose-spec/compose-go/v2/cmd@v{COMPOSE_VERSION}"], GOBIN=str(work / "bin"))
        (work / "bin" / "cmd").rename(work / "bin" / "compose")
        _install(work / "bin", paths.compose_binary().parent)


def _keda_version() -> str | None:
    return KEDA_VERSION if paths.keda_definition().is_file() else None


def _fetch_keda() -> None:
    place = paths.keda_definition()
    _fetch_definitions(f"github.com/kedacore/keda/v2@v{KEDA_VERSION}", {f"config/crd/bases/{place.name}"}, place.parent)


def _operator_version() -> str | None:
    there = {path.name for path in paths.operator_definitions().glob("*.yaml")}
    return OPERATOR_VERSION if {Path(name).name for name in _OPERATOR} <= there else None


def _fetch_operator() -> None:
    module = f"github.com/prometheus-operator/prometheus-operator@v{OPERATOR_VERSION}"
    _fetch_definitions(module, _OPERATOR, paths.operator_definitions())


def _fetch_definitions(module: str, files: set[str], place: Path) -> None:
    """Definitions of custom resources alone, out of a source that is a Go module: nothing is compiled."""
    go = _need("go", f"the definitions of {module}", _GO)
    with _workspace() as work:
        told = _run([go, "mod", "download", "-json", module], GOWORK="off")
        (work / "made").mkdir()
        for name in files:
            shutil.copyfile(Path(json.loads(told)["Dir"]) / name, work / "made" / Path(name).name)
        _install(work / "made", place)


def _axe_version() -> str | None:
    return AXE_VERSION if paths.axe_script().is_file() else None


def _fetch_axe() -> None:
    npm = _need("npm", "axe-core", "Debian: apt-get install npm")
    with _workspace() as work:
        _run([npm, "pack", "--silent", f"axe-core@{AXE_VERSION}", "--pack-destination", work])
        with tarfile.open(work / f"axe-core-{AXE_VERSION}.tgz") as archive:
            archive.extract("package/axe.min.js", work, filter="data")
        _install(work / "package", paths.axe_script().parent)


def _mlserver_version() -> str | None:
    binary = paths.mlserver_binary()
    return MLSERVER_VERSION if binary.is_file() and MLSERVER_VERSION in _output([binary, "--version"]) else None


def _fetch_mlserver() -> None:
    place = paths.mlserver_binary().parent.parent
    _environment(place)
    _run([*_pip(place), f"mlserver=={MLSERVER_VERSION}", "onnxruntime"])


def _openvino_version() -> str | None:
    return OPENVINO_VERSION if (paths.openvino_packages() / "onnxruntime").is_dir() else None


def _fetch_openvino() -> None:
    """By itself: it is another build of a package that is installed."""
    wanted = f"onnxruntime-openvino=={OPENVINO_VERSION}"
    with _workspace() as work:
        _run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", work / "packages", wanted])
        _install(work / "packages", paths.openvino_packages())


def _spark_version() -> str | None:
    return SPARK_VERSION if (paths.spark_packages() / "pyspark").is_dir() else None


def _fetch_spark() -> None:
    """By itself: it is 450 megabytes that nothing but its own test needs."""
    _need("java", "Apache Spark", _JAVA)
    with _workspace() as work:
        _run([sys.executable, "-m", "pip", "install", "-q", "--target", work / "packages", f"pyspark=={SPARK_VERSION}"])
        _install(work / "packages", paths.spark_packages())


def _ray_version() -> str | None:
    return RAY_VERSION if (paths.ray_packages() / "ray").is_dir() else None


def _fetch_ray() -> None:
    """By itself, without what it needs: all of that is installed for development."""
    wanted = f"ray=={RAY_VERSION}"
    with _workspace() as work:
        _run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", work / "packages", wanted])
        _install(work / "packages", paths.ray_packages())


def _phoenix_version() -> str | None:
    # Its command takes a minute to say its version; the environment knows.
    place = paths.phoenix_binary().parent.parent
    return (
        PHOENIX_VERSION if any(place.glob(f"lib/*/site-packages/arize_phoenix-{PHOENIX_VERSION}.dist-info")) else None
    )


def _fetch_phoenix() -> None:
    place = paths.phoenix_binary().parent.parent
    _environment(place)
    _run([*_pip(place), f"arize-phoenix=={PHOENIX_VERSION}"])


def _frameworks_version() -> str | None:
    # Written when all of it was there.
    python = paths.frameworks_python()
    return python.parent.parent.name if (python.parent / "whole").is_file() else None


def _fetch_frameworks() -> None:
    """With uv, which takes seconds where pip takes minutes; pip's name for "ask no registry" is another one there."""
    python, lock = paths.frameworks_python(), paths.FRAMEWORKS_LOCK
    _environment(python.parent.parent)
    uv = Path(sys.executable).with_name("uv")
    offline = ["--offline", "--no-cache"] if os.environ.get("PIP_NO_INDEX") else []
    _run(
        [
            uv,
            "pip",
            "install",
            "-q",
            *offline,
            "--python",
            python,
            "--require-hashes",
            "--only-binary",
            ":all:",
            "-r",
            lock,
        ]
    )
    (python.parent / "whole").touch()


def _environment(place: Path) -> None:
    """An empty one. It knows its own path, so that it is made in its place."""
    shutil.rmtree(place, ignore_errors=True)
    _run([sys.executable, "-m", "venv", "--without-pip", place])


def _pip(place: Path) -> list[str | Path]:
    return [sys.executable, "-m", "pip", "--python", place / "bin" / "python", "install", "-q"]


def _debian(name: str, package: str, programs: Sequence[str]) -> Part:
    """Programs that come from PATH, else from a Debian package."""

    def version() -> str | None:
        found = [paths.look_up(program) for program in programs]
        if not all(found):
            return None
        first = found[0]
        text = _output([first, "version" if name == "openssl" else "--version"]) if first else ""
        return next((word for word in text.split() if word[0].isdigit()), "version unknown")

    def fetch() -> None:
        missing = ", ".join(program for program in programs if not paths.look_up(program))
        apt = shutil.which("apt-get")
        if apt is None or os.geteuid() != 0:
            raise FetchError(f"{missing} not in PATH; on Debian: sudo apt-get install {package}")
        if not _output(["apt-cache", "policy", package]).strip():
            _run([apt, "update", "-qq"])
        _run([apt, "install", "-y", "-qq", "--no-install-recommends", package], DEBIAN_FRONTEND="noninteractive")

    return Part(name, package, version, fetch)


LANES: tuple[tuple[Part, ...], ...] = (
    (
        Part("collector", f"otelcol {COLLECTOR_VERSION}", _collector_version, _fetch_collector),
        Part("compose", f"compose-go {COMPOSE_VERSION}", _compose_version, _fetch_compose),
        Part("helm", f"helm {HELM_VERSION}", _helm_version, _fetch_helm),
        Part("keda", f"keda {KEDA_VERSION}", _keda_version, _fetch_keda),
        Part("operator", f"prometheus-operator {OPERATOR_VERSION}", _operator_version, _fetch_operator),
    ),
    (
        Part("kafka", f"kafka {KAFKA_VERSION}", _kafka_version, _fetch_kafka),
        Part("axe-core", f"axe-core {AXE_VERSION}", _axe_version, _fetch_axe),
        Part("mlserver", f"mlserver {MLSERVER_VERSION}", _mlserver_version, _fetch_mlserver),
        Part("openvino", f"onnxruntime-openvino {OPENVINO_VERSION}", _openvino_version, _fetch_openvino),
        Part("spark", f"pyspark {SPARK_VERSION}", _spark_version, _fetch_spark),
        Part("ray", f"ray {RAY_VERSION}", _ray_version, _fetch_ray),
        Part("frameworks", paths.FRAMEWORKS_LOCK.name, _frameworks_version, _fetch_frameworks),
        Part("phoenix", f"phoenix {PHOENIX_VERSION}", _phoenix_version, _fetch_phoenix),
        _debian("prometheus", "prometheus", ("prometheus", "promtool")),
        _debian("alertmanager", "prometheus-alertmanager", ("alertmanager", "amtool")),
        _debian("chromium", "chromium", ("chromium",)),
        _debian("openssl", "openssl", ("openssl",)),
    ),
)


def _need(tool: str, part: str, how: str) -> Path:
    found = shutil.which(tool)
    if found is None:
        raise FetchError(f"{part} needs {tool}, which is not in PATH; {how}")
    return Path(found)


def _run(command: Sequence[str | Path], **environment: str) -> str:
    """Run a command and return its output; when it fails, its last lines are the error."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=1800,
        check=False,
    )
    if done.returncode:
        tail = "\n    ".join(done.stdout.strip().splitlines()[-12:])
        raise FetchError(f"`{' '.join(str(word) for word in command)}` failed with {done.returncode}:\n    {tail}")
    return done.stdout


def _output(command: Sequence[str | Path]) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=60, check=False
    )
    return done.stdout + done.stderr


@contextmanager
def _workspace() -> Iterator[Path]:
    """A folder inside the cache, so that what was made can be moved into place in one step."""
    with tempfile.TemporaryDirectory(dir=paths.cache(), prefix=".making-") as folder:
        yield Path(folder)


def _install(made: Path, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    made.rename(place)


@contextmanager
def _only_one_at_a_time() -> Iterator[None]:
    """Two test runs that share a cache wait for each other."""
    with (paths.cache() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
