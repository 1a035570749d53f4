"""Two systems on the same cases: is the one better, or is it chance?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sidecar.statistics.interval import SEED, Floats, Interval, resampled
from sidecar.statistics.power import smallest_shown

# Differences that are not 0: up to so many every sign is tried, beyond that signs are drawn.
_MOST_EXACT = 14
_DRAWS = 19_999
_ROUNDING = 1e-9
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Difference:
    """B - A of one metric, which is not 0 in `changed` of the pairs. `p` is two-sided; `shown` is the difference that such a sample shows in 80 of 100 runs where it is there,
    infinite where it is too small to show any."""

    pairs: int
    changed: int
    mean_a: float
    mean_b: float
    delta: float
    interval: Interval | None
    p: float
    test: str
    spread: float
    shown: float


def difference(a: ArrayLike, b: ArrayLike, *, tests: int = 1, seed: int = SEED) -> Difference:
    """Of the values of A and of B for the same cases in the same order, one at least. It is one of so many `tests` that `shown` allows for; `p` does not.

    The interval is that of the resampled pairs. Under the assumption that both are equal the sign of each difference is chance: `p` is the share of
    signs that give as large a sum (Fisher's randomisation test); of values that are 0 or 1 that is McNemar's exact test (1947).
    """
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    away = second - first
    count = away.size
    spread = float(away.std(ddof=1)) if count > 1 else 0.0
    binary = bool(np.isin(np.concatenate([first, second]), (0.0, 1.0)).all())
    return Difference(
        pairs=count,
        changed=changed(first, second),
        mean_a=float(first.mean()),
        mean_b=float(second.mean()),
        delta=float(away.mean()),
        interval=resampled(away, seed=seed) if count > 1 else None,
        p=mcnemar(int((away > 0).sum()), int((away < 0).sum())) if binary else sign_flip(away, seed=seed),
        test="mcnemar" if binary else "sign_flip",
        spread=spread,
        shown=smallest_shown(count, spread, tests=tests),
    )


def changed(a: ArrayLike, b: ArrayLike) -> int:
    """In how many cases the values differ."""
    return int(np.count_nonzero(np.abs(np.subtract(b, a)) > _ROUNDING))


def least_p(changed: int) -> float:
    """The least p that is attainable where so many values differ: where all differ the same way, whatever their sizes; 1 where none does. What is drawn
    has a least p of its own, for which 0 stands."""
    return min(1.0, 2.0 ** (1 - changed)) if changed <= _MOST_EXACT else 0.0


def mcnemar(better: int, worse: int) -> float:
    """Two-sided p of so many cases that B alone, and A alone, has right: the exact binomial test."""
    changed = better + worse
    tail = sum(math.comb(changed, one) for one in range(min(better, worse) + 1))
    return float(min(1.0, 2 * tail / 2**changed))


def sign_flip(differences: Floats, *, seed: int = SEED) -> float:
    """Two-sided p of paired differences. Drawn signs count the observed ones as one draw, so that p is never 0 (Phipson and Smyth 2010)."""
    changed = differences[np.abs(differences) > _ROUNDING]
    if changed.size == 0:
        return 1.0
    seen = abs(float(changed.sum())) - _ROUNDING
    if changed.size <= _MOST_EXACT:
        every = np.arange(2**changed.size)[:, None] >> np.arange(changed.size) & 1
        return float((np.abs((2 * every - 1) @ changed) >= seen).mean())
    chance = np.random.default_rng(seed)
    rows, larger = max(1, _AT_ONCE // changed.size), 0
    for begun in range(0, _DRAWS, rows):
        count = min(rows, _DRAWS - begun) * changed.size
        bits = np.unpackbits(np.frombuffer(chance.bytes(count // 8 + 1), np.uint8), count=count)
        positive = bits.reshape(-1, changed.size).astype(np.float64) @ changed
        larger += int((np.abs(2 * positive - changed.sum()) >= seen).sum())
    return (1 + larger) / (1 + _DRAWS)


def holm(p_values: Sequence[float], least: Sequence[float] | None = None) -> list[float]:
    """The p values of several tests together, so that among all of them a false finding has the chance that each promises (Holm 1979).

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
