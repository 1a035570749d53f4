"""Several metrics of the same cases: what they are together, by every flip of the cases' signs, and how seldom chance is taken for a difference."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.statistics.interval import Floats
from sidecar.statistics.joint import Joint, joint
from sidecar.statistics.paired import holm, least_p, mcnemar
from sidecar.statistics.power import ALPHA, pairs_needed

FELL = np.array([-0.5] * 6 + [0.0] * 6)


def together(*away: Floats) -> Joint:
    named = {str(place): one for place, one in enumerate(away)}
    return joint(named, named)


def alone(away: Floats) -> float:
    return together(away).alone["0"]


def by_hand(away: Mapping[str, Floats]) -> Mapping[str, float]:
    """Step-down minP as Ge, Dudoit and Speed (2003) write it, with every flip of every case."""
    count = len(next(iter(away.values())))
    flips = [np.array(one) for one in product((-1.0, 1.0), repeat=count)]
    sums = {name: [abs(float(flip @ one)) for flip in flips] for name, one in away.items()}
    chances = {
        name: [sum(other >= one - 1e-9 for other in own) / len(own) for one in own] for name, own in sums.items()
    }
    seen = {name: own[-1] for name, own in chances.items()}
    order, found, highest = sorted(seen, key=lambda name: seen[name]), {}, 0.0
    for rank, name in enumerate(order):
        lowest = [min(chances[other][flip] for other in order[rank:]) for flip in range(len(flips))]
        highest = max(highest, sum(one <= seen[name] for one in lowest) / len(flips))
        found[name] = highest
    return found


SOME = st.lists(st.sampled_from((-1.0, -0.5, -0.3, 0.0, 0.0, 0.25, 1.0)), min_size=6, max_size=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(SOME, min_size=1, max_size=4))
def test_p_is_that_of_every_flip_tried_by_hand(rows: list[list[float]]) -> None:
    away = {str(place): np.array(row) for place, row in enumerate(rows)}
    found = joint(away, away)
    assert found.p == pytest.approx(by_hand(away))
    assert all(found.p[name] >= found.alone[name] for name in away)
    assert joint(dict(reversed(away.items())), away).p == found.p
    sure = sorted(away, key=lambda name: found.alone[name])
    assert [found.p[name] for name in sure] == sorted(found.p.values())
    bounded = holm(list(found.alone.values()), [least_p(int(np.count_nonzero(row))) for row in rows])
    assert all(found.p[name] <= most + 1e-12 for name, most in zip(away, bounded, strict=True))


def test_metrics_that_fall_in_the_same_cases_are_as_sure_as_each_alone() -> None:
    same = together(FELL, 1.7 * FELL, -FELL)
    assert same.p == same.alone == same.least == {"0": 2 / 64, "1": 2 / 64, "2": 2 / 64}
    assert same.level == ALPHA
    apart = together(FELL, FELL[::-1])
    assert apart.p == apart.least == {"0": 63 / 1024, "1": 63 / 1024}  # 1 - (31 / 32)**2
    assert apart.level == 2 / 64


def test_a_metric_without_differences_changes_nothing() -> None:
    found = together(FELL, np.zeros(12), np.where(np.arange(12) < 5, 0.1, 0.0))
    assert (found.p["0"], found.p["1"], found.p["2"] >= 2 / 32) == (2 / 64, 1.0, True)
    assert joint({}, ()).level == ALPHA


def test_those_that_do_not_decide_are_tested_alone() -> None:
    found = joint({"f": FELL, "g": FELL[::-1]}, {"f"})
    assert (found.p, found.alone["g"]) == ({"f": 2 / 64}, 2 / 64)
    for seed in range(8):  # Flips of the cases of f alone make larger sums than those that were drawn for both.
        few, many = np.random.default_rng(seed).normal(0, 1, (2, 40)) * [np.arange(40) < 18, np.ones(40)]
        found = joint({"f": few, "g": many}, {"f"})
        assert found.p["f"] == pytest.approx(found.alone["f"], abs=0.02)
        assert found.p["f"] >= found.alone["f"]


def test_signs_are_all_tried_where_there_are_few_and_drawn_where_there_are_many() -> None:
    assert alone(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])) == 2 / 64
    assert alone(np.zeros(50)) == 1.0
    # Darwin's maize (Fisher 1935): 863 of 32768 sums are as large in either direction.
    maize = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert alone(np.array(maize, float)) == pytest.approx(2 * 863 / 32768, abs=0.005)
    for better, worse in ((9, 3), (15, 5), (400, 350)):
        assert alone(np.array([1.0] * better + [-1.0] * worse)) == pytest.approx(mcnemar(better, worse), abs=1e-15)


def test_the_least_p_is_that_of_differences_which_all_go_one_way() -> None:
    for count in range(15):
        away = np.linspace(0.1, 0.9, count)
        assert alone(away) == mcnemar(count, 0) == least_p(count) == together(away).least["0"]
    assert least_p(16) == 0.0


def test_p_of_few_cases_is_exact_and_never_below_its_own_beside_many_that_are_drawn() -> None:
    chance = np.random.default_rng(1)
    few, many = np.zeros(60), chance.normal(0, 0.2, 60)
    few[:7] = -0.5
    found = together(few, few[::-1], many)
    assert (found.alone["0"], found.alone["1"]) == (2 / 128, 2 / 128)
    assert found.p["0"] == found.p["1"] >= 2 / 128
    # What is below the level is found in the first step; of three tests it is near a third.
    assert ALPHA / 3 * 0.9 <= found.level <= ALPHA / 2


def test_the_test_finds_a_difference_in_eighty_of_hundred_samples_of_the_size_that_power_says() -> None:
    chance = np.random.default_rng(3)
    count = pairs_needed(0.05, 0.2)
    found = sum(alone(chance.normal(0.05, 0.2, count)) < 0.05 for _ in range(100))
    assert 0.7 <= found / 100 <= 0.9


def equal(chance: np.random.Generator, cases: int, metrics: int) -> list[Floats]:
    """Of two equal systems: metrics that differ in few cases each, half of them in the signs of the others."""
    signs = chance.choice((-1.0, 1.0), cases)
    return [
        np.where(chance.random() < 0.5, signs * chance.choice((-1, 1)), chance.choice((-1.0, 1.0), cases))
        * chance.choice((0.25, 0.5, 1.0), cases)
        * (chance.random(cases) < chance.choice((0.1, 0.25, 0.4)))
        for _ in range(metrics)
    ]


@pytest.mark.parametrize(("cases", "runs", "most"), [(12, 500, 40), (24, 150, 17)])
def test_of_two_equal_systems_that_differ_in_few_cases_one_is_found_in_no_more_than_five_of_hundred_runs(
    cases: int, runs: int, most: int
) -> None:
    chance = np.random.default_rng(8)
    found = sum(min(together(*equal(chance, cases, 10)).p.values()) < ALPHA for _ in range(runs))
    assert found <= most  # what 5 % gives in 998 of 1000 simulations


def test_those_that_are_equal_are_held_to_five_of_hundred_beside_one_that_is_not() -> None:
    """The first metric falls in every case; of the nine others none is better."""
    chance, found = np.random.default_rng(9), 0
    for _ in range(150):
        p = together(np.full(24, -0.5), *equal(chance, 24, 9)).p
        found += min(p[name] for name in p if name != "0") < ALPHA
    assert found <= 17  # what 5 % gives in 998 of 1000 simulations
