"""How well scores tell labels apart, and how far they are from probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def auroc(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Area under the ROC curve, ties counted half."""
    order = np.argsort(scores, kind="stable")
    values, y = np.asarray(scores)[order], np.asarray(labels)[order]
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    positives = int(y.sum())
    return float((ranks[y == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(y) - positives)))


def calibration_error(scores: Sequence[float], labels: Sequence[int]) -> float:
    """Expected calibration error over ten bins."""
    p, y = np.asarray(scores), np.asarray(labels)
    bins = np.minimum((p * 10).astype(int), 9)
    return float(sum(abs(p[bins == b].sum() - y[bins == b].sum()) for b in range(10)) / len(p))


def best_threshold(scores: Sequence[float], labels: Sequence[int], sets: Sequence[str] | None = None) -> float:
    """The threshold with the highest balanced accuracy, of 0.05 steps; the mean over `sets` where these are named."""
    p, y = np.asarray(scores), np.asarray(labels)
    names = np.asarray(sets if sets is not None else [""] * len(p))
    groups = [names == name for name in dict.fromkeys(names.tolist())]

    def balanced(t: float) -> float:
        return sum(float((p[g & (y == 1)] >= t).mean() + (p[g & (y == 0)] < t).mean()) for g in groups)

    return max((round(0.05 * n, 2) for n in range(2, 19)), key=balanced)
