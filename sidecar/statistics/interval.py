"""What a sample says of a mean: the interval that holds it in 95 of 100 samples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]

Z = 1.96
SEED = 20_240_229
_NORMAL = NormalDist()
_TAIL = 0.025
_ROUNDING = 1e-12
# Resamples: of large samples fewer, since the work is what bounds them and their means are nearly normal.
_MOST_RESAMPLES, _LEAST_RESAMPLES, _MOST_DRAWS = 10_000, 1_000, 100_000_000
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """Two-sided, 95 %."""

    lower: float
    upper: float


def mean_interval(values: ArrayLike, *, seed: int = SEED) -> Interval | None:
    """Of the mean of values in 0..1; None of fewer than two.

    Each end is a quantile of the mean under random weights (uniform on the simplex) with one more value beside those that were seen: 0 for the lower
    end, 1 for the upper one (Gaffke 2005; Learned-Miller and Thomas, arXiv:1905.06208). Where no value goes down no end goes down; values that are all the same have
    a width; of values that are 0 or 1 the ends are those of Clopper and Pearson (1934). The same values in any order give the same interval.
    """
    given = np.sort(np.asarray(values, np.float64))
    if given.size < 2:
        return None
    # The upper end is the lower one seen from 1.
    lower, upper = np.quantile(
        _weighted(np.stack([given, 1 - given[::-1]]), np.random.default_rng(seed)), _TAIL, axis=0
    )
    return Interval(float(lower), 1 - float(upper))


def share_interval(hits: float, of: float) -> Interval:
    """Of a share of so many, by Wilson."""
    share, square = hits / of, Z * Z
    middle, spread = hits + square / 2, Z * math.sqrt(of * share * (1 - share) + square / 4)
    return Interval(max(0.0, (middle - spread) / (of + square)), min(1.0, (middle + spread) / (of + square)))


def resampled(values: Floats, *, seed: int = SEED) -> Interval:
    """Of the mean of any numbers, two at least, by the bias-corrected and accelerated bootstrap."""
    mean = float(values.mean())
    away = values - mean
    if not np.any(np.abs(away) > _ROUNDING):
        return Interval(mean, mean)
    means = np.sort(_means(values, np.random.default_rng(seed)))
    below = (
        float(np.count_nonzero(means < mean - _ROUNDING) + np.count_nonzero(means < mean + _ROUNDING)) / 2 / means.size
    )
    bias = _NORMAL.inv_cdf(min(max(below, 1 / means.size), 1 - 1 / means.size))
    acceleration = float((away**3).sum() / (6 * (away**2).sum() ** 1.5))
    lower, upper = (_corrected(tail, bias, acceleration) for tail in (_TAIL, 1 - _TAIL))
    return Interval(float(np.quantile(means, lower)), float(np.quantile(means, upper)))


def _corrected(tail: float, bias: float, acceleration: float) -> float:
    shifted = bias + _NORMAL.inv_cdf(tail)
    return _NORMAL.cdf(bias + shifted / (1 - acceleration * shifted))


def _weighted(rows: Floats, chance: np.random.Generator) -> Floats:
    """Means of each row and one more value of 0, under random weights: a line a draw."""
    size = rows.shape[1]
    parts = []
    for count in _draws(size):
        weights = chance.standard_exponential((count, size))
        parts.append(weights @ rows.T / (weights.sum(axis=1) + chance.standard_exponential(count))[:, None])
    return np.concatenate(parts)


def _means(values: Floats, chance: np.random.Generator) -> Floats:
    parts = [
        values[chance.integers(0, values.size, (count, values.size))].mean(axis=1) for count in _draws(values.size)
    ]
    return np.concatenate(parts)


def _draws(size: int) -> Iterator[int]:
    """How many samples of this size to draw at a time."""
    left = min(_MOST_RESAMPLES, max(_LEAST_RESAMPLES, _MOST_DRAWS // size))
    at_once = max(1, _AT_ONCE // size)
    while left > 0:
        yield min(at_once, left)
        left -= at_once
