"""Answer relevancy: does the answer address the question?"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByRelevance, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case


def answer_relevancy(similarity: float, *, noncommittal: bool) -> float:
    """similarity x (1 - noncommittal), 0..1, as in Ragas: 0.9 for a similarity of 0.9, 0 for an answer that declines."""
    return similarity * (1 - noncommittal)


class AnswerRelevancySettings(Thresholded):
    """Whether the answer is to the question."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="The threshold that is reported with the score; by default the relevance model's.",
    )
    judge_method: Literal["questions", "rating"] = Field(
        default="questions",
        description="How the judge scores: by questions that the answer answers, or by one rating from 1 to 5.",
    )


class AnswerRelevancy(ByRelevance):
    """Calibrated probability that the answer addresses the question, whatever its truth; 0 for an answer that declines."""

    name = "answer_relevancy"
    version = "3"
    method = "similarity"
    subject = Subject.ANSWER
    needs = (Needs.QUESTION, Needs.ANSWER)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "calibrated similarity of answer and question x (1 - noncommittal)",
        "Es et al. 2024, arXiv:2309.15217",
        Cost.MODEL,
    )

    def __init__(self, settings: AnswerRelevancySettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises nothing of its own."""
        model = case.models.relevance
        noncommittal = case.abstained
        similarity = 0.0 if noncommittal else await model.answer(case.question, case.answer)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=answer_relevancy(similarity, noncommittal=noncommittal),
            label="noncommittal" if noncommittal else None,
            model=model.identity,
            abstention_model=case.decided_by if noncommittal else None,
            threshold=self._threshold.of(case.trace.service, model.answer_threshold),
        )
