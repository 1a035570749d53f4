"""Context relevance by the judge: two ratings of all documents together, or a verdict on each."""

from __future__ import annotations

from dataclasses import replace

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Rating
from sidecar.evaluate.judged.documents import ByDocument
from sidecar.evaluate.metrics.context_relevance import ContextRelevanceSettings
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge


class JudgedContextRelevance(Rating, ByDocument):
    """How far the documents, together, help with the question, as NVIDIA's context relevance; or, by the settings, documents that help /
    documents, the same one twice counted once."""

    method = "ratings"
    subject = Subject.RETRIEVAL
    needs = (Needs.QUESTION, Needs.CONTEXT)
    about = About(
        "mean of two ratings (0 not, 1 partly, 2 fully relevant) / 2; or relevant documents / documents",
        "NVIDIA context relevance in Ragas",
        Cost.JUDGE,
        "2, or K",
    )

    def __init__(self, settings: ContextRelevanceSettings, judge: Judge, models: ModelSource) -> None:
        self.method = settings.judge_method
        prompts = ("helpful",) if settings.judge_method == "fraction" else ("relevant_whole", "relevant_parts")
        super().__init__(f"context_relevance{SUFFIX}", judge, prompts)

    @property
    def calls(self) -> str:
        """Those of the way that is set."""
        return "K" if self.method == "fraction" else "2"

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError."""
        told = await self.told(case)
        found = Evaluation(evaluator=self.name, outcome=Outcome.SCORED, model=self.model)
        if self.method == "fraction":
            said = await self.judged(case, told, {"question": told.question})
            score = sum(said.useful) / len(said.useful)
            return replace(found, score=score, explanation=said.reasons, documents=said.documents)
        score, reasons = await self.rate({"documents": told.numbered, "question": told.question})
        return replace(found, score=score, explanation=reasons)
