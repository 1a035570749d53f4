"""Noise robustness: how seldom do wrong claims of the answer come from the documents? 1 - noise sensitivity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from exporters.result import ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByGrounder, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case
from sidecar.record.errors import Unscorable

Mode = Literal["relevant", "irrelevant"]
SOURCE = "noise sensitivity of RAGChecker (arXiv:2408.08067)"
FORMULAS = {
    "relevant": "1 - claims of the answer that are wrong and that a relevant document supports / claims of the answer",
    "irrelevant": "1 - claims that are wrong and that an irrelevant document supports and no relevant one / claims of the answer",
}


def noisy(
    in_reference: Sequence[bool], relevant: Sequence[bool], said: Sequence[Sequence[bool]], mode: Mode
) -> list[bool]:
    """Which claims of the answer are noise.

    in_reference  of each claim, whether the reference supports it; else it is wrong
    relevant      of each document, whether it supports a claim of the reference
    said          of each document, which claims of the answer it supports

    A wrong claim that no document says is plain hallucination and no noise of either mode (RAGChecker; shorter forms leave that out).
    """
    found = []
    for claim, right in enumerate(in_reference):
        kinds = {fits for fits, row in zip(relevant, said, strict=True) if row[claim]}
        found.append(not right and (True in kinds if mode == "relevant" else kinds == {False}))
    return found


class NoiseRobustnessSettings(Thresholded):
    """Whether wrong claims come from the documents."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Support from which on a text says a claim; by default the grounding model's.",
    )


class NoiseRobustness(ByGrounder):
    """Wrong is what the reference does not support; a document is relevant where it supports a claim of the reference."""

    name = "noise_robustness"
    mode: Mode = "relevant"
    version = "2"
    method = "relevant_nli"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.REFERENCE, Needs.CONTEXT)
    decides = False
    lane = Lane.LOCAL
    about = About(FORMULAS["relevant"], SOURCE, Cost.MODEL)

    def __init__(self, settings: NoiseRobustnessSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long."""
        if not case.claims or not case.reference_claims:
            raise Unscorable("no_claims")
        grounder = case.models.grounder
        threshold = self._threshold.of(case.trace.service, grounder.threshold)
        against = await case.answer_against_reference()
        relevant = [max(row) >= threshold for row in await case.reference_by_document()]
        said = [[one >= threshold for one in row] for row in await case.answer_by_document()]
        noise = noisy([one >= threshold for one in against], relevant, said, self.mode)
        claims = tuple(
            ClaimResult(claim.text, support, support >= threshold, start=claim.start, end=claim.end)
            for claim, support in zip(case.claims, against, strict=True)
        )
        sensitivity = sum(noise) / len(noise)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=1 - sensitivity,
            parts={"noise_sensitivity": sensitivity},
            model=grounder.identity,
            abstention_model=case.decided_by,
            threshold=threshold,
            claims=claims,
        )


class NoiseRobustnessIrrelevant(NoiseRobustness):
    """The same of irrelevant documents."""

    name = "noise_robustness_irrelevant"
    mode: Mode = "irrelevant"
    method = "irrelevant_nli"
    about = About(FORMULAS["irrelevant"], SOURCE, Cost.MODEL)
