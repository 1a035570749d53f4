"""Calibration: what is written passes the answers that it was measured to pass."""

from __future__ import annotations

import numpy as np

from sidecar.inference.own.fit import FALSE_ALARMS, fit


def probabilities(logits: np.ndarray) -> list[float]:
    return [float(p) for p in 1 / (1 + np.exp(-logits))]


def passed(found_slope: float, intercept: float, threshold: float, logits: np.ndarray) -> float:
    return float((1 / (1 + np.exp(-(found_slope * logits + intercept))) >= threshold).mean())


def test_the_threshold_of_a_model_that_tells_all_apart_is_less_than_1() -> None:
    draw = np.random.default_rng(5)
    good, bad = draw.normal(8.0, 1.0, 120), draw.normal(-8.0, 1.0, 120)
    found = fit(probabilities(np.concatenate([good, bad])), [True] * 120 + [False] * 120)
    assert 0.0 < found.threshold < 1.0
    assert passed(found.slope, found.intercept, found.threshold, good) >= 1 - 2 * FALSE_ALARMS
    assert found.specificity >= 1 - 3 * FALSE_ALARMS


def test_a_model_that_is_wrong_says_how_many_answers_are_good() -> None:
    draw = np.random.default_rng(5)
    good, bad = draw.normal(2.0, 0.2, 100), draw.normal(2.4, 0.2, 100)
    found = fit(probabilities(np.concatenate([good, bad])), [True] * 100 + [False] * 100)
    p = 1 / (1 + np.exp(-(found.slope * np.concatenate([good, bad]) + found.intercept)))
    assert abs(float(p.mean()) - 0.5) < 0.02
    assert found.sensitivity + found.specificity <= 1.05


def test_scores_that_are_alike_pass_as_the_product_gives_them_without_having_been_rounded() -> None:
    own = 0.5002094
    written = round(own, 6)
    found = fit([written] * 100 + [0.3] * 100, [True] * 100 + [False] * 100)
    for shown in (own, written - 4e-7):
        logit = np.log(shown / (1 - shown))
        assert round(float(1 / (1 + np.exp(-(found.slope * logit + found.intercept)))), 6) >= found.threshold
