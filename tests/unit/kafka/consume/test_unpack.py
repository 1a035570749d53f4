"""Unpacking beside the event loop: by bytes, in a thread, and of no effect where the partition went in between."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.consumer.fetcher import FetchResult
from aiokafka.consumer.subscription_state import SubscriptionState
from aiokafka.errors import CorruptRecordException, KafkaConnectionError
from aiokafka.record._crecords import default_records
from aiokafka.structs import ConsumerRecord

from sidecar.kafka.consume.unpack import PassedOver, unpack_aside
from tests.kafka.harness import Reader, away, fresh
from tests.parts.broker import Message, produce
from tests.parts.mock_kafka import MockKafka

MEGABYTE = 1 << 20
HERE, THERE = TopicPartition("spans", 0), TopicPartition("spans", 1)


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


async def test_batches_are_unpacked_in_a_thread(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    threads: list[int] = []
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g")) as reader:
        unpack = default_records.gzip_decode

        def watched(payload: bytes) -> bytes:
            threads.append(threading.get_ident())
            return bytes(unpack(payload))

        default_records.gzip_decode = watched
        try:
            await away(produce, broker, topic, [bytes(100_000)], config={"compression.type": "gzip"})
            await reader.take(1)
        finally:
            default_records.gzip_decode = unpack
    assert threads
    assert threading.get_ident() not in threads


async def test_a_poll_hands_out_no_more_bytes_than_are_fetched_at_once_and_one_record(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    for number in range(6):
        message = Message(bytes([number]) * 4 * MEGABYTE, partition=0)
        await away(produce, broker, topic, [message], config={"compression.type": "gzip", "message.max.bytes": 10**7})
    settings = {"topics": [topic], "group_id": fresh("g"), "fetch_max_bytes": 6 * MEGABYTE}
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        found: list[int] = []
        while len(found) < 6:
            polled = await reader.receiver.poll(paused=False)
            assert len(polled) <= 2
            found += [(one.record.value or b"?")[0] for one in polled]
    assert found == list(range(6))


@dataclass(frozen=True, slots=True)
class Batch:
    """Its header."""

    next_offset: int


class Batches:
    """One batch after the other, of which only the header is asked for."""

    def __init__(self, next_offset: int) -> None:
        self._next_offset = next_offset

    def has_next(self) -> bool:
        return True

    def next_batch(self) -> Batch:
        return Batch(self._next_offset)


class Fetched:
    """What aiokafka has fetched of a partition: which offsets, and what happens on the way."""

    def __init__(
        self,
        *offsets: int,
        start: int = 0,
        before: Callable[[], None] = lambda: None,
        end: Exception | None = None,
        next_offset: int = 0,
    ) -> None:
        self.next_fetch_offset = start
        self._offsets = iter(offsets)
        self._before = before
        self._end = end
        self._records = Batches(next_offset)

    def __iter__(self) -> Fetched:
        return self

    def __next__(self) -> ConsumerRecord:
        self._before()
        offset = next(self._offsets, None)
        if offset is None:
            if self._end is not None:
                self._records.next_batch()
                raise self._end
            raise StopIteration
        self.next_fetch_offset = offset + 1
        return ConsumerRecord("spans", 0, offset, 0, 0, b"", b"value", None, 0, 5, ())


@dataclass
class Consumer:
    """As much of aiokafka's consumer and fetcher as unpacking meets."""

    def __post_init__(self) -> None:
        self._fetcher: Any = self
        self._subscriptions = SubscriptionState()
        self._subscriptions.subscribe({"spans"})
        self._subscriptions.assign_from_subscribed({HERE, THERE})
        self.assignment = self._subscriptions.subscription.assignment
        for tp in (HERE, THERE):
            self.assignment.state_value(tp).reset_to(0)
        self.unpacker = unpack_aside(self, most_bytes=MEGABYTE)

    _records: dict[TopicPartition, FetchResult] = field(default_factory=dict)
    _wait_consume_future: None = None
    _closed: bool = False

    def _notify(self, future: None) -> None:
        """Nobody fetches here."""

    def fetch(self, tp: TopicPartition, fetched: Fetched) -> None:
        self._records[tp] = FetchResult(tp, assignment=self.assignment, partition_records=fetched, backoff=0)

    def seek(self, tp: TopicPartition, offset: int) -> None:
        self._subscriptions.seek(tp, offset)

    def highwater(self, tp: TopicPartition) -> int:
        return 100

    def position(self, tp: TopicPartition) -> int:
        return int(self.assignment.state_value(tp).position)

    async def get(self, most: int = 10) -> dict[int, list[int]]:
        found = await self._fetcher.fetched_records((), 0, max_records=most)
        return {tp.partition: [record.offset for record in records] for tp, records in found.items()}


async def test_records_come_in_order_up_to_a_limit_and_the_position_follows() -> None:
    consumer = Consumer()
    consumer.fetch(HERE, Fetched(0, 1, 2))
    consumer.fetch(THERE, Fetched(0, 1))
    assert await consumer.get(2) == {0: [0, 1]}
    assert (consumer.position(HERE), consumer.position(THERE)) == (2, 0)
    assert await consumer.get() == {0: [2], 1: [0, 1]}
    assert (consumer.position(HERE), consumer.position(THERE)) == (3, 2)
    assert consumer._records == {}


async def test_what_came_before_a_broken_batch_is_handed_out_before_its_error_is_raised() -> None:
    consumer = Consumer()
    consumer.fetch(HERE, Fetched(0, 1, end=CorruptRecordException("broken")))
    consumer.fetch(THERE, Fetched(end=CorruptRecordException("broken too")))
    assert await consumer.get() == {0: [0, 1]}
    assert consumer.position(HERE) == 2
    consumer.fetch(HERE, Fetched(start=2, end=CorruptRecordException("broken")))
    with pytest.raises(CorruptRecordException):
        await consumer.get()
    assert consumer.position(HERE) == 2
    assert consumer._records == {}


@pytest.mark.parametrize(
    ("says", "end"), [(10, 10), (101, 3), (2, 3)], ids=["its end", "one past the log", "one before it begins"]
)
async def test_a_broken_batch_is_stepped_over_to_the_end_that_its_header_says_where_that_can_be(
    says: int, end: int
) -> None:
    consumer = Consumer()
    consumer.seek(HERE, 2)
    consumer.fetch(HERE, Fetched(start=2, end=CorruptRecordException("broken"), next_offset=says))
    with pytest.raises(CorruptRecordException):
        await consumer.get()
    assert consumer.unpacker.step_over() == [PassedOver(("spans", 0), 2, end)]
    assert (consumer.position(HERE), consumer.position(THERE)) == (end, 0)
    assert consumer.unpacker.step_over() == []


@pytest.mark.parametrize("error", [KafkaConnectionError("away"), MemoryError()], ids=["the network", "no memory"])
async def test_what_may_pass_is_not_stepped_over(error: Exception) -> None:
    consumer = Consumer()
    consumer.fetch(HERE, Fetched(end=error, next_offset=10))
    with pytest.raises(type(error)):
        await consumer.get()
    assert consumer.unpacker.step_over() == []
    assert consumer.position(HERE) == 0


@pytest.mark.parametrize("event", ["unassigned", "reassigning", "paused", "sought"])
async def test_what_was_unpacked_while_the_partition_went_is_let_go_of(event: str) -> None:
    consumer = Consumer()
    begun, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        go_on.wait(10)

    consumer.fetch(HERE, Fetched(0, 1, before=hold))
    getting = asyncio.create_task(consumer.get())
    await asyncio.to_thread(begun.wait, 10)
    if event == "unassigned":
        consumer.assignment._unassign()
    elif event == "reassigning":
        consumer._subscriptions.begin_reassignment()
    elif event == "paused":
        consumer._subscriptions.pause(HERE)
    else:
        consumer._subscriptions.seek(HERE, 7)
    go_on.set()
    assert await getting == {}
    assert consumer.position(HERE) == (7 if event == "sought" else 0)
    assert consumer._records == {}
