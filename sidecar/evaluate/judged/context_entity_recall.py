"""Context entity recall by the judge: which entities of the reference do the documents name?"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Iterable

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Judged, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import Asking
from sidecar.inference.base import ModelSource
from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import Unscorable


class ContextEntityRecallSettings(Judged):
    """The share of the reference's entities that were retrieved."""


class Entities(Reply):
    """Names of people, places, organisations, works, dates and the like."""

    entities: list[str]


def folded(entities: Iterable[str]) -> frozenset[str]:
    """Entities as a set, whatever their case, width and spaces."""
    plain = (" ".join(unicodedata.normalize("NFKC", one).casefold().split()) for one in entities)
    return frozenset(one for one in plain if one)


def entity_recall(wanted: frozenset[str], found: frozenset[str]) -> float:
    """|found and wanted| / |wanted|. Raises Unscorable(no_entities) where none is wanted."""
    if not wanted:
        raise Unscorable("no_entities")
    return len(wanted & found) / len(wanted)


class ContextEntityRecall(Asking):
    """Entities of reference and documents are sets: one that comes again counts once."""

    method = "entities_llm"
    subject = Subject.RETRIEVAL
    needs = (Needs.REFERENCE, Needs.CONTEXT)
    about = About(
        "entities of the reference that the documents name / entities of the reference",
        "Ragas context entities recall",
        Cost.JUDGE,
        "2",
    )

    def __init__(self, settings: ContextEntityRecallSettings, judge: Judge, models: ModelSource) -> None:
        super().__init__("context_entity_recall", judge, [load("entities")])

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
        return folded((await self.judge.ask(Question(self.name, self.prompts[0], data, Entities))).entities)
