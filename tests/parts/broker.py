"""What a test may ask of any broker, real or mock, through librdkafka: a client that is not the one under test."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from confluent_kafka import Consumer, Producer, TopicPartition


class Broker(Protocol):
    """A running broker. Topics have four partitions unless asked otherwise; the mock knows no other number."""

    @property
    def bootstrap_servers(self) -> str: ...

    def create_topic(self, name: str, *, partitions: int = 4) -> None: ...


@dataclass(frozen=True, slots=True)
class Message:
    """A message to produce, or one that was read."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()
    topic: str = ""
    partition: int = -1
    offset: int = -1


def produce(
    broker: Broker, topic: str, messages: Iterable[Message | bytes], *, config: Mapping[str, Any] | None = None
) -> int:
    """Send messages and wait until the broker has them all; returns how many. A partition of -1 lets the key decide.

    Each partition has them in their order: with several requests in flight a batch that is sent again, as the first one
    after a topic was made may be, comes behind the next. (An idempotent producer takes half a second to begin.)
    """
    producer = Producer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "message.max.bytes": 16_000_000,
            "max.in.flight.requests.per.connection": 1,
            **(config or {}),
        }
    )
    count = 0
    failures: list[str] = []

    def delivered(error: object, _message: object) -> None:
        if error is not None:
            failures.append(str(error))

    for item in messages:
        message = item if isinstance(item, Message) else Message(item)
        producer.produce(
            topic,
            value=message.value,
            key=message.key,
            headers=list(message.headers),
            partition=message.partition,
            on_delivery=delivered,
        )
        producer.poll(0)
        count += 1
    left = producer.flush(30)
    if left or failures:
        raise RuntimeError(f"{left} messages were not sent to {topic}; {failures[:1]}")
    return count


def read(broker: Broker, topic: str, *, count: int, seconds: float = 20.0) -> list[Message]:
    """The first `count` messages of a topic, fewer when time is up."""
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": f"test-reader-{time.monotonic_ns()}",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
    )
    try:
        partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
        consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
        found: list[Message] = []
        deadline = time.monotonic() + seconds
        while len(found) < count and time.monotonic() < deadline:
            message = consumer.poll(0.2)
            if message is None or message.error():
                continue
            found.append(
                Message(
                    value=message.value(),
                    key=message.key(),
                    headers=_headers(message.headers()),
                    topic=topic,
                    partition=message.partition() or 0,
                    offset=message.offset() or 0,
                )
            )
        return found
    finally:
        consumer.close()


def _headers(given: object) -> tuple[tuple[str, bytes], ...]:
    """librdkafka gives headers as a list of pairs, or None."""
    return tuple((str(name), bytes(value)) for name, value in given) if isinstance(given, list) else ()


def committed(broker: Broker, group: str, topic: str, *, partitions: int = 4) -> dict[int, int]:
    """The committed offset of each partition of a group; partitions without one are left out."""
    consumer = Consumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": group})
    try:
        wanted = [TopicPartition(topic, number) for number in range(partitions)]
        return {one.partition: one.offset for one in consumer.committed(wanted, timeout=15) if one.offset >= 0}
    finally:
        consumer.close()
