"""Answer coverage by the judge: it lists the points of the documents, and looks for each in the answer."""

from __future__ import annotations

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.judged.claims import Checking, several, told_of
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply


class Points(Reply):
    """What documents mainly say."""

    points: list[str]


class JudgedAnswerCoverage(Checking):
    """Points of the documents that the answer says in full / points of the documents."""

    method = "points_llm"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    about = About(
        "points of the documents that the answer contains / points of the documents",
        "reference-free recall",
        Cost.JUDGE,
        "2",
    )

    def __init__(self, settings: Section, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"answer_coverage{SUFFIX}", judge, [load("points")])

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long; InferenceError."""
        told = await self.told(case)
        said = await self.judge.ask(Question(self.name, self.prompts[2], {"documents": told.numbered}, Points))
        points = several(said.points, "no_claims")
        checked = await self.check([told.answer], points)
        covered = sum(one.verdict == "full" for one in checked)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=covered / len(points),
            parts={"points": len(points)},
            explanation=told_of(checked),
            model=self.model,
        )
