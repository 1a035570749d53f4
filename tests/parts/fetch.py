"""Fetches the real parts into the cache: what is there in the right version is left alone, one line a part.

Two lanes run side by side: what compiles (Go), and what only downloads (Maven, Python and Debian packages). jars.py and packages.py know the latter.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.parts import paths
from tests.parts.control_plane_build import CONTROL_PLANE
from tests.parts.fetching import GO, FetchError, Part, check_sums, install, need, output, run, workspace
from tests.parts.jars import CONNECT, KAFKA
from tests.parts.packages import (
    CLICKHOUSE,
    FRAMEWORKS,
    IMAGE,
    MLSERVER,
    OPENVINO,
    PHOENIX,
    POSTGRES,
    RAY,
    SPARK,
    debian,
)
from tests.parts.paths import (
    AXE_VERSION,
    COLLECTOR_VERSION,
    COMPOSE_VERSION,
    HELM_VERSION,
    KEDA_VERSION,
    OPERATOR_VERSION,
)

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


def main(names: Sequence[str] = ()) -> int:
    """Fetch every part that is missing, or those named, which may be of those by request too. 0 when all are there, 2 for a name that no part has, else 1."""
    every = (*LANES, BY_REQUEST)
    known = {part.name for lane in every for part in lane}
    if unknown := set(names) - known:
        print(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
        return 2
    wanted: Sequence[Sequence[Part]] = (
        [[part for part in lane if part.name in names] for lane in every] if names else LANES
    )
    paths.cache().mkdir(parents=True, exist_ok=True)
    with _only_one_at_a_time(), ThreadPoolExecutor(len(wanted)) as pool:
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


def _collector_version() -> str | None:
    binary = paths.collector_binary()
    said = output([binary, "components"]) if binary.is_file() else ""
    wanted = (f"version: {COLLECTOR_VERSION}", "kafkaexporter", "fileexporter", "otlphttpexporter")
    return COLLECTOR_VERSION if all(one in said for one in wanted) else None


def _fetch_collector() -> None:
    go = need("go", "the OpenTelemetry Collector", GO)
    with workspace() as work:
        run([go, "install", f"go.opentelemetry.io/collector/cmd/builder@v{COLLECTOR_VERSION}"], GOBIN=str(work))
        config = work / "builder.yaml"
        config.write_text(_COLLECTOR.replace("OUTPUT", str(work / "out")), encoding="utf-8")
        run([work / "builder", "--config", config])
        (work / "bin").mkdir()
        (work / "out" / "otelcol").rename(work / "bin" / "otelcol")
        install(work / "bin", paths.collector_binary().parent)


def _helm_version() -> str | None:
    binary = paths.helm_binary()
    # A Helm that `go install` built does not know its patch version, so its place says it.
    works = binary.is_file() and output([binary, "version", "--short"]).startswith("v3.")
    return HELM_VERSION if works else None


def _fetch_helm() -> None:
    go = need("go", "Helm", GO)
    with workspace() as work:
        run([go, "install", f"helm.sh/helm/v3/cmd/helm@v{HELM_VERSION}"], GOBIN=str(work / "bin"))
        install(work / "bin", paths.helm_binary().parent)


def _compose_version() -> str | None:
    return COMPOSE_VERSION if paths.compose_binary().is_file() else None


def _fetch_compose() -> None:
    """The loader of Docker Compose as a program, which comes with its library; it needs no engine."""
    go = need("go", "the loader of Compose files", GO)
    with workspace() as work:
        run([go, "install", f"github.com/compose-spec/compose-go/v2/cmd@v{COMPOSE_VERSION}"], GOBIN=str(work / "bin"))
        (work / "bin" / "cmd").rename(work / "bin" / "compose")
        install(work / "bin", paths.compose_binary().parent)


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
    go = need("go", f"the definitions of {module}", GO)
    with workspace() as work:
        told = run([go, "mod", "download", "-json", module], GOWORK="off")
        (work / "made").mkdir()
        for name in files:
            shutil.copyfile(Path(json.loads(told)["Dir"]) / name, work / "made" / Path(name).name)
        install(work / "made", place)


def _axe_version() -> str | None:
    return AXE_VERSION if paths.axe_script().is_file() else None


def _fetch_axe() -> None:
    npm = need("npm", "axe-core", "Debian: apt-get install npm")
    with workspace() as work:
        run([npm, "pack", "--silent", f"axe-core@{AXE_VERSION}", "--pack-destination", work])
        check_sums([work / f"axe-core-{AXE_VERSION}.tgz"])
        with tarfile.open(work / f"axe-core-{AXE_VERSION}.tgz") as archive:
            archive.extract("package/axe.min.js", work, filter="data")
        install(work / "package", paths.axe_script().parent)


LANES: tuple[tuple[Part, ...], ...] = (
    (
        Part("collector", f"otelcol {COLLECTOR_VERSION}", _collector_version, _fetch_collector),
        Part("compose", f"compose-go {COMPOSE_VERSION}", _compose_version, _fetch_compose),
        Part("helm", f"helm {HELM_VERSION}", _helm_version, _fetch_helm),
        Part("keda", f"keda {KEDA_VERSION}", _keda_version, _fetch_keda),
        Part("operator", f"prometheus-operator {OPERATOR_VERSION}", _operator_version, _fetch_operator),
    ),
    (
        KAFKA,
        CONNECT,
        Part("axe-core", f"axe-core {AXE_VERSION}", _axe_version, _fetch_axe),
        MLSERVER,
        OPENVINO,
        SPARK,
        RAY,
        FRAMEWORKS,
        PHOENIX,
        POSTGRES,
        CLICKHOUSE,
        IMAGE,
        debian("prometheus", "prometheus", ("prometheus", "promtool")),
        debian("alertmanager", "prometheus-alertmanager", ("alertmanager", "amtool")),
        debian("chromium", "chromium", ("chromium",)),
        debian("openssl", "openssl", ("openssl",)),
    ),
)

# What takes so long to build that only tests marked `long` may need it.
BY_REQUEST: tuple[Part, ...] = (CONTROL_PLANE,)


@contextmanager
def _only_one_at_a_time() -> Iterator[None]:
    """Two test runs that share a cache wait for each other."""
    with (paths.cache() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
