"""SQL equivalence by the judge, where the trees of both queries do not decide it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Asking
from sidecar.evaluate.metrics.special.sql_equivalence import (
    LIBRARIES,
    SOURCE,
    SqlEquivalenceSettings,
    Trees,
    compare_trees,
)
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply


class Equivalent(Reply):
    """What both queries do, and whether it is the same."""

    answer: str
    reference: str
    equivalent: bool


class JudgedSqlEquivalence(Asking):
    """Equal trees are 1 and an answer that is no SQL is 0 without a call."""

    method = "trees_llm"
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.REFERENCE, Needs.REFERENCE_CONTEXTS)
    about = About(
        "1 where both queries return the same under the schema (reference contexts), else 0",
        SOURCE,
        Cost.JUDGE,
        "1",
        LIBRARIES,
    )

    def __init__(self, settings: SqlEquivalenceSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"sql_equivalence{SUFFIX}", judge, [load("sql")])
        self._dialect = settings.dialect

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError: bad_reference where the reference is no SQL."""
        trees = await asyncio.to_thread(compare_trees, case.answer, case.reference, self._dialect)
        found = Evaluation(evaluator=self.name, outcome=Outcome.SCORED, model=self.model, label=str(trees))
        if trees is not Trees.DIFFERENT:
            return replace(found, score=float(trees is Trees.EQUAL))
        told = await self.told(case)
        data = {"schema": list(told.reference_contexts), "answer": told.answer, "reference": told.reference}
        said = await self.judge.ask(Question(self.name, self.prompts[0], data, Equivalent))
        return replace(
            found,
            score=float(said.equivalent),
            label="equivalent" if said.equivalent else "different",
            explanation=f"answer: {said.answer}\nreference: {said.reference}",
        )
