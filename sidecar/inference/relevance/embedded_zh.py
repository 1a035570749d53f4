"""The embedded relevance model for Chinese: the cross-encoder reads what is nearest to the question beside it, a calibrated head weighs
that with what words tell (lexical_zh.py)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from exporters.result import ModelIdentity
from sidecar.inference.base import RelevanceModel
from sidecar.inference.calibrated import FloatVector, Logistic, logit
from sidecar.inference.entry import Built, Dependencies, Entry, NoSettings
from sidecar.inference.grounding.embedded_zh import HEADS, NAME, load, size
from sidecar.inference.grounding.han import pieces, read
from sidecar.inference.grounding.han_evidence import passage
from sidecar.inference.pairs import ANSWER, DOCUMENT, PairModel, Task
from sidecar.inference.relevance.lexical_zh import LexicalRelevance, lexical_relevance
from sidecar.inference.threads import off_loop

RELEVANCE_FEATURES = ("lexical", "cross_encoder")
_MARKS = "。！!.～~"
_FEW, _FEWER = 14, 6


class ChineseRelevance:
    """inference.base.RelevanceModel by calibrated logistic models."""

    languages = frozenset({"zh"})

    def __init__(
        self,
        lexical: LexicalRelevance,
        cross_encoder: PairModel,
        *,
        document_model: Logistic,
        answer_model: Logistic,
        asked_model: Logistic,
        identity: ModelIdentity,
        document_threshold: float,
        answer_threshold: float,
    ) -> None:
        self.identity = identity
        self.document_threshold = document_threshold
        self.answer_threshold = answer_threshold
        self._lexical = lexical
        self._cross_encoder = cross_encoder
        self._document_model = document_model
        self._answer_model = answer_model
        self._asked_model = asked_model

    async def documents(self, question: str, documents: Sequence[str]) -> list[float]:
        """Probability, for each document, that it helps to answer the question."""
        rows = await self.rows(question, documents, DOCUMENT)
        return [float(p) for p in self._document_model.probability(rows)]

    async def answer(self, question: str, answer: str) -> float:
        """Probability that the answer addresses the question: of a few words, which the cross-encoder learned as answers, or as a text that
        helps with the question does."""
        if in_few_words(answer):
            return float(self._asked_model.probability(await self.rows(question, [answer], ANSWER))[0])
        return float(self._answer_model.probability(await self.rows(question, [answer], DOCUMENT))[0])

    async def rows(self, question: str, texts: Sequence[str], task: Task) -> FloatVector:
        """RELEVANCE_FEATURES (texts, 2) of each text against the question, what words tell as a logit. Training reads the same."""
        by_words = self._lexical.documents if task is DOCUMENT else self._lexical.answers
        lexical = await by_words(question, texts)
        pairs = await off_loop(lambda: [(self._beside(question, text), question) for text in texts])
        there = [n for n, (beside, _) in enumerate(pairs) if beside]
        rows = np.zeros((len(texts), len(RELEVANCE_FEATURES)))
        rows[:, 0] = [logit(p) for p in lexical]
        rows[there, 1] = await self._cross_encoder.score([pairs[n] for n in there], task)
        return rows

    def _beside(self, question: str, text: str) -> str:
        return passage([read(question)], pieces([text]), [text], self._lexical.idf)


def in_few_words(answer: str) -> bool:
    """Whether an answer is no sentence: two or three words, or a few without a mark at their end."""
    core = answer.strip().rstrip(_MARKS)
    return len(core) <= _FEWER or (len(core) <= _FEW and core == answer.strip())


def _build(_: NoSettings, dependencies: Dependencies) -> Built[RelevanceModel]:
    card, heads = load(dependencies)
    documents, answer = heads["document_relevance"], heads["answer_relevance"]
    lease = dependencies.chinese.lease()
    return Built(
        ChineseRelevance(
            lexical_relevance(dependencies),
            lease.model,
            document_model=Logistic.from_card(documents, RELEVANCE_FEATURES),
            answer_model=Logistic.from_card(answer, RELEVANCE_FEATURES),
            asked_model=Logistic.from_card(heads["asked_relevance"], RELEVANCE_FEATURES),
            identity=card.identity(HEADS),
            document_threshold=documents["threshold"],
            answer_threshold=answer["threshold"],
        ),
        (lease,),
    )


ENTRY: Entry[RelevanceModel] = Entry(
    NAME, NoSettings, _build, size=size, reads=lambda _, __: ChineseRelevance.languages
)
