"""The outbox: nobody waits for it, nothing ends it, and a hold is released when the brokers have everything, not before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiokafka.errors import (
    KafkaConnectionError,
    MessageSizeTooLargeError,
    OutOfOrderSequenceNumber,
    TopicAuthorizationFailedError,
)

from exporters.clients.files import UnreadableFileError
from sidecar.kafka.consume.offsets import Lease, OffsetTracker
from sidecar.kafka.produce.outbox import MOST_WAITING, MOST_WAITING_BYTES, Lane, Message, Outbox, Parcel
from sidecar.observe.telemetry import Telemetry
from sidecar.record.memory import MemoryBudget
from sidecar.record.record import Record
from tests.kafka.harness import eventually


@dataclass
class Broker:
    """Takes what is sent, unless it is told to fail; makes producers that write to it."""

    taken: list[tuple[str, bytes | None]] = field(default_factory=list)
    fails: dict[str, list[Exception]] = field(default_factory=dict)
    fails_to_open: list[Exception] = field(default_factory=list)
    silent: bool = False
    opened: int = 0
    open_now: int = 0

    async def open(self) -> Broker:
        if self.fails_to_open:
            raise self.fails_to_open.pop(0)
        self.opened += 1
        self.open_now += 1
        return self

    async def send(
        self, topic: str, *, key: bytes | None, value: bytes | None, headers: Sequence[tuple[str, bytes]]
    ) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        errors = self.fails.get(topic) or self.fails.get((value or b"").decode())
        if errors:
            future.set_exception(errors.pop(0))
        elif not self.silent:
            self.taken.append((topic, value))
            future.set_result(None)
        return future

    async def close(self, seconds: float) -> None:
        self.open_now -= 1


@dataclass
class Sender:
    """An outbox with a lane to each of two topics, and what it told."""

    broker: Broker = field(default_factory=Broker)
    telemetry: Telemetry = field(default_factory=Telemetry)
    tracker: OffsetTracker = field(default_factory=OffsetTracker)
    memory: MemoryBudget = field(default_factory=lambda: MemoryBudget(1 << 30))
    counted: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    offset: int = 0

    def __post_init__(self) -> None:
        self.outbox = Outbox(self.broker.open, self.telemetry, still_ours=self.still_ours, memory=self.memory)
        self.first = self.outbox.lane("dead_letters", "first")
        self.second = self.outbox.lane("repartition", "second")

    def still_ours(self, record: Record, lease: Any) -> bool:
        return self.tracker.lease(record.topic, record.partition, record.offset) is lease

    def put(self, *values: bytes, lane: Lane | None = None, partition: int = 0) -> Lease:
        """One record, with a message for each value."""
        record = Record("spans", partition, self.offset, 0.0, None, b"", ())
        lease = self.tracker.take("spans", partition, self.offset)
        self.offset += 1
        messages = tuple(Message(b"key", value) for value in values)
        refused: Callable[[Exception], None] = lambda error: self.refused.append(type(error).__name__)  # noqa: E731
        (lane or self.first).put(Parcel(record, lease, messages, self.counted.append, refused))
        return lease

    def failures(self, kind: str) -> float:
        return self.telemetry.value("rag_sidecar_kafka_failures_total", client="outbox", error_type=kind)

    def full(self) -> bool:
        return self.outbox.full

    def waiting(self) -> float:
        return self.telemetry.value("rag_sidecar_queue_length")


@asynccontextmanager
async def sending(**settings: Any) -> AsyncIterator[Sender]:
    sender = Sender(**settings)
    try:
        yield sender
    finally:
        await sender.outbox.stop(1.0)
        assert sender.broker.open_now == 0
        assert sender.memory.used == 0


def all_done(*leases: Lease) -> Callable[[], Any]:
    async def done() -> bool:
        return all(lease.done for lease in leases)

    return done


async def test_a_hold_is_released_when_the_broker_has_every_message() -> None:
    async with sending() as sender:
        lease = sender.put(b"a", b"b")
        assert not lease.done
        await eventually(all_done(lease))
        assert sender.broker.taken == [("first", b"a"), ("first", b"b")]
        assert sender.counted == ["sent"]
        assert sender.waiting() == 0


@pytest.mark.parametrize(
    "error",
    [
        KafkaConnectionError(),
        UnreadableFileError("receive.security.password_file", "/secret: FileNotFoundError"),
        RuntimeError("nobody expected this"),
        KeyError("nor this"),
        TimeoutError(),
    ],
)
async def test_whatever_goes_wrong_in_opening_a_producer_is_counted_and_tried_again(error: Exception) -> None:
    async with sending(broker=Broker(fails_to_open=[error])) as sender:
        await eventually(all_done(sender.put(b"a")))
        assert sender.counted == ["failed", "sent"]
        assert sender.failures(type(error).__name__) == 1


async def test_what_one_message_meets_keeps_the_whole_record_until_all_of_it_is_taken() -> None:
    async with sending(broker=Broker(fails={"b": [TopicAuthorizationFailedError()]})) as sender:
        await eventually(all_done(sender.put(b"a", b"b")))
        assert sender.counted == ["failed", "sent"]
        assert [value for _, value in sender.broker.taken] == [b"a", b"a", b"b"]


async def test_who_hands_over_never_waits_and_much_that_waits_says_that_it_is_full() -> None:
    async with sending(broker=Broker(silent=True)) as sender:
        for _ in range(MOST_WAITING - 1):
            sender.put(b"a")
        await asyncio.sleep(0)
        assert not sender.full()
        sender.put(b"a")
        assert sender.full()
        assert sender.waiting() == MOST_WAITING


async def test_few_that_are_large_are_full_too_and_are_charged_to_the_budget() -> None:
    async with sending(broker=Broker(silent=True)) as sender:
        sender.put(bytes(MOST_WAITING_BYTES // 2), lane=sender.second)
        assert not sender.full()
        sender.put(bytes(MOST_WAITING_BYTES // 2), lane=sender.second)
        assert sender.full()
        assert sender.memory.by_buffer()["repartition"] == MOST_WAITING_BYTES + 2 * len(b"key")


async def test_what_brokers_will_never_take_is_handed_back_and_the_others_go_on() -> None:
    fails: dict[str, list[Exception]] = {"huge": [MessageSizeTooLargeError()], "odd": [AssertionError()]}
    async with sending(broker=Broker(fails=fails)) as sender:
        huge, fine, odd = sender.put(b"huge"), sender.put(b"fine"), sender.put(b"odd")
        await eventually(all_done(fine))
        assert sender.refused == ["MessageSizeTooLargeError", "AssertionError"]
        assert not huge.done
        assert not odd.done
        assert sender.counted == ["sent"]


async def test_a_topic_that_takes_nothing_holds_up_no_other_and_costs_it_no_connection() -> None:
    async with sending(broker=Broker(fails={"first": [TopicAuthorizationFailedError() for _ in range(9)]})) as sender:
        sender.put(b"a")
        await eventually(all_done(sender.put(b"b", lane=sender.second)))
        assert sender.broker.opened == 1


async def test_a_producer_that_lost_its_way_is_replaced() -> None:
    async with sending(broker=Broker(fails={"first": [OutOfOrderSequenceNumber()]})) as sender:
        await eventually(all_done(sender.put(b"a")))
        assert (sender.broker.opened, sender.broker.open_now) == (2, 1)


async def test_what_a_rebalance_took_away_is_let_go_of_and_the_rest_is_sent() -> None:
    async with sending(broker=Broker(fails={"first": [KafkaConnectionError()]})) as sender:
        gone, ours = sender.put(b"gone", partition=0), sender.put(b"ours", partition=1)
        sender.tracker.revoke([("spans", 0)])
        sender.outbox.revoked()
        assert sender.waiting() == 1
        await eventually(all_done(ours))
        assert not gone.done
        assert [value for _, value in sender.broker.taken] == [b"ours"]


async def test_after_all_that_waited_was_taken_away_it_still_sends() -> None:
    async with sending() as sender:
        sender.put(b"gone")
        sender.tracker.revoke([("spans", 0)])
        sender.outbox.revoked()
        await asyncio.sleep(0.01)
        await eventually(all_done(sender.put(b"next", partition=1)))


async def test_a_stop_sends_what_waits_and_takes_nothing_more() -> None:
    async with sending() as sender:
        leases = [sender.put(b"a") for _ in range(1200)]
        await sender.outbox.stop(5.0)
        assert all(lease.done for lease in leases)
        late = sender.put(b"late")
        await asyncio.sleep(0.01)
        assert not late.done


@pytest.mark.parametrize(
    "broker", [Broker(silent=True), Broker(fails_to_open=[KafkaConnectionError() for _ in range(99)])]
)
async def test_a_stop_ends_although_nothing_is_taken_and_what_waits_stays_held(broker: Broker) -> None:
    sender = Sender(broker=broker)
    lease = sender.put(b"a")
    await asyncio.sleep(0.01)
    async with asyncio.timeout(5):
        await sender.outbox.stop(0.2)
        await sender.outbox.stop(0.2)
    assert not lease.done
    assert sender.memory.used == 0


async def test_a_file_that_is_away_for_a_while_costs_no_record(tmp_path: Path) -> None:
    secret = tmp_path / "password"

    @dataclass
    class Careful(Broker):
        async def open(self) -> Broker:
            if not secret.exists():
                raise UnreadableFileError("receive.security.password_file", "away")
            return await super().open()

    async with sending(broker=Careful()) as sender:
        lease = sender.put(b"a")

        async def counted() -> bool:
            return sender.failures("UnreadableFileError") >= 2

        await eventually(counted)
        assert not lease.done
        secret.touch()
        await eventually(all_done(lease))
