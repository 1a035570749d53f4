"""The watch of the event loop: what stands still for longer than 200 ms is seen, and nothing else."""

from __future__ import annotations

import asyncio
import time

from sidecar.observe.stalls import TICK_SECONDS, LoopWatch
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock, SystemClock


def seen(telemetry: Telemetry) -> tuple[float, float]:
    """How many stalls, and how long together."""
    get = telemetry.registry.get_sample_value
    return get("rag_sidecar_loop_stall_seconds_count") or 0.0, get("rag_sidecar_loop_stall_seconds_sum") or 0.0


async def test_stalls_over_200_ms_are_observed_with_their_length() -> None:
    clock, telemetry = ManualClock(), Telemetry()
    delays = [0.0, 0.19, 0.25, 0.0, 3.0]

    async def sleep(seconds: float) -> None:
        if not delays:
            raise asyncio.CancelledError
        clock.advance(seconds + delays.pop(0))

    watching = asyncio.create_task(LoopWatch(telemetry, clock, sleep=sleep).run())
    await asyncio.wait({watching})
    count, total = seen(telemetry)
    assert (count, round(total, 6)) == (2, 3.25)


async def test_a_loop_that_somebody_blocks_is_seen() -> None:
    telemetry = Telemetry()
    watch = LoopWatch(telemetry, SystemClock())
    watch.start()
    await asyncio.sleep(2 * TICK_SECONDS)
    time.sleep(0.6)  # noqa: ASYNC251 - this is the stall
    await asyncio.sleep(2 * TICK_SECONDS)
    await watch.stop()
    await watch.stop()
    count, total = seen(telemetry)
    assert count >= 1
    assert total > 0.3
