"""Answer coverage: how much of what was retrieved does the answer pass on? Off by default: low is normal where documents hold more than was asked for."""

from __future__ import annotations

from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByGrounder, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case
from sidecar.evaluate.text.abstain import stance_of
from sidecar.inference.base import Claim
from sidecar.record.errors import Unscorable

_MOST_POINTS = 300


class AnswerCoverageSettings(Thresholded):
    """The share of the documents that the answer passes on."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Support from which on the answer says a point; by default the grounding model's.",
    )


class AnswerCoverage(ByGrounder):
    """Claims of the documents that the answer supports / claims of the documents. Some call it recall, which elsewhere asks for a reference."""

    name = "answer_coverage"
    version = "2"
    method = "claims_nli"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "claims of the documents that the answer contains / claims of the documents",
        "reference-free recall",
        Cost.MODEL,
    )

    def __init__(self, settings: AnswerCoverageSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long. The points are the documents' own, which no result repeats."""
        points = _points(case)
        if not points:
            raise Unscorable("no_claims")
        if len(points) > _MOST_POINTS:
            raise Unscorable("too_long")
        grounder = case.models.grounder
        threshold = self._threshold.of(case.trace.service, grounder.threshold)
        covered = [one.probability >= threshold for one in await grounder.support(points, [case.answer])]
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=sum(covered) / len(covered),
            parts={"points": len(covered)},
            model=grounder.identity,
            threshold=threshold,
        )


def _points(case: Case) -> list[Claim]:
    texts = dict.fromkeys(claim.text for text in case.texts for claim in stance_of(text).claims)
    return [Claim(text) for text in texts]
