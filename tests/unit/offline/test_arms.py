"""Two variants in production: weights, doubles, sizes, and the split of traffic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from sidecar.offline.arms import GROUNDED, OnlineResult, compare_arms, variant_of
from sidecar.offline.render import words
from sidecar.statistics.paired import holm
from sidecar.statistics.unpaired import LEAST


def results(variant: str, scores: Iterable[float], *, probability: float = 1.0, **more: Any) -> list[OnlineResult]:
    return [
        OnlineResult.model_validate(
            {
                "id": f"{variant}{n}", "variant": variant, "inclusion_probability": probability, "verdict": "grounded",
                "evaluations": [{"evaluator": "f", "outcome": "scored", "score": float(score)}], **more,
            }
        )
        for n, score in enumerate(scores)
    ]  # fmt: skip


def test_a_variant_that_is_better_wins_and_the_split_is_told() -> None:
    chance = np.random.default_rng(1)
    a = variant_of("a", results("a", chance.uniform(0.3, 0.7, 400)))
    b = variant_of("b", results("b", chance.uniform(0.4, 0.8, 400)))
    found = compare_arms(a, b)
    by_name = {one.metric: one for one in found.comparisons}
    assert (by_name["f"].winner, by_name["f"].says) == ("B", "B is better")
    assert by_name["f"].size_a == pytest.approx(400)
    assert by_name[GROUNDED].winner is None
    assert found.split is not None
    assert not found.split.mismatch
    assert found.split.p == pytest.approx(1.0)
    # Fewer would do by their spread, but of fewer nothing is said.
    assert found.needed["f"]["0.1"] == LEAST


def test_each_score_has_the_weight_of_its_own_probability() -> None:
    rare = results("a", [1.0] * 100, probability=0.1)
    often = [one.model_copy(update={"id": f"x{n}"}) for n, one in enumerate(results("a", [0.0] * 900))]
    own = variant_of("a", [*rare, *often])
    assert own.arms["f"].mean == pytest.approx(1000 / 1900)
    assert own.arms["f"].effective == pytest.approx(1900**2 / (100 * 100 + 900))
    judged = results("a", [1.0] * 4)
    said = judged[0].evaluations[0].model_copy(update={"inclusion_probability": 0.5, "score": 0.0})
    judged[0] = judged[0].model_copy(update={"evaluations": (said,)})
    assert variant_of("a", judged).arms["f"].mean == pytest.approx(3 / 5)


def test_of_two_results_of_one_request_the_more_complete_counts() -> None:
    poorer = results("a", [0.0, 0.5], trace={"spans": 2})
    better = results("a", [1.0, 0.5], trace={"spans": 3})
    for both in ([*poorer, *better], [*better, *poorer]):
        assert variant_of("a", both).arms["f"].mean == pytest.approx(0.75)


def test_a_root_goes_before_spans_and_spans_before_scores() -> None:
    def mean_of(*both: list[OnlineResult]) -> float:
        return variant_of("a", [one for own in both for one in own]).arms["f"].mean

    seen = results("a", [1.0, 0.5], trace={"root_seen": True, "spans": 2})
    unseen = results("a", [0.0, 0.5], trace={"root_seen": False, "spans": 9})
    assert mean_of(seen, unseen) == mean_of(unseen, seen) == pytest.approx(0.75)
    late = [{"evaluator": "f", "outcome": "failed", "reason": "timeout"}]
    failed = results("a", [0.0, 0.0], trace={"root_seen": True, "spans": 2}, evaluations=late)
    assert mean_of(seen, failed) == mean_of(failed, seen) == pytest.approx(0.75)


def test_few_results_say_nothing_whatever_their_means() -> None:
    found = compare_arms(variant_of("a", results("a", [0.1, 0.2] * 20)), variant_of("b", results("b", [0.8, 0.9] * 20)))
    assert {(one.winner, one.p, one.says) for one in found.comparisons} == {(None, None, "too few to say")}


def test_a_split_that_is_not_what_was_wanted_is_told() -> None:
    a, b = variant_of("a", results("a", [0.5, 0.6] * 300)), variant_of("b", results("b", [0.5, 0.6] * 200))
    even, wanted = compare_arms(a, b).split, compare_arms(a, b, share_a=0.6).split
    assert even is not None
    assert wanted is not None
    assert (even.mismatch, wanted.mismatch) == (True, False)


def test_arms_that_were_scored_in_two_ways_are_not_compared() -> None:
    other = [
        one.model_copy(update={"evaluations": (one.evaluations[0].model_copy(update={"method": "ratings"}),)})
        for one in results("b", [0.5, 0.6] * 200)
    ]
    found = compare_arms(variant_of("a", results("a", [0.5, 0.6] * 200)), variant_of("b", other))
    assert {one.metric: one.says for one in found.comparisons}["f"].startswith("not compared")


def test_the_few_that_were_scored_otherwise_are_left_out_and_told() -> None:
    chance = np.random.default_rng(4)
    a, b = (results(name, chance.uniform(0.3, high, 400)) for name, high in (("a", 0.7), ("b", 0.9)))
    foreign = b[0].model_copy(update={"evaluations": (b[0].evaluations[0].model_copy(update={"version": "9"}),)})
    found = compare_arms(variant_of("a", a), variant_of("b", [foreign, *b[1:]]))
    told = {one.metric: one for one in found.comparisons}["f"]
    assert told.winner == "B"
    assert [told.size_a, told.size_b] == pytest.approx([400, 399])
    assert told.says == "B is better; left out: 1 score of B by local v9"


def test_of_two_equal_variants_one_wins_in_no_more_than_five_of_hundred_runs() -> None:
    chance, runs, winners = np.random.default_rng(31), 200, 0
    for _ in range(runs):
        arms = [
            variant_of(
                name,
                [
                    one.model_copy(update={"inclusion_probability": float(p)})
                    for one, p in zip(
                        results(name, chance.beta(2, 1, 300)), chance.choice([0.1, 0.5, 1.0], 300), strict=True
                    )
                ],
            )
            for name in ("a", "b")
        ]
        winners += any(one.winner for one in compare_arms(*arms).comparisons)
    assert winners / runs <= 0.05


def test_holm_counts_the_metrics_that_could_differ() -> None:
    given = {name: results(name, [0.5, shift] * 200) for name, shift in (("a", 0.6), ("b", 0.62))}
    a, b = (variant_of(name, own) for name, own in given.items())
    found = {one.metric: one for one in compare_arms(a, b).comparisons}
    assert (found["f"].p, found["f"].role) == (found["f"].p_alone, "decides")
    assert (found[GROUNDED].p, found[GROUNDED].role) == (1.0, "alike")
    said = f"decided by f; p is corrected for 1 metric; all values are the same in {GROUNDED}"
    assert words.decided(found.values()) == said
    one, *others = given["b"]
    b = variant_of("b", [one.model_copy(update={"verdict": "hallucinated"}), *others])
    found = {one.metric: one for one in compare_arms(a, b).comparisons}
    alone = [found["f"].p_alone or 0.0, found[GROUNDED].p_alone or 0.0]
    assert [found["f"].p, found[GROUNDED].p] == holm(alone)
    assert {one.role for one in found.values()} == {"decides"}


def test_values_that_are_all_the_same_differ_by_no_rounding() -> None:
    weights = np.random.default_rng(1).choice((0.1, 0.3, 0.7), 400)
    a, b = (
        variant_of(
            name,
            [
                one.model_copy(update={"inclusion_probability": float(p)})
                for one, p in zip(results(name, [0.9] * 400), own, strict=True)
            ],
        )
        for name, own in (("a", weights), ("b", weights[::-1]))
    )
    found = compare_arms(a, b)
    assert {(one.delta, one.p, one.role) for one in found.comparisons} == {(0.0, 1.0, "alike")}
    assert found.needed == {}


def test_variants_are_told_apart_by_the_metrics_that_are_named() -> None:
    chance = np.random.default_rng(5)
    a, b = (variant_of(name, results(name, chance.uniform(0.3, high, 400))) for name, high in (("a", 0.7), ("b", 0.9)))
    found = compare_arms(a, b, decide=[GROUNDED])
    told = {one.metric: one for one in found.comparisons}["f"]
    assert (told.winner, told.p, told.role, told.says) == (None, None, "told", "told, does not decide")
    assert "f" not in found.needed
