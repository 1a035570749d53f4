"""Faithfulness by the judge: it takes the answer apart into claims, and checks each against the documents."""

from __future__ import annotations

from exporters.result import ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.judged.claims import Checking, told_of
from sidecar.evaluate.metrics.faithfulness import faithfulness
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge


class JudgedFaithfulness(Checking):
    """Supported claims / claims (Es et al. 2024, arXiv:2309.15217). Only a claim that the documents say in full is supported."""

    method = "claims_llm"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    about = About(
        "claims of the answer that the documents support in full / claims of the answer",
        "Es et al. 2024, arXiv:2309.15217",
        Cost.JUDGE,
        "2",
    )

    def __init__(self, settings: Section, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"faithfulness{SUFFIX}", judge)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long; InferenceError."""
        told = await self.told(case)
        claims = await self.claims_of(told.question, told.answer)
        said = await self.check(told.documents, claims)
        supported = [one.verdict == "full" for one in said]
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=faithfulness(supported),
            explanation=told_of(said),
            model=self.model,
            claims=tuple(ClaimResult(text, float(well), well) for text, well in zip(claims, supported, strict=True)),
        )
