"""Results to every exporter: a queue each, retry where it may help, drop and count where not.

A slow or broken exporter never blocks another, nor the pipeline: when its queue is full the newest result is dropped for it
and counted. Exporters into this process (Prometheus) are called at once, without a queue.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from exporters.base import Exporter, ExportError, RetryableExportError
from exporters.result import Result
from sidecar.clock import Clock
from sidecar.telemetry import Telemetry

logger = logging.getLogger(__name__)


class DeliverConfig(BaseModel):
    """Settings of the queues between the pipeline and the exporters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    queue_size: int = Field(
        default=4096, ge=1, description="Results waiting for one exporter before new ones are dropped for it."
    )
    batch_size: int = Field(default=256, ge=1, description="Most results in one push.")
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

    def finish(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.done()


class Deliverer:
    """Hands results to exporters. `deliver` never waits for anything outside the process."""

    def __init__(
        self, config: DeliverConfig, exporters: Sequence[Exporter], *, telemetry: Telemetry, clock: Clock
    ) -> None:
        self._telemetry = telemetry
        self._clock = clock
        self._exporters = list(exporters)
        self._local = [exporter for exporter in exporters if exporter.local]
        self._lanes = [_Lane(config, exporter, telemetry) for exporter in exporters if not exporter.local]

    async def start(self) -> None:
        """Start every exporter. What one raises stops the start: a wrong destination fails here, not later."""
        for exporter in self._exporters:
            await exporter.start()
        for lane in self._lanes:
            lane.start()

    async def deliver(self, result: Result, *, done: Callable[[], None]) -> None:
        """Hand on one result. `done` is called exactly once, after every exporter has taken, dropped or refused it."""
        lanes = [lane for lane in self._lanes if lane.wants(result)]
        share = _Share(result, len(lanes) + 1, done)
        for exporter in self._local:
            if exporter.every_trace or result.outcome.evaluated:
                outcome = await _push(exporter, [result])
                self._telemetry.count("rag_sidecar_exports_total", exporter=exporter.name, outcome=outcome)
        for lane in lanes:
            lane.put(share)
        share.finish()

    async def stop(self, deadline_seconds: float) -> None:
        """Flush the queues within the deadline, then stop the exporters. Safe to call twice."""
        await asyncio.gather(*(lane.stop(deadline_seconds) for lane in self._lanes))
        for exporter in self._exporters:
            await exporter.stop()


class _Lane:
    """The queue of one exporter and the task that empties it."""

    def __init__(self, config: DeliverConfig, exporter: Exporter, telemetry: Telemetry) -> None:
        self._config = config
        self._exporter = exporter
        self._telemetry = telemetry
        self._queue: asyncio.Queue[_Share] = asyncio.Queue(config.queue_size)
        self._task: asyncio.Task[None] | None = None
        self._well = True

    def wants(self, result: Result) -> bool:
        return self._exporter.every_trace or result.outcome.evaluated

    def start(self) -> None:
        self._telemetry.set(
            "rag_sidecar_queue_capacity", self._config.queue_size, queue=f"export-{self._exporter.name}"
        )
        self._task = asyncio.create_task(self._run(), name=f"export-{self._exporter.name}")

    def put(self, share: _Share) -> None:
        try:
            self._queue.put_nowait(share)
        except asyncio.QueueFull:
            self._close([share], "dropped_queue_full")
        self._telemetry.set("rag_sidecar_queue_length", self._queue.qsize(), queue=f"export-{self._exporter.name}")

    async def stop(self, deadline_seconds: float) -> None:
        if self._task is None:
            return
        try:
            async with asyncio.timeout(deadline_seconds):
                await self._queue.join()
        except TimeoutError:
            logger.warning(
                "exporter %s: %d results were not delivered by the deadline", self._exporter.name, self._queue.qsize()
            )
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None

    async def _run(self) -> None:
        while True:
            batch = [await self._queue.get()]
            while len(batch) < self._config.batch_size and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            try:
                self._close(batch, await self._push(batch))
            finally:
                for _ in batch:
                    self._queue.task_done()

    async def _push(self, batch: Sequence[_Share]) -> str:
        """Push until it is taken or refused, or the attempts are used up; the outcome, as a label."""
        results = [share.result for share in batch]
        wait = self._config.backoff_seconds
        outcome = "ok"
        for attempt in range(1, self._config.most_attempts + 1):
            outcome = await _push(self._exporter, results, self._config.timeout_seconds)
            self._say(outcome)
            if outcome != "retryable":
                return outcome
            if attempt < self._config.most_attempts:
                self._telemetry.count(
                    "rag_sidecar_exports_total", 0, exporter=self._exporter.name, outcome="dropped_retries"
                )
                await asyncio.sleep(min(wait, 30.0) * random.uniform(0.7, 1.3))  # noqa: S311 - jitter
                wait *= 2
        return "dropped_retries"

    def _close(self, batch: Sequence[_Share], outcome: str) -> None:
        self._telemetry.count("rag_sidecar_exports_total", len(batch), exporter=self._exporter.name, outcome=outcome)
        for share in batch:
            share.finish()

    def _say(self, outcome: str) -> None:
        """Log changes of state, never single results."""
        well = outcome == "ok"
        if well != self._well:
            self._well = well
            level = logging.INFO if well else logging.WARNING
            logger.log(level, "exporter %s %s", self._exporter.name, "works again" if well else f"fails: {outcome}")


async def _push(exporter: Exporter, results: Sequence[Result], seconds: float | None = None) -> str:
    """One push: ok, retryable or dropped_permanent."""
    try:
        async with asyncio.timeout(seconds):
            await exporter.export(results)
    except (RetryableExportError, TimeoutError):
        return "retryable" if seconds is not None else "dropped_permanent"
    except ExportError:
        return "dropped_permanent"
    except Exception as error:  # noqa: BLE001 - the door of the exporters: one that breaks must not stop the others
        logger.error("exporter %s broke: %s", exporter.name, type(error).__name__)
        return "dropped_permanent"
    return "ok"
