"""Two variants in production, each on requests of its own that were drawn with known probabilities: from results, or from sums that Prometheus has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from exporters.result import standing
from exporters.text import safe
from sidecar.offline.compare import DELTAS, TOLD, verdict_on, winner_of
from sidecar.offline.record import Compared, Comparison, Evaluation, Identity, Record, Split
from sidecar.offline.render import words
from sidecar.record.errors import ConfigError
from sidecar.statistics.paired import holm
from sidecar.statistics.unpaired import RATIO_P, Arm, Gap, arm, constant, each_arm_needs, gap, ratio_p

GROUNDED = "grounded_answers"
_SHOWN = 10


class _Whole(Record):
    root_seen: bool = False
    spans: int = 0


class OnlineResult(Record):
    """A result record (docs/results.md), as far as a comparison reads it."""

    id: str | None = None
    service: str | None = None
    variant: str | None = None
    verdict: str | None = None
    inclusion_probability: float | None = None
    upstream_adjusted_count: float | None = None
    evaluations: tuple[Evaluation, ...] = ()
    trace: _Whole | None = None

    def weight(self, own: float | None = None) -> float:
        """How many requests it stands for, drawn with `own`, else with its own probability."""
        return (self.upstream_adjusted_count or 1.0) / (own or self.inclusion_probability or 1.0)

    @property
    def completeness(self) -> tuple[bool, int, int]:
        """Of two results of one request the one of the greater value counts."""
        spans, seen = (self.trace.spans, self.trace.root_seen) if self.trace else (0, False)
        scored = sum(one.outcome == "scored" for one in self.evaluations)
        return standing(root_seen=seen, spans=spans, scored=scored)


# Values with their weights, by who scored them; None where that is not known.
Values: TypeAlias = Mapping[Identity | None, Sequence[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Variant:
    """What is known of one: an arm for each metric, the values that it is made of where they are known, and its requests as an effective size; None
    where nobody counted them."""

    name: str
    arms: Mapping[str, Arm]
    values: Mapping[str, Values] = field(default_factory=dict)
    requests: Arm | None = None
    traffic: float | None = None

    def arm_of(self, metric: str, whose: Callable[[Identity | None], bool]) -> Arm | None:
        """Of the values that those gave; of the whole where nobody knows who gave which. None of fewer than two."""
        if metric not in self.values:
            return self.arms.get(metric)
        return _arm(pair for who, own in self.values[metric].items() if whose(who) for pair in own)

    def scored_by(self, metric: str) -> Mapping[Identity | None, int]:
        """How many values each gave."""
        return {who: len(own) for who, own in self.values.get(metric, {}).items()}


def variant_of(name: str, results: Iterable[OnlineResult]) -> Variant:
    """Of results; those without the variant are passed over. Of two results of one request the more complete counts, of equals the later."""
    values: dict[str, dict[Identity | None, list[tuple[float, float]]]] = {}
    weights: list[float] = []
    for one in _latest(one for one in results if one.variant == name):
        weights.append(one.weight())
        for metric, who, score, weight in _scores(one):
            values.setdefault(metric, {}).setdefault(who, []).append((score, weight))
    arms = {metric: _arm(pair for own in by.values() for pair in own) for metric, by in values.items()}
    return Variant(
        name,
        {metric: one for metric, one in arms.items() if one is not None},
        values,
        _arm((1.0, weight) for weight in weights),
        sum(weights),
    )


def _scores(one: OnlineResult) -> Iterator[tuple[str, Identity | None, float, float]]:
    """Metric, who scored, score, weight."""
    if one.verdict in ("grounded", "hallucinated"):
        deciding = next((said.identity for said in one.evaluations if said.label == one.verdict), None)
        yield GROUNDED, deciding, float(one.verdict == "grounded"), one.weight()
    for said in one.evaluations:
        if said.score is not None:
            yield said.evaluator, said.identity, said.score, one.weight(said.inclusion_probability)


def _arm(pairs: Iterable[tuple[float, float]]) -> Arm | None:
    own = list(pairs)
    return arm([value for value, _ in own], [weight for _, weight in own])


def refuse_unknown(names: Iterable[str], there: Mapping[str, int], service: str | None) -> None:
    """Raises ConfigError for a variant of which there are no requests; `there` counts them by variant."""
    if lacking := [name for name in names if name not in there]:
        most = dict(sorted(there.items(), key=lambda one: -one[1])[:_SHOWN])
        of = "" if service is None else f" of {service}"
        mend = f"there are: {safe(words.counts(most)) or 'none'}"
        raise ConfigError("--variant", f"no result{of} is of {' or '.join(lacking)}", mend)


def compare_arms(a: Variant, b: Variant, *, share_a: float = 0.5, decide: Collection[str] = ()) -> Compared:
    """B - A of every metric that both have, over the scores that both have from the same evaluators; those of `decide` decide (none: all), the others are
    told. `share_a` of the traffic was to go to A."""
    both = [metric for metric in a.arms if metric in b.arms]
    pairs = {metric: found for metric in both if (found := _arms(a, b, metric)) is not None}
    deciding = {metric: one for metric, one in pairs.items() if not decide or metric in decide}
    tests = max(1, sum(not constant(*one) for one in deciding.values()))
    gaps = {metric: gap(*one, tests=tests) for metric, one in pairs.items()}
    tested = {metric: one for metric in deciding if (one := gaps[metric].p) is not None}
    least = [1.0 if constant(*pairs[metric]) else 0.0 for metric in tested]
    adjusted = dict(zip(tested, holm(list(tested.values()), least), strict=True))
    return Compared(
        a=a.name,
        b=b.name,
        paired=False,
        comparisons=tuple(
            _comparison(
                metric, gaps.get(metric), adjusted.get(metric), _left_out(a, b, metric), told=metric not in deciding
            )
            for metric in both
        ),
        needed={
            metric: {
                f"{delta:g}": each_arm_needs(delta, one.a.variance, one.b.variance, tests=tests) for delta in DELTAS
            }
            for metric, one in gaps.items()
            if metric in deciding and one.a.variance + one.b.variance > 0
        },
        split=_split(a, b, share_a),
    )


def _latest(results: Iterable[OnlineResult]) -> Sequence[OnlineResult]:
    found: dict[str, OnlineResult] = {}
    nameless = []
    for one in results:
        if one.id is None:
            nameless.append(one)
        elif (known := found.get(one.id)) is None or one.completeness >= known.completeness:
            found[one.id] = one
    return [*found.values(), *nameless]


def _arms(a: Variant, b: Variant, metric: str) -> tuple[Arm, Arm] | None:
    """Both over the scores that both have from the same evaluators."""
    first, second = a.scored_by(metric), b.scored_by(metric)

    def in_both(who: Identity | None) -> bool:
        return who is None or (who in first and who in second)

    left, right = a.arm_of(metric, in_both), b.arm_of(metric, in_both)
    return None if left is None or right is None else (left, right)


def _left_out(a: Variant, b: Variant, metric: str) -> str:
    """In words, the scores that only one arm has of their kind; nothing where there are none."""
    first, second = a.scored_by(metric), b.scored_by(metric)
    only_a, only_b = (
        {who: count for who, count in own.items() if who is not None and who not in other}
        for own, other in ((first, second), (second, first))
    )
    told = [
        f"{words.many(sum(own.values()), 'score')} of {name} by {'; '.join(map(str, own))}"
        for name, own in (("A", only_a), ("B", only_b))
        if own
    ]
    return " and ".join(told)


def _comparison(metric: str, found: Gap | None, p: float | None, left_out: str, *, told: bool) -> Comparison:
    if found is None:
        return Comparison(metric=metric, says=f"not compared: scored by other methods, versions or models: {left_out}")
    says = TOLD if told else verdict_on(found.delta, p, found.shown)
    return Comparison(
        metric=metric,
        role="told" if told else None if p is None else "alike" if constant(found.a, found.b) else "decides",
        size_a=found.a.effective,
        size_b=found.b.effective,
        mean_a=found.a.mean,
        mean_b=found.b.mean,
        delta=found.delta,
        lower=found.interval.lower,
        upper=found.interval.upper,
        p=p,
        p_alone=found.p,
        test="welch",
        shown=found.shown,
        winner=winner_of(found.delta, p),
        says=f"{says}; left out: {left_out}" if left_out else says,
    )


def _split(a: Variant, b: Variant, share_a: float) -> Split | None:
    """By what the requests of both are worth together: a split of sampled requests is less certain than one of all."""
    if not a.traffic or not b.traffic:
        return None
    whole = a.traffic + b.traffic
    squares = sum(one.traffic**2 / one.requests.effective for one in (a, b) if one.traffic and one.requests)
    worth = whole**2 / squares if squares else whole
    p = ratio_p(worth * a.traffic / whole, worth * b.traffic / whole, share_a=share_a)
    return Split(a=worth * a.traffic / whole, b=worth * b.traffic / whole, wanted=share_a, p=p, mismatch=p < RATIO_P)
