"""Apache Kafka: one KRaft node on free ports, in a folder of its own that goes when it stops."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._scram import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion
from confluent_kafka.cimpl import NewPartitions, NewTopic

from tests.parts import paths
from tests.parts.certificates import Certificates, make_certificates
from tests.parts.disk import SmallDisk
from tests.parts.gate import Gate
from tests.parts.process import Server, free_ports
from tests.parts.tokens import Signer

SCRAM_USER, SCRAM_PASSWORD = "alice", "alice-secret"
PLAIN_USER, PLAIN_PASSWORD = "bob", "bob-secret"
# This one may log in and then do nothing.
POOR_USER, POOR_PASSWORD = "carol", "carol-secret"
# The password of this one is changed by tests.
CHANGED_USER, CHANGED_PASSWORD = "erin", "erin-secret"
# By a token.
TOKEN_USER, AUDIENCE, ISSUER = "dave", "kafka", "https://login.example.org"

CLUSTER_ID = "bm90LWEtcmVhbC1pZC0wMQ"

_PLAIN = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/disk/data
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
super.users=User:ANONYMOUS;User:{scram_user};User:{plain_user};User:{token_user};User:{changed_user};User:CN=client
listener.name.oauth.sasl.enabled.mechanisms=OAUTHBEARER
listener.name.oauth.oauthbearer.sasl.jaas.config=\
org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;
listener.name.oauth.oauthbearer.sasl.server.callback.handler.class=\
org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler
listener.name.oauth.connections.max.reauth.ms=3600000
listener.name.short.sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.short.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.short.connections.max.reauth.ms=1500
listener.name.short.ssl.client.auth=required
sasl.oauthbearer.jwt.validator.class=org.apache.kafka.common.security.oauthbearer.BrokerJwtValidator
sasl.oauthbearer.jwks.endpoint.url={keys}
sasl.oauthbearer.expected.audience={audience}
sasl.oauthbearer.expected.issuer={issuer}
"""


def java(main: str, *words: str | Path, options: Sequence[str] = (), heap_megabytes: int = 512) -> list[str | Path]:
    """The command of a class of Kafka's, in a process that is there quickly."""
    quick = ("-Xms128m", f"-Xmx{heap_megabytes}m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
    return [paths.find("java"), *quick, *options, "-cp", f"{paths.find_kafka_jars()}/*", main, *words]


def format_storage(command: Sequence[str | Path]) -> None:
    """Run the storage tool. Raises RuntimeError with what it says."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise RuntimeError(f"Kafka's storage tool failed:\n{(done.stdout + done.stderr)[-2000:]}")


class KafkaBroker:
    """A broker. Used as `with KafkaBroker() as broker`; `secure` adds SASL_SSL listeners (one of them for tokens), an mTLS listener and ACLs,
    `gated` a listener without security that is only reached through `gate`, `disk_megabytes` a disk of its own of that size, for which
    one needs the right to mount.

    `stop_broker` and `start_broker` take it down and up again with its data, on the same ports.
    """

    def __init__(
        self, *, secure: bool = False, auto_create_topics: bool = True, gated: bool = False, disk_megabytes: int = 0
    ) -> None:
        self._secure = secure
        self._gated = gated
        self._disk_megabytes = disk_megabytes
        self._auto_create = auto_create_topics
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-kafka-")
        self._port, self._controller, self._sasl, self._mtls, self._oauth, self._short = free_ports(6)
        self._behind, self._before = free_ports(2)
        self._server: Server | None = None
        self._gate: Gate | None = None
        self._disk: SmallDisk | None = None
        self._certificates: Certificates | None = None
        self._signer: Signer | None = None

    @property
    def bootstrap_servers(self) -> str:
        """The listener without security."""
        return f"127.0.0.1:{self._port}"

    @property
    def gate(self) -> Gate:
        """What a gated listener is reached through."""
        if self._gate is None:
            raise RuntimeError("only a broker with gated=True has a gate")
        return self._gate

    @property
    def gated_servers(self) -> str:
        """The listener behind the gate."""
        return f"127.0.0.1:{self._before}"

    @property
    def sasl_servers(self) -> str:
        """The SASL_SSL listener: SCRAM-SHA-256, SCRAM-SHA-512 and PLAIN."""
        return f"127.0.0.1:{self._sasl}"

    @property
    def mtls_servers(self) -> str:
        """The TLS listener that asks for a client certificate."""
        return f"127.0.0.1:{self._mtls}"

    @property
    def oauth_servers(self) -> str:
        """The SASL_SSL listener that takes tokens, which `signer` signs; a connection ends with its token."""
        return f"127.0.0.1:{self._oauth}"

    @property
    def short_servers(self) -> str:
        """The SASL_SSL listener whose connections last a second and a half: SCRAM-SHA-512 and a client certificate."""
        return f"127.0.0.1:{self._short}"

    @property
    def signer(self) -> Signer:
        """Signs the tokens that a secure broker takes."""
        if self._signer is None:
            raise RuntimeError("only a broker with secure=True takes tokens")
        return self._signer

    @property
    def certificates(self) -> Certificates:
        """The certificates of a secure broker."""
        if self._certificates is None:
            raise RuntimeError("only a broker with secure=True has certificates")
        return self._certificates

    def __enter__(self) -> KafkaBroker:
        try:
            if self._disk_megabytes:
                self._disk = SmallDisk(self._path("disk"), self._disk_megabytes)
            self._format()
            self.start_broker()
            if self._gated:
                self._gate = Gate(self._before, self._behind)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._gate is not None:
            self._gate.stop()
        self.stop_broker()
        if self._disk is not None:
            self._disk.remove()
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

    def fill_disk(self, *, seconds: float) -> bool:
        """Leave no room on a disk of its own, wait so long for the node to end by that, and make room again. Whether it ended."""
        if self._disk is None or self._server is None:
            raise RuntimeError("only a broker with disk_megabytes has a disk that can be filled")
        self._disk.fill()
        deadline = time.monotonic() + seconds
        while self._server.runs and time.monotonic() < deadline:
            time.sleep(0.1)
        self._disk.free()
        return not self._server.runs

    def create_topic(self, name: str, *, partitions: int = 4) -> None:
        """Make a topic and wait until it has leaders."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(30)
        while any(part.leader < 0 for part in admin.list_topics(name, timeout=10).topics[name].partitions.values()):
            pass

    def delete_records(self, name: str, *, partition: int, before: int) -> None:
        """Let a partition begin at an offset, as retention does."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        place = TopicPartition(name, partition, before)
        admin.delete_records([place])[place].result(30)

    def add_partitions(self, name: str, *, to: int) -> None:
        """Give a topic more partitions, and wait until they have leaders."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        admin.create_partitions([NewPartitions(name, to)])[name].result(30)
        while len(parts := admin.list_topics(name, timeout=10).topics[name].partitions) < to or any(
            part.leader < 0 for part in parts.values()
        ):
            pass

    def change_password(self, password: str) -> None:
        """Give CHANGED_USER another password."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap_servers})
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        change = UserScramCredentialUpsertion(CHANGED_USER, info, password.encode())
        admin.alter_user_scram_credentials([change])[CHANGED_USER].result(30)

    def _path(self, name: str) -> Path:
        return Path(self._folder.name) / name

    def _java(self, main: str, *words: str | Path) -> list[str | Path]:
        allowed = "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls"
        options = (f"{allowed}={self._signer.keys.as_uri()}",) if self._signer is not None else ()
        return java(main, *words, options=options)

    def _format(self) -> None:
        properties = self._path("server.properties")
        properties.write_text(self._properties(), encoding="utf-8")
        words: list[str | Path] = ["format", "-t", CLUSTER_ID, "-c", properties]
        if self._secure:
            for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
                words += ["--add-scram", f"{mechanism}=[name={SCRAM_USER},password={SCRAM_PASSWORD}]"]
            words += ["--add-scram", f"SCRAM-SHA-512=[name={CHANGED_USER},password={CHANGED_PASSWORD}]"]
        format_storage(self._java("kafka.tools.StorageTool", *words))

    def _properties(self) -> str:
        listeners = [f"PLAINTEXT://127.0.0.1:{self._port}", f"CONTROLLER://127.0.0.1:{self._controller}"]
        protocols = ["CONTROLLER:PLAINTEXT", "PLAINTEXT:PLAINTEXT"]
        advertised = ""
        if self._gated:
            listeners.append(f"GATED://127.0.0.1:{self._behind}")
            protocols.append("GATED:PLAINTEXT")
            advertised = f"advertised.listeners={listeners[0]},GATED://{self.gated_servers}\n"
        text = _PLAIN.format(
            controller=self._controller, folder=self._folder.name, auto_create=str(self._auto_create).lower()
        )
        if self._secure:
            self._certificates = make_certificates(self._path("."))
            self._signer = Signer(self._path("."))
            listeners += [f"SASL://127.0.0.1:{self._sasl}", f"MTLS://127.0.0.1:{self._mtls}"]
            listeners += [f"OAUTH://127.0.0.1:{self._oauth}", f"SHORT://127.0.0.1:{self._short}"]
            protocols += ["SASL:SASL_SSL", "MTLS:SSL", "OAUTH:SASL_SSL", "SHORT:SASL_SSL"]
            text += _SECURE.format(
                bundle=self._certificates.broker,
                authority=self._certificates.authority,
                scram_user=SCRAM_USER,
                plain_user=PLAIN_USER,
                plain_password=PLAIN_PASSWORD,
                poor_user=POOR_USER,
                poor_password=POOR_PASSWORD,
                token_user=TOKEN_USER,
                changed_user=CHANGED_USER,
                keys=self._signer.keys.as_uri(),
                audience=AUDIENCE,
                issuer=ISSUER,
            )
        text += advertised
        return f"{text}listeners={','.join(listeners)}\nlistener.security.protocol.map={','.join(protocols)}\n"

    def _answers(self) -> bool:
        try:
            AdminClient({"bootstrap.servers": self.bootstrap_servers, "log_level": 0}).list_topics(timeout=1)
        except KafkaException:
            return False
        return True
