"""What was fetched is unpacked in a thread, and handed out by bytes as well as by number.

aiokafka 0.14 unpacks batches on the event loop, inside `getmany`, and knows a limit of records only: a few hundred kilobytes of batches that each
stand for tens of megabytes would stop the loop for seconds and fill the memory. It has no place for another way, so the one method of a
consumer's fetcher that does this is replaced by this one. It also keeps what was drained before a batch that cannot be read, and knows where that
batch ends: aiokafka reads a batch from its first record on, so that nothing in it can be had past the place that it breaks at.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.consumer.fetcher import FetchResult
from aiokafka.errors import CorruptRecordException, KafkaError, UnsupportedCodecError
from aiokafka.structs import ConsumerRecord

from sidecar.kafka.consume.offsets import Partition

logger = logging.getLogger(__name__)


def unreadable(error: Exception) -> bool:
    """Whether an error of getmany comes of the bytes of a batch: it would come again at the same place for ever."""
    if isinstance(error, (CorruptRecordException, UnsupportedCodecError)):
        return True
    return not isinstance(error, (KafkaError, OSError, TimeoutError, MemoryError))


def unpack_aside(consumer: AIOKafkaConsumer, *, most_bytes: int) -> Unpacker:
    """From now on this consumer, which was started, unpacks in threads. One `getmany` ends with the record by which keys and values
    reach `most_bytes`."""
    unpacker = Unpacker(consumer, most_bytes)
    consumer._fetcher.fetched_records = unpacker.fetched_records
    return unpacker


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A batch that nobody can read, from the place where reading stood to before `end`."""

    partition: Partition
    at: int
    end: int


class _Batches:
    """aiokafka's batches of one fetch, and where the one ends that was asked for last."""

    def __init__(self, batches: Any) -> None:
        self._batches = batches
        self.end: int | None = None

    def has_next(self) -> bool:
        return bool(self._batches.has_next())

    def next_batch(self) -> Any:
        self.end = None
        batch = self._batches.next_batch()
        self.end = batch.next_offset
        return batch


@dataclass(slots=True)
class _Part:
    """What was fetched of one partition, where its reading stood, and what came out of it."""

    tp: TopicPartition
    fetched: FetchResult
    position: int
    records: list[ConsumerRecord] = field(default_factory=list)
    error: Exception | None = None
    end: int | None = None
    ended: bool = False

    def watch(self) -> _Batches:
        """The batches, from now on such as say where one ends."""
        records = self.fetched._partition_records
        if not isinstance(records._records, _Batches):
            records._records = _Batches(records._records)
        return records._records

    def still_there(self) -> bool:
        """Whether no rebalance, pause or seek came between."""
        assignment = self.fetched._assignment
        if not assignment.active:
            return False
        state = assignment.state_value(self.tp)
        return not state.paused and state.position == self.position


def _unpack(parts: Sequence[_Part], most_records: int, most_bytes: int) -> None:
    """Fill the parts with records until one reaches a limit. Runs in a thread: it touches nothing but what was fetched."""
    for part in parts:
        batches = part.watch()
        try:
            for record in part.fetched._partition_records:
                part.records.append(record)
                most_records -= 1
                most_bytes -= len(record.value or b"") + len(record.key or b"")
                if most_records <= 0 or most_bytes <= 0:
                    return
        except Exception as error:  # noqa: BLE001 - the door to aiokafka: what its records raise is raised by getmany
            part.error, part.end = error, batches.end
        part.ended = True


class Unpacker:
    """What a consumer's fetcher was given in place of its own unpacking."""

    def __init__(self, consumer: AIOKafkaConsumer, most_bytes: int) -> None:
        self._consumer = consumer
        self._fetcher = consumer._fetcher
        self._subscriptions = self._fetcher._subscriptions
        self._most_bytes = most_bytes
        self._stuck: list[_Part] = []

    def step_over(self) -> list[PassedOver]:
        """Move past the batches whose bytes the error was about that getmany has just raised; none where it was about something else. Nothing may be
        awaited in between."""
        passed = []
        for part in self._stuck:
            end = part.end or 0
            # The header of a batch that is broken may be so too: it is not believed past the end of the log.
            if not part.position < end <= (self._consumer.highwater(part.tp) or 0):
                end = part.position + 1
            self._consumer.seek(part.tp, end)
            passed.append(PassedOver((part.tp.topic, part.tp.partition), part.position, end))
            logger.error(
                "partition %d of %s: offsets %d to %d are no Kafka records that can be read; passed over",
                *(part.tp.partition, part.tp.topic, part.position, end - 1),
            )
        self._stuck = []
        return passed

    async def fetched_records(
        self, partitions: Collection[TopicPartition], seconds: float = 0, max_records: int = 500
    ) -> dict[TopicPartition, list[ConsumerRecord]]:
        """As aiokafka's: what has come, or waits up to `seconds` for some. Raises what aiokafka found wrong."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        self._stuck = []
        while True:
            # In a rebalance what was fetched may not be ours afterwards.
            if self._subscriptions.reassignment_in_progress:
                await self._subscriptions.wait_for_assignment()
            parts = self._waiting(partitions)
            if parts:
                await asyncio.to_thread(_unpack, parts, max_records, self._most_bytes)
            found = self._settle(parts)
            left = end - loop.time()
            if found or left <= 0 or not await self._arrived(left):
                return found

    async def _arrived(self, seconds: float) -> bool:
        """Wait until something was fetched; False when time is up."""
        waiter = self._fetcher._create_fetch_waiter()
        await asyncio.wait([waiter], timeout=seconds)
        if not waiter.done() or self._fetcher._closed:
            waiter.cancel()
            return False
        waiter.result()
        return True

    def _waiting(self, partitions: Collection[TopicPartition]) -> list[_Part]:
        """What was fetched of these partitions, or of all. An error that came in place of records is raised when it is the first."""
        parts: list[_Part] = []
        for tp, fetched in list(self._fetcher._records.items()):
            if partitions and tp not in partitions:
                if not self._subscriptions.is_assigned(tp):
                    self._done_with(tp)
            elif not isinstance(fetched, FetchResult):
                if not parts:
                    self._done_with(tp)
                    fetched.check_raise()
            elif fetched.has_more() and fetched.check_assignment(tp):
                parts.append(_Part(tp, fetched, fetched._assignment.state_value(tp).position))
            else:
                self._done_with(tp)
        return parts

    def _settle(self, parts: Sequence[_Part]) -> dict[TopicPartition, list[ConsumerRecord]]:
        """Move the positions past what was unpacked. Raises what a batch raised where nothing can be handed out before it."""
        found: dict[TopicPartition, list[ConsumerRecord]] = {}
        stuck: list[_Part] = []
        for part in parts:
            mine = self._fetcher._records.get(part.tp) is part.fetched
            if not mine or self._subscriptions.reassignment_in_progress or not part.still_there():
                # It is fetched again where it is wanted.
                if mine:
                    self._done_with(part.tp)
                continue
            if part.error is not None and not part.records:
                stuck.append(part)
            elif part.records or part.ended:
                part.fetched._update_position()
            if part.records:
                found[part.tp] = part.records
            if part.ended:
                self._done_with(part.tp)
        if stuck and not found:
            errors = [part.error for part in stuck if part.error is not None]
            self._stuck = [part for part in stuck if part.error is not None and unreadable(part.error)]
            raise errors[0]
        return found

    def _done_with(self, tp: TopicPartition) -> None:
        """Let the fetcher fetch this partition again."""
        del self._fetcher._records[tp]
        self._fetcher._notify(self._fetcher._wait_consume_future)
