"""The operating point: as few false alarms as asked for, by set."""

from __future__ import annotations

import pytest

from training.measure import operating_threshold, wilson


def test_the_threshold_is_the_highest_that_keeps_the_mean_of_the_sets() -> None:
    scores = [0.9] * 20 + [0.1] * 20 + [0.35] * 2 + [0.8] * 18 + [0.3] * 20
    labels = ([1] * 20 + [0] * 20) * 2
    sets = ["easy"] * 40 + ["hard"] * 40
    # Above 0.35 a tenth of the good of one set of two is lost: one in twenty of the mean.
    assert operating_threshold(scores, labels, sets, 0.05) == pytest.approx(0.8)
    assert operating_threshold(scores, labels, sets, 0.04) == pytest.approx(0.35)


def test_no_threshold_keeps_what_cannot_be_kept() -> None:
    assert operating_threshold([0.0, 0.0], [1, 0], ["a", "a"], 0.05) == 0.01


def test_the_interval_of_a_share_holds_it() -> None:
    low, high = wilson(8, 10)
    assert low == pytest.approx(0.4902, abs=1e-3)
    assert high == pytest.approx(0.9433, abs=1e-3)
