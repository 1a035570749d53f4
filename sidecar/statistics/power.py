"""How large a sample must be to show a difference: for 80 % power at a two-sided level, of 5 % where nothing shares it."""

from __future__ import annotations

import math
from statistics import NormalDist

_NORMAL = NormalDist()
ALPHA = 0.05
_POWER = 0.8


def factor(level: float = ALPHA) -> float:
    """(z of the level + z of the power) squared: about 7.85 for 5 %."""
    return (_NORMAL.inv_cdf(1 - level / 2) + _NORMAL.inv_cdf(_POWER)) ** 2


def fewest_pairs(level: float = ALPHA) -> int:
    """Pairs below which an exact test of signs shows nothing, however large the difference: where all n differ the same way p is 2 / 2**n."""
    return math.floor(math.log2(2 / level)) + 1


def pairs_needed(delta: float, spread: float, *, level: float = ALPHA) -> int:
    """Pairs that show a mean difference `delta` > 0 of paired differences with this standard deviation."""
    return max(fewest_pairs(level), math.ceil(factor(level) * (spread / delta) ** 2))


def smallest_shown(count: int, spread: float, *, level: float = ALPHA) -> float:
    """The mean difference that so many pairs show; infinite where they are too few to show any."""
    return math.sqrt(factor(level) / count) * spread if count >= fewest_pairs(level) else math.inf
