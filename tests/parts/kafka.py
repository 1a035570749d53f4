"""Apache Kafka: one KRaft node on free ports, in a folder of its own that goes when it stops."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.parts import paths
from tests.parts.certificates import Certificates, make_certificates
from tests.parts.process import Server, free_ports

SCRAM_USER, SCRAM_PASSWORD = "alice", "alice-secret"
PLAIN_USER, PLAIN_PASSWORD = "bob", "bob-secret"
# This one may log in and then do nothing.
POOR_USER, POOR_PASSWORD = "carol", "carol-secret"

_PLAIN = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
num.partitions=4
message.max.bytes=8388608
auto.create.topics.enable={auto_create}
"""

_SECURE = """
ssl.keystore.type=PEM
ssl.keystore.location={bundle}
ssl.truststore.type=PEM
ssl.truststore.location={authority}
listener.name.mtls.ssl.client.auth=required
listener.name.sasl.sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512,PLAIN
listener.name.sasl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
user_{plain_user}="{plain_password}" user_{poor_user}="{poor_password}";
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:{scram_user};User:{plain_user};User:CN=client
"""


class KafkaBroker:
    """A broker. Used as `with KafkaBroker() as broker`; `secure` adds a SASL_SSL and an mTLS listener and ACLs.

    `stop_broker` and `start_broker` take it down and up again with its data, on the same ports.
    """

    def __init__(self, *, secure: bool = False, auto_create_topics: bool = True) -> None:
        self._secure = secure
        self._auto_create = auto_create_topics
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-kafka-")
        self._port, self._controller, self._sasl, self._mtls = free_ports(4)
        self._server: Server | None = None
        self._certificates: Certificates | None = None

    @property
    def bootstrap_servers(self) -> str:
        """The listener without security."""
        return f"127.0.0.1:{self._port}"

    @property
    def sasl_servers(self) -> str:
        """The SASL_SSL listener: SCRAM-SHA-256, SCRAM-SHA-512 and PLAIN."""
        return f"127.0.0.1:{self._sasl}"

    @property
    def mtls_servers(self) -> str:
        """The TLS listener that asks for a client certificate."""
        return f"127.0.0.1:{self._mtls}"

    @property
    def certificates(self) -> Certificates:
        """The certificates of a secure broker."""
        if self._certificates is None:
            raise RuntimeError("only a broker with secure=True has certificates")
        return self._certificates

    def __enter__(self) -> KafkaBroker:
        try:
            self._format()
            self.start_broker()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop_broker()
        self._folder.cleanup()

    def start_broker(self) -> None:
        """Start the node and wait until it answers."""
        self._server = Server(
            "Kafka",
            self._java("kafka.Kafka", self._path("server.properties")),
            log=self._path("broker.log"),
            cwd=self._path("."),
        )
        self._server.wait_until(self._answers, seconds=90)

    def stop_broker(self) -> None:
        """Stop the node; its data stay until the end of the `with`."""
        if self._server is not None:
            self._server.stop()
            self._server = None

    def create_topic(self, name: str, *, partitions: int = 4) -> None:
        """Make a topic and wait until it has leaders."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(30)
        while any(part.leader < 0 for part in admin.list_topics(name, timeout=10).topics[name].partitions.values()):
            pass

    def _path(self, name: str) -> Path:
        return Path(self._folder.name) / name

    def _java(self, main: str, *words: str | Path) -> list[str | Path]:
        java = paths.find("java")
        jars = f"{paths.find_kafka_jars()}/*"
        quick = ("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
        return [java, *quick, "-cp", jars, main, *words]

    def _format(self) -> None:
        properties = self._path("server.properties")
        properties.write_text(self._properties(), encoding="utf-8")
        words: list[str | Path] = ["format", "-t", "bm90LWEtcmVhbC1pZC0wMQ", "-c", properties]
        if self._secure:
            for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
                words += ["--add-scram", f"{mechanism}=[name={SCRAM_USER},password={SCRAM_PASSWORD}]"]
        command = self._java("kafka.tools.StorageTool", *words)
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            raise RuntimeError(f"Kafka's storage tool failed:\n{(done.stdout + done.stderr)[-2000:]}")

    def _properties(self) -> str:
        listeners = [f"PLAINTEXT://127.0.0.1:{self._port}", f"CONTROLLER://127.0.0.1:{self._controller}"]
        protocols = ["CONTROLLER:PLAINTEXT", "PLAINTEXT:PLAINTEXT"]
        text = _PLAIN.format(
            controller=self._controller, folder=self._folder.name, auto_create=str(self._auto_create).lower()
        )
        if self._secure:
            self._certificates = make_certificates(self._path("."))
            listeners += [f"SASL://127.0.0.1:{self._sasl}", f"MTLS://127.0.0.1:{self._mtls}"]
            protocols += ["SASL:SASL_SSL", "MTLS:SSL"]
            text += _SECURE.format(
                bundle=self._certificates.broker,
                authority=self._certificates.authority,
                scram_user=SCRAM_USER,
                plain_user=PLAIN_USER,
                plain_password=PLAIN_PASSWORD,
                poor_user=POOR_USER,
                poor_password=POOR_PASSWORD,
            )
        return f"{text}listeners={','.join(listeners)}\nlistener.security.protocol.map={','.join(protocols)}\n"

    def _answers(self) -> bool:
        try:
            AdminClient({"bootstrap.servers": self.bootstrap_servers, "log_level": 0}).list_topics(timeout=1)
        except KafkaException:
            return False
        return True
