"""Context relevance: how much of what was retrieved helps with the question?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from exporters.result import DocumentResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByRelevance, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case


def expected_share(probabilities: Sequence[float]) -> float:
    """The expected share of relevant documents: the mean of their probabilities. Where these are 0 or 1 it is relevant
    documents / documents, as in the literature: 1 relevant of 2 is 0.5. See docs/adr/0005."""
    return sum(probabilities) / len(probabilities)


class ContextRelevanceSettings(Thresholded):
    """The share of relevant documents."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Probability from which on a document is marked as relevant; by default the relevance model's.",
    )
    judge_method: Literal["ratings", "fraction"] = Field(
        default="ratings",
        description="How the judge scores: two ratings of all documents together, or relevant documents / documents, a question each.",
    )


class ContextRelevance(ByRelevance):
    """Each document's calibrated probability to help with the question; a document is relevant at the model's threshold. The same
    one twice is counted once, as by the judge."""

    name = "context_relevance"
    version = "2"
    method = "expected_fraction"
    subject = Subject.RETRIEVAL
    needs = (Needs.QUESTION, Needs.CONTEXT)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "expected share of documents that help with the question", "RAG triad (TruLens); docs/adr/0005", Cost.MODEL
    )

    def __init__(self, settings: ContextRelevanceSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises nothing of its own."""
        model = case.models.relevance
        threshold = self._threshold.of(case.trace.service, model.document_threshold)
        probabilities = await case.relevance()
        found = [(case.documents[one], probabilities[one]) for one in case.ranked]
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=expected_share([p for _, p in found]),
            model=model.identity,
            threshold=threshold,
            documents=tuple(DocumentResult(document.rank, document.id, p, p >= threshold) for document, p in found),
        )
