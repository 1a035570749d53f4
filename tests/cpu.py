"""A limit on CPU time for a piece of a test: what takes the square of its input must fail in seconds, not in hours."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def cpu_limit(seconds: float, what: str) -> Iterator[None]:
    """Fails where the body takes more CPU time of this thread. A pattern that runs away is interrupted; main thread alone."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"{what} was interrupted after {2 * seconds} CPU seconds")

    previous = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, 2 * seconds)
    started = time.thread_time()
    try:
        yield
        took = time.thread_time() - started
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    assert took <= seconds, f"{what} took {took:.2f} CPU seconds"
