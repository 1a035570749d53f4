"""What retention took before it was read: reading goes on where the log starts, and says how much is gone."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.kafka.harness import Reader, away, fresh, places
from tests.parts.broker import Message, committed, produce
from tests.parts.mock_kafka import MockKafka

# The mock keeps 5 MB of a partition.
LARGE = [Message(b"x" * 100_000, partition=0)] * 90


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


def commit(broker: MockKafka, group: str, topic: str, offset: int) -> None:
    consumer = Consumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": group})
    consumer.commit(offsets=[TopicPartition(topic, 0, offset)], asynchronous=False)
    consumer.close()


def log_of(broker: MockKafka, topic: str) -> tuple[int, int]:
    consumer = Consumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": "watermarks"})
    try:
        found = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10, cached=False)
        assert found is not None
        return found
    finally:
        consumer.close()


@pytest.mark.parametrize("reset", ["latest", "earliest"])
async def test_a_committed_offset_that_retention_passed_costs_what_is_gone_and_no_more(
    broker: MockKafka, reset: str, caplog: pytest.LogCaptureFixture
) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=1)
    await away(produce, broker, topic, [Message(b"old", partition=0)] * 5)
    await away(commit, broker, group, topic, 3)
    await away(produce, broker, topic, LARGE)
    start, end = await away(log_of, broker, topic)
    assert 5 < start < end
    settings = {"topics": [topic], "group_id": group, "auto_offset_reset": reset}
    with caplog.at_level(logging.ERROR):
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            taken = await reader.take(end - start)
            assert await reader.poll_for(0.3) == []
    assert places(taken) == [(topic, 0, offset) for offset in range(start, end)]
    assert reader.telemetry.value("rag_sidecar_lost_records_total", topic=topic) == start - 3
    assert reader.telemetry.value("rag_sidecar_receiver_restarts_total") == 0
    assert f"retention took offsets 3 to {start - 1} before they were read" in caplog.text
    assert await away(committed, broker, group, topic, partitions=1) == {0: end}


async def test_what_retention_takes_while_intake_is_paused_is_told_once(broker: MockKafka) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=1)
    await away(produce, broker, topic, [Message(b"first", partition=0)])
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as reader:
        await reader.take(1)
        assert await reader.poll_for(0.3, paused=True) == []
        await away(produce, broker, topic, LARGE)
        start, end = await away(log_of, broker, topic)
        assert places(await reader.take(end - start)) == [(topic, 0, offset) for offset in range(start, end)]
        assert reader.telemetry.value("rag_sidecar_lost_records_total", topic=topic) == start - 1
        assert reader.telemetry.value("rag_sidecar_receiver_restarts_total") == 0
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as reader:
        assert await reader.poll_for(0.5) == []
        assert reader.telemetry.value("rag_sidecar_lost_records_total", topic=topic) == 0


async def test_a_log_that_was_made_anew_is_read_from_its_start(
    broker: MockKafka, caplog: pytest.LogCaptureFixture
) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=1)
    await away(produce, broker, topic, [Message(b"new", partition=0)] * 3)
    await away(commit, broker, group, topic, 1000)
    with caplog.at_level(logging.ERROR):
        async with Reader(
            broker.bootstrap_servers, topics=[topic], group_id=group, auto_offset_reset="latest"
        ) as reader:
            assert places(await reader.take(3)) == [(topic, 0, offset) for offset in range(3)]
            assert reader.telemetry.value("rag_sidecar_lost_records_total", topic=topic) == 0
    assert "ends before offset 1000" in caplog.text


async def test_a_partition_without_a_commit_in_a_topic_that_the_group_has_read_begins_at_its_start(
    broker: MockKafka,
) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=2)
    await away(produce, broker, topic, [Message(b"x", partition=n) for n in (0, 1, 1)])
    await away(commit, broker, group, topic, 1)
    settings = {"topics": [topic], "group_id": group, "auto_offset_reset": "latest"}
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        assert places(await reader.take(2)) == [(topic, 1, 0), (topic, 1, 1)]
        assert reader.telemetry.value("rag_sidecar_lost_records_total", topic=topic) == 0


async def test_a_named_topic_that_the_group_has_never_read_begins_at_its_end_beside_one_that_it_has(
    broker: MockKafka,
) -> None:
    known, new, group = fresh("known"), fresh("new"), fresh("g")
    for topic in (known, new):
        broker.create_topic(topic, partitions=1)
        await away(produce, broker, topic, [Message(b"old", partition=0)] * 2)
    await away(commit, broker, group, known, 0)
    settings = {"topics": [known, new], "group_id": group, "auto_offset_reset": "latest"}
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        assert places(await reader.take(2)) == [(known, 0, 0), (known, 0, 1)]
        await away(produce, broker, new, [Message(b"after", partition=0)])
        assert places(await reader.take(1)) == [(new, 0, 2)]


async def test_a_topic_of_a_pattern_that_came_after_the_group_began_begins_at_its_start(broker: MockKafka) -> None:
    stem, group = fresh("pattern"), fresh("g")
    broker.create_topic(f"{stem}.a", partitions=1)
    await away(produce, broker, f"{stem}.a", [Message(b"old", partition=0)])
    settings = {"topic_pattern": rf"{stem}\.[a-z]", "group_id": group, "auto_offset_reset": "latest"}
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        assert await reader.poll_for(0.5) == []
        broker.create_topic(f"{stem}.b", partitions=1)
        await away(produce, broker, f"{stem}.b", [Message(b"before we knew of it", partition=0)])
        assert places(await reader.take(1)) == [(f"{stem}.b", 0, 0)]
    broker.create_topic(f"{stem}.c", partitions=1)
    await away(produce, broker, f"{stem}.c", [Message(b"while we were away", partition=0)])
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        assert places(await reader.take(1)) == [(f"{stem}.c", 0, 0)]
