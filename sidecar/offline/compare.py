"""Two runs over the same cases, case by case: which system is better, or what so many cases would have shown."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sidecar.offline.case import NEGATIVE
from sidecar.offline.copies import once
from sidecar.offline.lost import Coverage, Lacking, fewer, lacking
from sidecar.offline.record import CaseRecord, Comparison, Evaluation, Identity
from sidecar.offline.render import words
from sidecar.statistics.interval import Floats
from sidecar.statistics.joint import Joint, joint
from sidecar.statistics.paired import Difference, difference
from sidecar.statistics.power import ALPHA, fewest_pairs, pairs_needed

# What is smaller matters to nobody, however sure it is.
MARGIN = 0.02
DECLINED = "declined_negatives"
# Differences that are all the same say nothing of how others would spread.
_NO_SPREAD = 1e-6
DELTAS = (0.01, 0.02, 0.05, 0.1)
TOLD = "told, does not decide"


@dataclass(frozen=True, slots=True)
class Paired:
    """The scores of one metric for cases that both runs scored in the same way, in the same order, `cases` by their places among all; what each of them
    lacks that the other one has; and how many were scored in two ways, of which `otherwise` names one."""

    cases: Sequence[int]
    a: Sequence[float]
    b: Sequence[float]
    lacking_a: Lacking
    lacking_b: Lacking
    ways: int = 0
    otherwise: tuple[Identity, Identity] | None = None

    @property
    def coverage(self) -> Coverage:
        """Which cases have a score."""
        return Coverage(len(self.a) + self.ways, self.lacking_a, self.lacking_b)

    def away(self, count: int) -> Floats:
        """B - A of each of so many cases, 0 of those that have no difference."""
        found = np.zeros(count)
        found[list(self.cases)] = np.subtract(self.b, self.a)
        return found


def compare(a: Sequence[CaseRecord], b: Sequence[CaseRecord], decide: Collection[str] = ()) -> tuple[Comparison, ...]:
    """B - A of every metric that either run scored, and of the negative cases that were declined. Those of `decide` decide (none: all), the others are
    told; p is that among all that decide. An id counts once."""
    a, b = once(a), once(b)
    both = _matched(a, b)
    found = {name: _paired(both, name) for name in _names(a, b)}
    if (declined := _declined(both)) is not None:
        found[DECLINED] = declined
    found |= {name: Paired([], [], [], Lacking(), Lacking()) for name in decide if name not in found}
    deciding = {name: one for name, one in found.items() if not decide or name in decide}
    tested = joint({name: one.away(len(both)) for name, one in found.items() if one.a}, deciding)
    lost = fewer({name: one.coverage for name, one in deciding.items()})
    return tuple(_comparison(_counted(name, one, lost.get(name)), one, tested) for name, one in found.items())


def winner_of(delta: float, p: float | None) -> Literal["A", "B"] | None:
    """Who is better: only where it is hardly chance and large enough to matter."""
    if p is None or p >= ALPHA or abs(delta) <= MARGIN:
        return None
    return "B" if delta > 0 else "A"


def verdict_on(
    delta: float, p: float | None, shown: float, *, same: bool = False, fewest: int = 0, alike: str = ""
) -> str:
    """The same in words; `shown` is what the sample would have shown, infinite where it takes `fewest` cases at least to show anything. `same`: the difference is
    that in every case. `alike` says in how few cases it differs where that can show nothing."""
    winner = winner_of(delta, p)
    if winner is not None:
        return f"{winner} is better"
    if p is not None and p < ALPHA:
        return f"a difference of no more than {MARGIN:g}"
    if p is None:
        return "too few to say"
    if same or shown <= _NO_SPREAD:
        return _always(delta)
    if math.isinf(shown):
        return f"too few to say: it takes {fewest} cases at least"
    if alike:
        return f"no difference shown: {alike}"
    return f"no difference shown (would show {max(shown, MARGIN):.3f})"


def _always(delta: float) -> str:
    """In words, a difference that is the same in every case: how others would spread nobody knows, and so not what the sample would have shown."""
    if abs(delta) <= _NO_SPREAD:
        return "no difference in any case"
    if abs(delta) <= MARGIN:
        return "the same small difference in every case"
    return f"the same difference ({delta:+.3f}) in every case, too few to say that it is not chance"


def held(comparisons: tuple[Comparison, ...], decide: Collection[str] = ()) -> tuple[Comparison, ...]:
    """As a check holds B against A. Where no metric has cases enough for any difference to be shown, nothing has been asked: what is lower by more than
    MARGIN is then no pass. Nor is a metric that is named to decide and cannot be compared."""
    too_few = nothing_could_be_shown(comparisons)

    def unproven(one: Comparison) -> bool:
        if one.delta is None:
            return one.metric in decide
        return too_few and one.p is not None and one.delta < -MARGIN

    return tuple(one.model_copy(update={"unproven": True}) if unproven(one) else one for one in comparisons)


def nothing_could_be_shown(comparisons: Sequence[Comparison]) -> bool:
    """Whether all metrics that both runs scored have fewer cases than a difference takes, however large it is."""
    tested = [one for one in comparisons if one.p is not None]
    return bool(tested) and all(one.fewest_pairs is not None for one in tested)


def needed(comparisons: Sequence[Comparison]) -> Mapping[str, Mapping[str, int]]:
    """Pairs that show a difference of so much in each metric with 80 % power, by the spread of its differences now and whichever way the metrics hang together."""
    tests = max(1, sum(one.p is not None and bool(one.changed) for one in comparisons))
    return {
        one.metric: {f"{delta:g}": pairs_needed(delta, one.spread, level=ALPHA / tests) for delta in DELTAS}
        for one in comparisons
        if one.p is not None and one.spread is not None and one.spread > _NO_SPREAD
    }


def unmatched(a: Sequence[CaseRecord], b: Sequence[CaseRecord]) -> tuple[int, int]:
    """How many cases are in A alone, and in B alone."""
    first, second = {one.key for one in once(a)}, {one.key for one in once(b)}
    return len(first - second), len(second - first)


def _matched(a: Sequence[CaseRecord], b: Sequence[CaseRecord]) -> list[tuple[CaseRecord, CaseRecord]]:
    others = {one.key: one for one in b}
    return [(one, others[one.key]) for one in a if one.key in others]


def _names(a: Sequence[CaseRecord], b: Sequence[CaseRecord]) -> list[str]:
    """The metrics of both runs, and those of one alone that have a score: what nobody looks at any more is to be seen."""
    first, second = (dict.fromkeys(one.evaluator for record in run for one in record.evaluations) for run in (a, b))
    scored = {one.evaluator for record in (*a, *b) for one in record.evaluations if one.score is not None}
    return [name for name in first | second if (name in first and name in second) or name in scored]


def _paired(both: Sequence[tuple[CaseRecord, CaseRecord]], metric: str) -> Paired:
    pairs: list[tuple[int, float, float]] = []
    lacks_a: list[Evaluation | None] = []
    lacks_b: list[Evaluation | None] = []
    ways = 0
    otherwise = None
    for place, (one, other) in enumerate(both):
        if NEGATIVE in (one.kind, other.kind):
            continue
        first, second = one.said_by(metric), other.said_by(metric)
        left = None if first is None else first.score
        right = None if second is None else second.score
        if left is None or right is None:
            if right is not None:
                lacks_a.append(first)
            elif left is not None:
                lacks_b.append(second)
        elif first is not None and second is not None and first.identity != second.identity:
            ways, otherwise = ways + 1, (first.identity, second.identity)
        else:
            pairs.append((place, left, right))
    return Paired(*_apart(pairs), lacking(lacks_a), lacking(lacks_b), ways, otherwise)


def _apart(pairs: Sequence[tuple[int, float, float]]) -> tuple[list[int], list[float], list[float]]:
    return [place for place, _, _ in pairs], [x for _, x, _ in pairs], [y for _, _, y in pairs]


def _declined(both: Sequence[tuple[CaseRecord, CaseRecord]]) -> Paired | None:
    """Of negative cases: 1 where the answer declines, which is right. Of an answer that is not there or that nobody can read nothing is known."""
    known: list[tuple[int, float, float]] = []
    unknown = [0, 0]
    for place, (one, other) in enumerate(both):
        if not one.kind == other.kind == NEGATIVE:
            continue
        if one.abstention is not None and other.abstention is not None:
            known.append((place, float(_declines(one)), float(_declines(other))))
        elif one.abstention is not None or other.abstention is not None:
            unknown[0 if one.abstention is None else 1] += 1
    if not known and not any(unknown):
        return None
    lacks_a, lacks_b = (Lacking({"unread": count}, count) if count else Lacking() for count in unknown)
    return Paired(*_apart(known), lacks_a, lacks_b)


def _declines(one: CaseRecord) -> bool:
    return one.abstention in ("full", "clarification")


def _counted(name: str, paired: Paired, lost: Literal["A", "B"] | None) -> Comparison:
    """Which cases have a score; `says` tells it."""
    return Comparison(
        metric=name,
        pairs=len(paired.a),
        only_a=paired.lacking_b.cases,
        only_b=paired.lacking_a.cases,
        lacking_a=paired.lacking_a.reasons,
        lacking_b=paired.lacking_b.reasons,
        fewer=lost,
        says=paired.coverage.says(lost),
    )


def _comparison(plain: Comparison, paired: Paired, tested: Joint) -> Comparison:
    if not paired.a:
        says = "no case has a score in both"
        if paired.otherwise is not None:
            says = "not compared: A is scored by {}, B by {}".format(*paired.otherwise)
        return plain.model_copy(update={"says": _joined(says, plain.says)})
    found, p = difference(paired.a, paired.b, level=tested.level), tested.p.get(plain.metric)
    enough, fewest = not math.isinf(found.shown), fewest_pairs(tested.level)
    left_out = f"{words.many(paired.ways, 'case')} scored in two ways left out" if paired.ways else ""
    return plain.model_copy(
        update={
            "role": _role(found, p),
            "changed": found.changed,
            "mean_a": found.mean_a,
            "mean_b": found.mean_b,
            "delta": found.delta,
            "lower": None if found.interval is None else found.interval.lower,
            "upper": None if found.interval is None else found.interval.upper,
            "p": p,
            "p_alone": tested.alone[plain.metric],
            "test": found.test,
            "spread": found.spread,
            "shown": found.shown if enough else None,
            "fewest_pairs": None if enough else fewest,
            "winner": winner_of(found.delta, p),
            "says": _joined(_verdict(found, p, tested.least.get(plain.metric, 0.0), fewest), left_out, plain.says),
        }
    )


def _role(found: Difference, p: float | None) -> Literal["decides", "alike", "told"]:
    if p is None:
        return "told"
    return "decides" if found.changed >= fewest_pairs() else "alike"


def _verdict(found: Difference, p: float | None, least: float, fewest: int) -> str:
    if p is None:
        return TOLD
    few = f"{found.changed} of {words.many(found.pairs, 'case')} differ, p is {least:.3f} at best"
    same = found.spread <= _NO_SPREAD
    return verdict_on(found.delta, p, found.shown, same=same, fewest=fewest, alike=few if least >= ALPHA else "")


def _joined(*said: str) -> str:
    return "; ".join(filter(None, said))
