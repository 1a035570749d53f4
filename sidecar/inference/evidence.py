"""Which sentences of the documents bear on a claim.

Sentences are ranked by their embedding's cosine to the claim plus half of the idf-weighted share of the claim's words that
they hold. The premise of a pair model is the best of them in reading order, within a budget of words that grows with the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidecar.inference.base import FloatArray
from sidecar.inference.embed import Encoded, EncodedDocument
from sidecar.inference.idf import Idf

SENTENCES_OF_ONE = 4
SENTENCES_TOGETHER = 6
DOCUMENTS_ALONE = 4


@dataclass(frozen=True, slots=True)
class Ranked:
    """Sentences as (document, sentence), best first, and the one whose embedding is nearest to the claim."""

    order: tuple[tuple[int, int], ...]
    nearest: tuple[int, int] | None


def rank(claim: Encoded, asked: FloatArray, documents: Sequence[EncodedDocument], idf: Idf) -> Ranked:
    """All sentences, best first. `asked` (384,) is the embedding to rank by: the claim's, or that of the claim with its context."""
    scored: list[tuple[float, int, int]] = []
    nearest: tuple[float, int, int] | None = None
    for number, document in enumerate(documents):
        if document.sentences:
            cosines = document.vectors @ asked
            best = int(cosines.argmax())
            nearest = max(nearest or (-2.0, 0, 0), (float(cosines[best]), -number, best))
            scores = cosines + 0.5 * _coverages(claim, document, idf)
            scored.extend((float(score), number, n) for n, score in enumerate(scores))
    scored.sort(key=lambda one: (-one[0], one[1], one[2]))
    return Ranked(tuple((number, n) for _, number, n in scored), (-nearest[1], nearest[2]) if nearest else None)


def choices(ranked: Ranked, documents: Sequence[EncodedDocument]) -> list[list[Encoded]]:
    """Evidence to compare features with: the best sentences of each of the most promising documents, then of all together."""
    of_one: dict[int, list[int]] = {}
    for number, n in ranked.order:
        chosen = of_one.setdefault(number, [])
        if len(chosen) < SENTENCES_OF_ONE:
            chosen.append(n)
    alone = [[documents[number].sentences[n] for n in of_one[number]] for number in list(of_one)[:DOCUMENTS_ALONE]]
    together = [documents[number].sentences[n] for number, n in ranked.order[:SENTENCES_TOGETHER]]
    return [*alone, together]


def premise_words(claim: str) -> int:
    """How many words of evidence a claim gets."""
    return min(180, max(90, 60 + 3 * len(claim.split())))


def premise(ranked: Ranked, texts: Sequence[str], documents: Sequence[EncodedDocument], most_words: int) -> str:
    """The best sentences in reading order, whole, about `most_words` words of them and at least one."""
    chosen: list[tuple[int, int]] = []
    size = 0
    for number, n in ranked.order:
        span = documents[number].spans[n]
        words = len(texts[number][span.start : span.end].split())
        if chosen and size + words > 1.2 * most_words:
            continue
        chosen.append((number, n))
        size += words
        if size >= most_words:
            break
    pieces = [(number, documents[number].spans[n]) for number, n in sorted(chosen)]
    return " ".join(texts[number][span.start : span.end].strip() for number, span in pieces)


def _coverages(claim: Encoded, document: EncodedDocument, idf: Idf) -> FloatArray:
    weights = {one: idf.of(one) for one in claim.words.stems}
    total = sum(weights.values()) or 1.0
    rows = [sum(weights.get(one, 0.0) for one in set(sentence.words.stems)) / total for sentence in document.sentences]
    return np.array(rows, np.float32)
