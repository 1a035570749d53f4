"""From scores and labels to probabilities and a threshold.

Platt scaling (Platt 1999): sigmoid(slope x logit(score) + intercept), fitted by Newton's method. The threshold is the one that passes
95 of 100 good answers of the half that was fitted on; rates are those of the other half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidecar.inference.own.heads import logits_of

FALSE_ALARMS = 0.05
_ROUNDS = 50
_RIDGE = 1e-3
_ROUNDED = 5e-7
_LEAST_SLOPE = 0.01


@dataclass(frozen=True, slots=True)
class Fit:
    """`sensitivity` and `specificity` (0..1) are of `hallucinated` and `grounded` answers that nothing was fitted on."""

    slope: float
    intercept: float
    threshold: float
    sensitivity: float
    specificity: float
    hallucinated: int
    grounded: int


def fit(scores: Sequence[float], good: Sequence[bool]) -> Fit:
    """Every second answer of each kind is fitted on, the others are measured on."""
    x, y = logits_of(np.array(scores, np.float32)).astype(np.float64), np.array(good, bool)
    fitted = _alternate(y)
    slope, intercept = (round(one, 6) for one in platt(x[fitted], y[fitted]))
    p = 1 / (1 + np.exp(-(slope * x + intercept)))
    # A score is written with six digits: the one that was written may have been a little less, and so may what becomes of it.
    least = logits_of(np.array(scores, np.float32) - np.float32(_ROUNDED)).astype(np.float64)
    lowest = 1 / (1 + np.exp(-(slope * least + intercept)))
    threshold = _rounded_down(max(0.0, float(np.quantile(lowest[fitted & y], FALSE_ALARMS)) - _ROUNDED))
    held = ~fitted
    return Fit(
        slope=slope,
        intercept=intercept,
        threshold=threshold,
        sensitivity=float((p[held & ~y] < threshold).mean()),
        specificity=float((p[held & y] >= threshold).mean()),
        hallucinated=int((held & ~y).sum()),
        grounded=int((held & y).sum()),
    )


def _rounded_down(threshold: float) -> float:
    """With as many digits as tell it from 0 and 1: those who passed it pass it as written."""
    steps = 10.0 ** (4 + max(0, math.ceil(-math.log10(max(min(threshold, 1.0 - threshold), 1e-12)))))
    return math.floor(threshold * steps) / steps


def platt(x: NDArray[np.float64], y: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and intercept; the slope is never negative, for a model that is wrong is not made right by turning it round."""
    features = np.stack([x, np.ones_like(x)], axis=1)
    weights = np.array([1.0, 0.0])
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (p - y) + _RIDGE * (weights - [1.0, 0.0])
        hessian = features.T @ (features * (p * (1 - p))[:, None]) + _RIDGE * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        weights = weights - np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    if weights[0] >= _LEAST_SLOPE:
        return float(weights[0]), float(weights[1])
    share = min(max(float(y.mean()), 1e-3), 1 - 1e-3)
    return _LEAST_SLOPE, math.log(share / (1 - share)) - _LEAST_SLOPE * float(x.mean())


def composed(card: object, found: Fit) -> dict[str, float]:
    """The calibration over scores as the model gives them, where these came through another one already."""
    known = card if isinstance(card, dict) else {}
    slope, intercept = float(known.get("slope", 1.0)), float(known.get("intercept", 0.0))
    return {"slope": round(found.slope * slope, 6), "intercept": round(found.slope * intercept + found.intercept, 6)}


def _alternate(y: NDArray[np.bool_]) -> NDArray[np.bool_]:
    chosen = np.zeros(len(y), bool)
    for kind in (False, True):
        chosen[np.flatnonzero(y == kind)[::2]] = True
    return chosen
