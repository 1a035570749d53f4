"""Answer correctness by the judge: claims of answer and reference, and which of them the other says."""

from __future__ import annotations

import asyncio

from exporters.result import ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, numbered
from sidecar.evaluate.judged.borrowed import admit_embedder, cosines
from sidecar.evaluate.judged.claims import Checking
from sidecar.evaluate.metrics.answer_correctness import (
    FORMULA,
    SOURCE,
    AnswerCorrectnessSettings,
    correctness,
    method_of,
)
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import RetryableInferenceError, Unscorable


class Shared(Reply):
    """Whether the other side says one claim."""

    claim: int
    reason: str
    shared: bool


class Compared(Reply):
    """One for each claim of the answer, and one for each of the reference, in order."""

    answer: list[Shared]
    reference: list[Shared]


class JudgedAnswerCorrectness(Checking):
    """TP and FP: claims of the answer that the reference says, or not; FN: claims of the reference that the answer does not say."""

    method = "claims_llm"
    subject = Subject.ANSWER
    needs = (Needs.QUESTION, Needs.ANSWER, Needs.REFERENCE)
    about = About(FORMULA, SOURCE, Cost.JUDGE, "3")

    def __init__(self, settings: AnswerCorrectnessSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"answer_correctness{SUFFIX}", judge, [load("shared")])
        self.method = method_of("claims_llm", settings)
        self._weight = settings.weight
        self._models = models

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long, or language where the embedding model does not read it; InferenceError."""
        await admit_embedder(self._models, case)
        told = await self.told(case)
        mine, wanted = await asyncio.gather(
            self._claims(told.question, told.answer), self._claims(told.question, told.reference)
        )
        said = await self._compare(mine, wanted) if mine and wanted else None
        shared = [one.shared for one in said.answer] if said else [False] * len(mine)
        missed = sum(not one.shared for one in said.reference) if said else len(wanted)
        [cosine], embedder = await cosines(self._models, case, told.answer, [told.reference])
        right = sum(shared)
        score, parts = correctness(right, len(mine) - right, missed, cosine, self._weight)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=score,
            parts=parts,
            explanation="\n".join(f"{one.claim}. {one.reason}" for one in said.answer) if said else None,
            model=self.model,
            other_models=(embedder,),
            claims=tuple(ClaimResult(text, float(well), well) for text, well in zip(mine, shared, strict=True)),
        )

    async def _claims(self, question: str, text: str) -> list[str]:
        """Those of one side, which may have none."""
        try:
            return await self.claims_of(question, text)
        except Unscorable as error:
            if error.reason != "no_claims":
                raise
            return []

    async def _compare(self, mine: list[str], wanted: list[str]) -> Compared:
        data = {"answer": numbered(mine), "reference": numbered(wanted)}
        said = await self.judge.ask(Question(self.name, self.prompts[2], data, Compared))
        for found, asked in ((said.answer, mine), (said.reference, wanted)):
            if [one.claim for one in found] != list(range(1, len(asked) + 1)):
                raise RetryableInferenceError(INVALID)
        return said
