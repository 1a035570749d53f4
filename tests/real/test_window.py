"""What a window of a backfill passes over, and how it goes on after it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from sidecar.kafka.consume.receiver import Taken
from sidecar.kafka.consume.window import Window
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.clock import SystemClock
from tests.kafka.harness import QUICK, away, fresh, places, produce_unreadable
from tests.parts.broker import Message, committed, produce
from tests.parts.kafka import KafkaBroker

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as kafka:
        yield kafka


def window(broker: KafkaBroker, topic: str, group: str, **settings: Any) -> Window:
    values = {**QUICK, "topics": [topic], "group_id": group, "bootstrap_servers": broker.bootstrap_servers, **settings}
    return Window(ReceiveConfig.model_validate(values), SystemClock(), begin=0, end=time.time() + 60)


async def read(source: Window, *, first: int = 1_000_000) -> list[Taken]:
    """All of it, or as soon as there are `first`."""
    found: list[Taken] = []
    deadline = time.monotonic() + 20
    while not source.finished and len(found) < first:
        assert time.monotonic() < deadline, f"only {places(found)} came"
        assert not source.broken
        found += await source.poll(paused=False)
    for one in found:
        one.lease.release()
    return found


async def test_a_record_that_cannot_be_parsed_is_stepped_over_and_counted(broker: KafkaBroker) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=2)
    await away(produce, broker, topic, [Message(b"x", partition=n) for n in (0, 0, 1)])
    assert await produce_unreadable(broker, topic, partition=0) == 2
    await away(produce, broker, topic, [Message(b"x", partition=n) for n in (0, 1)])
    source = window(broker, topic, group)
    await source.start()
    assert sorted(places(await read(source))) == [
        (topic, 0, 0),
        (topic, 0, 1),
        (topic, 0, 3),
        (topic, 1, 0),
        (topic, 1, 1),
    ]
    assert (source.unreadable, source.lost) == (1, 0)
    await source.stop()
    assert await away(committed, broker, group, topic, partitions=2) == {0: 4, 1: 2}


async def test_a_batch_that_unpacks_to_too_much_is_stepped_over(broker: KafkaBroker) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=1)
    for value, codec in ((b"before", "none"), (b"0" * 3_000_000, "gzip"), (b"after", "none")):
        await away(produce, broker, topic, [Message(value, partition=0)], config={"compression.type": codec})
    source = window(broker, topic, group, most_batch_bytes=1024 * 1024)
    await source.start()
    assert places(await read(source)) == [(topic, 0, 0), (topic, 0, 2)]
    assert source.unreadable == 1
    await source.stop()


async def test_what_retention_takes_meanwhile_is_counted_and_the_rest_is_read(broker: KafkaBroker) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=1)
    await away(produce, broker, topic, [Message(b"x" * 100_000, partition=0)] * 40)
    source = window(broker, topic, group, max_records=1, max_partition_fetch_bytes=110_000)
    await source.start()
    seen = places(await read(source, first=1))
    await away(broker.delete_records, topic, partition=0, before=30)
    seen += places(await read(source))
    await source.stop()
    offsets = [offset for _, _, offset in seen]
    assert source.lost > 0
    assert offsets == [*range(40 - source.lost - 10), *range(30, 40)]
    assert await away(committed, broker, group, topic, partitions=1) == {0: 40}
