"""Groundedness by the judge: two independent ratings of 0, 1, 2 each."""

from __future__ import annotations

from exporters.result import Evaluation, Outcome, Subject, Verdict
from sidecar.evaluate.base import About, Cost, Needs, Threshold
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Rating
from sidecar.evaluate.metrics.groundedness import GroundednessSettings
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge


class JudgedGroundedness(Rating):
    """How far the documents support the whole answer, as NVIDIA's response groundedness; the question is read with it, since without it "yes"
    says nothing. `label` is the verdict: hallucinated below the threshold, by default 0.75, which takes one rating of 2 and no 0."""

    method = "ratings"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    decides = True
    about = About(
        "mean of two ratings (0 not, 1 partly, 2 fully supported) / 2",
        "NVIDIA response groundedness in Ragas",
        Cost.JUDGE,
        "2",
    )

    def __init__(self, settings: GroundednessSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"groundedness{SUFFIX}", judge, ("grounded_whole", "grounded_parts"))
        self._threshold = Threshold(settings.judge_threshold)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError."""
        told = await self.told(case)
        score, reasons = await self.rate({"documents": told.numbered, "question": told.question, "answer": told.answer})
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
