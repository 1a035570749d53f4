"""Faithfulness: how many of the answer's claims do the documents support?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from exporters.result import ClaimLabel, ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByGrounder, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case
from sidecar.inference.base import Support
from sidecar.record.errors import Unscorable

_CONTRADICTED = 0.5
_NO_DOUBT = (
    0.02  # beyond, a claim is as good as said: an answer that copies its documents has 1, and passes a gate at 1
)


def faithfulness(supported: Sequence[bool]) -> float:
    """Supported claims / claims, 0..1, as in Ragas (Es et al. 2024, arXiv:2309.15217). 2 of 3 is 0.67."""
    return sum(supported) / len(supported)


def expected_faithfulness(supports: Sequence[float], threshold: float) -> float:
    """Expected share of supported claims, 0..1: each claim counts by how surely it is supported, by half where it stands at the threshold.

    Where nothing is in doubt this is the share of Es et al. 2024 itself; doubt counts in part, so that answers of a claim or two can be told apart.
    """
    return sum(_counted(support, threshold) for support in supports) / len(supports)


def _counted(support: float, threshold: float) -> float:
    """The support with its odds divided by those of the threshold; whole or not at all where these leave no doubt."""
    if threshold in (0, 1):
        return float(support >= threshold)
    supported, unsupported = support * (1 - threshold), (1 - support) * threshold
    share = supported / (supported + unsupported)
    return min(1.0, max(0.0, (share - _NO_DOUBT) / (1 - 2 * _NO_DOUBT)))


def label_of_claim(support: Support, threshold: float) -> ClaimLabel | None:
    """Supported, contradicted or not said; None where the model does not tell the last two apart."""
    if support.probability >= threshold:
        return ClaimLabel.SUPPORTED
    if support.conflicts:
        return ClaimLabel.CONTRADICTED
    if support.contradicted is None:
        return None
    return ClaimLabel.CONTRADICTED if support.contradicted >= _CONTRADICTED else ClaimLabel.NOT_SAID


class FaithfulnessSettings(Thresholded):
    """The expected share of supported claims."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Support from which on a claim counts as supported, here and in the verdict; by default the grounding model's, moved as `groundedness.threshold` is.",
    )


class Faithfulness(ByGrounder):
    """Claims are the statements of the answer, clause by clause; each is checked against evidence selected for it."""

    name = "faithfulness"
    version = "22"
    method = "claims_nli"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "claims of the answer that the documents support, each as surely as it is / claims of the answer",
        "Es et al. 2024, arXiv:2309.15217",
        Cost.MODEL,
    )

    def __init__(self, settings: FaithfulnessSettings, dependencies: Dependencies) -> None:
        self._threshold = dependencies.claims

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long."""
        grounder = case.models.grounder
        if not case.claims:
            raise Unscorable("no_claims")
        threshold = self._threshold.of(case.trace.service, grounder.threshold, grounder.answer_threshold)
        supports = await case.support()
        claims = tuple(
            ClaimResult(
                text=claim.text,
                support=support.probability,
                supported=support.probability >= threshold,
                evidence=case.place(support.evidence),
                start=claim.start,
                end=claim.end,
                unsupported=support.unsupported,
                conflicts=case.placed(support.conflicts),
                label=label_of_claim(support, threshold),
            )
            for claim, support in zip(case.claims, supports, strict=True)
        )
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=expected_faithfulness([claim.support for claim in claims], threshold),
            model=grounder.identity,
            abstention_model=case.decided_by,
            threshold=threshold,
            claims=claims,
        )
