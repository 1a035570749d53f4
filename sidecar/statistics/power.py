"""How large a sample must be to show a difference: for 80 % power at a two-sided 5 %, which several tests share (the first step of Holm's correction)."""

from __future__ import annotations

import math
from collections.abc import Collection
from statistics import NormalDist

_NORMAL = NormalDist()
ALPHA = 0.05
_POWER = 0.8


def factor(tests: int = 1) -> float:
    """(z of the level + z of the power) squared: about 7.85 for one test."""
    return (_NORMAL.inv_cdf(1 - ALPHA / (2 * tests)) + _NORMAL.inv_cdf(_POWER)) ** 2


def sharing(least: Collection[float]) -> int:
    """By how many tests with these least attainable p the level is shared: so many that no more of them can come below ALPHA / so many (Tarone 1990)."""
    return next(count for count in range(1, len(least) + 2) if sum(one < ALPHA / count for one in least) <= count)


def fewest_pairs(tests: int = 1) -> int:
    """Pairs below which an exact test of signs shows nothing, however large the difference: where all n differ the same way p is 2 / 2**n."""
    return math.floor(math.log2(2 * tests / ALPHA)) + 1


def pairs_needed(delta: float, spread: float, *, tests: int = 1) -> int:
    """Pairs that show a mean difference `delta` > 0 of paired differences with this standard deviation."""
    return max(fewest_pairs(tests), math.ceil(factor(tests) * (spread / delta) ** 2))


def smallest_shown(count: int, spread: float, *, tests: int = 1) -> float:
    """The mean difference that so many pairs show; infinite where they are too few to show any."""
    return math.sqrt(factor(tests) / count) * spread if count >= fewest_pairs(tests) else math.inf
