"""An exception as its types and places: what a log may hold of it. Its message may be a user's text, and is never read."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType

_MOST_FRAMES = 12
_MOST_CAUSES = 4
_MOST_OF_A_GROUP = 4


def place(error: BaseException) -> str:
    """`Type at file.py:12 in name`: where it was raised."""
    frames = _frames(error.__traceback__)
    return f"{type(error).__name__} at {frames[-1]}" if frames else type(error).__name__


def places(error: BaseException) -> list[str]:
    """A line an exception, innermost frame last: the exception, those in its group, and what it was raised from."""
    found: list[str] = []
    cause: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if cause is None:
            break
        found.append(_line(cause, "" if cause is error else "from "))
        if isinstance(cause, BaseExceptionGroup):
            found += [_line(one, "holds ") for one in cause.exceptions[:_MOST_OF_A_GROUP]]
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return found


def _line(error: BaseException, word: str) -> str:
    frames = _frames(error.__traceback__)
    return f"{word}{type(error).__name__}" + (f" at {' > '.join(frames[-_MOST_FRAMES:])}" if frames else "")


def _frames(trace: TracebackType | None) -> list[str]:
    return [
        f"{Path(frame.f_code.co_filename).name}:{line} in {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(trace)
    ]
