"""How large a sample must be to show a difference: for 80 % power at a two-sided 5 %."""

from __future__ import annotations

import math
from statistics import NormalDist

_NORMAL = NormalDist()
# (z of 97.5 % + z of 80 %) squared, about 7.85.
FACTOR = (_NORMAL.inv_cdf(0.975) + _NORMAL.inv_cdf(0.8)) ** 2


def pairs_needed(delta: float, spread: float) -> int:
    """Pairs that show a mean difference `delta` > 0 of paired differences with this standard deviation."""
    return max(1, math.ceil(FACTOR * (spread / delta) ** 2))


def smallest_shown(count: float, spread: float) -> float:
    """The mean difference that so many show."""
    return math.sqrt(FACTOR / count) * spread if count > 0 else math.inf
