"""Context recall: how many of the reference's claims do the documents support?"""

from __future__ import annotations

from pydantic import Field

from exporters.result import ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByGrounder, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case
from sidecar.record.errors import Unscorable


class ContextRecallSettings(Thresholded):
    """The share of the reference that was retrieved."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Support from which on a claim of the reference counts as retrieved; by default the grounding model's.",
    )


def admit_retrieval(case: Case) -> None:
    """Raise Unscorable(no_context) where documents came without their texts; that nothing was found is a score."""
    if case.trace.documents and not case.documents:
        raise Unscorable("no_context")


class ContextRecall(ByGrounder):
    """Claims of the reference that the documents support / claims of the reference; 0 where nothing was retrieved."""

    name = "context_recall"
    version = "2"
    method = "claims_nli"
    subject = Subject.RETRIEVAL
    needs = (Needs.REFERENCE, Needs.RETRIEVAL)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "claims of the reference that the documents support / claims of the reference",
        "Ragas context recall",
        Cost.MODEL,
    )

    def __init__(self, settings: ContextRecallSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, no_context, too_long."""
        admit_retrieval(case)
        grounder = case.models.grounder
        if not case.reference_claims:
            raise Unscorable("no_claims")
        threshold = self._threshold.of(case.trace.service, grounder.threshold)
        supports = await case.reference_support()
        claims = tuple(
            ClaimResult(
                claim.text, one.probability, one.probability >= threshold, case.place(one.evidence), one.unsupported
            )
            for claim, one in zip(case.reference_claims, supports, strict=True)
        )
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=sum(claim.supported for claim in claims) / len(claims),
            model=grounder.identity,
            threshold=threshold,
            claims=claims,
        )
