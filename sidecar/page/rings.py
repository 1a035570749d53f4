"""Sums over the last bins of time, in an array that never grows."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class Ring:
    """`bins` bins of `seconds` each, every one with `shape` sums. Times are seconds since the epoch."""

    def __init__(self, seconds: float, bins: int, shape: tuple[int, ...]) -> None:
        self.seconds = seconds
        self.bins = bins
        self._sums = np.zeros((bins, *shape))
        self._numbers = np.full(bins, -1, dtype=np.int64)

    def at(self, at: float) -> Floats | None:
        """The sums of the bin of a time, to be added to; None of one that is over, whose place a later one has."""
        number = int(at // self.seconds)
        place = number % self.bins
        if self._numbers[place] > number:
            return None
        if self._numbers[place] != number:
            self._numbers[place] = number
            self._sums[place] = 0.0
        found: Floats = self._sums[place]
        return found

    def last(self, at: float, bins: int) -> Floats:
        """The sums of the last `bins` bins up to that of a time, oldest first; 0 where nothing was added."""
        newest = int(at // self.seconds)
        wanted = np.arange(newest - min(bins, self.bins) + 1, newest + 1)
        places = wanted % self.bins
        known = (self._numbers[places] == wanted).reshape(-1, *(1,) * (self._sums.ndim - 1))
        found: Floats = np.where(known, self._sums[places], 0.0)
        return found

    def ends(self, at: float, bins: int) -> list[float]:
        """When those bins end, the newest at the time itself."""
        newest = int(at // self.seconds)
        first = newest - min(bins, self.bins) + 1
        return [*((number + 1) * self.seconds for number in range(first, newest)), at]
