"""Which sentences of the documents bear on a claim.

Sentences are ranked by their embedding's cosine to the claim plus half of the idf-weighted share of the claim's words that they hold.
The premise of a pair model is chosen for the claim as a whole: sentence after sentence, the one that adds most. A word of the claim
that is already held counts less, so that five sentences that say the same half do not crowd out the one that says the other.
Measured on wice_oracle_chunks and summac_human that is worth 0.08 and 0.02 of the cross-encoder's AUROC over taking the best ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidecar.inference.base import FloatArray
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.embedding.minilm import Encoded, EncodedDocument
from sidecar.inference.embedding.text import read_words, sentences

SENTENCES_OF_ONE = 4
DOCUMENTS_ALONE = 4
_NEARLY_ALL, _OF_NEARLY_ALL = 0.85, 6  # of a claim's idf; sentences
_LEAST_WORDS = 45  # of evidence
_HELD_ALREADY = 0.2  # what a word counts once it is held
_PER_COSINE = 2.0  # in idf
_NEXT_TO_CHOSEN = 0.15
_PER_WORD = 0.002
_CHARACTERS_A_WORD = 6


@dataclass(frozen=True, slots=True)
class Ranked:
    """Sentences as (document, sentence), best first, and the one that is nearest to the claim by itself, whatever was asked. For the premise, in
    reading order: `places`, `cosines` (sentences,), `held` (sentences, words of the claim) and `idf` (words of the claim,)."""

    order: tuple[tuple[int, int], ...]
    nearest: tuple[int, int] | None
    places: tuple[tuple[int, int], ...]
    cosines: FloatArray
    held: FloatArray
    idf: FloatArray

    @property
    def nearly_there(self) -> bool:
        """Whether one sentence holds nearly all that the claim says."""
        held = (self.held * self.idf).sum(axis=1)
        return bool(held.size and held.max() >= _NEARLY_ALL * self.idf.sum() > 0)


def rank(claim: Encoded, asked: FloatArray, documents: Sequence[EncodedDocument], idf: Idf) -> Ranked:
    """All sentences that were encoded, best first. `asked` (384,) is the embedding to rank by: the claim's, or that of the claim with its context."""
    places = tuple((number, n) for number, document in enumerate(documents) for n in document.sentences)
    stems = list(dict.fromkeys(claim.words.stems))
    weights = np.array([idf.of(one) for one in stems], np.float32)
    if not places:
        return Ranked((), None, (), np.zeros(0, np.float32), np.zeros((0, len(stems)), np.float32), weights)
    cosines = np.concatenate([document.vectors @ asked for document in documents if document.sentences])
    column = {one: n for n, one in enumerate(stems)}
    held = np.zeros((len(places), len(stems)), np.float32)
    for row, (number, n) in enumerate(places):
        held[row, [column[one] for one in documents[number].sentences[n].words.stems if one in column]] = 1
    # No matrix product: OpenBLAS now and then warns of padding that it reads and does not use (numpy/numpy#24067).
    shared = 0.5 * (held * weights).sum(axis=1) / (float(weights.sum()) or 1.0)
    order = np.argsort(-(cosines + shared), kind="stable")
    own = np.concatenate([document.vectors @ claim.vector for document in documents if document.sentences])
    nearest = places[int((own + shared).argmax())]
    return Ranked(tuple(places[n] for n in order), nearest, places, cosines, held, weights)


def nearly_there(claims: Sequence[str], texts: Sequence[str], idf: Idf) -> list[set[int]] | None:
    """The sentences of each text that a claim's evidence is chosen from where by words alone one holds nearly all that the claim says: no other needs to be
    searched by what it means, but for those with its figures. The same sentence of several texts is one. None where that is not so of every claim."""
    places: dict[str, list[tuple[int, int]]] = {}
    for number, text in enumerate(texts):
        for n, span in enumerate(sentences(text)):
            places.setdefault(text[span.start : span.end], []).append((number, n))
    read = ((read_words(sentence), where) for sentence, where in places.items())
    words = [(frozenset(one.stems), one.numbers, where) for one, where in read]
    found: list[set[int]] = [set() for _ in texts]
    for claim in claims:
        own = read_words(claim)
        weights = {stem: idf.of(stem) for stem in own.stems}
        held = [sum(weights[stem] for stem in weights.keys() & stems) for stems, _, _ in words]
        if not weights or max(held, default=0.0) < _NEARLY_ALL * sum(weights.values()):
            return None
        best = np.argsort(-np.array(held), kind="stable")[:_OF_NEARLY_ALL].tolist()
        for row, (_, numbers, where) in enumerate(words):
            if row in best or not own.numbers.isdisjoint(numbers):
                for number, n in where:
                    found[number].add(n)
    return found


def choices(ranked: Ranked, chosen: Sequence[int], documents: Sequence[EncodedDocument]) -> list[list[Encoded]]:
    """Evidence to compare features with: the best sentences of each of the most promising documents, then those chosen for the claim
    as a whole."""
    of_one: dict[int, list[int]] = {}
    for number, n in ranked.order:
        best = of_one.setdefault(number, [])
        if len(best) < SENTENCES_OF_ONE:
            best.append(n)
    alone = [[documents[number].sentences[n] for n in of_one[number]] for number in list(of_one)[:DOCUMENTS_ALONE]]
    together = [documents[number].sentences[n] for number, n in (ranked.places[row] for row in chosen)]
    return [*alone, together]


def premise_words(claim: str, *, nearly_there: bool = False) -> int:
    """How many words of evidence a claim gets, the least where one sentence holds nearly all of it. With half as many again answers are ranked no better
    (docs/models/embedded-tries.md)."""
    return _LEAST_WORDS if nearly_there else int(min(120, max(_LEAST_WORDS, 30 + 2.5 * len(claim.split()))))


def choose(ranked: Ranked, documents: Sequence[EncodedDocument], most_words: int) -> list[int]:
    """Rows of `ranked.places` in reading order: whole sentences, about `most_words` words of them, at least one if there is any."""
    spans = [documents[number].spans[n] for number, n in ranked.places]
    words = np.array([(span.end - span.start) / _CHARACTERS_A_WORD for span in spans])
    left = ranked.idf.astype(np.float64)
    likes = _PER_COSINE * ranked.cosines - _PER_WORD * words
    chosen: set[int] = set()
    size = 0.0
    while size < most_words and len(chosen) < len(spans):
        gains = ranked.held @ left + likes
        gains[list(_neighbours(chosen, ranked.places))] += _NEXT_TO_CHOSEN
        gains[list(chosen)] = -np.inf
        best = int(gains.argmax())
        if size > 0.6 * most_words and size + words[best] > 1.2 * most_words:
            break
        chosen.add(best)
        size += words[best]
        left = np.where(ranked.held[best] > 0, _HELD_ALREADY * left, left)
    return sorted(chosen)


def premise(ranked: Ranked, chosen: Sequence[int], texts: Sequence[str], documents: Sequence[EncodedDocument]) -> str:
    """The text of chosen sentences."""
    places = [ranked.places[row] for row in chosen]
    return " ".join(texts[number][_span(documents, number, n)].strip() for number, n in places)


def _span(documents: Sequence[EncodedDocument], number: int, n: int) -> slice:
    span = documents[number].spans[n]
    return slice(span.start, span.end)


def _neighbours(chosen: set[int], places: Sequence[tuple[int, int]]) -> set[int]:
    """The sentences beside those chosen, in the same document."""
    return {m for n in chosen for m in (n - 1, n + 1) if 0 <= m < len(places) and places[m][0] == places[n][0]}
