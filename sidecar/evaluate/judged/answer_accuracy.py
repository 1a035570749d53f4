"""Answer accuracy by the judge: two independent ratings of answer against reference, 0, 2 or 4 each."""

from __future__ import annotations

import asyncio
from typing import Literal

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Judged, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import Rating
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge
from sidecar.inference.judge.reading import Reply


class AnswerAccuracySettings(Judged):
    """Whether answer and reference agree."""


class RatedOfFour(Reply):
    """A rating with its reason."""

    reason: str
    rating: Literal[0, 2, 4]


class AnswerAccuracy(Rating):
    """The second prompt is shown answer and reference in each other's place, so that neither is favoured by where it stands."""

    method = "ratings"
    subject = Subject.ANSWER
    needs = (Needs.QUESTION, Needs.ANSWER, Needs.REFERENCE)
    about = About(
        "mean of two ratings (0 wrong, 2 partly right, 4 right) / 4", "NVIDIA answer accuracy in Ragas", Cost.JUDGE, "2"
    )
    reply = RatedOfFour
    most = 4

    def __init__(self, settings: AnswerAccuracySettings, judge: Judge, models: ModelSource) -> None:
        super().__init__("answer_accuracy", judge, ("accurate", "accurate_swapped"))

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError."""
        told = await self.told(case)
        first, second = await asyncio.gather(
            self.rated(
                self.prompts[0], {"question": told.question, "answer": told.answer, "reference": told.reference}
            ),
            self.rated(self.prompts[1], {"question": told.question, "first": told.reference, "second": told.answer}),
        )
        score, reasons = self.scored(first, second)
        return Evaluation(
            evaluator=self.name, outcome=Outcome.SCORED, score=score, explanation=reasons, model=self.model
        )
