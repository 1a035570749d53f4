"""Answer relevancy: does the answer address the question?"""

from __future__ import annotations

from exporters.result import Evaluation, Outcome
from sidecar.evaluate.base import Needs
from sidecar.evaluate.case import Case


def answer_relevancy(similarity: float, *, noncommittal: bool) -> float:
    """similarity x (1 - noncommittal), 0..1, as in Ragas: 0.9 for a similarity of 0.9, 0 for an answer that declines."""
    return similarity * (1 - noncommittal)


class AnswerRelevancy:
    """Calibrated probability that the answer addresses the question, whatever its truth; 0 for an answer that declines."""

    name = "answer_relevancy"
    needs = (Needs.QUESTION, Needs.ANSWER)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: language."""
        model = case.models.relevance
        case.require_language(model.languages, case.question, case.answer)
        noncommittal = case.abstained
        similarity = 0.0 if noncommittal else await model.answer(case.question, case.answer)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=answer_relevancy(similarity, noncommittal=noncommittal),
            label="noncommittal" if noncommittal else None,
            model=model.identity,
            threshold=model.answer_threshold,
        )
