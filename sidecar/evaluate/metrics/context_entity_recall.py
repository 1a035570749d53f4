"""Context entity recall: which names and numbers of the reference do the documents have?"""

from __future__ import annotations

import asyncio

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Dependencies, Lane, Needs, Settings
from sidecar.evaluate.case import Case
from sidecar.evaluate.text.entities import entities, folded, named_in
from sidecar.record.errors import Unscorable

# und: too short to tell, as a reference that is a name.
_LANGUAGES = frozenset({"en", "und"})
# Characters; what is longer is looked through in a thread.
_MOST_ON_THE_LOOP = 4000
FORMULA = "entities of the reference that the documents name / entities of the reference"
SOURCE = "Ragas context entities recall"


class ContextEntityRecallSettings(Settings):
    """The share of the reference's entities that were retrieved."""


def entity_recall(wanted: frozenset[str], found: frozenset[str]) -> float:
    """|found and wanted| / |wanted|. Raises Unscorable(no_entities) where none is wanted."""
    if not wanted:
        raise Unscorable("no_entities")
    return len(wanted & found) / len(wanted)


class ContextEntityRecall:
    """Entities are names and numbers by how they are written, without a model: what has a capital where no sentence begins, and what has digits."""

    name = "context_entity_recall"
    version = "1"
    method = "entities_written"
    subject = Subject.RETRIEVAL
    needs = (Needs.REFERENCE, Needs.CONTEXT)
    decides = False
    lane = Lane.LOCAL
    about = About(FORMULA, SOURCE, Cost.TEXT)

    def __init__(self, settings: ContextEntityRecallSettings, dependencies: Dependencies) -> None:
        pass

    def languages(self, case: Case) -> None:
        """No model's: it looks at the reference alone."""

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_entities; language where the reference is not English, for other languages write names otherwise."""
        if not case.reference_languages <= _LANGUAGES:
            raise Unscorable("language")
        if sum(map(len, (case.reference, case.question, *case.texts))) > _MOST_ON_THE_LOOP:
            return await asyncio.to_thread(self._compared, case)
        return self._compared(case)

    def _compared(self, case: Case) -> Evaluation:
        wanted = {folded(one): one for one in entities(case.reference, beside=(case.question, *case.texts))}
        there = named_in(case.texts, wanted.values())
        found = frozenset(key for key, name in wanted.items() if name in there)
        missing = [name for key, name in wanted.items() if key not in found]
        return Evaluation(
            evaluator=self.name,
            outcome=Outcome.SCORED,
            score=entity_recall(frozenset(wanted), found),
            parts={"wanted": len(wanted), "found": len(found)},
            explanation=f"not retrieved: {', '.join(missing)}" if missing else None,
        )
