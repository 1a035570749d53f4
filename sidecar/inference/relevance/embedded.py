"""The embedded relevance model: does a document help with a question, does an answer address it?

The embeddings say which sentences of a text are nearest to the question; the cross-encoder reads those beside it, and a calibrated
head weighs what both say. Cosine alone ranks a passage that repeats the question over the one that answers it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporters.result import ModelIdentity
from sidecar.inference.base import RelevanceModel
from sidecar.inference.calibrated import Logistic
from sidecar.inference.embedding.minilm import Encoded, EncodedDocument, MiniLM
from sidecar.inference.entry import Built, Dependencies, Entry, NoSettings
from sidecar.inference.pairs import ANSWER, DOCUMENT, PairModel, Task
from sidecar.inference.threads import alongside, off_loop

_KINDS = ("asks_number", "asks_who", "asks_when", "asks_where", "asks_why")
_ASKS = {
    "asks_number": re.compile(
        r"\bhow (?:many|much|long|old|far|tall|big|often|fast|high|deep|large)\b|\bwhat (?:percent|number|age)",
        re.IGNORECASE,
    ),
    "asks_who": re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE),
    "asks_when": re.compile(r"\bwhen\b|\bwhat (?:year|date|day|month|time)\b|\bwhich year\b", re.IGNORECASE),
    "asks_where": re.compile(r"\bwhere\b|\b(?:what|which) (?:city|country|state|place|town)\b", re.IGNORECASE),
    "asks_why": re.compile(r"\bwhy\b|\bhow (?:do|does|did|can|to|is|are)\b", re.IGNORECASE),
}
RELEVANCE_FEATURES = ("best_cosine", "mean_cosine", "kind_answered", "kind_unanswered", "cross_encoder")
SENTENCES_READ = 3
WORDS_READ = 90


class FeatureRelevance:
    """inference.base.RelevanceModel by calibrated logistic models."""

    languages = frozenset({"en"})

    def __init__(
        self,
        encoder: MiniLM,
        cross_encoder: PairModel,
        *,
        document_model: Logistic,
        answer_model: Logistic,
        identity: ModelIdentity,
        document_threshold: float,
        answer_threshold: float,
    ) -> None:
        self.identity = identity
        self.document_threshold = document_threshold
        self.answer_threshold = answer_threshold
        self._encoder = encoder
        self._cross_encoder = cross_encoder
        self._document_model = document_model
        self._answer_model = answer_model

    async def documents(self, question: str, documents: Sequence[str]) -> list[float]:
        """Probability, for each document, that it helps to answer the question."""
        rows = await self.rows(question, documents, DOCUMENT)
        return [float(p) for p in self._document_model.probability(rows)]

    async def answer(self, question: str, answer: str) -> float:
        """Probability that the answer addresses the question."""
        rows = await self.rows(question, [answer], ANSWER)
        return float(self._answer_model.probability(rows)[0])

    async def rows(self, question: str, texts: Sequence[str], task: Task) -> NDArray[np.float64]:
        """Features of each text against the question: (len(texts), features). Training reads the same."""
        async with alongside(self._encoder.encode([question])) as own, self._encoder.documents(texts) as encoded:
            [asked] = await own
            read = await off_loop(
                lambda: [self._read(question, asked, *pair) for pair in zip(texts, encoded, strict=True)]
            )
        there = [n for n, one in enumerate(read) if one is not None]
        pairs = [(read[n].text, question) for n in there]  # type: ignore[union-attr]
        rows = np.zeros((len(texts), len(RELEVANCE_FEATURES)))
        for n, logit in zip(there, await self._cross_encoder.score(pairs, task), strict=True):
            rows[n] = (*read[n].features, logit)  # type: ignore[union-attr]
        return rows

    def _read(self, question: str, asked: Encoded, text: str, document: EncodedDocument) -> _Read | None:
        if not document.sentences:
            return None
        cosines = document.vectors @ asked.vector
        order = np.argsort(-cosines)
        best = [document.sentences[n] for n in order[:SENTENCES_READ]]
        features = (float(cosines.max()), float(cosines.mean()), *_kind(question, asked, best))
        return _Read(features, nearest(text, document, order))


@dataclass(frozen=True, slots=True)
class _Read:
    """What the embeddings say of a text, and the part of it that the cross-encoder reads."""

    features: tuple[float, ...]
    text: str


def nearest(text: str, document: EncodedDocument, order: Sequence[int] | NDArray[np.intp]) -> str:
    """The sentences that come first in `order`, about WORDS_READ words, as they stand in the text."""
    chosen: list[int] = []
    words = 0
    for n in order:
        chosen.append(int(n))
        words += len(text[document.spans[n].start : document.spans[n].end].split())
        if words >= WORDS_READ:
            break
    return " ".join(text[document.spans[n].start : document.spans[n].end] for n in sorted(chosen))


def _kind(question: str, asked: Encoded, best: Sequence[Encoded]) -> tuple[float, float]:
    """Whether what the question asks for (a number, a person, a date, a place) is in the best sentences: (is, is not)."""
    kinds = [kind for kind in _KINDS if _ASKS[kind].search(question)]
    if not kinds:
        return 0.0, 0.0
    numbers = any(sentence.words.numbers - asked.words.numbers for sentence in best)
    names = any(sentence.words.names - asked.words.names for sentence in best)
    there = (
        numbers
        if kinds[0] in ("asks_number", "asks_when")
        else names
        if kinds[0] in ("asks_who", "asks_where")
        else True
    )
    return float(there), float(not there)


def _build(_: NoSettings, dependencies: Dependencies) -> Built[RelevanceModel]:
    heads = dependencies.heads
    documents, answer = heads["document_relevance"], heads["answer_relevance"]
    lease = dependencies.cross_encoder.lease()
    return Built(
        FeatureRelevance(
            dependencies.encoder,
            lease.model,
            document_model=Logistic.from_card(documents, RELEVANCE_FEATURES),
            answer_model=Logistic.from_card(answer, RELEVANCE_FEATURES),
            identity=dependencies.card.identity("heads.json"),
            document_threshold=documents["threshold"],
            answer_threshold=answer["threshold"],
        ),
        (lease,),
    )


ENTRY: Entry[RelevanceModel] = Entry("embedded", NoSettings, _build, size=lambda _, __: 0)
