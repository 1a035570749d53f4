"""A limit on CPU time for a piece of a test: what takes the square of its input must fail in seconds, not in hours."""

from __future__ import annotations

import contextlib
import functools
import gc
import re
import signal
import time
from collections.abc import Iterator
from types import FrameType

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


@contextlib.contextmanager
def cpu_limit(seconds: float, what: str) -> Iterator[None]:
    """Fails where the body takes more CPU time of this thread, on a slower machine as much more. A pattern that runs away is
    interrupted; main thread alone. What the other tests hold is not walked by the collector meanwhile: that is no time of the body."""
    seconds *= slowness()

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"{what} was interrupted after {2 * seconds} CPU seconds")

    previous = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, 2 * seconds)
    gc.freeze()
    started = time.thread_time()
    try:
        yield
        took = time.thread_time() - started
    finally:
        gc.unfreeze()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    assert took <= seconds, f"{what} took {took:.2f} CPU seconds"
