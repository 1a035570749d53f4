"""Models that answer what a test tells them to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from exporters.result import Evidence, ModelIdentity
from sidecar.decode.values.conversation import conversation, tool_calls
from sidecar.inference.base import Claim, FloatArray, Models, Support
from sidecar.record.authored import Authored
from sidecar.record.errors import InferenceError
from sidecar.record.request import Document, RagTrace

IDENTITY = ModelIdentity("fake", "1", "00" * 32)


@dataclass
class FakeEmbedder:
    """Every text but the first of a call at the same cosine to the first."""

    identity: ModelIdentity = IDENTITY
    languages: frozenset[str] | None = None
    cosine: float = 1.0

    async def embed(self, texts: Sequence[str]) -> FloatArray:
        others = [(self.cosine, (1 - self.cosine**2) ** 0.5)] * (len(texts) - 1)
        return np.array([(1.0, 0.0), *others], np.float32)


@dataclass
class FakeGrounder:
    """Claims are supported where a document holds them, as surely as `doubt` lets them; `by_claim` says otherwise. `error` is raised."""

    identity: ModelIdentity = IDENTITY
    threshold: float = 0.5
    answer_threshold: float = 0.5
    languages: frozenset[str] = frozenset({"en"})
    by_claim: dict[str, float] = field(default_factory=dict)
    whole: float = 0.8
    doubt: float = 0.1
    error: InferenceError | None = None

    async def support(self, claims: Sequence[Claim], documents: Sequence[str]) -> list[Support]:
        if self.error:
            raise self.error
        found = []
        for claim in claims:
            place = next(((n, text.find(claim.text)) for n, text in enumerate(documents) if claim.text in text), None)
            evidence = Evidence(place[0], place[1], place[1] + len(claim.text)) if place else None
            found.append(Support(self.by_claim.get(claim.text, 1 - self.doubt if place else self.doubt), evidence))
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


def models(
    grounder: FakeGrounder | None = None, relevance: FakeRelevance | None = None, embedder: FakeEmbedder | None = None
) -> Models:
    """A set of fakes."""
    return Models(embedder or FakeEmbedder(), grounder or FakeGrounder(), relevance or FakeRelevance())


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


def case_of(case: dict[str, Any]) -> RagTrace:
    """The request of a worked example: what it leaves out is that of `request`."""
    given: dict[str, Any] = {
        name: case[name] for name in ("question", "answer", "documents", "reference", "retrieved") if name in case
    }
    names = {
        "reference_contexts": "contexts",
        "reference_context_ids": "context_ids",
        "reference_topics": "topics",
    }
    lists: dict[str, Any] = {own: tuple(case[name]) for name, own in names.items() if name in case}
    calls: dict[str, Any] = (
        {"tool_calls": tool_calls(case["reference_tool_calls"])} if "reference_tool_calls" in case else {}
    )
    rubric: dict[str, Any] = (
        {"rubric": {int(key): text for key, text in case["rubric"].items()}} if "rubric" in case else {}
    )
    made = request(
        **given,
        authored=Authored(**lists, **calls, **rubric) if lists or calls or rubric else None,
        messages=conversation(case.get("messages", [])),
    )
    if "document_ids" not in case:
        return made
    ids = enumerate(case["document_ids"], 1)
    return replace(made, documents=tuple(Document(rank, f"text {one}", one) for rank, one in ids))
