"""From records to numbers: what counts, and what is left out."""

from __future__ import annotations

from sidecar.offline.aggregate import groups_of, metrics_of, negatives_of, spread_of, spreads_of
from sidecar.statistics.interval import share_interval
from tests.unit.offline.records import record, said


def test_a_metric_counts_scores_and_why_there_are_none() -> None:
    [metric] = metrics_of(
        [
            record("a", said("f", 1.0)),
            record("b", said("f", 0.5)),
            record("c", said("f", None, "no_context")),
            record("d", said("f", None, "no_context")),
            record("e", said("f", None, "judge_timeout")),
        ]
    )
    assert (metric.scored, metric.mean, metric.unscorable, metric.failed) == (
        2, 0.75, {"no_context": 2}, {"judge_timeout": 1},
    )  # fmt: skip
    assert metric.histogram == (0, 0, 0, 0, 0, 1, 0, 0, 0, 1)
    assert metric.lower is not None
    assert [(str(one.identity), one.scored) for one in metric.identities] == [("local v1, embedded 3", 2)]


def test_a_metric_without_any_score_has_no_mean() -> None:
    [metric] = metrics_of([record("a", said("f", None, "no_claims"))])
    assert (metric.scored, metric.mean, metric.lower, metric.upper) == (0, None, None, None)


def test_scores_of_two_methods_are_told_apart() -> None:
    [metric] = metrics_of([record("a", said("f", 1.0)), record("b", said("f", 1.0, method="ratings"))])
    assert [one.identity.method for one in metric.identities] == ["local", "ratings"]


def test_scores_by_two_thresholds_are_told_apart() -> None:
    [metric] = metrics_of([record("a", said("f", 1.0, threshold=0.5)), record("b", said("f", 1.0, threshold=0.65))])
    assert [str(one.identity) for one in metric.identities] == [
        "local v1, embedded 3, threshold 0.5",
        "local v1, embedded 3, threshold 0.65",
    ]


def test_negatives_are_in_no_mean_and_have_a_rate_of_their_own() -> None:
    records = [
        record("a", said("f", 1.0), kind="simple"),
        record("b", said("f", 0.0), kind="negative", abstention="none"),
        record("c", said("f", None, "abstained"), kind="negative", abstention="full"),
        record("d", said("f", None, "abstained"), kind="negative", abstention="clarification"),
        record("e", said("f", None, "language"), kind="negative"),
    ]
    assert metrics_of(records)[0].mean == 1.0
    found = negatives_of(records)
    assert found is not None
    interval = share_interval(2, 3)
    assert (found.cases, found.abstained, found.rate) == (4, 2, 2 / 3)
    assert (found.lower, found.upper) == (interval.lower, interval.upper)
    assert [(one.name, one.cases) for one in groups_of(records, lambda one: one.kind)] == [
        ("simple", 1),
        ("negative", 4),
    ]
    assert negatives_of(records[:1]) is None
    assert metrics_of(records[1:]) == ()
    assert [one.metrics for one in groups_of(records, lambda one: one.kind)][1] == ()


def test_groups_are_none_where_no_case_says_one() -> None:
    assert groups_of([record("a", said("f", 1.0))], lambda one: one.origin) == ()


def test_spreads_count_those_that_carry_the_measure() -> None:
    assert spread_of([None, None]) is None
    records = [record("a", durations={"total": 1.0, "retrieval": None}), record("b", durations={"total": 3.0})]
    [(name, found)] = spreads_of(records, "durations").items()
    assert (name, found.cases, found.mean, found.total) == ("total", 2, 2.0, 4.0)
