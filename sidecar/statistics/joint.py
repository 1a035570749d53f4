"""Several metrics of two systems on the same cases: which of them differ, when what was said of one case hangs together?"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from sidecar.statistics.interval import SEED, Floats
from sidecar.statistics.paired import MOST_EXACT, ROUNDING, least_p
from sidecar.statistics.power import ALPHA

_DRAWS = 19_999
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Joint:
    """Of each metric the p that it has `alone`, two-sided. Of those that decide `p` among all of them, so that a false finding has in all the chance that each
    promises, and the `least` that it could be: where the cases that differ all go one way, and the metrics that are surer are as they are. A p alone below
    `level` is a finding whatever the others are."""

    alone: Mapping[str, float]
    p: Mapping[str, float]
    least: Mapping[str, float]
    level: float


def joint(away: Mapping[str, Floats], decide: Collection[str], *, seed: int = SEED) -> Joint:
    """Of the differences of each metric, case by case in the same order, 0 where a case has none; those of `decide` decide.

    Where both systems are equal A and B could change places in any case, and with that the signs of all its differences (Fisher's randomisation test). A p is the
    share of these flips that make the sum of the metric as large. Among several metrics it is the share that make the p of any of them as small, from the smallest p
    on and each time of those that are left (step-down minP, Westfall and Young 1993; Ge, Dudoit and Speed 2003). Every flip is tried or, of many cases, some
    are drawn, with the observed one among them, so that p is never 0 (Phipson and Smyth 2010).
    """
    every = {name: np.where(np.abs(one) > ROUNDING, one, 0.0) for name, one in away.items()}
    own = {name: one for name, one in every.items() if name in decide}
    sums = _sums(every, seed)
    tails = {name: _tail(one, sums[name]) for name, one in every.items()}
    alone = {name: tails[name].p(np.abs(every[name].sum(keepdims=True)))[0] for name in every}
    flips = sums if len(own) == len(every) else _sums(own, seed)
    chances = {name: tails[name].p(flips[name]) for name in own}
    return Joint(
        alone={name: float(p) for name, p in alone.items()},
        p=_stepped(chances, alone),
        least={name: _reached(chances, alone, name, least_p(int(np.count_nonzero(one)))) for name, one in own.items()},
        level=_level(chances),
    )


@dataclass(frozen=True, slots=True)
class _Tail:
    """How often chance makes a sum so large: `sizes` in order, and the chance of each or of a larger one."""

    sizes: Floats
    chances: Floats

    def p(self, sums: Floats) -> Floats:
        places = np.searchsorted(self.sizes, sums - ROUNDING)
        return np.asarray(self.chances[np.minimum(places, self.sizes.size - 1)], np.float64)


def _tail(away: Floats, sums: Floats) -> _Tail:
    """Exact where so few cases differ, or all by 1 (McNemar's test, 1947); else by the flips that were drawn."""
    moved = np.abs(away[away != 0])
    if moved.size > MOST_EXACT and (moved == 1).all():
        fewer = range(moved.size // 2 + 1)
        ways = accumulate(math.comb(moved.size, one) for one in fewer)
        chances = [min(1.0, 2 * one / 2**moved.size) for one in ways]
        return _Tail(np.array([moved.size - 2.0 * one for one in fewer])[::-1], np.array(chances)[::-1])
    sizes = np.sort(_sums({"": moved}, SEED)[""] if moved.size <= MOST_EXACT else sums)
    return _Tail(sizes, 1 - np.arange(sizes.size) / sizes.size)


def _sums(away: Mapping[str, Floats], seed: int) -> Mapping[str, Floats]:
    """What the differences of each metric add up to under each flip, without the sign."""
    if not away:
        return {}
    rows = np.stack(list(away.values()), axis=1)
    rows = rows[rows.any(axis=1)]
    seen = rows.sum(axis=0)
    if len(rows) <= MOST_EXACT:
        found = [2 * (np.arange(2 ** len(rows))[:, None] >> np.arange(len(rows)) & 1) @ rows - seen]
    else:
        found, chance, at_once = [seen[None]], np.random.default_rng(seed), max(1, _AT_ONCE // len(rows))
        for begun in range(0, _DRAWS, at_once):
            count = min(at_once, _DRAWS - begun) * len(rows)
            bits = np.unpackbits(np.frombuffer(chance.bytes(count // 8 + 1), np.uint8), count=count)
            found.append(2 * (bits.reshape(-1, len(rows)).astype(np.float64) @ rows) - seen)
    return dict(zip(away, np.abs(np.concatenate(found)).T, strict=True))


def _stepped(chances: Mapping[str, Floats], alone: Mapping[str, float]) -> dict[str, float]:
    """Among those that are no surer than each, the share of flips in which any is as sure; never below that of a surer one."""
    order = sorted(chances, key=lambda name: alone[name])
    found, highest = {}, 0.0
    for name in order:
        highest = max(highest, float(alone[name]), _reached(chances, alone, name, alone[name]))
        found[name] = highest
    return found


def _reached(chances: Mapping[str, Floats], alone: Mapping[str, float], name: str, p: float) -> float:
    """The share of flips in which this metric, or any whose p is `p` at least, has one of no more than `p`."""
    left = [one for other, one in chances.items() if other == name or alone[other] >= p]
    return float((np.min(left, axis=0) <= p).mean())


def _level(chances: Mapping[str, Floats]) -> float:
    """The smallest p that ALPHA of the flips or more give to any metric, no larger than ALPHA: what is below it is a finding in the first step."""
    if not chances:
        return ALPHA
    lowest = np.sort(np.min(list(chances.values()), axis=0))
    return min(ALPHA, float(lowest[math.ceil(ALPHA * lowest.size) - 1]))
