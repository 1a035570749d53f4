"""Results to every exporter: a queue each, retry where it may help, drop and count where not.

A slow or broken exporter never blocks another, nor the pipeline: when its queue is full the newest result is dropped for it
and counted. Exporters into this process (Prometheus) are called at once, without a queue.

Outcomes, one for each result and exporter: ok, dropped_queue_full, dropped_permanent (the destination refused it),
dropped_retries (all attempts failed), dropped_memory (buffers were full) and abandoned (the deadline of a stop passed; its record is read again after the start).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from exporters.base import DestinationError, Exporter, ExportError, PermanentExportError, RetryableExportError
from exporters.result import Result
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.deadline import Deadline
from sidecar.record.errors import BrokerError, ConfigError
from sidecar.record.memory import MemoryBudget

logger = logging.getLogger(__name__)

BUFFER = "export"

_LONGEST_BACKOFF_SECONDS = 30.0
# Of the time for a stop: the queues; the exporters themselves have what is left.
_FLUSH_SHARE = 0.8
# Between attempts while we are stopping: the deadline is near.
_STOPPING_BACKOFF_SECONDS = 0.2


class DeliverConfig(BaseModel):
    """Settings of the queues between the pipeline and the exporters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    queue_size: int = Field(
        default=4096, ge=1, description="Results waiting for one exporter before new ones are dropped for it."
    )
    batch_size: int = Field(default=256, ge=1, description="Most results in one push.")
    linger_seconds: float = Field(default=0.2, ge=0, description="Time that a push waits for more results to go along.")
    timeout_seconds: float = Field(default=15.0, gt=0, description="Time for one push.")
    most_attempts: int = Field(default=6, ge=1, description="Pushes of one batch before it is dropped.")
    backoff_seconds: float = Field(
        default=0.5, gt=0, description="First wait between attempts; doubles, with jitter, up to 30 s."
    )


@dataclass(slots=True)
class _Share:
    """One result on its way to several exporters; `done` is called when the last of them is finished with it."""

    result: Result
    left: int
    done: Callable[[], None]
    memory: MemoryBudget
    size: int = 0

    def finish(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.memory.give(BUFFER, self.size)
            self.done()


class Deliverer:
    """Hands results to exporters. `deliver` never waits for anything outside the process."""

    def __init__(
        self,
        config: DeliverConfig,
        exporters: Sequence[Exporter],
        *,
        telemetry: Telemetry,
        clock: Clock,
        memory: MemoryBudget | None = None,
    ) -> None:
        """`memory` is what the queues share with the other buffers; by default it has no end."""
        self._memory = memory or MemoryBudget(sys.maxsize)
        self._clock = clock
        self._exporters = list(exporters)
        self._unstarted = list(exporters)
        self._doors = [_Door(exporter, telemetry, clock) for exporter in exporters if exporter.local]
        self._lanes = [_Lane(config, exporter, telemetry, clock) for exporter in exporters if not exporter.local]

    async def start(self) -> None:
        """Start every exporter. Raises ConfigError naming the field: a wrong destination fails here, not later. Raises BrokerError
        where one is not up yet; the next call starts those that are left, and one after a success does nothing."""
        late: DestinationError | None = None
        for exporter in list(self._unstarted):
            try:
                await exporter.start()
            except DestinationError as error:
                if not error.passing:
                    raise ConfigError(error.field, error.problem, error.mend) from error
                late = late or error
            else:
                self._unstarted.remove(exporter)
        if late is not None:
            raise BrokerError("connect", f"{late.field}: {late.problem}", late.mend, passing=True) from late
        for lane in self._lanes:
            lane.start()

    async def deliver(self, result: Result, *, done: Callable[[], None]) -> None:
        """Hand on one result.

        `done` is called exactly once, after every exporter has taken, dropped or refused it; it is not called where a stop
        abandoned it.
        """
        lanes = [lane for lane in self._lanes if lane.door.wants(result)]
        share = _Share(result, len(lanes) + 1, done, self._memory)
        for door in self._doors:
            if door.wants(result):
                await door.push_once([result])
        size = result_bytes(result) if lanes else 0
        if self._memory.take(BUFFER, size):
            share.size = size
            for lane in lanes:
                lane.put(share)
        else:
            for lane in lanes:
                lane.drop(share, "dropped_memory")
        share.finish()

    async def stop(self, deadline_seconds: float) -> None:
        """Flush the queues and stop the exporters, both by the deadline. Never raises; safe to call twice."""
        deadline = Deadline(deadline_seconds, self._clock)
        await asyncio.gather(*(lane.stop(deadline.share(_FLUSH_SHARE)) for lane in self._lanes))
        await asyncio.gather(*(_stop(exporter, deadline.left()) for exporter in self._exporters))


@dataclass(frozen=True, slots=True)
class _Pushed:
    """How a push ended. `retry`: it may work later. `refused`: how many results were, when it ended for good."""

    retry: bool
    refused: int
    error_type: str | None = None


class _Door:
    """The one place where an exporter is called: whatever it raises becomes a _Pushed, and changes of state are logged."""

    def __init__(self, exporter: Exporter, telemetry: Telemetry, clock: Clock) -> None:
        self._exporter = exporter
        self._clock = clock
        self._telemetry = telemetry
        self._trouble: str | None = None
        self.name = exporter.name

    def wants(self, result: Result) -> bool:
        """Whether this exporter sees such results."""
        return self._exporter.every_trace or result.outcome.evaluated

    async def push_once(self, results: Sequence[Result]) -> None:
        """Push without retry and count the outcome."""
        pushed = await self.push(results, timeout_seconds=None)
        lost = len(results) if pushed.retry else pushed.refused
        self.count("ok", len(results) - lost)
        self.count("dropped_permanent", lost)

    async def push(self, results: Sequence[Result], *, timeout_seconds: float | None) -> _Pushed:
        """Push once."""
        started = self._clock.monotonic()
        pushed = await self._call(results, timeout_seconds)
        if timeout_seconds is not None:
            self._telemetry.observe("rag_sidecar_export_seconds", self._clock.monotonic() - started, exporter=self.name)
        if pushed.error_type is not None:
            self._telemetry.count("rag_sidecar_export_failures_total", exporter=self.name, error_type=pushed.error_type)
        self._say(pushed.error_type)
        return pushed

    def count(self, outcome: str, results: int) -> None:
        """Count what became of some results."""
        if results:
            self._telemetry.count("rag_sidecar_exports_total", results, exporter=self.name, outcome=outcome)

    async def _call(self, results: Sequence[Result], timeout_seconds: float | None) -> _Pushed:
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._exporter.export(results)
        except RetryableExportError as error:
            return _Pushed(True, 0, error.error_type)
        except TimeoutError:
            return _Pushed(True, 0, "timeout")
        except PermanentExportError as error:
            refused = len(results) if error.rejected is None else min(error.rejected, len(results))
            return _Pushed(False, refused, error.error_type)
        except ExportError as error:
            return _Pushed(False, len(results), error.error_type)
        except Exception as error:  # noqa: BLE001 - the door of the exporters: one that breaks must not stop the others
            return _Pushed(False, len(results), type(error).__name__)
        return _Pushed(False, 0)

    def _say(self, trouble: str | None) -> None:
        """Log changes of state, never single results."""
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if trouble is None:
            logger.info("exporter %s works again", self.name)
        else:
            logger.warning("exporter %s fails: %s", self.name, trouble)


class _Lane:
    """The queue of one exporter and the task that empties it."""

    def __init__(self, config: DeliverConfig, exporter: Exporter, telemetry: Telemetry, clock: Clock) -> None:
        self._config = config
        self._telemetry = telemetry
        self._queue: asyncio.Queue[_Share] = asyncio.Queue(config.queue_size)
        self._in_hand: list[_Share] = []
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self.door = _Door(exporter, telemetry, clock)

    def start(self) -> None:
        """Begin to push, unless that has begun."""
        if self._task is not None:
            return
        self._telemetry.set("rag_sidecar_queue_capacity", self._config.queue_size, queue=self._label)
        self._telemetry.set("rag_sidecar_queue_length", 0, queue=self._label)
        self._task = asyncio.create_task(self._run(), name=self._label)

    def put(self, share: _Share) -> None:
        """Queue it, or drop it where the queue is full. After a stop it is abandoned: nobody would take it."""
        if self._stopping.is_set() and self._task is None:
            self.door.count("abandoned", 1)
            return
        try:
            self._queue.put_nowait(share)
        except asyncio.QueueFull:
            self.drop(share, "dropped_queue_full")
        self._telemetry.set("rag_sidecar_queue_length", self._queue.qsize(), queue=self._label)

    def drop(self, share: _Share, outcome: str) -> None:
        """Finish with one result without having delivered it."""
        self._close([share], outcome)

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
        left = len(self._in_hand) + self._queue.qsize()
        if left:
            self.door.count("abandoned", left)
            logger.warning("exporter %s: %d results were not delivered by the deadline", self.door.name, left)

    @property
    def _label(self) -> str:
        return f"export-{self.door.name}"

    async def _run(self) -> None:
        while True:
            self._in_hand = [await self._queue.get()]
            if self._queue.qsize() + 1 < self._config.batch_size:
                await self._wait(self._config.linger_seconds)
            while len(self._in_hand) < self._config.batch_size and not self._queue.empty():
                self._in_hand.append(self._queue.get_nowait())
            await self._push(self._in_hand)
            batch, self._in_hand = self._in_hand, []
            self._telemetry.set("rag_sidecar_queue_length", self._queue.qsize(), queue=self._label)
            for _ in batch:
                self._queue.task_done()

    async def _push(self, batch: Sequence[_Share]) -> None:
        """Push until it is taken or refused, or the attempts are used up."""
        results = [share.result for share in batch]
        backoff = self._config.backoff_seconds
        for attempt in range(1, self._config.most_attempts + 1):
            pushed = await self.door.push(results, timeout_seconds=self._config.timeout_seconds)
            if not pushed.retry:
                self.door.count("ok", len(batch) - pushed.refused)
                self.door.count("dropped_permanent", pushed.refused)
                self._finish(batch)
                return
            if attempt < self._config.most_attempts:
                await self._wait(min(backoff, _LONGEST_BACKOFF_SECONDS) * random.uniform(0.7, 1.3))  # noqa: S311 - jitter
                backoff *= 2
        self._close(batch, "dropped_retries")

    async def _wait(self, seconds: float) -> None:
        """Sleep, but not long once we are stopping."""
        if self._stopping.is_set():
            await asyncio.sleep(min(seconds, _STOPPING_BACKOFF_SECONDS))
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _close(self, batch: Sequence[_Share], outcome: str) -> None:
        self.door.count(outcome, len(batch))
        self._finish(batch)

    def _finish(self, batch: Sequence[_Share]) -> None:
        for share in batch:
            share.finish()


def result_bytes(result: Result) -> int:
    """About what a result holds in memory: most of it are the claims, which quote the answer."""
    found = 2000
    for one in result.evaluations:
        found += 600 + 2 * len(one.explanation or "") + 200 * len(one.documents)
        found += sum(400 + 2 * len(claim.text) for claim in one.claims)
    return found


async def _stop(exporter: Exporter, deadline_seconds: float) -> None:
    """Stop one exporter. Whatever goes wrong is logged: a stop must come to its end."""
    try:
        async with asyncio.timeout(deadline_seconds):
            await exporter.stop()
    except Exception as error:  # noqa: BLE001 - the door of the exporters
        logger.warning("exporter %s did not stop cleanly (%s)", exporter.name, type(error).__name__)
