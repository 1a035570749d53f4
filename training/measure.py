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


def operating_threshold(scores: Sequence[float], labels: Sequence[int], sets: Sequence[str], most: float) -> float:
    """The highest threshold, of 0.01 steps, below which at most the share `most` of the good answers lies, mean over the sets."""
    p, y, names = np.asarray(scores), np.asarray(labels), np.asarray(sets)
    good = [p[(names == name) & (y == 1)] for name in dict.fromkeys(sets)]

    def alarms(t: float) -> float:
        return float(np.mean([(one < t).mean() for one in good if len(one)]))

    return max((round(0.01 * n, 2) for n in range(1, 100) if alarms(round(0.01 * n, 2)) <= most), default=0.01)


def wilson(right: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    share, spread = right / of, z * z / of
    middle, half = share + spread / 2, z * ((share * (1 - share) + spread / 4) / of) ** 0.5
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def rates(scores: Sequence[float], labels: Sequence[int], threshold: float) -> dict[str, object]:
    """How often the verdict is right, as inference.detector.Detector reads it."""
    bad = [score < threshold for score, label in zip(scores, labels, strict=True) if not label]
    good = [score >= threshold for score, label in zip(scores, labels, strict=True) if label]
    return {
        "sensitivity": round(sum(bad) / len(bad), 4),
        "specificity": round(sum(good) / len(good), 4),
        "hallucinated": len(bad),
        "grounded": len(good),
    }
