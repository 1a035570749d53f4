"""The embedded grounding model: do the documents say this?

Evidence for a claim is selected among the sentences of the documents; support is the best over each document's own evidence
and the best sentences of all documents together, so that neither one chunk's evidence is diluted nor evidence spread over two
chunks lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exporters.result import Evidence, ModelIdentity
from sidecar.inference.base import Claim, FloatArray, Support
from sidecar.inference.calibrated import FloatVector, Logistic, logit
from sidecar.inference.embed import Encoded, EncodedDocument, MiniLM
from sidecar.inference.features import features
from sidecar.inference.idf import Idf

SENTENCES_OF_ONE = 4
SENTENCES_TOGETHER = 6
DOCUMENTS_ALONE = 4
ANSWER_FEATURES = ("whole", "least", "mean", "many")


@dataclass(frozen=True, slots=True)
class _Found:
    """The probability of a claim and the sentence (document, index in it) that is most like it."""

    probability: float
    document: int
    sentence: int


class FeatureGrounder:
    """inference.base.Grounder by calibrated logistic models over the features of features.py."""

    languages = frozenset({"en"})

    def __init__(
        self,
        encoder: MiniLM,
        idf: Idf,
        *,
        claim_model: Logistic,
        answer_model: Logistic,
        identity: ModelIdentity,
        threshold: float,
        answer_threshold: float,
    ) -> None:
        self.identity = identity
        self.threshold = threshold
        self.answer_threshold = answer_threshold
        self._encoder = encoder
        self._idf = idf
        self._claim_model = claim_model
        self._answer_model = answer_model

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        """One Support a claim, in order."""
        encoded_claims, encoded = await self._encode(claims, documents)
        found = await asyncio.to_thread(lambda: [self._support(claim, encoded) for claim in encoded_claims])
        return [_support(one, encoded) for one in found]

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        """Probability that the whole answer is consistent with the documents."""
        [whole], encoded = await self._encode([Claim(answer)], documents)
        probability = (await asyncio.to_thread(self._support, whole, encoded)).probability
        parts = [s.probability for c, s in zip(claims, supports, strict=True) if c.text.strip() != answer.strip()]
        return float(self._answer_model.probability(self.answer_row([probability, *parts]))[0])

    def claim_features(self, claim: Encoded, documents: Sequence[EncodedDocument]) -> FloatVector:
        """Features of a claim against each choice of evidence: (choices, features). Training reads the same."""
        sets = _evidence(claim, documents, self._idf)
        return np.stack([features(claim, chosen, self._idf) for chosen in sets])

    def answer_row(self, probabilities: Sequence[float]) -> FloatVector:
        """Features of an answer out of the probabilities of the whole and of each of its claims: (1, 4)."""
        logits = [logit(p) for p in probabilities]
        parts = logits[1:] or logits
        return np.array([[logits[0], min(parts), sum(parts) / len(parts), np.log1p(len(parts))]], np.float64)

    async def _encode(
        self, claims: Sequence[Claim], documents: Sequence[str]
    ) -> tuple[list[Encoded], list[EncodedDocument]]:
        texts = [claim.text for claim in claims]
        encoded_claims, encoded = await asyncio.gather(self._encoder.encode(texts), self._encoder.documents(documents))
        return encoded_claims, encoded

    def _support(self, claim: Encoded, documents: Sequence[EncodedDocument]) -> _Found:
        if not any(document.sentences for document in documents):
            return _Found(0.001, -1, -1)
        probability = float(self._claim_model.probability(self.claim_features(claim, documents)).max())
        best = max(
            (
                (float(sims.max()), n, int(sims.argmax()))
                for n, d in enumerate(documents)
                if len(sims := d.vectors @ claim.vector)
            ),
        )
        return _Found(probability, best[1], best[2])


def _support(found: _Found, documents: Sequence[EncodedDocument]) -> Support:
    if found.document < 0:
        return Support(found.probability, None)
    span = documents[found.document].spans[found.sentence]
    return Support(found.probability, Evidence(found.document, span.start, span.end))


def _evidence(claim: Encoded, documents: Sequence[EncodedDocument], idf: Idf) -> list[list[Encoded]]:
    """Choices of evidence: the best sentences of each of the most promising documents, then the best of all together."""
    ranked: list[tuple[float, int, int]] = []
    for number, document in enumerate(documents):
        if document.sentences:
            scores = document.vectors @ claim.vector + 0.5 * _coverages(claim, document, idf)
            ranked.extend((float(score), number, n) for n, score in enumerate(scores))
    ranked.sort(reverse=True)
    of_one: dict[int, list[int]] = {}
    for _, number, n in ranked:
        chosen = of_one.setdefault(number, [])
        if len(chosen) < SENTENCES_OF_ONE:
            chosen.append(n)
    best_documents = list(of_one)[:DOCUMENTS_ALONE]
    choices = [[documents[number].sentences[n] for n in of_one[number]] for number in best_documents]
    together = [documents[number].sentences[n] for _, number, n in ranked[:SENTENCES_TOGETHER]]
    return [*choices, together]


def _coverages(claim: Encoded, document: EncodedDocument, idf: Idf) -> FloatArray:
    weights = {one: idf.of(one) for one in claim.words.stems}
    total = sum(weights.values()) or 1.0
    rows = [sum(weights.get(one, 0.0) for one in set(sentence.words.stems)) / total for sentence in document.sentences]
    return np.array(rows, np.float32)
