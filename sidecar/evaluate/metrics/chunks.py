"""Retrieved chunks against the chunks that should be found: by what they say, or by their ids. No model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from exporters.result import DocumentResult, Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Dependencies, Lane, Needs, Probability, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.metrics.context_precision import average_precision
from sidecar.evaluate.metrics.context_recall import admit_retrieval
from sidecar.evaluate.metrics.strings.string_similarity import similarity
from sidecar.record.errors import Unscorable
from sidecar.record.request import MADE_ID, Document

# Characters of documents times characters of reference contexts.
_MOST_WORK = 4_000_000_000


class SimilarSettings(Section):
    """Which chunks are the same, by what they say."""

    threshold: Probability = Field(
        default=0.5, description="Levenshtein similarity from which on two chunks count as the same."
    )


class IdSettings(Section):
    """Which chunks are the same, by their ids."""


@dataclass(frozen=True, slots=True)
class Matched:
    """The best match (0..1) of each distinct document with any reference chunk, in rank order, and of each reference chunk with any document."""

    documents: Mapping[Document, float]
    references: Sequence[float]


class _Chunks:
    """What the four have in common."""

    version = "1"
    subject = Subject.RETRIEVAL
    decides = False
    lane = Lane.LOCAL

    def languages(self, case: Case) -> None:
        """Any."""


class _Similar(_Chunks):
    """By Levenshtein similarity of texts."""

    method = "levenshtein"
    needs = (Needs.REFERENCE_CONTEXTS, Needs.RETRIEVAL)

    def __init__(self, settings: SimilarSettings, dependencies: Dependencies) -> None:
        self.threshold = settings.threshold

    async def matched(self, case: Case) -> Matched:
        """Raises Unscorable: no_context, too_long."""
        admit_retrieval(case)
        if sum(map(len, case.texts)) * sum(map(len, case.reference_contexts)) > _MOST_WORK:
            raise Unscorable("too_long")
        return await case.once("chunks", lambda: asyncio.to_thread(_by_text, case))


def _by_text(case: Case) -> Matched:
    texts = {case.texts[one]: case.documents[one] for one in case.ranked}
    table = [[similarity(text, reference) for reference in case.reference_contexts] for text in texts]
    best = {document: max(row) for document, row in zip(texts.values(), table, strict=True)}
    return Matched(best, [max((row[n] for row in table), default=0.0) for n in range(len(case.reference_contexts))])


class _Ids(_Chunks):
    """By ids."""

    method = "ids"
    needs = (Needs.REFERENCE_CONTEXT_IDS, Needs.RETRIEVAL)
    threshold = 1.0

    def __init__(self, settings: IdSettings, dependencies: Dependencies) -> None:
        pass

    async def matched(self, case: Case) -> Matched:
        """A document without an id is none of those that should be found. Raises Unscorable(no_context) where no document has one."""
        wanted = set(case.authored.context_ids or ())
        seen: set[str] = set()
        documents: dict[Document, float] = {}
        for document in sorted(case.trace.documents, key=lambda one: one.rank):
            own = own_id(document, wanted)
            if own is None or own not in seen:
                documents[document] = float(own in wanted)
            if own is not None:
                seen.add(own)
        if documents and not seen:
            raise Unscorable("no_context")
        return Matched(documents, [float(one in seen) for one in wanted])


def own_id(document: Document, wanted: set[str]) -> str | None:
    """The id that its record gave it: one that repeats stands as the source (decode settles ids), one that was made of the text is none."""
    if document.source is not None and document.source in wanted:
        return document.source
    return None if document.id is None or document.id.startswith(MADE_ID) else document.id


def precision_of(name: str, matched: Matched, threshold: float) -> Evaluation:
    """Average precision; of a document that was retrieved twice the better rank counts. Raises Unscorable(no_context) without documents."""
    if not matched.documents:
        raise Unscorable("no_context")
    found = tuple(DocumentResult(d.rank, d.id, best, best >= threshold) for d, best in matched.documents.items())
    score = average_precision([one.relevant for one in found])
    return Evaluation(evaluator=name, outcome=Outcome.SCORED, score=score, threshold=threshold, documents=found)


def recall_of(name: str, matched: Matched, threshold: float) -> Evaluation:
    """Reference chunks that were retrieved / reference chunks; 0 where nothing was."""
    found = sum(best >= threshold for best in matched.references)
    return Evaluation(
        evaluator=name,
        outcome=Outcome.SCORED,
        score=found / len(matched.references),
        threshold=threshold,
        parts={"found": found, "wanted": len(matched.references)},
    )


class ContextPrecisionContexts(_Similar):
    """Are the chunks that should be found ranked first? A document counts where it is like one of them."""

    name = "context_precision_contexts"
    about = About(
        "sum(precision at k x v_k) / sum(v_k), v_k = 1 where document k is like a reference context",
        "Ragas NonLLMContextPrecisionWithReference",
        Cost.TEXT,
        libraries=("rapidfuzz",),
    )

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_context, too_long."""
        return precision_of(self.name, await self.matched(case), self.threshold)


class ContextPrecisionIds(_Ids):
    """The same by ids."""

    name = "context_precision_ids"
    about = About(
        "sum(precision at k x v_k) / sum(v_k), v_k = 1 where the id of document k is a reference id",
        "average precision of information retrieval",
        Cost.TEXT,
    )

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_context."""
        return precision_of(self.name, await self.matched(case), self.threshold)


class ContextRecallContexts(_Similar):
    """Were the chunks that should be found retrieved? What else was retrieved changes nothing."""

    name = "context_recall_contexts"
    about = About(
        "reference contexts that a document is like / reference contexts",
        "Ragas NonLLMContextRecall",
        Cost.TEXT,
        libraries=("rapidfuzz",),
    )

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_context, too_long."""
        return recall_of(self.name, await self.matched(case), self.threshold)


class ContextRecallIds(_Ids):
    """The same by ids."""

    name = "context_recall_ids"
    about = About("reference ids that were retrieved / reference ids", "Ragas IDBasedContextRecall", Cost.TEXT)

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: no_context."""
        return recall_of(self.name, await self.matched(case), self.threshold)
