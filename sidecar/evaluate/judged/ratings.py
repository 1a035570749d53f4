"""Groundedness and context relevance by the judge: two independent ratings of 0, 1, 2 each."""

from __future__ import annotations

from exporters.result import Evaluation, Outcome, Subject, Verdict
from sidecar.evaluate.base import Needs, Threshold
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Rating
from sidecar.inference.judge.judge import Judge


class JudgedGroundedness(Rating):
    """How far the documents support the whole answer, as NVIDIA's response groundedness. `label` is the verdict: hallucinated below the threshold,
    by default 0.75, which takes one rating of 2 and no 0."""

    method = "ratings"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    decides = True

    def __init__(self, judge: Judge, threshold: Threshold) -> None:
        super().__init__(f"groundedness{SUFFIX}", judge, ("grounded_whole", "grounded_parts"))
        self._threshold = threshold

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError."""
        told = await self.told(case)
        score, reasons = await self.rate({"documents": told.numbered, "answer": told.answer})
        threshold = self._threshold.of(case.trace.service, 0.75)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=score,
            label=Verdict.GROUNDED if score >= threshold else Verdict.HALLUCINATED,
            explanation=reasons,
            model=self.model,
            threshold=threshold,
        )


class JudgedContextRelevance(Rating):
    """How far the documents, together, help with the question, as NVIDIA's context relevance."""

    method = "ratings"
    subject = Subject.RETRIEVAL
    needs = (Needs.QUESTION, Needs.CONTEXT)

    def __init__(self, judge: Judge) -> None:
        super().__init__(f"context_relevance{SUFFIX}", judge, ("relevant_whole", "relevant_parts"))

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError."""
        told = await self.told(case)
        score, reasons = await self.rate({"documents": told.numbered, "question": told.question})
        return Evaluation(
            evaluator=self.name, outcome=Outcome.SCORED, score=score, explanation=reasons, model=self.model
        )
