"""Context precision by the judge: was each document useful, and are those first?"""

from __future__ import annotations

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs, Section, needing
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Told
from sidecar.evaluate.judged.documents import ByDocument
from sidecar.evaluate.metrics.context_precision import ContextPrecisionSettings, average_precision
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge
from sidecar.inference.judge.prompt import load

_FORMULA = "sum(precision at k x v_k) / sum(v_k), v_k = 1 where document k was useful to arrive at the "


class _Precision(ByDocument):
    """Average precision over verdicts of the documents in rank order."""

    subject = Subject.RETRIEVAL

    def shown(self, told: Told) -> dict[str, object]:
        """What goes with each document."""
        raise NotImplementedError

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError."""
        told = await self.told(case)
        found = await self.judged(case, told, self.shown(told))
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=average_precision(found.useful),
            explanation=found.reasons,
            model=self.model,
            documents=found.documents,
        )


class JudgedContextPrecision(_Precision):
    """Useful for the answer that was given, or, by the settings, helpful with the question."""

    method = "answer"
    needs = needing(Needs.QUESTION, Needs.ANSWER, Needs.CONTEXT)
    about = About(f"{_FORMULA}answer", "Ragas context precision without reference", Cost.JUDGE, "K")

    def __init__(self, settings: ContextPrecisionSettings, judge: Judge, models: ModelSource) -> None:
        by_question = settings.judge_method == "question"
        super().__init__(f"context_precision{SUFFIX}", judge, [load("helpful" if by_question else "useful")])
        if by_question:
            self.method = "question"
            self.needs = (Needs.QUESTION, Needs.CONTEXT)

    def shown(self, told: Told) -> dict[str, object]:
        """The question, and the answer where that is asked about."""
        asked: dict[str, object] = {"question": told.question}
        return asked if self.method == "question" else {**asked, "answer": told.answer}


class JudgedContextPrecisionReference(_Precision):
    """Useful for the right answer."""

    method = "reference"
    needs = (Needs.QUESTION, Needs.REFERENCE, Needs.CONTEXT)
    about = About(f"{_FORMULA}reference", "Ragas context precision with reference", Cost.JUDGE, "K")

    def __init__(self, settings: Section, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"context_precision_reference{SUFFIX}", judge, [load("useful")])

    def shown(self, told: Told) -> dict[str, object]:
        """The reference stands in the answer's place: the same prompt asks about it."""
        return {"question": told.question, "answer": told.reference}
