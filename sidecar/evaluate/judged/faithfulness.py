"""Faithfulness by the judge: it takes the answer apart into claims, and checks each against the documents."""

from __future__ import annotations

from typing import Literal

from exporters.result import ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Asking
from sidecar.evaluate.metrics.faithfulness import faithfulness
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import RetryableInferenceError, Unscorable

_MOST_CLAIMS = 100


class Claims(Reply):
    """The claims of an answer."""

    claims: list[str]


class Checked(Reply):
    """What the documents say of one claim."""

    claim: int
    reason: str
    verdict: Literal["full", "partial", "none", "contradicted"]


class Verdicts(Reply):
    """One for each claim, in order."""

    verdicts: list[Checked]


class JudgedFaithfulness(Asking):
    """Supported claims / claims (Es et al. 2024, arXiv:2309.15217). Only a claim that the documents say in full is supported."""

    method = "claims_llm"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.CONTEXT)
    about = About(
        "claims of the answer that the documents support in full / claims of the answer",
        "Es et al. 2024, arXiv:2309.15217",
        Cost.JUDGE,
        "2",
    )

    def __init__(self, settings: Section, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"faithfulness{SUFFIX}", judge, [load("claims"), load("verify")])

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long; InferenceError."""
        told = await self.told(case)
        claims = await self._claims(told.question, told.answer)
        numbered = [{"number": number, "text": claim} for number, claim in enumerate(claims, 1)]
        data = {"documents": told.numbered, "claims": numbered}
        said = await self.judge.ask(Question(self.name, self.prompts[1], data, Verdicts))
        if [one.claim for one in said.verdicts] != list(range(1, len(claims) + 1)):
            raise RetryableInferenceError(INVALID)
        supported = [one.verdict == "full" for one in said.verdicts]
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=faithfulness(supported),
            explanation="\n".join(f"{one.claim}. {one.verdict}: {one.reason}" for one in said.verdicts),
            model=self.model,
            claims=tuple(ClaimResult(text, float(well), well) for text, well in zip(claims, supported, strict=True)),
        )

    async def _claims(self, question: str, answer: str) -> list[str]:
        data = {"question": question or None, "answer": answer}
        said = await self.judge.ask(Question(self.name, self.prompts[0], data, Claims))
        claims = [claim.strip() for claim in said.claims if claim.strip()]
        if not claims:
            raise Unscorable("no_claims")
        if len(claims) > _MOST_CLAIMS:
            raise Unscorable("too_long")
        return claims
