"""Context entity recall by the judge: which entities of the reference do the documents name?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import SUFFIX, Asking
from sidecar.evaluate.metrics.context_entity_recall import FORMULA, SOURCE, ContextEntityRecallSettings, entity_recall
from sidecar.evaluate.text.entities import folded
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply


class Entities(Reply):
    """Names of people, places, organisations, works, dates and the like."""

    entities: list[str]


class JudgedContextEntityRecall(Asking):
    """Entities of reference and documents are sets: one that comes again counts once."""

    method = "entities_llm"
    subject = Subject.RETRIEVAL
    needs = (Needs.REFERENCE, Needs.CONTEXT)
    about = About(FORMULA, SOURCE, Cost.JUDGE, "2")

    def __init__(self, settings: ContextEntityRecallSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__(f"context_entity_recall{SUFFIX}", judge, [load("entities")])

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_entities, too_long; InferenceError."""
        told = await self.told(case)
        wanted, found = await asyncio.gather(self._entities([told.reference]), self._entities(told.documents))
        missing = sorted(wanted - found)
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=entity_recall(wanted, found),
            parts={"wanted": len(wanted), "found": len(wanted & found)},
            explanation=f"not retrieved: {', '.join(missing)}" if missing else None,
            model=self.model,
        )

    async def _entities(self, texts: Iterable[str]) -> frozenset[str]:
        data = {"text": "\n\n".join(texts)}
        said = (await self.judge.ask(Question(self.name, self.prompts[0], data, Entities))).entities
        return frozenset(one for one in map(folded, said) if one)
