"""Claims encoded, the vectors that their evidence is ranked by, and the least supported of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from sidecar.inference.base import Claim, FloatArray, Support
from sidecar.inference.calibrated import FloatVector, logit
from sidecar.inference.embedding.minilm import Encoded, MiniLM

_FEW_WORDS = 8
_ABOVE = 3.25  # logits
_REFERS = re.compile(
    r"\A\W{0,8}(?:(?:and|but|so) )?(?:it|its|they|their|this|that|these|those|he|she|his|her|both|one|the latter|the former)\b",
    re.IGNORECASE,
)


async def encode_claims(encoder: MiniLM, claims: Sequence[Claim]) -> tuple[list[Encoded], list[FloatArray]]:
    """The claims, and the vectors to rank evidence by: of a claim with its context, where it has one, and of one of a few words with the question
    the mean of theirs, by their words, since most contexts are claims that are encoded anyway."""
    parts = [_in_its_place(claim) for claim in claims]
    texts = list(dict.fromkeys(text for own in parts for text in own))
    by_text = dict(zip(texts, await encoder.encode(texts), strict=True))
    vectors = [_mean([by_text[text].vector for text in own], [len(text.split()) for text in own]) for own in parts]
    return [by_text[claim.text] for claim in claims], vectors


def _in_its_place(claim: Claim) -> list[str]:
    """The claim and what stands before it, for a search of evidence: the sentence before, and the question of an answer in a few words."""
    short = len(claim.text.split()) <= _FEW_WORDS
    return [part for part in (claim.question if short else "", claim.context) if part] + [claim.text]


def _mean(vectors: Sequence[FloatArray], weights: Sequence[int]) -> FloatArray:
    if len(vectors) == 1:
        return vectors[0]
    mean = np.average(np.stack(vectors), axis=0, weights=np.maximum(weights, 1))
    return (mean / max(float(np.linalg.norm(mean)), 1e-9)).astype(np.float32)


def least_of(supports: Sequence[Support], claims: Sequence[Claim]) -> tuple[float | None, float]:
    """The probability of the least supported claim, None where there is none, and how many logits above it the whole answer counts at most: what other
    claims say well hides little of one that is not said. Of one that begins with a pronoun the whole tells more than it does alone."""
    least = min(zip(supports, claims, strict=True), key=lambda both: both[0].probability, default=None)
    if least is None:
        return None, math.inf
    return least[0].probability, math.inf if _REFERS.match(least[1].text) else _ABOVE


def answer_row(whole: float, least: float, above: float = math.inf) -> FloatVector:
    """ANSWER_FEATURES (1, 1): half way between the support of the answer read as one claim, no more than `above` logits over the latter, and that of its
    least supported claim. Where an answer is one claim they are the same, and most labelled answers are, so a fit would not tell their weights apart."""
    return np.array([[(min(logit(whole), logit(least) + above) + logit(least)) / 2]], np.float64)
