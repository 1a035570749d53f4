"""Claims encoded, and the vectors that their evidence is ranked by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sidecar.inference.base import Claim, FloatArray
from sidecar.inference.embedding.minilm import Encoded, MiniLM

_FEW_WORDS = 8


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
