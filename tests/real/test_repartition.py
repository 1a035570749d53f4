"""Through a topic of our own, on a real broker: a trace waits for its other half while that lies unread in the source topic."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from tests.chaos.replicas import Replicas
from tests.chaos.traffic import Numbered, numbered
from tests.chaos.verdict import judge, read_results
from tests.parts.broker import Message, produce
from tests.parts.kafka import KafkaBroker

pytestmark = pytest.mark.real

QUIET = 2.0


class Laggard:
    """A member of the group that takes its share of the source topic and does nothing with it, as a replica that hangs, or is dead and
    not yet missed."""

    def __init__(self, broker: KafkaBroker) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": broker.bootstrap_servers, "group.id": "halves", "enable.auto.commit": False, "log_level": 0,
                "partition.assignment.strategy": "roundrobin", "auto.offset.reset": "earliest",
            }
        )  # fmt: skip
        self._assigned: queue.Queue[list[TopicPartition]] = queue.Queue()
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._hang, name="laggard", daemon=True)
        self._thread.start()

    @property
    def partition(self) -> int:
        """The source partition that nobody works on, once there is one."""
        (mine,) = self._assigned.get(timeout=60)
        return mine.partition

    def leave(self) -> None:
        self._leaving.set()
        self._thread.join()

    def _hang(self) -> None:
        self._consumer.subscribe(["spans"], on_assign=lambda _, parts: self._assigned.put(parts))
        while not self._leaving.is_set():
            self._consumer.poll(0.1)
        self._consumer.close()


@contextmanager
def sidecar(broker: KafkaBroker, folder: Path, **receive: Any) -> Iterator[Replicas]:
    settings = {
        "receive": {
            "bootstrap_servers": broker.bootstrap_servers, "topics": ["spans"], "group_id": "halves", "auto_offset_reset": "earliest",
            "session_timeout_seconds": 6.0, "heartbeat_interval_seconds": 1.0, "repartition": "by-trace", **receive,
        },
        "assemble": {"quiet_seconds": QUIET, "quiet_without_root_seconds": QUIET},
        "results": {"topic": "results"},
        "pipeline": {"drain_seconds": 2.0},
    }  # fmt: skip
    replicas = Replicas(settings, folder)
    replicas.start()
    try:
        replicas.wait_ready()
        yield replicas
    finally:
        replicas.stop_all()


def halves(one: Numbered, *, first: int, second: int) -> tuple[Message, Message]:
    (_, documents), (_, answer) = one.records
    return Message(documents, partition=first), Message(answer, partition=second)


def results_of(broker: KafkaBroker, one: Numbered, *, seconds: float) -> list[dict[str, Any]]:
    """Its results when there is one, or when the time is up."""
    deadline = time.monotonic() + seconds
    while not (found := read_results(broker.bootstrap_servers, "results").get(one.trace_id, [])):
        if time.monotonic() > deadline:
            break
        time.sleep(0.5)
    return found


@pytest.fixture
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as kafka:
        for topic in ("spans", "by-trace", "results"):
            kafka.create_topic(topic, partitions=2)
        yield kafka


def test_a_trace_is_not_ended_while_its_other_half_lies_unread_at_another_replica(
    broker: KafkaBroker, tmp_path: Path
) -> None:
    one = numbered(1, encoding="otlp_proto", gap=0.5, now=time.time())
    with sidecar(broker, tmp_path):
        laggard = Laggard(broker)
        unread = laggard.partition
        documents, answer = halves(one, first=1 - unread, second=unread)
        produce(broker, "spans", [documents, answer])
        assert results_of(broker, one, seconds=5 * QUIET) == []
        laggard.leave()
        found = results_of(broker, one, seconds=60)
    assert str(judge([one.trace_id], {one.trace_id: found})).startswith("sent 1, lost 0, poorer 0, partial 0")
    assert found[0]["trace"]["root_seen"]


def test_the_marker_at_the_end_of_a_transaction_is_nothing_to_wait_for(broker: KafkaBroker, tmp_path: Path) -> None:
    one = numbered(1, encoding="otlp_proto", gap=0.5, now=time.time())
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "transactional.id": "halves", "log_level": 0})
    producer.init_transactions()
    producer.begin_transaction()
    for partition, (_, value) in enumerate(one.records):
        producer.produce("spans", value=value, partition=partition)
    producer.commit_transaction()
    with sidecar(broker, tmp_path):
        found = results_of(broker, one, seconds=30)
    assert [result["trace"]["root_seen"] for result in found] == [True]


def test_a_half_is_scored_as_one_when_its_other_half_does_not_come_in_the_time_for_it(
    broker: KafkaBroker, tmp_path: Path
) -> None:
    one = numbered(1, encoding="otlp_proto", gap=0.5, now=time.time())
    with sidecar(broker, tmp_path, repartition_wait_seconds=3.0):
        laggard = Laggard(broker)
        unread = laggard.partition
        produce(broker, "spans", halves(one, first=1 - unread, second=unread))
        found = results_of(broker, one, seconds=30)
        laggard.leave()
    assert [result["trace"]["root_seen"] for result in found] == [False]
