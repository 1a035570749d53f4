"""How long the event loop stood still: a task that sleeps for a moment, and looks how late it wakes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock

TICK_SECONDS = 0.05
LEAST_SECONDS = 0.2


class LoopWatch:
    """Observes every stall over 200 ms in `rag_sidecar_loop_stall_seconds`. While the loop stands still nothing is polled, probed or scraped."""

    def __init__(
        self, telemetry: Telemetry, clock: Clock, *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._telemetry = telemetry
        self._clock = clock
        self._sleep = sleep
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Watch the running loop."""
        self._task = asyncio.create_task(self.run(), name="loop-watch")

    async def stop(self) -> None:
        """Watch no longer. Safe to call twice, or without a start."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def run(self) -> None:
        """Sleep and look, for ever."""
        while True:
            slept_at = self._clock.monotonic()
            await self._sleep(TICK_SECONDS)
            late = self._clock.monotonic() - slept_at - TICK_SECONDS
            if late > LEAST_SECONDS:
                self._telemetry.observe("rag_sidecar_loop_stall_seconds", late)
