"""Log lines about items: once in a while for each kind of trouble, never once an item."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from sidecar.record.clock import Clock

INTERVAL_SECONDS = 60.0
_MOST_KEYS = 256


@dataclass(slots=True)
class _Key:
    said_at: float
    unsaid: int = 0


class RateLimited:
    """Logs a line at most once an interval for each key, with how many more there were since the last.

    Keys are bounded words (a reason, a topic), never text of a user; those over the first 256 share one line. Not thread-safe.
    """

    def __init__(self, logger: logging.Logger, clock: Clock, *, interval_seconds: float = INTERVAL_SECONDS) -> None:
        self._logger = logger
        self._clock = clock
        self._interval = interval_seconds
        self._keys: dict[tuple[str, ...], _Key] = {}

    def warn(self, key: tuple[str, ...], message: str, *values: object) -> None:
        """Write `message % values`, or count it. `message` is a constant; `values` hold neither secrets nor user text."""
        if key not in self._keys and len(self._keys) >= _MOST_KEYS:
            key = ("others",)
        now = self._clock.monotonic()
        known = self._keys.get(key)
        if known is not None and now - known.said_at < self._interval:
            known.unsaid += 1
            return
        self._keys[key] = _Key(now)
        if known is not None and known.unsaid:
            self._logger.warning(message + "; %d more like it in the last %.0f s", *values, known.unsaid, now - known.said_at)  # fmt: skip
        else:
            self._logger.warning(message, *values)
