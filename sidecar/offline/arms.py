"""Two variants in production, each on requests of its own that were drawn with known probabilities: from results, or from sums that Prometheus has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sidecar.offline.compare import DELTAS, verdict_on, winner_of
from sidecar.offline.record import Compared, Comparison, Evaluation, Identity, Record, Split
from sidecar.statistics.paired import holm
from sidecar.statistics.unpaired import RATIO_P, Arm, Gap, arm, each_arm_needs, gap, ratio_p

GROUNDED = "grounded_answers"


class _Whole(Record):
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


@dataclass(frozen=True, slots=True)
class Variant:
    """What is known of one: an arm for each metric, who scored it, and its requests as an effective size; None where nobody counted them."""

    name: str
    arms: Mapping[str, Arm]
    scored_by: Mapping[str, frozenset[Identity]] = field(default_factory=dict)
    requests: Arm | None = None
    traffic: float | None = None


def variant_of(name: str, results: Iterable[OnlineResult]) -> Variant:
    """Of results; those without the variant are passed over. Of two results of one request the more complete counts, of equals the later."""
    values: dict[str, list[tuple[float, float]]] = {}
    identities: dict[str, set[Identity]] = {}
    weights: list[float] = []
    for one in _latest(one for one in results if one.variant == name):
        weights.append(one.weight())
        if one.verdict in ("grounded", "hallucinated"):
            values.setdefault(GROUNDED, []).append((float(one.verdict == "grounded"), one.weight()))
            deciding = next((said.identity for said in one.evaluations if said.label == one.verdict), None)
            if deciding is not None:
                identities.setdefault(GROUNDED, set()).add(deciding)
        for said in one.evaluations:
            if said.score is not None:
                values.setdefault(said.evaluator, []).append((said.score, one.weight(said.inclusion_probability)))
                identities.setdefault(said.evaluator, set()).add(said.identity)
    made = {metric: arm([x for x, _ in own], [w for _, w in own]) for metric, own in values.items()}
    return Variant(
        name,
        {metric: one for metric, one in made.items() if one is not None},
        {metric: frozenset(found) for metric, found in identities.items()},
        arm([1.0] * len(weights), weights),
        sum(weights),
    )


def compare_arms(a: Variant, b: Variant, *, share_a: float = 0.5) -> Compared:
    """B - A of every metric that both have; `share_a` of the traffic was to go to A."""
    both = [metric for metric in a.arms if metric in b.arms]
    gaps = {metric: gap(a.arms[metric], b.arms[metric]) for metric in both if not _otherwise(a, b, metric)}
    tested = {metric: one.p for metric, one in gaps.items() if one.p is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return Compared(
        a=a.name,
        b=b.name,
        paired=False,
        comparisons=tuple(_comparison(metric, gaps.get(metric), adjusted.get(metric)) for metric in both),
        needed={
            metric: {f"{delta:g}": each_arm_needs(delta, one.a.variance, one.b.variance) for delta in DELTAS}
            for metric, one in gaps.items()
            if one.a.variance + one.b.variance > 0
        },
        split=_split(a, b, share_a),
    )


def _latest(results: Iterable[OnlineResult]) -> Sequence[OnlineResult]:
    found: dict[str, OnlineResult] = {}
    nameless = []
    for one in results:
        if one.id is None:
            nameless.append(one)
        elif (known := found.get(one.id)) is None or _spans(one) >= _spans(known):
            found[one.id] = one
    return [*found.values(), *nameless]


def _spans(one: OnlineResult) -> int:
    return 0 if one.trace is None else one.trace.spans


def _otherwise(a: Variant, b: Variant, metric: str) -> bool:
    """Whether the arms were scored in different ways."""
    return a.scored_by.get(metric) != b.scored_by.get(metric)


def _comparison(metric: str, found: Gap | None, p: float | None) -> Comparison:
    if found is None:
        return Comparison(metric=metric, says="not compared: scored by other methods, versions or models")
    return Comparison(
        metric=metric,
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
        says=verdict_on(found.delta, p, found.shown),
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
