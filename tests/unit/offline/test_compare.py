"""Two runs, case by case: pairs, winners, and how seldom chance is taken for one."""

from __future__ import annotations

import numpy as np
import pytest

from sidecar.offline.compare import DECLINED, MARGIN, compare, held, needed, unmatched, verdict_on, winner_of
from sidecar.offline.record import CaseRecord
from sidecar.offline.render import words
from sidecar.statistics.joint import joint
from tests.unit.offline.records import record, said


def run(*scores: float | None, metric: str = "f") -> list[CaseRecord]:
    return [
        record(str(n), said(metric, score, None if score is not None else "no_context"))
        for n, score in enumerate(scores)
    ]


def test_cases_are_paired_by_their_key_whatever_the_order() -> None:
    [found] = compare(run(0.1, 0.2, 0.3), run(0.2, 0.3, 0.4)[::-1])
    assert found.pairs == 3
    assert found.delta == pytest.approx(0.1)
    assert found.mean_a == pytest.approx(0.2)
    assert found.mean_b == pytest.approx(0.3)


def test_scores_beside_another_embedding_model_are_not_compared() -> None:
    def by(version: str) -> list[CaseRecord]:
        other = {"name": "minilm", "version": version, "sha256": "cd" * 32}
        return [record(str(n), said("answer_correctness", 0.5, other_models=(other,))) for n in range(3)]

    [same] = compare(by("1"), by("1"))
    [other] = compare(by("1"), by("2"))
    assert (same.pairs, other.pairs) == (3, 0)
    assert "minilm 1" in other.says
    assert "minilm 2" in other.says


def test_a_case_that_only_one_scored_is_counted_and_left_out() -> None:
    [found] = compare(run(0.5, None, 0.5, None), run(0.5, 0.9, None, None))
    assert (found.pairs, found.only_a, found.only_b) == (1, 1, 1)
    assert unmatched(run(1, 1, 1), run(1)) == (2, 0)


def test_a_system_that_falls_silent_loses_though_nothing_it_says_is_worse() -> None:
    [found] = compare(run(*[0.9] * 10), run(*[None] * 10))
    assert (found.pairs, found.fewer, found.stands) == (0, "B", "worse")
    assert found.says == "no case has a score in both; B lost the score of 10 of the 10 cases of A (no_context 10)"
    [partly] = compare(run(*[0.9] * 20), run(*[0.9] * 18, None, None))
    assert (partly.fewer, partly.lacking_b) == ("B", {"no_context": 2})
    assert partly.says == "no difference in any case; B lost the score of 2 of the 20 cases of A (no_context 2)"
    [other_way] = compare(run(*[None] * 10), run(*[0.9] * 10))
    assert (other_way.fewer, other_way.stands) == ("A", "better")
    # One of twenty, or as many on either side, is told and no more.
    for a, b in (([0.9] * 20, [0.9] * 19 + [None]), ([None] + [0.9] * 9, [0.9] * 9 + [None])):
        [told] = compare(run(*a), run(*b))
        assert told.fewer is None
        assert "B has no score in 1 of" in told.says


@pytest.mark.parametrize(("reason", "lost"), [("language", "B"), ("judge_timeout", None)])
def test_scores_lost_for_other_reasons_take_more_than_chance_and_failures_are_none(
    reason: str, lost: str | None
) -> None:
    def fewer(count: int) -> str | None:
        now = [record(str(n), said("f", *((None, reason) if n < count else (0.9,)))) for n in range(20)]
        [found] = compare(run(*[0.9] * 20), now)
        assert found.lacking_b == {reason: count}
        return found.fewer

    assert [fewer(5), fewer(6)] == [None, lost]


def test_a_metric_that_only_one_run_has_is_told() -> None:
    both = [record("a", said("f", 0.9), said("g", 0.9), said("never", None, "no_reference"))]
    found = {one.metric: one for one in compare(both, run(0.9))}
    assert set(found) == {"f", "g"}
    [told] = [one.says for one in compare(both, [record("a", said("f", 0.9))]) if one.metric == "g"]
    assert told == "no case has a score in both; B has no score in 1 of the 1 case of A (not asked 1)"


def test_negatives_of_which_nothing_is_known_any_more_are_lost() -> None:
    def negatives(abstention: str | None) -> list[CaseRecord]:
        return [record(str(n), said("f", None, "x"), kind="negative", abstention=abstention) for n in range(8)]

    found = {one.metric: one for one in compare(negatives("full"), negatives(None))}
    assert (found[DECLINED].fewer, found[DECLINED].lacking_b) == ("B", {"unread": 8})


def test_a_winner_takes_little_chance_and_a_difference_that_matters() -> None:
    chance = np.random.default_rng(1)
    base = chance.uniform(0.2, 0.8, 200)
    for shift, winner, told in (
        (0.1, "B", "B is better"),
        (-0.1, "A", "A is better"),
        (0.015, None, "a difference of no more than 0.02"),
    ):
        [found] = compare(run(*base), run(*(base + shift + chance.normal(0, 0.01, 200))))
        assert found.p is not None
        assert found.p < 0.05
        assert (found.winner, found.says) == (winner, told)


def test_where_nothing_is_shown_it_says_what_would_have_been() -> None:
    chance = np.random.default_rng(2)
    a, b = chance.random(100), chance.random(100)
    [found] = compare(run(*a), run(*b))
    assert found.winner is None
    assert found.shown == pytest.approx((7.849 / 100) ** 0.5 * np.std(b - a, ddof=1), rel=1e-3)
    assert found.says == f"no difference shown (would show {found.shown:.3f})"
    assert verdict_on(0.0, 1.0, 0.001) == "no difference shown (would show 0.020)"
    [same] = compare(run(*a), run(*a))
    assert same.says == "no difference in any case"
    assert needed([same]) == {}


@pytest.mark.parametrize(("count", "metrics", "fewest"), [(1, 1, 6), (5, 1, 6), (5, 5, 6)])
def test_so_few_cases_say_nothing_of_any_difference(count: int, metrics: int, fewest: int) -> None:
    names = [f"m{n}" for n in range(metrics)]
    good = [record(str(n), *(said(name, 0.99) for name in names)) for n in range(count)]
    lost = [record(str(n), *(said(name, 0.01 + 0.001 * n) for name in names)) for n in range(count)]
    found = compare(good, lost)
    for one in found:
        assert (one.winner, one.shown, one.fewest_pairs, one.stands) == (None, None, fewest, None)
        assert one.says == (f"too few to say: it takes {fewest} cases at least" if count > 1 else _SAME)
    assert all(size >= fewest for table in needed(found).values() for size in table.values())
    assert {one.stands for one in held(found)} == {"worse"}
    assert held(compare(good, good)) == compare(good, good)


def test_of_metrics_that_go_apart_it_takes_more_cases() -> None:
    mixed = [record(str(n), said("f", x), said("g", y)) for n, (x, y) in enumerate(zip(*_APART, strict=True))]
    f, _ = compare([record(str(n), said("f", 0.5), said("g", 0.5)) for n in range(6)], mixed)
    assert (f.p, f.p_alone, f.winner, f.fewest_pairs) == (4 / 64, 2 / 64, None, 7)
    assert f.says == "too few to say: it takes 7 cases at least"


_APART = ([0.9, 0.8, 0.7, 0.6, 0.85, 0.75], [0.9, 0.1, 0.8, 0.2, 0.7, 0.3])
_SAME = "the same difference (-0.980) in every case, too few to say that it is not chance"


def test_one_metric_with_cases_enough_is_a_check_and_the_others_are_told() -> None:
    good = [record(str(n), said("f", 0.9), *([said("g", 0.9)] if n < 3 else [])) for n in range(8)]
    lost = [record(str(n), said("f", 0.9), *([said("g", 0.1 + n / 100)] if n < 3 else [])) for n in range(8)]
    f, g = held(compare(good, lost))
    assert (f.fewest_pairs, f.stands) == (None, None)
    assert (g.fewest_pairs, g.stands, g.says) == (6, None, "too few to say: it takes 6 cases at least")


def test_scores_of_another_method_or_model_are_not_compared() -> None:
    other = [record(str(n), said("f", 0.9, method="ratings")) for n in range(3)]
    [found] = compare(run(0.1, 0.1, 0.1), other)
    assert (found.pairs, found.winner) == (0, None)
    assert found.says == "not compared: A is scored by local v1, embedded 3, B by ratings v1, embedded 3"


@pytest.mark.parametrize(
    ("delta", "says"),
    [
        (0.0, "no difference in any case"),
        (0.01, "the same small difference in every case"),
        (0.5, "the same difference (+0.500) in every case, too few to say that it is not chance"),
    ],
)
def test_a_difference_that_is_the_same_in_every_case_is_called_small_only_where_it_is(delta: float, says: str) -> None:
    [found] = compare(run(0.25, 0.25, 0.5), run(0.25 + delta, 0.25 + delta, 0.5 + delta))
    assert (found.winner, found.says) == (None, says)


def two_metrics(differ: int, first: int = 0) -> tuple[list[CaseRecord], list[CaseRecord]]:
    """Of twelve cases f falls from 1 to 0 in six, g by a hair in so many from `first` on."""
    a = [record(str(n), said("f", 1.0), said("g", 0.5)) for n in range(12)]
    b = [record(str(n), said("f", float(n > 5)), said("g", 0.5 - 0.001 * (0 <= n - first < differ))) for n in range(12)]
    return a, b


def test_what_falls_in_the_same_cases_is_shown_as_each_metric_alone() -> None:
    f, g = compare(*two_metrics(6))
    assert (f.p_alone, f.p, f.test, g.test) == (2 / 64, 2 / 64, "mcnemar", "sign_flip")
    assert (f.winner, f.role, g.role) == ("A", "decides", "decides")
    assert g.says == "a difference of no more than 0.02"
    names = ("faithfulness", "groundedness", "hallucination")
    good = [record(str(n), *(said(name, float(name != "hallucination")) for name in names)) for n in range(12)]
    wrong = [
        record(str(n), *(said(name, abs((name != "hallucination") - 0.5 * (n < 6))) for name in names))
        for n in range(12)
    ]
    found = held(compare(good, wrong))
    assert [(one.p, one.p_alone, one.winner) for one in found] == [
        (2 / 64, 2 / 64, "A"),
        (2 / 64, 2 / 64, "A"),
        (2 / 64, 2 / 64, "B"),
    ]
    assert [one.stands for one in found][:2] == ["worse", "worse"]


def test_p_allows_for_metrics_that_differ_in_other_cases_and_for_none_that_could_not_be_shown() -> None:
    f, g = compare(*two_metrics(6, first=6))
    assert (f.p_alone, f.p, f.winner) == (2 / 64, 63 / 1024, None)  # 1 - (31 / 32)**2
    assert f.says == g.says == "no difference shown: 6 of 12 cases differ, p is 0.062 at best"
    for differ in (5, 1, 0):
        f, g = compare(*two_metrics(differ))
        assert (f.p, f.winner, f.stands, f.changed, f.role) == (2 / 64, "A", "worse", 6, "decides")
        assert (g.winner, g.changed, g.role) == (None, differ, "alike")
    assert words.decided((f, g)) == (
        "decided by f; p is corrected for 1 metric; too few cases differ (6 at least) in g"
    )
    [few] = compare(run(*[1.0] * 12), run(*[0.0] * 5, *[1.0] * 7))
    assert few.says == "no difference shown: 5 of 12 cases differ, p is 0.062 at best"
    assert words.decided([few]) == "nothing could be shown; too few cases differ (6 at least) in f"


def test_a_case_that_one_metric_lacks_differs_in_the_others_alone() -> None:
    a, b = two_metrics(6)
    fewer = [record("x", said("f", 1.0)), *(one.model_copy(update={"evaluations": one.evaluations[:1]}) for one in b)]
    f, g = compare([record("x", said("f", 1.0)), *a], fewer[:4] + b[3:])
    assert (f.p, f.pairs, g.pairs, g.changed) == (2 / 64, 13, 9, 3)


def test_metrics_that_are_named_decide_and_the_others_are_told() -> None:
    a, b = two_metrics(6, first=6)
    f, g = compare(a, b, ["f"])
    assert (f.p, f.winner, f.role) == (2 / 64, "A", "decides")
    assert (g.p, g.p_alone, g.role, g.says) == (None, 2 / 64, "told", "told, does not decide")
    assert words.decided((f, g)) == "decided by f; p is corrected for 1 metric; told alone: g"
    assert list(needed((f, g))) == ["f"]
    f, g = held(compare(a, b, ["g"]), ["g"])
    assert (f.stands, f.delta, g.stands) == (None, -0.5, None)
    silent = [record(str(n), said("f", None, "no_context"), said("g", 0.5)) for n in range(12)]
    assert [one.stands for one in compare(a, silent, ["g"])] == [None, None]
    assert [one.stands for one in compare(a, silent)] == ["worse", None]


def test_a_metric_that_is_named_and_cannot_be_compared_is_no_pass() -> None:
    a, _ = two_metrics(0)
    assert [(one.metric, one.stands) for one in held(compare(a, a, ["f", "h"]), ["f", "h"])] == [
        ("f", None),
        ("g", None),
        ("h", "worse"),
    ]


def test_negatives_are_compared_by_whether_they_were_declined() -> None:
    def negatives(*kinds: str) -> list[CaseRecord]:
        return [
            record(str(n), said("f", None, "abstained"), kind="negative", abstention=kind)
            for n, kind in enumerate(kinds)
        ]

    found = {one.metric: one for one in compare(negatives("full", "none"), negatives("full", "clarification"))}
    assert (found[DECLINED].pairs, found[DECLINED].mean_a, found[DECLINED].mean_b) == (2, 0.5, 1.0)
    assert found["f"].pairs == 0


def test_the_table_of_powers_says_how_many_pairs_show_what() -> None:
    a = np.random.default_rng(3).random(50)
    [found] = compare(run(*a), run(*np.random.default_rng(4).random(50)))
    [table] = needed([found]).values()
    assert list(table) == ["0.01", "0.02", "0.05", "0.1"]
    assert sorted(table.values(), reverse=True) == list(table.values())


def rates(chance: np.random.Generator, *, cases: int, metrics: int, runs: int) -> tuple[int, int]:
    """Of runs of two equal systems: how many have a winner in some metric, and how many where the size of the first difference alone decides."""
    winners = by_size = 0
    for _ in range(runs):
        quality = chance.beta(4, 2, cases)
        a, b = (np.clip(quality + chance.normal(0, 0.2, (metrics, cases)), 0, 1) for _ in range(2))
        deltas = (b - a).mean(axis=1)
        away = {str(place): row for place, row in enumerate(b - a)}
        winners += any(winner_of(float(deltas[int(name)]), p) for name, p in joint(away, away).p.items())
        by_size += abs(float(deltas[0])) > MARGIN
    return winners, by_size


def test_of_two_equal_systems_one_wins_in_no_more_than_five_of_hundred_runs() -> None:
    """Differences that are larger than .02 by chance are the rule with 100 cases: without a test half of the runs would have a winner."""
    chance, runs = np.random.default_rng(20), 100
    found = {n: rates(chance, cases=n, metrics=m, runs=runs) for n, m in ((50, 1), (100, 4), (400, 2))}
    assert sum(winners for winners, _ in found.values()) / (3 * runs) <= 0.05
    assert all(winners <= 13 for winners, _ in found.values())  # what 5 % gives in 999 of 1000 simulations
    assert found[100][1] / runs > 0.3
