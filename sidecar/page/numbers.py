"""The numbers of one service: sums over time out of which its estimate, its funnel and its distributions are made. Memory is bounded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from exporters.result import Evaluation, Outcome, Result, Verdict
from exporters.text import clean
from exporters.verdicts import identity_of
from sidecar.evaluate.estimate import Judged, Scored
from sidecar.evaluate.seen import Seen
from sidecar.inference.grounding.detector import Anchor
from sidecar.page.rings import Floats, Ring

OUTCOMES = tuple(str(one) for one in Outcome)
_SUMS = (
    *OUTCOMES, "tokens_input", "tokens_output", "usd", "unpriced_tokens", "abstained", "verdicts",
    "weight", "local", "squared",
    "j_weight", "j_judge", "j_local", "j_squared", "j_squared_judge", "j_squared_local", "j_squared_both", "judged",
    "l_weight", "l_local", "l_squared",
)  # fmt: skip
COLUMN = {name: number for number, name in enumerate(_SUMS)}
HISTOGRAM_BINS = 20
DURATIONS = ("total", "retrieval", "generation", "time_to_first_token")
# Of durations, bins are powers of this from 10 ms on: 10 ms to 100 s.
_DURATION_START, _DURATION_STEP = 0.01, 10 ** (4 / HISTOGRAM_BINS)
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
    """What is known of one service. `since` is when it was first seen, `identity_since` since when no new model gives its verdicts, `anchor` what people's
    labels say of one of these."""

    def __init__(self, now: float, anchor: Anchor | None = None) -> None:
        self.anchor = anchor
        self.since = self.identity_since = self.last_seen = now
        self._identities: dict[str, None] = {}
        self._quick = Ring(_QUICK_SECONDS, SPANS[0].bins + SPANS[0].window, (len(_SUMS),))
        self._slow = Ring(_SLOW_SECONDS, SPANS[-1].bins + SPANS[-1].window, (len(_SUMS),))
        self._scores = Ring(_HOUR, 24 * _DAYS + 1, (_MOST_NAMES, HISTOGRAM_BINS + 2))
        self._durations = Ring(_HOUR, 24 * _DAYS + 1, (len(DURATIONS), HISTOGRAM_BINS))
        self._names: dict[str, int] = {}
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.reasons: Counter[tuple[str, str]] = Counter()

    def add(self, result: Result, now: float) -> None:
        """Count a result."""
        self.last_seen = now
        decider = _decider(result)
        identity = None if decider is None else identity_of(decider)
        sums = self._of_labelled(_said(result, now), identity) | _traffic(result)
        self._count(self.kinds, (result.model or "", result.variant or ""))
        if result.reason:
            self._count(self.reasons, (str(result.outcome), result.reason))
        self._add_durations(result, now)
        rows = (self._quick.now(now), self._slow.now(now))
        for name, amount in sums.items():
            for row in rows:
                row[COLUMN[name]] += amount
        self._add_scores(result, now)
        self._look_at_identity(identity, now)

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
        """Of each duration a histogram over whole hours; its bins are those of `duration_edges`."""
        found = self._durations.last(now, _hours(seconds)).sum(axis=0)
        return dict(zip(DURATIONS, found, strict=True))

    def _add_scores(self, result: Result, now: float) -> None:
        row = self._scores.now(now)
        for one in result.evaluations:
            if one.score is None or not 0.0 <= one.score <= 1.0:
                continue
            at = self._names.get(one.evaluator)
            if at is None:
                if len(self._names) == _MOST_NAMES:
                    continue
                at = self._names[clean(one.evaluator)] = len(self._names)
            weight = (result.upstream_adjusted_count or 1.0) / result.probability_of(one)
            row[at, min(HISTOGRAM_BINS - 1, int(one.score * HISTOGRAM_BINS))] += weight
            row[at, HISTOGRAM_BINS] += weight
            row[at, HISTOGRAM_BINS + 1] += weight * one.score

    def _add_durations(self, result: Result, now: float) -> None:
        row = self._durations.now(now)
        for number, name in enumerate(DURATIONS):
            seconds = result.durations.get(name)
            if seconds is not None and seconds >= 0:
                row[number, _duration_bin(seconds)] += 1

    def _of_labelled(self, said: dict[str, float], identity: str | None) -> dict[str, float]:
        """What a result adds to the sums of verdicts, and to those of the labelled identity."""
        if self.anchor is None or identity != self.anchor.identity:
            return said
        return said | {f"l_{name}": said[name] for name in ("weight", "local", "squared") if name in said}

    def _look_at_identity(self, identity: str | None, now: float) -> None:
        # Models are chosen by language: one that comes back is no new one.
        if identity is not None and identity not in self._identities:
            if self._identities:
                self.identity_since = now
            self._identities[identity] = None
            if len(self._identities) > _MOST_IDENTITIES:
                self._identities.pop(next(iter(self._identities)))

    @staticmethod
    def _count(counter: Counter[tuple[str, str]], key: tuple[str, str]) -> None:
        counter[key if key in counter or len(counter) < _MOST_KINDS else (OTHER, OTHER)] += 1


def duration_edges() -> list[float]:
    """Upper edges of the bins of durations, seconds; the last has none."""
    return [_DURATION_START * _DURATION_STEP ** (number + 1) for number in range(HISTOGRAM_BINS - 1)]


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


def _said(result: Result, now: float) -> dict[str, float]:
    """What a result adds to the sums of verdicts."""
    found: dict[str, float] = {}
    if result.verdict is not None:
        found["verdicts"] = result.weight
        if result.verdict is Verdict.ABSTAINED:
            found["abstained"] = result.weight
    seen = Seen.of(result, now)
    if seen is None or not math.isfinite(seen.weight) or not math.isfinite(seen.judge_weight):
        return found
    if seen.flagged is not None:
        found |= {"weight": seen.weight, "local": seen.weight * seen.flagged, "squared": seen.weight**2}
    if seen.judged is not None:
        weight, local = seen.judge_weight, bool(seen.flagged)
        squared = weight * weight
        found |= {
            "judged": 1.0, "j_weight": weight, "j_judge": weight * seen.judged, "j_local": weight * local,
            "j_squared": squared, "j_squared_judge": squared * seen.judged, "j_squared_local": squared * local,
            "j_squared_both": squared * (seen.judged and local),
        }  # fmt: skip
    return found


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
    """The local evaluation that says the verdict."""
    return next((one for one in result.evaluations if one.decides_verdict and not one.judged and one.label), None)


def _duration_bin(seconds: float) -> int:
    if seconds <= _DURATION_START:
        return 0
    return min(HISTOGRAM_BINS - 1, int(math.log(seconds / _DURATION_START, _DURATION_STEP)))


def _hours(seconds: float) -> int:
    return math.ceil(seconds / _HOUR) + 1
