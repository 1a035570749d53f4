"""The embedded grounding model: do the documents say this?

A cross-encoder reads each claim beside the evidence selected for it; a calibrated logistic model combines its logit with word
overlap, token alignment, numbers and names (features.py), taking the best over each document's own evidence and the best sentences
of all documents together, so that neither one chunk's evidence is diluted nor evidence spread over two chunks lost.
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
from sidecar.inference.evidence import Ranked, choices, choose, premise, premise_words, rank
from sidecar.inference.features import FEATURES, features
from sidecar.inference.idf import Idf
from sidecar.inference.pairs import PairModel

CLAIM_FEATURES = (*FEATURES, "cross_encoder")
ANSWER_FEATURES = ("whole", "least", "mean", "many")
NOTHING_TO_READ = 0.001


@dataclass(frozen=True, slots=True)
class Heads:
    """The calibrated models: of a claim by its features alone, with the cross-encoder's logit, and of a whole answer."""

    lexical: Logistic
    claim: Logistic
    answer: Logistic
    claim_threshold: float
    answer_threshold: float


@dataclass(frozen=True, slots=True)
class Read:
    """A claim with its evidence: features (choices, len(FEATURES)), what the cross-encoder reads, and where the evidence is."""

    rows: FloatVector
    premise: str
    nearest: tuple[int, int] | None


class EmbeddedGrounder:
    """inference.base.Grounder."""

    languages = frozenset({"en"})

    def __init__(
        self, encoder: MiniLM, idf: Idf, cross_encoder: PairModel, *, heads: Heads, identity: ModelIdentity
    ) -> None:
        self.identity = identity
        self.threshold = heads.claim_threshold
        self.answer_threshold = heads.answer_threshold
        self._heads = heads
        self._encoder = encoder
        self._idf = idf
        self._cross_encoder = cross_encoder

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        """One Support a claim, in order."""
        read, encoded = await self.read(claims, documents)
        found = [n for n, one in enumerate(read) if one.nearest]
        logits = await self._cross_encoder.score([(read[n].premise, claims[n].text) for n in found])
        supports = [Support(NOTHING_TO_READ, None)] * len(claims)
        for n, value in zip(found, logits, strict=True):
            probability = float(self._heads.claim.probability(with_logit(read[n].rows, value)).max())
            supports[n] = Support(probability, place(read[n].nearest, encoded))
        return supports

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        """Probability that the whole answer is consistent with the documents."""
        [whole], _ = await self.read([Claim(answer)], documents)
        if whole.nearest is None:
            return NOTHING_TO_READ
        lexical = float(self._heads.lexical.probability(whole.rows).max())
        return float(self._heads.answer.probability(answer_row(lexical, [s.probability for s in supports]))[0])

    async def read(self, claims: Sequence[Claim], documents: Sequence[str]) -> tuple[list[Read], list[EncodedDocument]]:
        """Evidence and features of each claim. Training reads the same."""
        encoded_claims, asked, encoded = await encode(self._encoder, claims, documents)

        def work() -> list[Read]:
            rows = []
            for claim, own, vector in zip(claims, encoded_claims, asked, strict=True):
                ranked = rank(own, vector, encoded, self._idf)
                rows.append(self._read(claim, own, ranked, documents, encoded))
            return rows

        return await asyncio.to_thread(work), encoded

    def _read(
        self, claim: Claim, own: Encoded, ranked: Ranked, texts: Sequence[str], documents: Sequence[EncodedDocument]
    ) -> Read:
        if ranked.nearest is None:
            return Read(np.zeros((0, len(FEATURES))), "", None)
        chosen = choose(ranked, documents, premise_words(claim.text))
        rows = np.stack([features(own, evidence, self._idf) for evidence in choices(ranked, chosen, documents)])
        return Read(rows, premise(ranked, chosen, texts, documents), ranked.nearest)


async def encode(
    encoder: MiniLM, claims: Sequence[Claim], documents: Sequence[str]
) -> tuple[list[Encoded], list[FloatArray], list[EncodedDocument]]:
    """The claims, the vectors to rank evidence by (a claim's with its context, where it has one), and the documents."""
    in_context = {n: f"{claim.context} {claim.text}" for n, claim in enumerate(claims) if claim.context}
    texts = [*(claim.text for claim in claims), *in_context.values()]
    encoded, read = await asyncio.gather(encoder.encode(texts), encoder.documents(documents))
    vectors = [one.vector for one in encoded[: len(claims)]]
    for n, one in zip(in_context, encoded[len(claims) :], strict=True):
        vectors[n] = one.vector
    return encoded[: len(claims)], vectors, read


def with_logit(rows: FloatVector, value: float) -> FloatVector:
    """Features (choices, len(FEATURES)) with the cross-encoder's logit as the last column."""
    return np.concatenate([rows, np.full((len(rows), 1), value)], axis=1)


def answer_row(lexical: float, claims: Sequence[float]) -> FloatVector:
    """Features of an answer (1, 4): the lexical support of the whole, the least and the mean support of its claims, how many."""
    parts = [logit(p) for p in claims] or [logit(lexical)]
    return np.array([[logit(lexical), min(parts), sum(parts) / len(parts), np.log1p(len(parts))]], np.float64)


def place(nearest: tuple[int, int] | None, documents: Sequence[EncodedDocument]) -> Evidence | None:
    """The nearest sentence as evidence."""
    if nearest is None:
        return None
    span = documents[nearest[0]].spans[nearest[1]]
    return Evidence(nearest[0], span.start, span.end)
