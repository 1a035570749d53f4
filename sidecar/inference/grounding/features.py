"""What one statement and its evidence have in common, as numbers: the input of the grounding and relevance models.

Word overlap weighted by idf is a strong baseline for support; token alignment (each token's best match in the evidence, as
in BERTScore, Zhang et al. 2020, arXiv:1904.09675) adds paraphrase; values, names and negation catch small changes that
overlap does not see. The words of a value that the evidence has, in whatever format, count as found; one that it has otherwise is
weighed apart (said.py).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sidecar.inference.base import FloatArray
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import Encoded
from sidecar.inference.grounding.said import Said

FEATURES = (
    "coverage", "bigrams", "alignment", "weakest_tokens", "weakest_stem", "numbers_missing", "any_number_missing", "names_missing",
    "any_name_missing", "best_cosine", "sentence_coverage", "negation_differs", "log_words", "unknown_share",
)  # fmt: skip


def features(claim: Encoded, evidence: Sequence[Encoded], idf: Idf, said: Said) -> NDArray[np.float64]:
    """The features (len(FEATURES),) of a claim against the sentences chosen for it; all finite. `said` is what became of its values."""
    stems = claim.words.stems
    weights = {one: idf.of(one) for one in stems}
    known = {one for sentence in evidence for one in sentence.words.stems} | said.stems
    numbers = {one for sentence in evidence for one in sentence.words.numbers} | said.numbers
    total = sum(weights.values()) or 1.0
    missing = {one: weight for one, weight in weights.items() if one not in known}
    wanted_numbers = claim.words.numbers
    lost_numbers = len(wanted_numbers - numbers)
    wanted_names = claim.words.names
    lost_names = len(wanted_names - known)
    aligned, weakest = _alignment(claim, evidence)
    best = _best_sentence(claim, evidence)
    own = {*best.words.stems, *said.stems} if best else set()
    return np.array(
        [
            1 - sum(missing.values()) / total,
            _bigrams(stems, evidence),
            aligned,
            weakest,
            max(missing.values(), default=0.0) / 12,
            lost_numbers / max(1, len(wanted_numbers)),
            float(lost_numbers > 0),
            lost_names / max(1, len(wanted_names)),
            float(lost_names > 0),
            float(claim.vector @ best.vector) if best else 0.0,
            sum(w for one, w in weights.items() if one in own) / total,
            float(best is not None and bool(claim.words.negations) != bool(best.words.negations)),
            math.log1p(len(stems)),
            len(missing) / max(1, len(weights)),
        ]
    )


def _alignment(claim: Encoded, evidence: Sequence[Encoded]) -> tuple[float, float]:
    """idf-weighted mean of each claim token's best match, and the mean of the weakest fifth; both 0..1."""
    parts = [sentence.tokens for sentence in evidence if len(sentence.tokens)]
    if not parts or not len(claim.tokens):
        return 0.0, 0.0
    matches: FloatArray = (claim.tokens.astype(np.float32) @ np.concatenate(parts).astype(np.float32).T).max(axis=1) / 2
    weights = claim.weights[: len(matches)]
    mean = float((matches * weights).sum() / max(float(weights.sum()), 1e-6))
    telling = matches[weights >= np.median(weights)]
    weakest = np.sort(telling)[: max(1, len(telling) // 5)]
    return mean, float(weakest.mean())


def _best_sentence(claim: Encoded, evidence: Sequence[Encoded]) -> Encoded | None:
    return max(evidence, key=lambda sentence: float(claim.vector @ sentence.vector), default=None)


def _bigrams(stems: Sequence[str], evidence: Sequence[Encoded]) -> float:
    wanted = set(itertools.pairwise(stems))
    if not wanted:
        return 0.0
    there = {
        pair for sentence in evidence for pair in zip(sentence.words.stems, sentence.words.stems[1:], strict=False)
    }
    return len(wanted & there) / len(wanted)
