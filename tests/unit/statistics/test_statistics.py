"""Intervals, tests and sample sizes: textbook values, and what they promise over many samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from sidecar.statistics import unpaired
from sidecar.statistics.interval import Floats, mean_interval, share_interval
from sidecar.statistics.paired import difference, holm, mcnemar
from sidecar.statistics.power import ALPHA, fewest_pairs, pairs_needed, smallest_shown


def ends(values: ArrayLike) -> tuple[float, float]:
    found = mean_interval(values)
    assert found is not None
    return found.lower, found.upper


def test_an_interval_of_nought_and_one_is_that_of_clopper_and_pearson() -> None:
    assert ends([1.0] * 8 + [0.0] * 2) == pytest.approx((0.4439, 0.9748), abs=0.004)  # as published for 8 of 10
    assert ends([1.0] * 20) == pytest.approx((0.025 ** (1 / 20), 1.0), abs=0.004)
    assert mean_interval([0.5]) is None
    assert mean_interval([]) is None


def test_a_share_has_wilsons_interval() -> None:
    found = share_interval(8, 10)
    assert (round(found.lower, 4), round(found.upper, 4)) == (0.4902, 0.9433)  # as published


def test_an_interval_is_the_same_in_every_run_and_order() -> None:
    values = np.random.default_rng(1).beta(5, 1, 60)
    lower, upper = ends(values)
    assert (lower, upper) == ends(values) == ends(values[::-1])
    assert values.min() < lower < values.mean() < upper < values.max()
    # Skewed to the left, the interval reaches further down than up.
    assert values.mean() - lower > upper - values.mean()


def test_values_that_are_nearly_all_the_same_have_a_width_that_so_few_allow() -> None:
    for values in ([0.99] * 2, [0.75] * 5, [1.0] * 19 + [0.98]):
        lower, upper = ends(values)
        assert lower < np.mean(values) - 0.1
        assert upper > np.mean(values) or upper == pytest.approx(1.0, abs=0.01)
    few, many = ends([0.75] * 5), ends([0.75] * 500)
    assert many[1] - many[0] < 0.02 < few[1] - few[0]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=30))
def test_a_run_in_which_no_case_is_worse_has_no_lower_end(pairs: list[tuple[float, float]]) -> None:
    worse, better = ends([min(pair) for pair in pairs]), ends([max(pair) for pair in pairs])
    assert worse[0] <= better[0] + 1e-12
    assert worse[1] <= better[1] + 1e-12
    assert 0.0 <= worse[0] <= worse[1] <= 1.0


DRAWS: Mapping[str, tuple[float, Callable[[np.random.Generator, int], Floats]]] = {
    "skewed": (0.8, lambda chance, n: chance.beta(4, 1, n)),
    "narrow": (0.5, lambda chance, n: chance.beta(20, 20, n)),
    "mostly one": (0.9, lambda chance, n: np.where(chance.random(n) < 0.8, 1.0, chance.random(n))),
    "rarely nought": (0.931, lambda chance, n: np.where(chance.random(n) < 0.05, 0.0, 0.98)),
    "nought or one": (0.9, lambda chance, n: (chance.random(n) < 0.9).astype(float)),
}


@pytest.mark.parametrize("size", [5, 20])
@pytest.mark.parametrize("name", DRAWS)
def test_of_small_samples_hardly_one_in_forty_has_a_lower_end_above_the_true_mean(name: str, size: int) -> None:
    (mean, draw), chance = DRAWS[name], np.random.default_rng(7)
    missed = sum(ends(draw(chance, size))[0] > mean for _ in range(200))
    assert missed <= 13  # what 2.5 % gives in 999 of 1000 simulations


def test_of_hundred_intervals_about_ninety_five_hold_the_true_mean() -> None:
    chance = np.random.default_rng(7)
    held = 0
    for _ in range(300):
        lower, upper = ends(chance.beta(4, 1, 200))
        held += lower <= 0.8 <= upper
    assert 0.92 <= held / 300 <= 0.98


def test_mcnemar_is_the_exact_binomial_test() -> None:
    assert mcnemar(15, 5) == mcnemar(5, 15) == pytest.approx(0.0413895, abs=1e-6)
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(6, 0) == 2 / 64


def test_a_difference_names_the_test_of_its_signs() -> None:
    assert difference([0.0, 1.0, 1.0], [1.0, 1.0, 0.0]).test == "mcnemar"
    found = difference([0.0, 1.0, 0.5], [1.0, 1.0, 0.5])
    assert (found.test, found.changed, found.pairs) == ("sign_flip", 1, 3)


def test_holm_keeps_the_order_and_never_lowers() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_p_is_multiplied_by_the_tests_that_could_have_one_as_small() -> None:
    assert holm([1 / 32, 1.0, 1 / 2], [1 / 32, 1.0, 1 / 16]) == [1 / 32, 1.0, 1 / 2]
    assert holm([1 / 32, 1 / 16], [1 / 32, 1 / 64]) == [1 / 16, 1 / 16]
    # Where the first is shown the others are held to what is left: as by Holm, no smaller set is chosen before.
    assert holm([0.0001, 1 / 32], [0.0001, 1 / 32]) == [0.0001, 1 / 32]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=12))
def test_what_is_attainable_never_raises_a_p_and_keeps_the_order(tests: list[tuple[float, float]]) -> None:
    p_values, least = [max(one) for one in tests], [min(one) for one in tests]
    adjusted, plain = holm(p_values, least), holm(p_values)
    assert all(p <= one <= most for p, one, most in zip(p_values, adjusted, plain, strict=True))
    assert [one for _, one in sorted(zip(p_values, adjusted, strict=True))] == sorted(adjusted)


@pytest.mark.parametrize(
    ("delta", "spread", "pairs"), [(0.02, 0.2, 785), (0.02, 0.3, 1766), (0.05, 0.2, 126), (0.05, 0.3, 283)]
)
def test_pairs_for_a_difference(delta: float, spread: float, pairs: int) -> None:
    assert pairs_needed(delta, spread) == pairs
    assert smallest_shown(pairs, spread) == pytest.approx(delta, rel=0.005)


@pytest.mark.parametrize(("tests", "fewest"), [(1, 6), (2, 7), (5, 8), (40, 11)])
def test_below_so_many_pairs_nothing_is_shown_however_large_it_is(tests: int, fewest: int) -> None:
    level = ALPHA / tests
    assert fewest_pairs(level) == fewest
    assert mcnemar(fewest, 0) < level <= mcnemar(fewest - 1, 0)
    assert pairs_needed(0.9, 1e-5, level=level) == fewest
    assert smallest_shown(fewest - 1, 1e-5, level=level) == math.inf
    assert smallest_shown(fewest, 1e-5, level=level) < 0.001


def test_the_lower_the_level_the_more_pairs_a_difference_takes() -> None:
    """For 1 % in place of 5 %, which is what the first of five tests has to keep, it takes half as many again: 11.68 for 7.85."""
    assert pairs_needed(0.05, 0.2, level=0.01) == 187
    assert smallest_shown(187, 0.2, level=0.01) == pytest.approx(0.05, rel=0.005)


def test_an_arm_never_needs_fewer_values_than_its_test_takes() -> None:
    assert unpaired.each_arm_needs(0.5, 0.01, 0.01) == unpaired.LEAST


def test_an_arm_for_a_rate_of_five_against_seven_percent() -> None:
    assert unpaired.each_arm_needs(0.02, 0.05 * 0.95, 0.07 * 0.93) == pytest.approx(2210, abs=1)


def test_an_arm_of_equal_weights_is_a_plain_sample() -> None:
    values = np.random.default_rng(2).random(500)
    found = unpaired.arm(values, np.full(500, 4.0))
    assert found is not None
    assert found.effective == pytest.approx(500)
    assert found.mean == pytest.approx(values.mean())
    assert found.variance == pytest.approx(values.var(ddof=1))


def test_weights_undo_the_sampling_and_cost_size() -> None:
    chance = np.random.default_rng(5)
    values = chance.random(40_000)
    kept = chance.random(40_000) < (probability := np.where(values < 0.5, 0.02, 0.2))
    found = unpaired.arm(values[kept], 1 / probability[kept])
    assert found is not None
    assert abs(found.mean - values.mean()) < 3 * found.error
    assert abs(values[kept].mean() - values.mean()) > 3 * found.error
    assert found.effective < kept.sum()


def test_arms_that_are_too_small_have_no_p() -> None:
    small, large = (unpaired.arm(np.random.default_rng(1).random(n), np.ones(n)) for n in (20, 500))
    assert small is not None
    assert large is not None
    assert unpaired.gap(small, large).p is None
    assert unpaired.gap(large, large).p == 1.0


def test_of_equal_arms_the_test_finds_a_difference_in_five_of_hundred() -> None:
    chance, found = np.random.default_rng(11), 0
    for _ in range(1000):
        a, b = (unpaired.arm(chance.beta(4, 1, 300), 1 / chance.choice([0.1, 0.5, 1.0], 300)) for _ in range(2))
        assert a is not None
        assert b is not None
        p = unpaired.gap(a, b).p
        found += p is not None and p < 0.05
    assert 0.035 <= found / 1000 <= 0.065


def test_the_split_of_traffic() -> None:
    assert unpaired.ratio_p(5000, 5000) == 1.0
    assert unpaired.ratio_p(5200, 4800) < unpaired.RATIO_P < unpaired.ratio_p(5100, 4900)
    assert unpaired.ratio_p(900, 100, share_a=0.9) == 1.0
