"""Two variants on different requests, each drawn with a known probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from sidecar.statistics.interval import Interval, Z
from sidecar.statistics.power import ALPHA, factor

_NORMAL = NormalDist()
# Below this many the means are not normal enough for the test.
LEAST = 100
# A split that chance gives once in a thousand runs has another reason.
RATIO_P = 0.001


@dataclass(frozen=True, slots=True)
class Arm:
    """One variant: its weighted mean, the variance of one value, and the size of the plain random sample that would know as much (Kish 1965)."""

    mean: float
    variance: float
    effective: float
    count: int | None = None

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return math.sqrt(self.variance / self.effective)


def arm(values: ArrayLike, weights: ArrayLike) -> Arm | None:
    """Of values, each with the weight 1 / (the probability that it was drawn); None of fewer than two."""
    x, w = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    if x.size < 2:
        return None
    effective = float(w.sum() ** 2 / (w**2).sum())
    if x.min() == x.max():  # A mean of equal values that is rounded would have a variance.
        return Arm(float(x[0]), 0.0, effective, int(x.size))
    mean = float((w * x).sum() / w.sum())
    # The squared error of a ratio of two sums (Sarndal et al. 1992, 5.7), times the effective n: the variance of one value of equal weight.
    squared = float((w**2 * (x - mean) ** 2).sum() / w.sum() ** 2) * x.size / (x.size - 1)
    return Arm(mean, squared * effective, effective, int(x.size))


@dataclass(frozen=True, slots=True)
class Gap:
    """B - A of one metric. `p` is two-sided, None where an arm is too small to say; `shown` is the difference that such arms show in 80 of 100 runs."""

    a: Arm
    b: Arm
    delta: float
    interval: Interval
    p: float | None
    shown: float


def gap(a: Arm, b: Arm, *, tests: int = 1) -> Gap:
    """The difference of two arms by their means and standard errors (Welch's test with normal tails), one of so many `tests`: `shown` allows for them."""
    delta, error = b.mean - a.mean, math.hypot(a.error, b.error)
    enough = min(a.effective, b.effective) >= LEAST
    p = None if not enough else (1.0 if delta == 0 else 0.0) if error == 0 else two_sided(delta / error)
    return Gap(a, b, delta, Interval(delta - Z * error, delta + Z * error), p, math.sqrt(factor(ALPHA / tests)) * error)


def constant(a: Arm, b: Arm) -> bool:
    """Whether all values of both are the same one: whoever had drawn which, there is no difference to be shown."""
    return a.variance == b.variance == 0 and a.mean == b.mean


def two_sided(z: float) -> float:
    """The chance of a normal value so far from 0."""
    return math.erfc(abs(z) / math.sqrt(2))


def each_arm_needs(delta: float, variance_a: float, variance_b: float, *, tests: int = 1) -> int:
    """Values that each arm needs to show a difference `delta` > 0: never fewer than the test takes."""
    return max(LEAST, math.ceil(factor(ALPHA / tests) * (variance_a + variance_b) / delta**2))


def ratio_p(a: float, b: float, *, share_a: float = 0.5) -> float:
    """The chance of a split of traffic so far from the one that was wanted (chi-square test with one degree of freedom)."""
    whole = a + b
    if whole == 0:
        return 1.0
    expected = whole * share_a
    return two_sided((a - expected) / math.sqrt(whole * share_a * (1 - share_a)))
