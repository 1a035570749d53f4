"""What a claim says of several values together, which of two has more, which of all has most, how many times another one is, how they go on, where the texts say otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.inference.values.extreme import Extreme, says_most, wrong_extreme
from sidecar.inference.values.ordered import COMPARES, Order, Weight, wrong_order
from sidecar.inference.values.stated import Stated, Stem
from sidecar.inference.values.times import Times, says_times, wrong_times
from sidecar.inference.values.trend import Trend, says_trend, wrong_trend


def compares(claim: str) -> bool:
    """Whether a claim may say something of the kind."""
    return COMPARES in claim or says_most(claim) or says_times(claim) or says_trend(claim)


def wrong_among(
    claim: str,
    own: Sequence[Stated],
    texts: Sequence[str],
    pieces: Sequence[Sequence[Stated]],
    weight: Weight,
    stem: Stem,
) -> Order | Extreme | Times | Trend | None:
    """What of it is wrong by the values of the texts, `pieces`, the best first, `own` those of the claim; None where nothing is."""
    amiss = wrong_order(claim, pieces, weight, stem) or wrong_extreme(claim, pieces, stem)
    return amiss or wrong_times(claim, own, texts, pieces, stem) or wrong_trend(claim, pieces, stem)
