"""Noise robustness by the judge: claims of answer and reference against each document, claims of the answer against the reference."""

from __future__ import annotations

import asyncio

from exporters.result import ClaimResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.judged.claims import Checking
from sidecar.evaluate.metrics.noise_robustness import FORMULAS, SOURCE, Mode, noisy
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge
from sidecar.record.errors import Unscorable

# Two calls each.
_MOST_DOCUMENTS = 30


class JudgedNoiseRobustness(Checking):
    """1 - noise sensitivity by relevant documents: a document is relevant where it says a claim of the reference in full."""

    of = "noise_robustness"
    mode: Mode = "relevant"
    method = "relevant_llm"
    subject = Subject.ANSWER
    needs = (Needs.QUESTION, Needs.ANSWER, Needs.REFERENCE, Needs.CONTEXT)
    about = About(FORMULAS["relevant"], SOURCE, Cost.JUDGE, "2K + 3")

    def __init__(self, settings: Section, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"{self.of}{SUFFIX}", judge)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_claims, too_long; InferenceError."""
        told = await self.told(case)
        texts = list(dict.fromkeys(told.documents))
        if len(texts) > _MOST_DOCUMENTS:
            raise Unscorable("too_long")
        claims, wanted = await asyncio.gather(
            self.claims_of(told.question, told.answer), self.claims_of(told.question, told.reference)
        )
        right, said, relevant = await asyncio.gather(
            self.supported([told.reference], claims),
            asyncio.gather(*(self.supported([text], claims) for text in texts)),
            asyncio.gather(*(self.supported([text], wanted) for text in texts)),
        )
        noise = noisy(right, [any(row) for row in relevant], said, self.mode)
        sensitivity = sum(noise) / len(noise)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=1 - sensitivity,
            parts={"noise_sensitivity": sensitivity},
            model=self.model,
            claims=tuple(ClaimResult(text, float(well), well) for text, well in zip(claims, right, strict=True)),
        )


class JudgedNoiseRobustnessIrrelevant(JudgedNoiseRobustness):
    """The same of irrelevant documents."""

    of = "noise_robustness_irrelevant"
    mode: Mode = "irrelevant"
    method = "irrelevant_llm"
    about = About(FORMULAS["irrelevant"], SOURCE, Cost.JUDGE, "2K + 3")
