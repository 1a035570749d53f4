"""Groundedness: is the whole answer consistent with the documents? It decides the verdict."""

from __future__ import annotations

from exporters.result import Evaluation, Outcome, Verdict
from sidecar.evaluate.base import Needs
from sidecar.evaluate.case import Case
from sidecar.record.errors import Unscorable


class Groundedness:
    """The grounding model's calibrated probability that everything in the answer is in the documents (the question that
    Vectara's HHEM answers). `label` is the verdict: grounded at or above the model's threshold, else hallucinated."""

    name = "groundedness"
    needs = (Needs.ANSWER, Needs.CONTEXT)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: language, no_claims."""
        grounder = case.models.grounder
        case.require_language(grounder.languages, case.answer, *case.texts)
        if not case.claims:
            raise Unscorable("no_claims")
        score = await case.consistency()
        verdict = Verdict.GROUNDED if score >= grounder.answer_threshold else Verdict.HALLUCINATED
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=score,
            label=verdict,
            model=grounder.identity,
            threshold=grounder.answer_threshold,
        )
