"""Weighted logistic regression, and how it is written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sidecar.inference.calibrated import Logistic, expand

Floats = NDArray[np.float64]


def fit(x: Floats, y: Floats, weight: Floats, ridge: float, *, products: bool = True) -> Logistic:
    """Weighted ridge logistic regression over `expand`ed features, by Newton's method; `products` adds squares and products."""
    mean, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-3)
    z = ((x - mean) / scale).clip(-4, 4)
    z = expand(z) if products else z
    z1 = np.concatenate([z, np.ones((len(z), 1))], axis=1)
    beta = np.zeros(z1.shape[1])
    penalty = np.full(z1.shape[1], ridge)
    penalty[-1] = 0
    weight = weight / weight.mean()
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(z1 @ beta, -30, 30)))
        gradient = z1.T @ (weight * (p - y)) + penalty * beta
        hessian = (z1 * (weight * p * (1 - p))[:, None]).T @ z1 + np.diag(penalty + 1e-6)
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 1e-6:
            break
    return Logistic(mean, scale, beta[:-1], float(beta[-1]))


def fit_best_choice(examples: Sequence[Floats], y: Floats, weight: Floats, ridge: float) -> Logistic:
    """A head whose output is the maximum over choices of evidence: fit on the choice that wins, a few times over."""
    chosen = np.stack([choices[-1] for choices in examples])
    model = fit(chosen, y, weight, ridge)
    for _ in range(3):
        chosen = np.stack([choices[int(model.probability(choices).argmax())] for choices in examples])
        model = fit(chosen, y, weight, ridge)
    return model


def set_weights(names: Sequence[str]) -> Floats:
    """Each set weighs the square root of its size, so that no set drowns the others."""
    sizes = Counter(names)
    return np.array([sizes[name] ** -0.5 for name in names])


def card_of(model: Logistic, features: Sequence[str], threshold: float) -> dict[str, object]:
    """A head as JSON."""
    return {
        "features": list(features),
        "mean": [round(v, 6) for v in model.mean],
        "scale": [round(v, 6) for v in model.scale],
        "weights": [round(v, 6) for v in model.weights],
        "bias": round(model.bias, 6),
        "threshold": threshold,
    }
