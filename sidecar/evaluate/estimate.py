"""The share of hallucinated answers of a service, from cheap verdicts on many answers and a judge's on a random part of them.

The same formulas stand in PromQL in dashboards/estimate.py and dashboards/baseline.py; a test holds both against each other. All numbers are
arrays of one shape, an entry a service; a single number is an array without a shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sidecar.inference.grounding.detector import Anchor, Detector

Floats: TypeAlias = NDArray[np.float64]

# Two-sided 95 %.
Z = 1.96
# As the rules have them (dashboards/objectives.py): what a judge whose errors nobody measured may err on, and how many answers, effectively, it has to
# have seen of a service.
STATED_ERROR = 0.05
LEAST_ANCHORS = 30
# How far rates by labels may have moved since, and the share of a service's verdicts that has to be of the labelled identity.
RATES_DRIFT = 0.03
COVERED = 0.95
# A spread below this share of what it could be is rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Sums over all answers with a verdict, each with weight w: of w, of w where the local model says hallucinated, of w squared."""

    weight: Floats
    local: Floats
    squared: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Sums over the answers that the judge saw, each with weight v = 1 / (the probability that it did): of v over all, over those that the judge
    calls hallucinated, over those that the local model calls so; and of v squared over these and over those that both call so."""

    weight: Floats
    judge: Floats
    local: Floats
    squared: Floats
    squared_judge: Floats
    squared_local: Floats
    squared_both: Floats


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share with its 95 % interval, all in 0..1, and the size of the plain random sample that would know as much."""

    share: Floats
    lower: Floats
    upper: Floats
    samples: Floats


def wilson(share: Floats, samples: Floats) -> tuple[Floats, Floats]:
    """The 95 % interval of a share seen in so many samples (Wilson 1927)."""
    square = Z * Z
    spread = Z * np.sqrt(np.maximum(samples * share * (1 - share) + square / 4, 0.0))
    middle = samples * share + square / 2
    return np.maximum((middle - spread) / (samples + square), 0), np.minimum((middle + spread) / (samples + square), 1)


def judge_alone(judged: Judged) -> Estimate:
    """What the judge's answers say by themselves."""
    share, samples = judged.judge / judged.weight, judged.weight**2 / judged.squared
    return Estimate(share, *wilson(share, samples), samples)


def anchored(scored: Scored, judged: Judged) -> Estimate:
    """What the judge would say of all answers: prediction-powered (Angelopoulos et al. 2023), the local verdict's weight tuned (PPI++,
    Angelopoulos et al. 2024).

    share = judge's share - slope x (local share among the judged - local share among all). The judged are some of the scored, so that the slope
    of least variance is that of the regression of the judge's verdict on the local one, and explains rho squared x (1 - judged / scored) of the
    judge's variance; rho squared is adjusted for having been fitted. The interval is that of Wilson for the judge alone at the sample that
    this is worth, moved to the share: it is never wider than the judge's alone.
    """
    judge, local = judged.judge / judged.weight, judged.local / judged.weight
    spread_judge = judged.squared_judge * (1 - 2 * judge) + judge**2 * judged.squared
    spread_local = judged.squared_local * (1 - 2 * local) + local**2 * judged.squared
    together = (
        judged.squared_both
        - local * judged.squared_judge
        - judge * judged.squared_local
        + judge * local * judged.squared
    )
    told = (spread_local > _ROUNDING * judged.squared) & (spread_judge > _ROUNDING * judged.squared)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(told, together / spread_local, 0.0)
        rho = np.where(told, together**2 / (spread_local * spread_judge), 0.0)
    alone = judged.weight**2 / judged.squared
    # A few judged agree with the local verdict by luck: what it leaves unexplained is taken as no less than 1 / judged, and of two nothing is explained.
    left = np.maximum(1 - rho, 1 / alone) * (alone - 1) / np.maximum(alone - 2, _ROUNDING)
    rho = np.where(alone > 2, np.clip(1 - left, 0, 1), 0.0)
    part = np.minimum(alone / (scored.weight**2 / scored.squared), 1)
    samples = alone / (1 - (1 - part) * rho)
    share = np.clip(judge - slope * (local - scored.local / scored.weight), 0, 1)
    lower, upper = wilson(judge, samples)
    return Estimate(share, np.clip(share - judge + lower, 0, 1), np.clip(share - judge + upper, 0, 1), samples)


def within_error(found: Estimate, error: float) -> Estimate:
    """The interval of the true share where the judge errs on no more than `error` of the answers of either kind, nobody knows how much less."""
    lower, upper = (found.lower - error) / (1 - error), found.upper / (1 - error)
    return Estimate(found.share, np.clip(lower, 0, 1), np.clip(upper, 0, 1), found.samples)


def corrected(found: Estimate, rates: Detector) -> Estimate:
    """The true share behind a share of verdicts whose errors were measured on labels (Rogan and Gladen 1978): (share + specificity - 1) /
    (sensitivity + specificity - 1). The interval holds the sampling error of the rates as well, its parts squared and added (MOVER, Zou and
    Donner 2008). The rates are to be better than chance."""
    youden = rates.sensitivity + rates.specificity - 1
    share = np.clip((found.share + rates.specificity - 1) / youden, 0, 1)
    # A rate of 1 seen in a few labels is not certain: Laplace's rule.
    missed, passed = (
        rate * (1 - rate) / labelled
        for rate, labelled in (
            ((rates.sensitivity * rates.hallucinated + 1) / (rates.hallucinated + 2), rates.hallucinated),
            ((rates.specificity * rates.grounded + 1) / (rates.grounded + 2), rates.grounded),
        )
    )
    variance = Z**2 * (share**2 * missed + (1 - share) ** 2 * passed)
    below = np.sqrt((found.share - found.lower) ** 2 + variance) / youden
    above = np.sqrt((found.upper - found.share) ** 2 + variance) / youden
    return Estimate(share, np.clip(share - below, 0, 1), np.clip(share + above, 0, 1), found.samples)


def enough(judged: float, labelled: float) -> bool:
    """Whether a ratio rests on enough to say its level: on so many judged answers (effective), or, where a judge saw none, on so many whose verdict was
    labelled. Labels do not vouch for a judge's few."""
    return (judged if judged > 0 else labelled) >= LEAST_ANCHORS


def by_labels(found: Estimate, rates: Anchor, *, drift: float) -> Estimate:
    """The true share behind a share of local verdicts on all answers, where randomly drawn labels of the same service say how often that verdict is right:
    (share + specificity - 1) / (sensitivity + specificity - 1) as in `corrected`. On a service that is well few labelled answers are bad, and sensitivity is
    hardly known; so the interval takes the numerator with its sampling errors (Wilson's of both parts, squared and added), allows for `drift` of the
    rates since the labels, and divides it by the denominator that makes it widest: it holds the truth in 95 % or more."""
    (found_low, found_high), (passed_low, passed_high) = (
        wilson(np.asarray(rate), np.asarray(float(count)))
        for rate, count in ((rates.sensitivity, rates.hallucinated), (rates.specificity, rates.grounded))
    )
    excess = found.share + rates.specificity - 1
    below = np.hypot(found.share - found.lower, rates.specificity - passed_low) + drift
    above = np.hypot(found.upper - found.share, passed_high - rates.specificity) + drift
    least = found_low + passed_low - 1
    lower = np.clip((excess - below) / (found_high + passed_high - 1), 0, 1)
    upper = np.clip((excess + above) / least, 0, 1) if least > 0 else np.ones_like(lower)
    # Laplace's rule, as long as few bad answers were labelled.
    smooth = (rates.sensitivity * rates.hallucinated + 1) / (rates.hallucinated + 2)
    share = np.clip(excess / (smooth + rates.specificity - 1), 0, 1)
    return Estimate(share, lower, upper, found.samples)
