"""What was fetched is unpacked in a thread, and handed out by bytes as well as by number.

aiokafka 0.14 unpacks batches on the event loop, inside `getmany`, and knows a limit of records only: a few hundred kilobytes of batches that each
stand for tens of megabytes would stop the loop for seconds and fill the memory. It has no place for another way, so the one method of a
consumer's fetcher that does this is replaced by this one. It also keeps what was drained before a batch that cannot be read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.consumer.fetcher import FetchResult
from aiokafka.structs import ConsumerRecord


def unpack_aside(consumer: AIOKafkaConsumer, *, most_bytes: int) -> None:
    """From now on this consumer, which was started, unpacks in threads. One `getmany` ends with the record by which keys and values
    reach `most_bytes`."""
    consumer._fetcher.fetched_records = _Unpacker(consumer._fetcher, most_bytes).fetched_records


@dataclass(slots=True)
class _Part:
    """What was fetched of one partition, where its reading stood, and what came out of it."""

    tp: TopicPartition
    fetched: FetchResult
    position: int
    records: list[ConsumerRecord] = field(default_factory=list)
    error: Exception | None = None
    ended: bool = False

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
        try:
            for record in part.fetched._partition_records:
                part.records.append(record)
                most_records -= 1
                most_bytes -= len(record.value or b"") + len(record.key or b"")
                if most_records <= 0 or most_bytes <= 0:
                    return
        except Exception as error:  # noqa: BLE001 - the door to aiokafka: what its records raise is raised by getmany
            part.error = error
        part.ended = True


class _Unpacker:
    def __init__(self, fetcher: Any, most_bytes: int) -> None:
        self._fetcher = fetcher
        self._subscriptions = fetcher._subscriptions
        self._most_bytes = most_bytes

    async def fetched_records(
        self, partitions: Collection[TopicPartition], seconds: float = 0, max_records: int = 500
    ) -> dict[TopicPartition, list[ConsumerRecord]]:
        """As aiokafka's: what has come, or waits up to `seconds` for some. Raises what aiokafka found wrong."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
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
        errors: list[Exception] = []
        for part in parts:
            mine = self._fetcher._records.get(part.tp) is part.fetched
            if not mine or self._subscriptions.reassignment_in_progress or not part.still_there():
                # It is fetched again where it is wanted.
                if mine:
                    self._done_with(part.tp)
                continue
            if part.error is not None and not part.records:
                errors.append(part.error)
            elif part.records or part.ended:
                part.fetched._update_position()
            if part.records:
                found[part.tp] = part.records
            if part.ended:
                self._done_with(part.tp)
        if errors and not found:
            raise errors[0]
        return found

    def _done_with(self, tp: TopicPartition) -> None:
        """Let the fetcher fetch this partition again."""
        del self._fetcher._records[tp]
        self._fetcher._notify(self._fetcher._wait_consume_future)
