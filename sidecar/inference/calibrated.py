"""A calibrated logistic model over named features: a few numbers in a JSON card, numpy at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatVector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Logistic:
    """P = sigmoid(bias + weights . z), clipped to 0.001..0.999 and rounded to six decimals, since float noise
    differs by batch from the ninth on; z is (x - mean) / scale, `expand`ed where there are weights for it."""

    mean: FloatVector
    scale: FloatVector
    weights: FloatVector
    bias: float

    @classmethod
    def from_card(cls, card: Mapping[str, object], features: Sequence[str]) -> Logistic:
        """From a card {"features", "mean", "scale", "weights", "bias"}. Raises ValueError where the features differ."""
        if card["features"] != list(features):
            raise ValueError("the card was made for other features")
        arrays = [np.array(card[name], np.float64) for name in ("mean", "scale", "weights")]
        return cls(arrays[0], arrays[1], arrays[2], float(str(card["bias"])))

    def probability(self, x: NDArray[np.float64]) -> FloatVector:
        """Probabilities (n,) of rows (n, features)."""
        z = ((np.atleast_2d(x) - self.mean) / self.scale).clip(-4, 4)
        logits = self.bias + (z if len(self.weights) == z.shape[1] else expand(z)) @ self.weights
        clipped: FloatVector = (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).clip(0.001, 0.999).round(6)
        return clipped


def expand(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standardised features (n, f), then their squares and products: (n, f + f(f+1)/2)."""
    first, second = np.triu_indices(x.shape[1])
    return np.concatenate([x, x[:, first] * x[:, second]], axis=1)


def logit(p: float) -> float:
    """log(p / (1 - p)) of a probability that is held within 0.001..0.999."""
    held = min(max(p, 0.001), 0.999)
    return float(np.log(held / (1 - held)))


def probability(value: float) -> float:
    """The probability of a logit, rounded as those of a Logistic are."""
    return round(float(1 / (1 + np.exp(-np.clip(value, -30, 30)))), 6)
