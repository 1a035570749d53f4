"""Two systems on the same cases: is the one better, or is it chance?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sidecar.statistics.interval import SEED, Interval, resampled
from sidecar.statistics.power import ALPHA, smallest_shown

# Differences that are not 0: up to so many every sign is tried, beyond that signs are drawn.
MOST_EXACT = 14
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """B - A of one metric, which is not 0 in `changed` of the pairs, and the test that their signs have (`joint`). `shown` is the difference that such a sample shows in
    80 of 100 runs where it is there, infinite where it is too small to show any."""

    pairs: int
    changed: int
    mean_a: float
    mean_b: float
    delta: float
    interval: Interval | None
    test: str
    spread: float
    shown: float


def difference(a: ArrayLike, b: ArrayLike, *, level: float = ALPHA, seed: int = SEED) -> Difference:
    """Of the values of A and of B for the same cases in the same order, one at least. `shown` is by a p below `level`; the interval is that of the resampled pairs."""
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    away = second - first
    count = away.size
    spread = float(away.std(ddof=1)) if count > 1 else 0.0
    binary = bool(np.isin(np.concatenate([first, second]), (0.0, 1.0)).all())
    return Difference(
        pairs=count,
        changed=int(np.count_nonzero(np.abs(away) > ROUNDING)),
        mean_a=float(first.mean()),
        mean_b=float(second.mean()),
        delta=float(away.mean()),
        interval=resampled(away, seed=seed) if count > 1 else None,
        test="mcnemar" if binary else "sign_flip",
        spread=spread,
        shown=smallest_shown(count, spread, level=level),
    )


def least_p(changed: int) -> float:
    """The least p that is attainable where so many values differ: where all differ the same way, whatever their sizes; 1 where none does. What is drawn
    has a least p of its own, for which 0 stands."""
    return min(1.0, 2.0 ** (1 - changed)) if changed <= MOST_EXACT else 0.0


def mcnemar(better: int, worse: int) -> float:
    """Two-sided p of so many cases that B alone, and A alone, has right: the exact binomial test."""
    changed = better + worse
    tail = sum(math.comb(changed, one) for one in range(min(better, worse) + 1))
    return float(min(1.0, 2 * tail / 2**changed))


def holm(p_values: Sequence[float], least: Sequence[float] | None = None) -> list[float]:
    """The p values of several tests together of whose dependence nothing is known, so that among all of them a false finding has the chance that each promises (Holm 1979).

    `least` are the p that each could have at least, known before the signs of its differences are (`least_p`). Each p is multiplied by how many of
    the tests left could have one as small (Tarone 1990; step by step, Hommel and Krummenauer 1998): never more than by Holm, and a smaller p never
    stands behind a larger one.
    """
    attainable = [0.0] * len(p_values) if least is None else least
    order = sorted(range(len(p_values)), key=lambda one: p_values[one])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, one in enumerate(order):
        able = sum(attainable[other] <= p_values[one] for other in order[rank:])
        highest = max(highest, min(1.0, able * p_values[one]))
        adjusted[one] = highest
    return adjusted
