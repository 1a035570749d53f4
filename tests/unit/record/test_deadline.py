"""The stop of all stages together takes no longer than it may, whichever of them hangs or breaks."""

from __future__ import annotations

import asyncio
import logging

import pytest

from sidecar.record.clock import ManualClock, SystemClock
from sidecar.record.deadline import Deadline, Stage, stop_in_order


class Part:
    """A stage that takes all the time that it is given, or more. `takes` is that time's multiple."""

    def __init__(self, clock: ManualClock, *, takes: float = 1.0) -> None:
        self._clock = clock
        self._takes = takes
        self.given: float | None = None

    async def stop(self, seconds: float) -> None:
        self.given = seconds
        self._clock.advance(seconds * self._takes)


async def test_stages_that_take_all_they_are_given_stay_within_the_deadline() -> None:
    clock = ManualClock()
    parts = [Part(clock) for _ in range(4)]
    stages = [
        Stage(f"part {n}", part, one.stop)
        for n, (part, one) in enumerate(zip((0.5, 0.5, 0.5, 1.0), parts, strict=True))
    ]
    deadline = Deadline(40.0, clock)
    await stop_in_order(stages, deadline)
    assert [part.given for part in parts] == [20.0, 10.0, 5.0, 5.0]
    assert (clock.monotonic(), deadline.left()) == (40.0, 0.0)


async def test_what_a_quick_stage_leaves_is_there_for_the_next() -> None:
    clock = ManualClock()
    quick, slow = Part(clock, takes=0.1), Part(clock)
    await stop_in_order([Stage("quick", 0.5, quick.stop), Stage("slow", 1.0, slow.stop)], Deadline(40.0, clock))
    assert (quick.given, slow.given) == (20.0, 38.0)


async def test_a_stage_that_overdraws_leaves_the_others_nothing_and_they_are_still_asked() -> None:
    clock = ManualClock()
    greedy, last = Part(clock, takes=3.0), Part(clock)
    await stop_in_order([Stage("greedy", 0.5, greedy.stop), Stage("last", 1.0, last.stop)], Deadline(40.0, clock))
    assert last.given == 0.0


@pytest.mark.parametrize("heeds", [True, False])
async def test_a_stage_that_hangs_is_left_behind(heeds: bool, caplog: pytest.LogCaptureFixture) -> None:
    never, stopped = asyncio.Event(), list[str]()

    async def hang(_: float) -> None:
        while True:
            try:
                await never.wait()
                return
            except asyncio.CancelledError:
                if heeds:
                    raise

    async def note(_: float) -> None:
        stopped.append("last")

    async with asyncio.timeout(30):
        await stop_in_order([Stage("hanging", 0.5, hang), Stage("last", 1.0, note)], Deadline(0.2, SystemClock()))
    never.set()
    await asyncio.sleep(0)
    assert stopped == ["last"]
    assert "hanging did not stop within" in caplog.text


async def test_a_stage_that_breaks_is_said_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    async def breaks(_: float) -> None:
        raise ValueError("the words of a user")

    with caplog.at_level(logging.WARNING):
        await stop_in_order([Stage("broken", 0.5, breaks)], Deadline(5.0, SystemClock()))
    assert "broken did not stop cleanly (ValueError)" in caplog.text
    assert "words" not in caplog.text


def test_a_share_is_bounded() -> None:
    assert Deadline(40.0, ManualClock()).share(0.5, most=3.0) == 3.0
