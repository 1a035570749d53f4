"""From the records of cases to what a report says of them together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from sidecar.offline.case import NEGATIVE
from sidecar.offline.record import (
    CaseRecord,
    Evaluation,
    Group,
    IdentityCount,
    Metric,
    Negatives,
    Spread,
)
from sidecar.statistics.interval import mean_interval, share_interval

_BINS = 10


def metrics_of(records: Sequence[CaseRecord]) -> tuple[Metric, ...]:
    """Every metric that was asked for, in the order of the evaluators. Cases that cannot be answered are left out of all: what is right of them is
    another thing than what is right of the others."""
    said: dict[str, list[Evaluation]] = {}
    for record in answerable(records):
        for one in record.evaluations:
            said.setdefault(one.evaluator, []).append(one)
    return tuple(_metric(name, evaluations) for name, evaluations in said.items())


def answerable(records: Sequence[CaseRecord]) -> Sequence[CaseRecord]:
    """Those that the documents can answer."""
    return [one for one in records if one.kind != NEGATIVE]


def _metric(name: str, evaluations: Sequence[Evaluation]) -> Metric:
    scores = [one.score for one in evaluations if one.score is not None]
    interval = mean_interval(scores)
    identities = Counter(one.identity for one in evaluations if one.score is not None)
    return Metric(
        metric=name,
        scored=len(scores),
        mean=math.fsum(scores) / len(scores) if scores else None,
        lower=None if interval is None else interval.lower,
        upper=None if interval is None else interval.upper,
        spread=float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        unscorable=_reasons(evaluations, "unscorable"),
        failed=_reasons(evaluations, "failed"),
        histogram=tuple(map(int, np.histogram(scores, bins=_BINS, range=(0, 1))[0])),
        identities=tuple(IdentityCount(identity=one, scored=count) for one, count in identities.most_common()),
    )


def _reasons(evaluations: Iterable[Evaluation], outcome: str) -> dict[str, int]:
    return dict(Counter(one.reason or "unknown" for one in evaluations if one.outcome == outcome).most_common())


def groups_of(records: Sequence[CaseRecord], of: Callable[[CaseRecord], str | None]) -> tuple[Group, ...]:
    """The metrics by a property of the cases, those that cannot be answered in no mean; none where no case has it."""
    found: dict[str, list[CaseRecord]] = {}
    for record in records:
        found.setdefault(of(record) or "not given", []).append(record)
    if set(found) <= {"not given"}:
        return ()
    return tuple(Group(name=name, cases=len(own), metrics=metrics_of(own)) for name, own in found.items())


def negatives_of(records: Iterable[CaseRecord]) -> Negatives | None:
    """How many of the cases that cannot be answered were declined; None where there are none."""
    own = [one for one in records if one.kind == NEGATIVE]
    if not own:
        return None
    # Of a case whose answer nobody could read, for its language, nothing is known.
    known = [one for one in own if one.abstention is not None]
    abstained = sum(one.abstention in ("full", "clarification") for one in known)
    interval = share_interval(abstained, len(known)) if known else None
    return Negatives(
        cases=len(own),
        abstained=abstained,
        known=len(known),
        rate=abstained / len(known) if known else None,
        lower=None if interval is None else interval.lower,
        upper=None if interval is None else interval.upper,
    )


def spread_of(values: Iterable[float | None]) -> Spread | None:
    """Mean and quantiles of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    median, p95 = np.quantile(known, [0.5, 0.95])
    return Spread(
        cases=len(known),
        mean=math.fsum(known) / len(known),
        median=float(median),
        p95=float(p95),
        total=math.fsum(known),
    )


def spreads_of(records: Sequence[CaseRecord], field: str) -> dict[str, Spread]:
    """The same for each entry of a map of the records: `durations` or `tokens`."""
    names = dict.fromkeys(name for record in records for name in getattr(record, field))
    found = {name: spread_of(getattr(record, field).get(name) for record in records) for name in names}
    return {name: one for name, one in found.items() if one is not None}
