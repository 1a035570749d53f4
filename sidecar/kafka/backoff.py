"""Pauses that grow while something fails again and again."""

from __future__ import annotations

_FIRST_SECONDS = 0.5
_LONGEST_SECONDS = 30.0


class Backoff:
    """Doubles each pause up to half a minute; `reset` after a success."""

    def __init__(self) -> None:
        self._next = _FIRST_SECONDS

    def next(self) -> float:
        """Seconds to wait before the next attempt."""
        found, self._next = self._next, min(self._next * 2, _LONGEST_SECONDS)
        return found

    def reset(self) -> None:
        """The next pause is the shortest again."""
        self._next = _FIRST_SECONDS
