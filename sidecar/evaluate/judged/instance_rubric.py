"""A rubric that the case brings: its author describes each score, and the judge chooses."""

from __future__ import annotations

from dataclasses import replace

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Judged, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import Asking
from sidecar.evaluate.judged.own import normalised, scored_reply
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import load


class InstanceRubricSettings(Judged):
    """By a rubric of the case's own."""


class InstanceRubric(Asking):
    """(score - least) / (most - least). The rubric is data: what a case says never becomes an instruction."""

    method = "rubric"
    subject = Subject.ANSWER
    needs = (Needs.QUESTION, Needs.ANSWER, Needs.RUBRIC)
    about = About(
        "(score - least) / (most - least) by the rubric that the case brings", "Ragas InstanceRubrics", Cost.JUDGE, "1"
    )

    def __init__(self, settings: InstanceRubricSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__("instance_rubric", judge, [load("instance_rubric")])

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError: judge_invalid, off the scale too."""
        told = await self.told(case)
        levels = case.authored.rubric or {}
        numbers = tuple(sorted(levels))
        descriptions = await self.judge.told([("reference", levels[number]) for number in numbers])
        rubric = [{"score": n, "description": text} for n, text in zip(numbers, descriptions, strict=True)]
        data = {
            "rubric": rubric,
            "question": told.question,
            "documents": told.numbered,
            "reference": told.reference or None,
            "answer": told.answer,
        }
        said = await self.judge.ask(Question(self.name, self.prompts[0], data, scored_reply(numbers)))
        score = int(getattr(said, "score"))  # noqa: B009 - a field of the model that was made for the scale
        found = Evaluation(evaluator=self.name, outcome=Outcome.SCORED, model=self.model, label=str(score))
        reason = str(getattr(said, "reason"))  # noqa: B009 - the same
        return replace(found, score=normalised(score, numbers), parts={"raw": score}, explanation=reason)
