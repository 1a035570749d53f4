"""The relevance model for Chinese: which of the question's words a document holds, and whether it holds what is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from exporters.result import ModelIdentity
from sidecar.inference.base import RelevanceModel
from sidecar.inference.calibrated import FloatVector, Logistic
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.entry import Built, Dependencies, Entry, NoSettings
from sidecar.inference.grounding.han import Read, choose, held, lacking, pieces, read, share
from sidecar.inference.grounding.lexical_zh import HEADS, NAME, load, size
from sidecar.inference.threads import off_loop

FEATURES = (
    "coverage",
    "best_sentence",
    "characters",
    "triples",
    "names_missing",
    "number_there",
    "number_lacking",
    "log_length",
)
_ASKING = re.compile(
    r"什么时候|什么时间|什么|什麼|哪[一些几幾个個里裡儿兒年位种種]*|谁|誰|多少|何[时時处處人]?|为什么|為什麼|怎[么麼样樣]*|如何|是否|吗|嗎|呢|几|幾|请问|請問|是|的|了|在|有"
)
_ASKS_NUMBER = re.compile(
    r"多少|几|幾|多[大长長高久远遠重快]|何[时時年]|哪[一]?年|什[么麼][时時]|日期|时间|時間|年份|人口|面[积積]|[数數]量|价格|價格"
)


class LexicalRelevance:
    """inference.base.RelevanceModel by calibrated logistic models."""

    languages = frozenset({"zh"})

    def __init__(
        self,
        idf: Idf,
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
        self.idf = idf
        self._document_model = document_model
        self._answer_model = answer_model

    async def documents(self, question: str, documents: Sequence[str]) -> list[float]:
        """Probability, for each document, that it helps to answer the question."""
        rows = await off_loop(lambda: rows_of(question, documents, self.idf))
        return [float(p) for p in self._document_model.probability(rows)]

    async def answer(self, question: str, answer: str) -> float:
        """Probability that the answer addresses the question."""
        [found] = await self.answers(question, [answer])
        return found

    async def answers(self, question: str, answers: Sequence[str]) -> list[float]:
        """The same for several answers."""
        rows = await off_loop(lambda: rows_of(question, answers, self.idf))
        return [float(p) for p in self._answer_model.probability(rows)]


def rows_of(question: str, texts: Sequence[str], idf: Idf) -> FloatVector:
    """FEATURES of each text against the question: (len(texts), features). Training reads the same."""
    asked = read(_ASKING.sub("，", question))
    wants_number = _ASKS_NUMBER.search(question) is not None
    return np.stack([_row(asked, text, idf, wants_number=wants_number) for text in texts])


def _row(asked: Read, text: str, idf: Idf, *, wants_number: bool) -> FloatVector:
    chosen = choose(asked, pieces([text]), idf)
    if not chosen:
        return np.zeros(len(FEATURES))
    there = held(chosen)
    numbers = any(len(piece.read.values) > 0 for piece in chosen[:2])
    return np.array(
        [
            share(asked.pairs, there.pairs, idf),
            share(asked.pairs, frozenset(chosen[0].read.pairs), idf),
            len(asked.characters & there.characters) / max(1, len(asked.characters)),
            len(asked.triples & there.triples) / max(1, len(asked.triples)),
            lacking(asked.names, there.names),
            float(wants_number and numbers),
            float(wants_number and not numbers),
            np.log1p(len(text)),
        ],
        np.float64,
    )


def lexical_relevance(dependencies: Dependencies) -> LexicalRelevance:
    """The model, loaded. Raises ConfigError."""
    card, heads, idf = load(dependencies)
    documents, answer = heads["document_relevance"], heads["answer_relevance"]
    return LexicalRelevance(
        idf,
        document_model=Logistic.from_card(documents, FEATURES),
        answer_model=Logistic.from_card(answer, FEATURES),
        identity=card.identity(HEADS),
        document_threshold=documents["threshold"],
        answer_threshold=answer["threshold"],
    )


ENTRY: Entry[RelevanceModel] = Entry(
    NAME,
    NoSettings,
    lambda _, given: Built(lexical_relevance(given)),
    size=size,
    reads=lambda _, __: LexicalRelevance.languages,
)
