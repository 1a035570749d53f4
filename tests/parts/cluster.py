"""Several Kafka brokers and a controller beside them: brokers come and go, and what was led by one is led by another, or by nobody."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.parts.kafka import CLUSTER_ID, format_storage, java
from tests.parts.process import Server, free_ports

_CONTROLLER = 100
_HEAP_MEGABYTES = 256

_COMMON = """
node.id={node}
controller.quorum.voters={controller_node}@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
log.dirs={folder}/data-{node}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
"""

_BROKER = """
process.roles=broker
listeners=PLAINTEXT://127.0.0.1:{port}
inter.broker.listener.name=PLAINTEXT
offsets.topic.replication.factor={copies}
offsets.topic.num.partitions=4
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
default.replication.factor={copies}
min.insync.replicas=1
"""


class KafkaCluster:
    """Used as `with KafkaCluster(brokers=2) as cluster`. Brokers are numbered from 1; what groups commit lies on two of them."""

    def __init__(self, *, brokers: int) -> None:
        self.numbers = tuple(range(1, brokers + 1))
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-cluster-")
        self._controller, *ports = free_ports(brokers + 1)
        self._ports = dict(zip(self.numbers, ports, strict=True))
        self._running: dict[int, Server] = {}
        # One for all: a client that goes takes its futures along.
        self._admin = self._client()

    @property
    def bootstrap_servers(self) -> str:
        """Every broker."""
        return ",".join(f"127.0.0.1:{port}" for port in self._ports.values())

    def __enter__(self) -> KafkaCluster:
        try:
            for node in (_CONTROLLER, *self.numbers):
                self._configure(node)
                format_storage(
                    java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", self._properties(node))
                )
                self._start(node)
            self.wait_for_brokers(self.numbers)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for server in self._running.values():
            server.kill()
        self._folder.cleanup()

    def kill(self, broker: int) -> None:
        """SIGKILL, and wait until the others know that it is gone."""
        self._running.pop(broker).kill()
        self.wait_for_brokers([one for one in self.numbers if one in self._running])

    def stop(self, broker: int) -> None:
        """SIGTERM: it hands over what it leads before it ends."""
        self._running.pop(broker).stop(seconds=30)
        self.wait_for_brokers([one for one in self.numbers if one in self._running])

    def start(self, broker: int) -> None:
        """Start a broker again, with its data, and wait until it has caught up: before that no other may go without a partition being lost."""
        self._start(broker)
        self.wait_for_brokers([one for one in self.numbers if one in self._running])
        self._wait(self._in_sync)

    def _in_sync(self) -> bool:
        """Whether every running replica of every partition, those of the groups' offsets too, has what its leader has."""
        topics = self._admin.list_topics(timeout=5).topics.values()
        partitions = [partition for topic in topics for partition in topic.partitions.values()]
        return all(set(one.replicas) & set(self._running) <= set(one.isrs) for one in partitions)

    def create_topic(self, name: str, brokers: Sequence[Sequence[int]]) -> None:
        """Make a topic; for each partition the brokers that have it, its first leader first."""
        topic = NewTopic(name, len(brokers), replica_assignment=[list(own) for own in brokers])
        self._admin.create_topics([topic])[name].result(30)
        self._wait(lambda: self.leaders(name) == [own[0] for own in brokers])

    def leaders(self, topic: str) -> list[int]:
        """The leader of each partition of a topic; -1 for none."""
        found = self._admin.list_topics(topic, timeout=10).topics[topic].partitions
        return [found[number].leader for number in sorted(found)]

    def coordinator(self, group: str) -> int:
        """The broker that coordinates a group. Raises KafkaException while none does."""
        admin = self._client()
        found = admin.describe_consumer_groups([group], request_timeout=5)[group].result(30)
        assert found.coordinator is not None
        return int(found.coordinator.id)

    def committed(self, group: str) -> dict[tuple[str, int], int]:
        """What a group has committed. Raises KafkaException while it has no coordinator."""
        admin, asked = self._client(), [ConsumerGroupTopicPartitions(group)]
        found = admin.list_consumer_group_offsets(asked, request_timeout=5)[group].result(30).topic_partitions
        return {(one.topic, one.partition): one.offset for one in found if isinstance(one, TopicPartition)}

    def wait_for_brokers(self, brokers: Sequence[int]) -> None:
        """Wait until these brokers are in the cluster, and no others."""
        self._wait(lambda: sorted(self._admin.list_topics(timeout=5).brokers) == sorted(brokers))

    def _client(self) -> AdminClient:
        """One that has not known who coordinated a group before."""
        return AdminClient({"bootstrap.servers": self.bootstrap_servers, "log_level": 0})

    def _wait(self, ready: Callable[[], bool], *, seconds: float = 120.0) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if ready():
                    return
            except KafkaException:
                pass
            time.sleep(0.1)
        tails = "\n".join(f"{server.name}:\n{server.tail(10)}" for server in self._running.values())
        raise RuntimeError(f"the cluster is not as it should be after {seconds:.0f} s:\n{tails}")

    def _properties(self, node: int) -> Path:
        return Path(self._folder.name) / f"node-{node}.properties"

    def _configure(self, node: int) -> None:
        text = _COMMON.format(
            node=node, controller_node=_CONTROLLER, controller=self._controller, folder=self._folder.name
        )
        if node == _CONTROLLER:
            text += f"process.roles=controller\nlisteners=CONTROLLER://127.0.0.1:{self._controller}\n"
        else:
            text += _BROKER.format(port=self._ports[node], copies=min(2, len(self.numbers)))
        self._properties(node).write_text(text, encoding="utf-8")

    def _start(self, node: int) -> None:
        self._running[node] = Server(
            f"Kafka {node}",
            java("kafka.Kafka", self._properties(node), heap_megabytes=_HEAP_MEGABYTES),
            log=Path(self._folder.name) / f"node-{node}.log",
            cwd=Path(self._folder.name),
        )
