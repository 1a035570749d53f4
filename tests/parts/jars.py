"""Parts that are jars of Maven Central: Apache Kafka, and Kafka Connect with Debezium's JDBC connector."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path

from tests.parts import paths
from tests.parts.fetching import JAVA, Part, check_sums, install, need, run, workspace
from tests.parts.paths import DEBEZIUM_VERSION, KAFKA_VERSION

# Coordinates in Maven Central.
_KAFKA_JARS = (f"org.apache.kafka:kafka_2.13:{KAFKA_VERSION}", "org.slf4j:slf4j-simple:1.7.36")
_CONNECT_JARS = (f"org.apache.kafka:connect-runtime:{KAFKA_VERSION}", "org.slf4j:slf4j-simple:1.7.36")
# The archive that Debezium tells people to unpack into the folder of plugins.
_DEBEZIUM = f"io.debezium:debezium-connector-jdbc:{DEBEZIUM_VERSION}:tar.gz:plugin"


def _kafka_version() -> str | None:
    try:
        jars = paths.find_kafka_jars()
    except paths.MissingPartError:
        return None
    # The broker needs a Java that runs it; without one the jars are of no use.
    need("java", "Apache Kafka", JAVA)
    return KAFKA_VERSION if any(jars.glob("slf4j-simple-*.jar")) else None


def _fetch_kafka() -> None:
    with workspace() as work:
        _copy_jars("Apache Kafka", _KAFKA_JARS, work / "lib")
        install(work / "lib", paths.kafka_jars())


def _connect_version() -> str | None:
    try:
        jars = paths.find_connect_jars()
    except paths.MissingPartError:
        return None
    need("java", "Kafka Connect", JAVA)
    return KAFKA_VERSION if any(jars.glob("plugins/debezium-connector-jdbc/debezium-connector-jdbc-*.jar")) else None


def _fetch_connect() -> None:
    with workspace() as work:
        _copy_jars("Kafka Connect", _CONNECT_JARS, work / "made" / "runtime")
        maven = need("mvn", "Debezium's connector", JAVA)
        run([maven, "-q", "-B", "dependency:copy", f"-Dartifact={_DEBEZIUM}", f"-DoutputDirectory={work}"])
        archives = list(work.glob("*.tar.gz"))
        check_sums(archives)
        with tarfile.open(archives[0]) as archive:
            archive.extractall(work / "made" / "plugins", filter="data")
        install(work / "made", paths.connect_jars())


def _copy_jars(part: str, coordinates: Sequence[str], place: Path) -> None:
    """Some artifacts of Maven Central, and all that they need."""
    maven = need("mvn", part, JAVA)
    place.mkdir(parents=True)
    pom = place.with_suffix(".xml")
    wanted = "".join(
        "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>".format(
            *one.split(":")
        )
        for one in coordinates
    )
    pom.write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>rag-sidecar</groupId><artifactId>test-parts</artifactId><version>1</version>"
        f"<dependencies>{wanted}</dependencies></project>",
        encoding="utf-8",
    )
    run([maven, "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={place}"])
    check_sums(place.iterdir())
    pom.unlink()


KAFKA = Part("kafka", f"kafka {KAFKA_VERSION}", _kafka_version, _fetch_kafka)
CONNECT = Part("connect", f"connect {KAFKA_VERSION}", _connect_version, _fetch_connect)
