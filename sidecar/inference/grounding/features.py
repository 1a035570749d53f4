"""What one statement and its evidence have in common, as numbers: the input of the grounding and relevance models.

Word overlap weighted by idf is a strong baseline for support; token alignment (each token's best match in the evidence, as
in BERTScore, Zhang et al. 2020, arXiv:1904.09675) adds paraphrase; values, names and negation catch small changes that
overlap does not see. The words of a value that the evidence has, in whatever format, count as found; one that it has otherwise is
weighed apart (said.py).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import Encoded
from sidecar.inference.grounding.values_said import Said

FEATURES = (
    "coverage", "bigrams", "alignment", "weakest_tokens", "weakest_stem", "numbers_missing", "any_number_missing", "names_missing",
    "any_name_missing", "best_cosine", "sentence_coverage", "negation_differs", "log_words", "unknown_share",
)  # fmt: skip


def features(claim: Encoded, choices: Sequence[Sequence[Encoded]], idf: Idf, said: Said) -> NDArray[np.float64]:
    """The features (choices, len(FEATURES)) of a claim against each choice of sentences; all finite. `said` is what became of its values."""
    weights = {one: idf.of(one) for one in claim.words.stems}
    aligned = _alignments(claim, choices)
    rows = [_row(claim, evidence, weights, said, *of) for evidence, of in zip(choices, aligned, strict=True)]
    return np.array(rows, np.float64).reshape(len(choices), len(FEATURES))


def _row(
    claim: Encoded,
    evidence: Sequence[Encoded],
    weights: Mapping[str, float],
    said: Said,
    aligned: float,
    weakest: float,
) -> list[float]:
    known = {one for sentence in evidence for one in sentence.words.stems} | said.stems
    numbers = {one for sentence in evidence for one in sentence.words.numbers} | said.numbers
    total = sum(weights.values()) or 1.0
    missing = {one: weight for one, weight in weights.items() if one not in known}
    wanted_numbers = claim.words.numbers
    lost_numbers = len(wanted_numbers - numbers)
    wanted_names = claim.words.names
    lost_names = len(wanted_names - known)
    best = _best_sentence(claim, evidence)
    own = {*best.words.stems, *said.stems} if best else set()
    return [
        1 - sum(missing.values()) / total,
        _bigrams(claim.words.stems, evidence),
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
        math.log1p(len(claim.words.stems)),
        len(missing) / max(1, len(weights)),
    ]


def _alignments(claim: Encoded, choices: Sequence[Sequence[Encoded]]) -> list[tuple[float, float]]:
    """Of each choice the idf-weighted mean of each claim token's best match, and the mean of the weakest fifth; both 0..1."""
    every = {id(one): one for evidence in choices for one in evidence if len(one.tokens)}
    if not every or not len(claim.tokens):
        return [(0.0, 0.0)] * len(choices)
    states = np.concatenate([one.tokens for one in every.values()]).astype(np.float32)
    begins = np.cumsum([0, *(len(one.tokens) for one in every.values())][:-1])
    best = np.maximum.reduceat(claim.tokens.astype(np.float32) @ states.T, begins, axis=1) / 2
    column = {key: n for n, key in enumerate(every)}
    weights = claim.weights[: len(best)]
    total = max(float(weights.sum()), 1e-6)
    telling = weights >= np.median(weights)
    found = []
    for evidence in choices:
        columns = [column[id(one)] for one in evidence if id(one) in column]
        if not columns:
            found.append((0.0, 0.0))
            continue
        matches = best[:, columns].max(axis=1)
        weakest = np.sort(matches[telling])[: max(1, int(telling.sum()) // 5)]
        found.append((float((matches * weights).sum() / total), float(weakest.mean())))
    return found


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
