"""Turn faithfulness: does each turn of an assistant say what its tools have told it so far?"""

from __future__ import annotations

from pydantic import Field

from exporters.result import ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, ByGrounder, Cost, Dependencies, Lane, Needs, Thresholded
from sidecar.evaluate.case import Case
from sidecar.evaluate.metrics.faithfulness import expected_faithfulness
from sidecar.evaluate.text.abstain import stance_of
from sidecar.inference.base import Claim
from sidecar.record.errors import Unscorable

_MOST_TURNS = 50


class TurnFaithfulnessSettings(Thresholded):
    """Faithfulness turn by turn."""

    threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Support from which on a claim counts as supported; by default the grounding model's.",
    )


class TurnFaithfulness(ByGrounder):
    """Mean over turns of the expected share of supported claims, by what tools said before the turn and the documents of the request. A turn with nothing to
    go by, or no claim, is left out. Parts: how many turns were scored, the worst score, and whose it was: the turns of the assistant are counted from 1,
    those without a score too."""

    name = "turn_faithfulness"
    version = "2"
    method = "turns_nli"
    subject = Subject.ANSWER
    needs = (Needs.MESSAGES,)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "mean over turns of claims that tools and documents support / claims",
        "faithfulness (arXiv:2309.15217), turn by turn",
        Cost.MODEL,
    )

    def __init__(self, settings: TurnFaithfulnessSettings, dependencies: Dependencies) -> None:
        self._threshold = settings.by_service

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_context, no_claims, too_long."""
        grounder = case.models.grounder
        threshold = self._threshold.of(case.trace.service, grounder.threshold)
        turns = turns_of(case)
        if len(turns) > _MOST_TURNS:
            raise Unscorable("too_long")
        results: list[ClaimResult] = []
        scores: list[float] = []
        for _, claims, evidence in turns:
            found = [one.probability for one in await grounder.support(claims, evidence)]
            scores.append(expected_faithfulness(found, threshold))
            results += [ClaimResult(c.text, p, p >= threshold) for c, p in zip(claims, found, strict=True)]
        worst = min(range(len(scores)), key=scores.__getitem__)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=sum(scores) / len(scores),
            parts={"turns": len(scores), "worst": scores[worst], "worst_turn": turns[worst][0]},
            model=grounder.identity,
            threshold=threshold,
            claims=tuple(results),
        )


def turns_of(case: Case) -> list[tuple[int, list[Claim], list[str]]]:
    """Number and claims of each turn that can be scored, with the texts that it may rest on. Raises Unscorable: no_context, no_claims, too_long."""
    evidence, question = list(case.texts), ""
    turns, stated, number = [], False, 0
    for message in case.messages:
        text = message.text or ""
        if message.role == "tool" and text:
            evidence = [*evidence, text]
        elif message.role == "user":
            question = text
        elif message.role == "assistant" and text:
            number += 1
            claims = [Claim(one.text, one.context, question=question) for one in stance_of(text).claims]
            stated = stated or bool(claims)
            if claims and evidence:
                turns.append((number, claims, evidence))
    if not turns:
        raise Unscorable("no_context" if stated else "no_claims")
    return turns
