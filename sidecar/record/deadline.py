"""One deadline for a whole stop: each stage gets its share of what those before it have left."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sidecar.record.clock import Clock

logger = logging.getLogger(__name__)


class Deadline:
    """A moment on a clock."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        """`seconds` from now."""
        self._clock = clock
        self._at = clock.monotonic() + seconds

    def left(self) -> float:
        """Seconds until then, 0 when it has passed."""
        return max(0.0, self._at - self._clock.monotonic())

    def share(self, part: float, *, most: float = math.inf) -> float:
        """A part (0..1) of the seconds that are left, or `most` where that is less."""
        return min(most, self.left() * part)


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a stop. `stop` is given the seconds that it has: `part` (0..1) of what is left by then."""

    name: str
    part: float
    stop: Callable[[float], Awaitable[object]]


async def stop_in_order(stages: Sequence[Stage], deadline: Deadline) -> None:
    """Stop one stage after the other. One that fails or hangs is said and left behind: the others have their turn. Never raises."""
    for stage in stages:
        seconds = deadline.share(stage.part)
        task = asyncio.ensure_future(_run(stage, seconds))
        # Not asyncio.timeout: what does not heed its cancellation would hold the stop for ever.
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            task.cancel()
            logger.warning("%s did not stop within %.1f s; going on without it", stage.name, seconds)


async def _run(stage: Stage, seconds: float) -> None:
    try:
        await stage.stop(seconds)
    except Exception as error:  # noqa: BLE001 - a stop must come to its end, whatever one stage makes of it
        logger.warning("%s did not stop cleanly (%s)", stage.name, type(error).__name__)
