"""The demo's estimates: what the local model flags, and the anchored estimate by the formulas of the recording rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from sidecar.commands.demo.judge import ERROR
from sidecar.evaluate.estimate import Estimate, Floats, Judged, Scored, anchored, wilson, within_error
from sidecar.evaluate.seen import Seen


@dataclass(frozen=True, slots=True)
class Ratio:
    """A share with its 95 % interval and the sample size (effective, for weighted samples)."""

    value: float
    low: float
    high: float
    n: float

    @classmethod
    def of(cls, found: Estimate) -> Self:
        """Of an estimate of one service."""
        return cls(float(found.share), float(found.lower), float(found.upper), float(found.samples))


@dataclass(frozen=True, slots=True)
class Rise:
    """By how much a share is above that of the past, -1..1, with its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, now: Ratio, past: Ratio) -> Self:
        """The interval is Newcombe's (1998, method 10), as in the rules about variants."""
        value = now.value - past.value
        below = math.hypot(now.value - now.low, past.high - past.value)
        above = math.hypot(now.high - now.value, past.value - past.low)
        return cls(value, value - below, value + above)


def below_threshold(seen: Sequence[Seen]) -> Ratio | None:
    """The share that the local model flags, with its Wilson interval; None without any."""
    known = [one for one in seen if one.flagged is not None]
    if not known:
        return None
    total, squares = sum(one.weight for one in known), sum(one.weight**2 for one in known)
    share, n = np.asarray(sum(one.weight for one in known if one.flagged) / total), np.asarray(total**2 / squares)
    return Ratio.of(Estimate(share, *wilson(share, n), n))


def anchored_ratio(seen: Sequence[Seen]) -> Ratio | None:
    """The share that is made up: what is flagged of all, corrected by what the judge said of a random part. Its interval allows for the judge's
    stated error. None where the judge saw nothing."""
    known = [one for one in seen if one.flagged is not None]
    shown = [one for one in seen if one.judged is not None]
    if not known or not shown:
        return None
    scored = Scored(
        weight=_sum(one.weight for one in known),
        local=_sum(one.weight for one in known if one.flagged),
        squared=_sum(one.weight**2 for one in known),
    )
    judged = Judged(
        weight=_sum(one.judge_weight for one in shown),
        judge=_sum(one.judge_weight for one in shown if one.judged),
        local=_sum(one.judge_weight for one in shown if one.flagged),
        squared=_sum(one.judge_weight**2 for one in shown),
        squared_judge=_sum(one.judge_weight**2 for one in shown if one.judged),
        squared_local=_sum(one.judge_weight**2 for one in shown if one.flagged),
        squared_both=_sum(one.judge_weight**2 for one in shown if one.flagged and one.judged),
    )
    return Ratio.of(within_error(anchored(scored, judged), ERROR))


def _sum(values: Iterable[float]) -> Floats:
    return np.asarray(sum(values, 0.0))
