"""Context recall by the judge: it takes the reference apart into claims, and checks each against the documents."""

from __future__ import annotations

from exporters.result import ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.judged.claims import Checking, told_of
from sidecar.evaluate.metrics.context_recall import admit_retrieval
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge


class JudgedContextRecall(Checking):
    """Claims of the reference that the documents say in full / claims of the reference; 0 where nothing was retrieved."""

    method = "claims_llm"
    subject = Subject.RETRIEVAL
    needs = (Needs.REFERENCE, Needs.RETRIEVAL)
    about = About(
        "claims of the reference that the documents support in full / claims of the reference",
        "Ragas context recall",
        Cost.JUDGE,
        "2",
    )

    def __init__(self, settings: Section, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"context_recall{SUFFIX}", judge)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, no_context, too_long; InferenceError."""
        admit_retrieval(case)
        told = await self.told(case)
        claims = await self.claims_of(told.question, told.reference)
        said = await self.check(told.documents, claims) if told.documents else []
        supported = [one.verdict == "full" for one in said] or [False] * len(claims)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=sum(supported) / len(supported),
            explanation=told_of(said) or None,
            model=self.model,
            claims=tuple(ClaimResult(text, float(well), well) for text, well in zip(claims, supported, strict=True)),
        )
