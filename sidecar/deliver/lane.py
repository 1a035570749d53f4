"""The queue of one exporter and the task that empties it.

A required exporter loses nothing: its queue takes more than its size, and says `full` so that intake pauses; a push that may work later, or
that the destination refuses whoever asks, is made again until it is taken. What stays refused of a batch is narrowed down to
single results, and these are dropped. Any other exporter gets what it can take: its queue, its memory and its attempts have an end.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from exporters.base import Exporter
from exporters.result import Result
from sidecar.deliver.door import Door, Pushed
from sidecar.deliver.settings import DeliverConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import Clock
from sidecar.record.memory import MemoryBudget

logger = logging.getLogger(__name__)

BUFFER = "export"
OPTIONAL_BUFFER = "export_optional"

_LONGEST_BACKOFF_SECONDS = 30.0
_LONGEST_ASKED_SECONDS = 300.0
# Between attempts while we are stopping: the deadline is near.
_STOPPING_BACKOFF_SECONDS = 0.2
_MOST_DOUBLINGS = 16
# Of the whole budget, what one exporter that nobody must wait for may hold: it may not be what pauses intake.
_OPTIONAL_SHARE = 0.125


@dataclass(slots=True, eq=False)
class _Parcel:
    """One result on its way to one exporter; `done` is called when it has taken, dropped or refused it."""

    result: Result
    size: int
    done: Callable[[], None]
    ended: bool = False


class Lane:
    """One exporter's results. `required`: none of them may be dropped for want of room or of patience."""

    def __init__(
        self,
        config: DeliverConfig,
        exporter: Exporter,
        *,
        required: bool,
        memory: MemoryBudget,
        telemetry: Telemetry,
        clock: Clock,
        tracing: Tracing | None = None,
    ) -> None:
        self._config = config
        self._memory = memory
        self._buffer = BUFFER if required else OPTIONAL_BUFFER
        self._bytes = 0
        self._telemetry = telemetry
        self._queue: asyncio.Queue[_Parcel] = asyncio.Queue()
        self._in_hand: list[_Parcel] = []
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self.required = required
        self.door = Door(exporter, telemetry, clock, tracing)

    @property
    def full(self) -> bool:
        """Whether as much waits as may."""
        return self._queue.qsize() >= self._config.queue_size

    def start(self) -> None:
        """Begin to push, unless that has begun."""
        if self._task is not None:
            return
        self._telemetry.set("rag_sidecar_queue_capacity", self._config.queue_size, queue=self._label)
        self._show()
        self._task = asyncio.create_task(self._run(), name=self._label)

    def put(self, result: Result, size: int, done: Callable[[], None]) -> None:
        """Queue a result of `size` bytes, or drop it. After a stop it is abandoned: nobody would take it."""
        if self._stopping.is_set() and self._task is None:
            self.door.count(self._abandoned, 1)
        elif not self.required and self.full:
            self._drop("dropped_queue_full", done)
        elif not self._hold(size):
            self._drop("dropped_memory", done)
        else:
            self._queue.put_nowait(_Parcel(result, size, done))
            self._show()

    async def stop(self, deadline_seconds: float) -> None:
        """Empty the queue by the deadline. What is left then is abandoned."""
        self._stopping.set()
        task, self._task = self._task, None
        if task is None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, deadline_seconds)):
                await self._queue.join()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        left = sum(not one.ended for one in self._in_hand) + self._queue.qsize()
        if left:
            self.door.count(self._abandoned, left)
            logger.warning("exporter %s: %d results were not delivered by the deadline", self.door.name, left)

    @property
    def _label(self) -> str:
        return f"export-{self.door.name}"

    @property
    def _abandoned(self) -> str:
        """What a stop's deadline does: where the record waits for us it is read again, else the result is lost."""
        return "abandoned" if self.required else "dropped_stop"

    def _hold(self, size: int) -> bool:
        if self.required:
            self._memory.charge(self._buffer, size)
        elif self._bytes + size > _OPTIONAL_SHARE * self._memory.most_bytes or not self._memory.take(
            self._buffer, size
        ):
            return False
        self._bytes += size
        return True

    async def _run(self) -> None:
        while True:
            self._in_hand = [await self._queue.get()]
            if self._queue.qsize() + 1 < self._config.batch_size:
                await self._wait(self._config.linger_seconds)
            while len(self._in_hand) < self._config.batch_size and not self._queue.empty():
                self._in_hand.append(self._queue.get_nowait())
            await self._push(self._in_hand)
            batch, self._in_hand = self._in_hand, []
            self._show()
            for _ in batch:
                self._queue.task_done()

    async def _push(self, batch: Sequence[_Parcel]) -> None:
        """Push until it is taken or refused, or the attempts are used up."""
        results = [parcel.result for parcel in batch]
        for attempt in itertools.count():
            pushed = await self.door.push(results, timeout_seconds=self._config.timeout_seconds)
            if not (pushed.retry or (pushed.closed and self.required)):
                await self._settle(batch, pushed)
                return
            if attempt + 1 >= self._config.most_attempts and not self.required:
                self.door.count("dropped_retries", len(batch))
                self._finish(batch)
                return
            await self._wait(self._pause(attempt, pushed.retry_after_seconds or 0.0))

    async def _settle(self, batch: Sequence[_Parcel], pushed: Pushed) -> None:
        """Finish what was taken or refused. One bad result must not cost a required exporter the others: halves are pushed again."""
        if self.required and len(batch) > 1 and pushed.refused == len(batch):
            middle = len(batch) // 2
            await self._push(batch[:middle])
            await self._push(batch[middle:])
            return
        self.door.ended(len(batch), pushed, lost=pushed.refused)
        self._finish(batch)

    def _pause(self, attempt: int, asked_seconds: float) -> float:
        """Seconds before the next attempt."""
        backoff = self._config.backoff_seconds * 2.0 ** min(attempt, _MOST_DOUBLINGS)
        jitter = random.uniform(0.7, 1.3)  # noqa: S311 - no secret
        return max(min(backoff, _LONGEST_BACKOFF_SECONDS) * jitter, min(asked_seconds, _LONGEST_ASKED_SECONDS))

    async def _wait(self, seconds: float) -> None:
        """Sleep, but not long once we are stopping."""
        if self._stopping.is_set():
            await asyncio.sleep(min(seconds, _STOPPING_BACKOFF_SECONDS))
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _drop(self, outcome: str, done: Callable[[], None]) -> None:
        self.door.count(outcome, 1)
        done()

    def _finish(self, batch: Sequence[_Parcel]) -> None:
        for parcel in batch:
            parcel.ended = True
            self._bytes -= parcel.size
            self._memory.give(self._buffer, parcel.size)
            parcel.done()

    def _show(self) -> None:
        self._telemetry.set("rag_sidecar_queue_length", self._queue.qsize(), queue=self._label)
