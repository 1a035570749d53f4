"""A limit on CPU time for a piece of a test: what takes the square of its input must fail in seconds, not in hours."""

from __future__ import annotations

import functools
import gc
import re
import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

Answer = TypeVar("Answer")

# What a million empty matches take where the limits were set.
_REFERENCE_SECONDS = 0.2


@functools.cache
def slowness() -> float:
    """How much slower than that machine this one is, by the best of three; never less than 1."""
    best = 10.0
    for _ in range(3):
        started = time.thread_time()
        sum(1 for _ in re.finditer("", "0" * 1_000_000))
        best = min(best, time.thread_time() - started)
    return max(1.0, best / _REFERENCE_SECONDS)


def within_cpu(seconds: float, what: str, body: Callable[[], Answer]) -> Answer:
    """What the body answers; fails where it takes more CPU time of this thread, on a slower machine as much more. The best of three:
    a neighbour on the same core can double what one run takes, and a square is as slow each time. Main thread alone."""
    seconds *= slowness()
    times = []
    for _ in range(3):
        answer, took = _timed(2 * seconds, what, body)
        if took <= seconds:
            return answer
        times.append(f"{took:.2f}")
    raise AssertionError(f"{what} took {', '.join(times)} CPU seconds, where {seconds:.2f} are the limit")


def _timed(limit: float, what: str, body: Callable[[], Answer]) -> tuple[Answer, float]:
    """What the body answers, and its CPU seconds; a pattern that runs away is interrupted at the limit. What the other tests hold is
    not walked by the collector meanwhile: that is no time of the body."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"{what} was interrupted after {limit} CPU seconds")

    previous = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, limit)
    gc.freeze()
    started = time.thread_time()
    try:
        return body(), time.thread_time() - started
    finally:
        gc.unfreeze()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
