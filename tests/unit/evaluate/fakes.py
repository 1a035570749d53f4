"""Models that answer what a test tells them to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exporters.result import Evidence, ModelIdentity
from sidecar.inference.base import Claim, FloatArray, Models, Support
from sidecar.record.errors import InferenceError
from sidecar.record.request import Document, RagTrace

IDENTITY = ModelIdentity("fake", "1", "00" * 32)


@dataclass
class FakeEmbedder:
    """The same vector for every text."""

    identity: ModelIdentity = IDENTITY
    languages: frozenset[str] | None = None

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        return np.full((len(texts), 4), 0.5, np.float32)


@dataclass
class FakeGrounder:
    """Claims are supported where a document holds them; `by_claim` says otherwise. `error` is raised."""

    identity: ModelIdentity = IDENTITY
    threshold: float = 0.5
    answer_threshold: float = 0.5
    languages: frozenset[str] = frozenset({"en"})
    by_claim: dict[str, float] = field(default_factory=dict)
    whole: float = 0.8
    error: InferenceError | None = None

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        if self.error:
            raise self.error
        found = []
        for claim in claims:
            place = next(((n, text.find(claim.text)) for n, text in enumerate(documents) if claim.text in text), None)
            evidence = Evidence(place[0], place[1], place[1] + len(claim.text)) if place else None
            found.append(Support(self.by_claim.get(claim.text, 0.9 if place else 0.1), evidence))
        return found

    async def consistency(
        self, answer: str, claims: Sequence[Claim], supports: Sequence[Support], documents: Sequence[str]
    ) -> float:
        if self.error:
            raise self.error
        return self.whole


@dataclass
class FakeRelevance:
    """The probabilities that it was made with, over and over."""

    identity: ModelIdentity = IDENTITY
    document_threshold: float = 0.5
    answer_threshold: float = 0.5
    languages: frozenset[str] = frozenset({"en"})
    of_documents: tuple[float, ...] = (0.9,)
    of_answer: float = 0.9

    async def documents(self, question: str, documents: Sequence[str]) -> list[float]:
        return [self.of_documents[n % len(self.of_documents)] for n in range(len(documents))]

    async def answer(self, question: str, answer: str) -> float:
        return self.of_answer


def models(grounder: FakeGrounder | None = None, relevance: FakeRelevance | None = None) -> Models:
    """A set of fakes."""
    return Models(FakeEmbedder(), grounder or FakeGrounder(), relevance or FakeRelevance())


def request(
    *,
    question: str | None = "What is it?",
    answer: str | None = "It is blue.",
    documents: Sequence[str | None] = ("It is blue.",),
    text_dropped: bool = False,
    service: str = "kb",
    **more: Any,
) -> RagTrace:
    """A request."""
    return RagTrace(
        trace_id="01" * 16,
        service=service,
        convention="native",
        timestamp=0.0,
        question=question,
        answer=answer,
        documents=tuple(Document(rank, text, f"d{rank}") for rank, text in enumerate(documents, 1)),
        text_dropped=text_dropped,
        **more,
    )
