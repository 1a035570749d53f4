"""librdkafka's mock cluster: it speaks the Kafka protocol on a port of 127.0.0.1, in memory, and is ready at once.

It makes topics when they are first asked for, always with four partitions; it knows no CreateTopics, no SASL, no TLS,
no ACLs and no transactions of consumers.
"""

from __future__ import annotations

from types import TracebackType

from confluent_kafka import Producer


class MockKafka:
    """A mock cluster. Used as `with MockKafka() as broker`; it lives as long as the producer that carries it."""

    def __init__(self, *, brokers: int = 1) -> None:
        self._count = brokers
        self._carrier: Producer | None = None
        self._servers = ""

    @property
    def bootstrap_servers(self) -> str:
        return self._servers

    def __enter__(self) -> MockKafka:
        # librdkafka puts the addresses of the mock brokers in place of these servers, and says so on stderr: log_level 0.
        self._carrier = Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": self._count, "log_level": 0})
        brokers = self._carrier.list_topics(timeout=10).brokers.values()
        self._servers = ",".join(f"{broker.host}:{broker.port}" for broker in brokers)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._carrier = None

    def create_topic(self, name: str, *, partitions: int = 4) -> None:
        """Make a topic: asking for its metadata does. Raises ValueError for any number of partitions but four."""
        if partitions != 4:
            raise ValueError("the mock cluster gives every topic four partitions")
        client = Producer({"bootstrap.servers": self._servers})
        while client.list_topics(name, timeout=10).topics[name].error is not None:
            pass
