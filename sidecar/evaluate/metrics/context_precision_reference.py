"""Context precision by the reference: are the documents that lead to the right answer ranked first?"""

from __future__ import annotations

from pydantic import Field

from exporters.result import DocumentResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByGrounder, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case
from sidecar.evaluate.metrics.context_precision import average_precision
from sidecar.record.errors import Unscorable


class ContextPrecisionReferenceSettings(Thresholded):
    """The order of the documents, by the reference."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Support from which on a document counts as saying a claim of the reference; by default the grounding model's.",
    )


class ContextPrecisionReference(ByGrounder):
    """A document is useful where it supports a claim of the reference. Of the same document twice the better rank counts."""

    name = "context_precision_reference"
    version = "1"
    method = "reference_nli"
    subject = Subject.RETRIEVAL
    needs = (Needs.REFERENCE, Needs.CONTEXT)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "sum(precision at k x v_k) / sum(v_k), v_k = 1 where document k supports a claim of the reference",
        "Ragas context precision with reference",
        Cost.MODEL,
    )

    def __init__(self, settings: ContextPrecisionReferenceSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long."""
        if not case.reference_claims:
            raise Unscorable("no_claims")
        grounder = case.models.grounder
        threshold = self._threshold.of(case.trace.service, grounder.threshold)
        by_document = await case.reference_by_document()
        ranked = [(case.documents[one], max(by_document[one])) for one in case.ranked]
        documents = tuple(DocumentResult(d.rank, d.id, support, support >= threshold) for d, support in ranked)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=average_precision([one.relevant for one in documents]),
            model=grounder.identity,
            threshold=threshold,
            documents=documents,
        )
