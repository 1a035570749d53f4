"""The numbers of one service: sums over time out of which its estimate, its funnel and its distributions are made. Memory is bounded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from exporters.result import Evaluation, Outcome, Result, Verdict
from exporters.text import clean
from exporters.verdicts import identity_of, weight_of
from sidecar.evaluate.estimate import Judged, Scored
from sidecar.inference.grounding.detector import Anchor
from sidecar.page.rings import Floats, Ring

OUTCOMES = tuple(str(one) for one in Outcome)
_SUMS = (
    *OUTCOMES, "tokens_input", "tokens_output", "usd", "unpriced_tokens", "abstained", "verdicts",
    "weight", "flagged", "local", "squared",
    "j_weight", "j_judge", "j_local", "j_squared", "j_squared_judge", "j_squared_local", "j_squared_both", "judged",
    "l_weight", "l_local", "l_squared",
)  # fmt: skip
_DECIDED = (Verdict.GROUNDED, Verdict.HALLUCINATED)
COLUMN = {name: number for number, name in enumerate(_SUMS)}
HISTOGRAM_BINS = 20
DURATIONS = ("total", "retrieval", "generation", "time_to_first_token")
# Of durations, bins are powers of this from 10 ms on: 10 ms to 100 s.
_DURATION_START, _DURATION_STEP, _DURATION_DIGITS = 0.01, 10 ** (4 / HISTOGRAM_BINS), 4
_MOST_NAMES = 12
_MOST_IDENTITIES = 16
_MOST_KINDS = 30
OTHER = "__other__"
_QUICK_SECONDS, _SLOW_SECONDS, _HOUR = 10.0, 600.0, 3600.0
_DAYS = 3


@dataclass(frozen=True, slots=True)
class Span:
    """A range of time that may be chosen: `bins` of a ring, each point over the last `window` of them."""

    name: str
    title: str
    quick: bool
    bins: int
    window: int

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.bins * (_QUICK_SECONDS if self.quick else _SLOW_SECONDS)

    @property
    def window_seconds(self) -> float:
        """What a point is an estimate over."""
        return self.window * (_QUICK_SECONDS if self.quick else _SLOW_SECONDS)


SPANS = (
    Span("15m", "15 minutes", True, 90, 6),
    Span("6h", "6 hours", False, 36, 6),
    Span("3d", "3 days", False, 432, 6),
)


class Numbers:
    """What is known of one service. `since` is when it was first seen, `identity_since` since when no new model gives its verdicts. `anchor` is
    what people's labels say of one of these."""

    def __init__(self, now: float, anchor: Anchor | None = None) -> None:
        self.anchor = anchor
        self.since = self.last_seen = now
        self._identities: dict[str, tuple[float, float]] = {}
        self._quick = Ring(_QUICK_SECONDS, SPANS[0].bins + SPANS[0].window, (len(_SUMS),))
        self._slow = Ring(_SLOW_SECONDS, SPANS[-1].bins + SPANS[-1].window, (len(_SUMS),))
        self._scores = Ring(_HOUR, 24 * _DAYS + 1, (_MOST_NAMES, HISTOGRAM_BINS + 2))
        self._durations = Ring(_HOUR, 24 * _DAYS + 1, (len(DURATIONS), HISTOGRAM_BINS))
        self._names: dict[str, int] = {}
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.reasons: Counter[tuple[str, str]] = Counter()

    @property
    def identity_since(self) -> float:
        """When the latest model, version or threshold that gives verdicts was first seen."""
        return max((first for first, _ in self._identities.values()), default=self.since)

    def add_request(self, result: Result, now: float) -> None:
        """Count how a request of this replica ended, what it took and cost."""
        self._count(self.kinds, _kind(result), 1)
        if result.reason:
            self._count(self.reasons, (str(result.outcome), result.reason), 1)
        if (row := self._durations.at(now)) is not None:
            for number, name in enumerate(DURATIONS):
                seconds = result.durations.get(name)
                if seconds is not None and seconds >= 0:
                    row[number, _duration_bin(seconds)] += 1
        self._add(_traffic(result), now)

    def add_answer(self, result: Result, at: float) -> None:
        """Count what is said of an answer, of whatever replica, at a time that may be past."""
        self.since, self.last_seen = min(self.since, at), max(self.last_seen, at)
        self._count(self.kinds, _kind(result), 0)
        identity = self._look_at_identity(result, at)
        sums = _said(result)
        if self.anchor is not None and identity == self.anchor.identity:
            sums |= {f"l_{name}": sums[name] for name in ("weight", "local", "squared") if name in sums}
        self._add(sums, at)
        self._add_scores(result, at)

    def sums(self, span: Span, now: float) -> dict[str, Floats]:
        """Of each bin of a range: the sums over the window that ends there."""
        ring = self._quick if span.quick else self._slow
        found = ring.last(now, span.bins + span.window)
        whole = np.vstack([np.zeros((1, found.shape[1])), np.cumsum(found, axis=0)])
        windows = whole[span.window + 1 :] - whole[1 : -span.window]
        return {name: windows[:, at] for name, at in COLUMN.items()}

    def ends(self, span: Span, now: float) -> list[float]:
        """When the bins of a range end."""
        return (self._quick if span.quick else self._slow).ends(now, span.bins)

    def total(self, seconds: float, now: float) -> dict[str, float]:
        """The sums over about the last `seconds`."""
        quick = seconds <= self._quick.seconds * SPANS[0].bins
        ring = self._quick if quick else self._slow
        found = ring.last(now, math.ceil(seconds / ring.seconds)).sum(axis=0)
        return {name: float(found[at]) for name, at in COLUMN.items()}

    def scores(self, seconds: float, now: float) -> Mapping[str, Floats]:
        """Of each evaluator a histogram over whole hours: weights of equal bins of 0..1, then the weight, then the weighted sum."""
        found = self._scores.last(now, _hours(seconds)).sum(axis=0)
        return {name: found[at] for name, at in self._names.items()}

    def durations(self, seconds: float, now: float) -> Mapping[str, Floats]:
        """Of each duration a histogram over whole hours; `quantile` reads it."""
        found = self._durations.last(now, _hours(seconds)).sum(axis=0)
        return dict(zip(DURATIONS, found, strict=True))

    def _add(self, sums: Mapping[str, float], at: float) -> None:
        for row in (self._quick.at(at), self._slow.at(at)):
            if row is not None:
                for name, amount in sums.items():
                    row[COLUMN[name]] += amount

    def _add_scores(self, result: Result, at: float) -> None:
        row = self._scores.at(at)
        if row is None:
            return
        for one in result.evaluations:
            if one.score is None or not 0.0 <= one.score <= 1.0:
                continue
            place = self._names.get(one.evaluator)
            if place is None:
                if len(self._names) == _MOST_NAMES:
                    continue
                place = self._names[clean(one.evaluator)] = len(self._names)
            weight = (result.upstream_adjusted_count or 1.0) / result.probability_of(one)
            row[place, min(HISTOGRAM_BINS - 1, int(one.score * HISTOGRAM_BINS))] += weight
            row[place, HISTOGRAM_BINS] += weight
            row[place, HISTOGRAM_BINS + 1] += weight * one.score

    def _look_at_identity(self, result: Result, at: float) -> str | None:
        decider = _decider(result)
        if decider is None:
            return None
        identity = identity_of(decider)
        if decider.judged and _local(result) is not None:
            return identity  # The local model failed; that is no new model.
        # Models are chosen by language: one that comes back is no new one. Results may be read in any order.
        first, last = self._identities.get(identity, (at, at))
        self._identities[identity] = (min(first, at), max(last, at))
        if len(self._identities) > _MOST_IDENTITIES:
            del self._identities[min(self._identities, key=lambda name: self._identities[name][1])]
        return identity

    @staticmethod
    def _count(counter: Counter[tuple[str, str]], key: tuple[str, str], amount: int) -> None:
        counter[key if key in counter or len(counter) < _MOST_KINDS else (OTHER, OTHER)] += amount


def quantile(counts: Floats, share: float) -> float:
    """A quantile of durations, seconds, as histogram_quantile reads one: within its bin by the powers that bins are of, in the first by
    equal parts from 0 on, and of the last, which has no end, its lower edge."""
    wanted, below = share * float(counts.sum()), 0.0
    for number, count in enumerate(counts[:-1]):
        if count > 0 and below + count >= wanted:
            part = float(wanted - below) / float(count)
            found = part * _edge(1) if number == 0 else _edge(number + part)
            return round(found, _DURATION_DIGITS)
        below += float(count)
    return round(_edge(HISTOGRAM_BINS - 1), _DURATION_DIGITS)


def _edge(number: float) -> float:
    """Where a bin of durations begins; the first one begins at 0."""
    return float(_DURATION_START * _DURATION_STEP**number)


def labelled(sums: Mapping[str, Floats]) -> Scored:
    """The sums over answers whose local verdict is of the identity that labels were given on."""
    return Scored(weight=sums["l_weight"], local=sums["l_local"], squared=sums["l_squared"])


def scored(sums: Mapping[str, Floats]) -> Scored:
    """The sums over answers with a local verdict."""
    return Scored(weight=sums["weight"], local=sums["local"], squared=sums["squared"])


def judged(sums: Mapping[str, Floats]) -> Judged:
    """The sums over answers that a judge saw."""
    return Judged(
        weight=sums["j_weight"],
        judge=sums["j_judge"],
        local=sums["j_local"],
        squared=sums["j_squared"],
        squared_judge=sums["j_squared_judge"],
        squared_local=sums["j_squared_local"],
        squared_both=sums["j_squared_both"],
    )


def _said(result: Result) -> dict[str, float]:
    """What a result adds to the sums of verdicts, as it does to the series of exporters/verdicts.py that the rules are made of."""
    found: dict[str, float] = {}
    if result.verdict is not None:
        found["verdicts"] = result.weight
        if result.verdict is Verdict.ABSTAINED:
            found["abstained"] = result.weight
    decider = _decider(result)
    if decider is not None:
        weight = weight_of(result, result.probability_of(decider))
        flagged = weight * (result.verdict is Verdict.HALLUCINATED)
        # What the judge alone called hallucinated is no verdict of the local model.
        local = 0.0 if decider.judged else flagged
        found |= {"weight": weight, "flagged": flagged, "local": local, "squared": weight * weight}
    return found | _judged(result)


def _judged(result: Result) -> dict[str, float]:
    judge = next((one for one in result.evaluations if one.decides_verdict and one.judged and one.label), None)
    local = _local(result)
    if judge is None or judge.label not in _DECIDED or (local is not None and local.label not in (None, *_DECIDED)):
        return {}
    weight = weight_of(result, result.probability_of(judge))
    squared, bad = weight * weight, judge.label == Verdict.HALLUCINATED
    flagged = local is not None and local.label == Verdict.HALLUCINATED
    return {
        "judged": 1.0, "j_weight": weight, "j_judge": weight * bad, "j_local": weight * flagged,
        "j_squared": squared, "j_squared_judge": squared * bad, "j_squared_local": squared * flagged,
        "j_squared_both": squared * (bad and flagged),
    }  # fmt: skip


def _traffic(result: Result) -> dict[str, float]:
    """What a result adds to the sums of every request."""
    return {
        str(result.outcome): 1.0,
        "tokens_input": float(result.tokens.get("input", 0)),
        "tokens_output": float(result.tokens.get("output", 0)),
        "usd": math.fsum(value for value in (result.cost_usd or {}).values() if math.isfinite(value)),
        "unpriced_tokens": float(result.unpriced_tokens),
    }


def _decider(result: Result) -> Evaluation | None:
    """What gave the verdict, as the series have it."""
    if result.verdict in (None, Verdict.ABSTAINED):
        return None
    return next((one for one in result.evaluations if one.decides_verdict and one.label), None)


def _local(result: Result) -> Evaluation | None:
    return next((one for one in result.evaluations if one.decides_verdict and not one.judged), None)


def _kind(result: Result) -> tuple[str, str]:
    return result.model or "", result.variant or ""


def _duration_bin(seconds: float) -> int:
    if seconds <= _DURATION_START:
        return 0
    return min(HISTOGRAM_BINS - 1, int(math.log(seconds / _DURATION_START, _DURATION_STEP)))


def _hours(seconds: float) -> int:
    return math.ceil(seconds / _HOUR) + 1
