"""Answer correctness: does the answer say what the reference says, no more and no less?"""

from __future__ import annotations

from pydantic import Field

from exporters.result import ClaimResult, Evaluation, ModelIdentity, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Dependencies, Lane, Needs, Probability, Settings, Thresholded
from sidecar.evaluate.case import Case
from sidecar.evaluate.metrics.semantic_similarity import cosine_to_reference
from sidecar.record.errors import Unscorable

FORMULA = "0.75 x F1 of claims in common + 0.25 x cosine of answer and reference; F1 = TP / (TP + (FP + FN) / 2)"
SOURCE = "Ragas answer correctness"


class AnswerCorrectnessSettings(Thresholded):
    """Whether answer and reference say the same."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Support from which on one says a claim of the other; by default the grounding model's.",
    )
    weight: Probability = Field(
        default=0.75,
        description="Weight of the claims; the rest is that of the cosine. Other weights are another method.",
    )


def f1(right: int, wrong: int, missed: int) -> float:
    """TP / (TP + (FP + FN) / 2), 0..1. Raises Unscorable(no_claims) where neither side has a claim."""
    if not right + wrong + missed:
        raise Unscorable("no_claims")
    return right / (right + (wrong + missed) / 2)


def method_of(form: str, settings: Settings) -> str:
    """The method's name, with a weight of claims that is not the usual one."""
    weight = getattr(settings, "weight", 0.75)
    return form if weight == 0.75 else f"{form}_{round(100 * weight)}"


def correctness(right: int, wrong: int, missed: int, cosine: float, weight: float) -> tuple[float, dict[str, float]]:
    """Score and parts. Raises Unscorable: no_claims, too_long."""
    claims = f1(right, wrong, missed)
    parts = {"f1": claims, "cosine": cosine, "right": right, "wrong": wrong, "missed": missed}
    return weight * claims + (1 - weight) * max(0.0, cosine), parts


class AnswerCorrectness:
    """TP and FP: claims of the answer that the reference supports, or not; FN: claims of the reference that the answer does not support."""

    name = "answer_correctness"
    version = "2"
    method = "claims_nli"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.REFERENCE)
    decides = False
    lane = Lane.LOCAL
    about = About(FORMULA, SOURCE, Cost.MODEL)

    def __init__(self, settings: AnswerCorrectnessSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service
        self._weight = settings.weight
        self.method = method_of("claims_nli", settings)

    def languages(self, case: Case) -> frozenset[str]:
        """Those of the grounding model; of the embedding model too, where that was made for some."""
        read, also = case.models.grounder.languages, case.models.embedder.languages
        return read if also is None else read & also

    def models(self, case: Case) -> tuple[ModelIdentity, ...]:
        """The grounding model and the embedding model, and what was asked which claims of the answer decline."""
        return (case.models.grounder.identity, case.models.embedder.identity, *case.asked)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long."""
        grounder = case.models.grounder
        threshold = self._threshold.of(case.trace.service, grounder.threshold)
        said = await case.answer_against_reference()
        missing = sum(one < threshold for one in await case.reference_against_answer())
        right = sum(one >= threshold for one in said)
        cosine = await cosine_to_reference(case)
        score, parts = correctness(right, len(said) - right, missing, cosine, self._weight)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=score,
            parts=parts,
            model=grounder.identity,
            other_models=(case.models.embedder.identity,),
            abstention_model=case.decided_by,
            threshold=threshold,
            claims=tuple(
                ClaimResult(claim.text, support, support >= threshold, start=claim.start, end=claim.end)
                for claim, support in zip(case.claims, said, strict=True)
            ),
        )
