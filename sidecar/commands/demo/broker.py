"""An embedded broker: librdkafka's mock cluster, inside the confluent-kafka wheel. It speaks the Kafka protocol on 127.0.0.1."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from sidecar.record.errors import ConfigError

TOPICS = ("otlp_spans", "otlp_spans_json", "rag_requests")


class EmbeddedBroker:
    """Lives as long as the block. One consumer a group: the mock serves no more (docs/adr/0003)."""

    def __init__(self, topics: Sequence[str] = TOPICS) -> None:
        """Raises ConfigError where the extra `demo` is not installed."""
        try:
            from confluent_kafka import Producer
        except ImportError as error:
            raise ConfigError(
                "demo",
                "confluent-kafka is not installed",
                "in a clone of the repository: pip install '.[demo]', or make demo",
            ) from error
        self._producer = Producer({"bootstrap.servers": "", "test.mock.num.brokers": 1, "linger.ms": 5, "log_level": 0})
        metadata = self._producer.list_topics(timeout=10)
        self.bootstrap_servers = ",".join(f"{b.host}:{b.port}" for b in metadata.brokers.values())
        for topic in topics:
            self._producer.list_topics(topic, timeout=10)

    def __enter__(self) -> EmbeddedBroker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._producer.flush(5)

    def produce(self, topic: str, *, key: str, value: bytes) -> None:
        """Hand a message to the client; it is sent in the background."""
        self._producer.produce(topic, value, key=key)
        self._producer.poll(0)

    def flush(self) -> None:
        """Wait until everything is in the broker."""
        self._producer.flush(10)
