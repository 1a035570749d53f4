"""Context precision: are the useful documents ranked first?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from exporters.result import DocumentResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByRelevance, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case


def average_precision(useful: Sequence[bool]) -> float:
    """Mean over the useful documents of the precision at their rank; 0 where none is useful.

    Average precision of information retrieval, as Ragas' context precision applies it: [1,0,1,0,1] is 0.7556.
    """
    found = 0
    total = 0.0
    for rank, one in enumerate(useful, 1):
        if one:
            found += 1
            total += found / rank
    return total / found if found else 0.0


class ContextPrecisionSettings(Thresholded):
    """The order of the documents."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Probability from which on a document counts as useful; by default the relevance model's.",
    )
    judge_method: Literal["answer", "question"] = Field(
        default="answer",
        description="What the judge is asked of a document: whether it was useful for the answer, or whether it helps with the question.",
    )


class ContextPrecision(ByRelevance):
    """A document is useful where it is relevant to the question at the model's threshold. The order is the retriever's; of the same
    document twice the better rank counts."""

    name = "context_precision"
    version = "2"
    method = "question"
    subject = Subject.RETRIEVAL
    needs = (Needs.QUESTION, Needs.CONTEXT)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "sum(precision at k x v_k) / sum(v_k), v_k = 1 where document k is relevant to the question",
        "Ragas context precision",
        Cost.MODEL,
    )

    def __init__(self, settings: ContextPrecisionSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises nothing of its own."""
        model = case.models.relevance
        threshold = self._threshold.of(case.trace.service, model.document_threshold)
        probabilities = await case.relevance()
        ranked = [(case.documents[one], probabilities[one]) for one in case.ranked]
        documents = tuple(DocumentResult(d.rank, d.id, p, p >= threshold) for d, p in ranked)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=average_precision([document.relevant for document in documents]),
            model=model.identity,
            threshold=threshold,
            documents=documents,
        )
