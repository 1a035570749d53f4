"""What goes out to Kafka beside the results: one producer, a supervised lane for each topic, and nobody who hands over waits.

A parcel is what was made of one record, and the hold on that record: the hold is released when the brokers have every message of it. What
cannot be sent is tried again for ever, with growing pauses, and its offset is not committed before. Nothing is refused for want of room:
when much waits, `full` says so, and intake pauses.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from aiokafka.errors import BrokerResponseError

from exporters.clients.kafka_errors import Kind, kind_of
from sidecar.kafka.backoff import Backoff
from sidecar.observe.telemetry import Telemetry
from sidecar.record.memory import MemoryBudget
from sidecar.record.record import Acknowledgement, Record

logger = logging.getLogger(__name__)

MOST_WAITING = 2000
MOST_WAITING_BYTES = 64 * 1024 * 1024
TRY_SECONDS = 10.0
_MOST_AT_ONCE = 500
# Of the time for a stop, what the lanes may use; the rest is for closing the producer.
_SHARE = 0.7


class Producer(Protocol):
    """What writes to Kafka. `send` queues a message and returns a future of its acknowledgement; it and the future may raise anything."""

    async def send(
        self, topic: str, *, key: bytes | None, value: bytes | None, headers: Sequence[tuple[str, bytes]]
    ) -> asyncio.Future[Any]: ...

    async def close(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Message:
    """One record of Kafka that is to be written."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Parcel:
    """What was made of one record. `count` is told `sent`, or `failed` for each attempt that is made again; `refused` is called in
    place of another attempt where the brokers will never take it, and then has the hold."""

    record: Record
    lease: Acknowledgement
    messages: tuple[Message, ...]
    count: Callable[[str], None]
    refused: Callable[[Exception], None]

    @property
    def size(self) -> int:
        """Bytes of keys and values."""
        return sum(len(one.value or b"") + len(one.key or b"") for one in self.messages)


class Outbox:
    """The lanes and their producer. `open_producer` may raise anything and is called again later; `still_ours` says whether a lease
    still counts after all rebalances since."""

    def __init__(
        self,
        open_producer: Callable[[], Awaitable[Producer]],
        telemetry: Telemetry,
        *,
        still_ours: Callable[[Record, Acknowledgement], bool],
        memory: MemoryBudget | None = None,
    ) -> None:
        self._open = open_producer
        self.telemetry = telemetry
        self.still_ours = still_ours
        self.memory = memory or MemoryBudget(2 * MOST_WAITING_BYTES)
        self._producer: Producer | None = None
        self._opening = asyncio.Lock()
        self._lanes: list[Lane] = []

    @property
    def full(self) -> bool:
        """Whether so much waits that nothing more should be taken."""
        return any(lane.full for lane in self._lanes)

    def lane(self, name: str, topic: str) -> Lane:
        """A lane to a topic. `name` is a bounded word for labels and logs."""
        self._lanes.append(lane := Lane(self, name, topic))
        return lane

    def revoked(self) -> None:
        """Let go of what is no longer ours: whoever has the partition now reads it again."""
        for lane in self._lanes:
            lane.drop_lost()

    async def stop(self, seconds: float) -> None:
        """Send what waits while the brokers take it, and close, within `seconds`. What was not sent stays uncommitted. Never raises."""
        await asyncio.gather(*(lane.stop(seconds * _SHARE) for lane in self._lanes))
        await self.renew(seconds * (1 - _SHARE))

    async def producer(self) -> Producer:
        """The one producer, opened where there is none. Raises what opening raises."""
        async with self._opening:
            if self._producer is None:
                self._producer = await self._open()
            return self._producer

    async def renew(self, seconds: float = TRY_SECONDS) -> None:
        """Close the producer; the next attempt opens another."""
        producer, self._producer = self._producer, None
        if producer is not None:
            await producer.close(seconds)


class Lane:
    """What waits for one topic, and the task that sends it. They leave in the order they came in, but for those that failed."""

    def __init__(self, outbox: Outbox, name: str, topic: str) -> None:
        self._outbox = outbox
        self._name = name
        self._topic = topic
        self._waiting: OrderedDict[Parcel, None] = OrderedDict()
        self._bytes = 0
        self._filled = asyncio.Event()
        self._stopping = asyncio.Event()
        self._backoff = Backoff()
        self._task: asyncio.Task[None] | None = None
        self._well = True
        outbox.telemetry.set("rag_sidecar_queue_capacity", MOST_WAITING, queue=name)
        self._show()

    @property
    def full(self) -> bool:
        """Whether so much waits that nothing more should be taken."""
        return len(self._waiting) >= MOST_WAITING or self._bytes >= MOST_WAITING_BYTES

    def put(self, parcel: Parcel) -> None:
        """Take a parcel and its hold. Never waits, never raises. After a stop it is let go unsent, and stays uncommitted."""
        if self._stopping.is_set():
            return
        self._waiting[parcel] = None
        self._bytes += parcel.size
        self._outbox.memory.charge(self._name, parcel.size)
        self._filled.set()
        self._show()
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name=f"outbox-{self._name}")

    def drop_lost(self) -> None:
        """Let go of parcels whose partition was taken away."""
        for parcel in [one for one in self._waiting if not self._outbox.still_ours(one.record, one.lease)]:
            self._remove(parcel)

    async def stop(self, seconds: float) -> None:
        """Send what waits until an attempt fails or the time is up; then let go of it. Never raises."""
        self._stopping.set()
        self._filled.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=seconds)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for parcel in list(self._waiting):
            self._remove(parcel)

    async def _run(self) -> None:
        """Until a stop: send what waits. Ends when nothing waits any more, or when an attempt fails, once we are stopping."""
        while await self._something_waits():
            try:
                error = await self._send_some()
            except Exception as unexpected:  # noqa: BLE001 - the door to aiokafka and to files: counted, and tried again
                error = unexpected
            if error is None:
                self._went_well()
            elif not await self._rest(error):
                return

    async def _something_waits(self) -> bool:
        """Wait for a parcel that is ours; False when there is none and we are stopping."""
        while True:
            self.drop_lost()
            if self._waiting or self._stopping.is_set():
                return bool(self._waiting)
            self._filled.clear()
            await self._filled.wait()

    async def _send_some(self) -> Exception | None:
        """Send the first of those that wait, all at once. The last error of those that are to be tried again, or None."""
        some = list(islice(self._waiting, _MOST_AT_ONCE))
        try:
            async with asyncio.timeout(2 * TRY_SECONDS):
                producer = await self._outbox.producer()
                found = await asyncio.gather(*(self._send(producer, parcel) for parcel in some))
        except Exception:
            for parcel in some:
                parcel.count("failed")
            raise
        return next((error for error in found if error is not None), None)

    async def _send(self, producer: Producer, parcel: Parcel) -> Exception | None:
        sent: list[asyncio.Future[Any]] = []
        try:
            for one in parcel.messages:
                sent.append(await producer.send(self._topic, key=one.key, value=one.value, headers=one.headers))  # noqa: PERF401 - what was queued must be looked at where a later one fails
            await asyncio.gather(*sent)
        except Exception as error:  # noqa: BLE001 - the door to aiokafka: told apart here, counted, refused or tried again
            return self._not_taken(parcel, error)
        finally:
            for future in sent:
                future.add_done_callback(_seen)
        self._remove(parcel)
        parcel.count("sent")
        parcel.lease.release()
        return None

    def _not_taken(self, parcel: Parcel, error: Exception) -> Exception | None:
        """The error, where the parcel is to be tried again."""
        if not _hopeless(error):
            parcel.count("failed")
            return error
        self._remove(parcel)
        parcel.refused(error)
        return None

    def _went_well(self) -> None:
        self._backoff.reset()
        if not self._well:
            self._well = True
            logger.info("the topic %s takes records again", self._topic)

    async def _rest(self, error: Exception) -> bool:
        """Count a failure, and wait before the next attempt. False once we are stopping: there will be none."""
        kind = type(error).__name__
        self._outbox.telemetry.count("rag_sidecar_kafka_failures_total", client="outbox", error_type=kind)
        if self._well:
            self._well = False
            logger.warning("the topic %s takes nothing (%s); its records wait", self._topic, kind)
        if _broken(error):
            await self._outbox.renew()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._backoff.next()):
                await self._stopping.wait()
        return not self._stopping.is_set()

    def _remove(self, parcel: Parcel) -> None:
        """Take a parcel out, once: a rebalance may have done it while the parcel was on its way."""
        if parcel in self._waiting:
            del self._waiting[parcel]
            self._bytes -= parcel.size
            self._outbox.memory.give(self._name, parcel.size)
            self._show()

    def _show(self) -> None:
        self._outbox.telemetry.set("rag_sidecar_queue_length", len(self._waiting), queue=self._name)


def _hopeless(error: Exception) -> bool:
    """Whether these messages will never be taken while others may be. What aiokafka does not like about its arguments stays so."""
    return kind_of(error) is Kind.REFUSED or isinstance(error, (AssertionError, TypeError, ValueError))


def _broken(error: Exception) -> bool:
    """Whether another producer may do better. What a broker has answered about this topic, it answers to any."""
    return kind_of(error) is Kind.RENEW or not isinstance(error, BrokerResponseError)


def _seen(future: asyncio.Future[Any]) -> None:
    """Look at how a send ended, or asyncio reports an error that nobody waited for any more."""
    if not future.cancelled():
        future.exception()
