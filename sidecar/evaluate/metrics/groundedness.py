"""Groundedness: is the whole answer consistent with the documents? It decides the verdict."""

from __future__ import annotations

from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByGrounder, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case
from sidecar.evaluate.verdict import label_of
from sidecar.record.errors import Unscorable


class GroundednessSettings(Thresholded):
    """The verdict."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Score from which on an answer is grounded; by default the grounding model's.",
    )
    judge_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="The same of the judge's score, which is 0, 0.25, 0.5, 0.75 or 1; by default 0.75.",
    )


class Groundedness(ByGrounder):
    """The grounding model's calibrated probability that everything in the answer is in the documents (the question that
    Vectara's HHEM answers). `label` is the verdict, which the claims must bear out."""

    name = "groundedness"
    version = "23"
    method = "consistency"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    decides = True
    lane = Lane.LOCAL
    about = About("probability that the documents support the whole answer", "Vectara HHEM", Cost.MODEL)

    def __init__(self, settings: GroundednessSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service
        self._claims = dependencies.claims

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long."""
        grounder = case.models.grounder
        if not case.claims:
            raise Unscorable("no_claims")
        score = await case.consistency()
        threshold = self._threshold.of(case.trace.service, grounder.answer_threshold)
        supported_from = self._claims.of(case.trace.service, grounder.threshold, grounder.answer_threshold)
        supported = [one.probability >= supported_from for one in await case.support()]
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=score,
            label=label_of(score, threshold, supported),
            model=grounder.identity,
            abstention_model=case.decided_by,
            threshold=threshold,
        )
