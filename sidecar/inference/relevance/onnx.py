"""A relevance model of one's own, out of a folder: a cross-encoder that reads a question and a passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import field_validator

from exporters.result import ModelIdentity
from sidecar.inference.base import RelevanceModel
from sidecar.inference.entry import Built, Dependencies, Entry
from sidecar.inference.own.folder import open_folder
from sidecar.inference.own.judge import Judge
from sidecar.inference.own.local import Asked, checked, local_judge
from sidecar.inference.own.settings import FolderConfig, RelevanceConfig, check_prompt, languages_of, number_of

_HALF = 0.5


class OwnRelevance(RelevanceConfig):
    """What is set of a relevance model of one's own, wherever it runs."""

    @field_validator("prompt")
    @classmethod
    def _prompt(cls, prompt: str | None) -> str | None:
        return check_prompt(prompt, needs=("query", "passage"))

    def asked(self) -> Asked:
        """How a folder's model is asked: the passage is the premise, the question the hypothesis."""
        prompt = self.prompt and self.prompt.replace("{query}", "{hypothesis}").replace("{passage}", "{premise}")
        return Asked("relevance", self, prompt, self.order == "query_passage")


class OnnxRelevance(OwnRelevance, FolderConfig):
    """A relevance model of one's own, in this process."""


class JudgedRelevance:
    """inference.base.RelevanceModel of any judge. An answer is read as a passage is."""

    def __init__(
        self, judge: Judge, *, document_threshold: float, answer_threshold: float, languages: frozenset[str]
    ) -> None:
        self.identity: ModelIdentity = judge.identity
        self.document_threshold = document_threshold
        self.answer_threshold = answer_threshold
        self.languages = languages
        self._judge = judge

    async def documents(self, question: str, documents: Sequence[str]) -> list[float]:
        """Probability, for each document, that it helps to answer the question."""
        pairs = [(document, question) for document in documents]
        return [one.probability for one in await self._judge.judge(pairs, context=[question, *documents])]

    async def answer(self, question: str, answer: str) -> float:
        """Probability that the answer addresses the question."""
        [one] = await self._judge.judge([(answer, question)], context=[question, answer])
        return one.probability


def relevance_of(judge: Judge, config: OwnRelevance, card: Mapping[str, Any]) -> Built[RelevanceModel]:
    """The model of a judge, by its settings and what its card says; without parts."""
    threshold = number_of(config.threshold, card, "threshold", _HALF)
    answer = number_of(config.answer_threshold, card, "answer_threshold", threshold)
    made = JudgedRelevance(
        judge, document_threshold=threshold, answer_threshold=answer, languages=languages_of(config, card)
    )
    return Built(made)


def _build(config: OnnxRelevance, dependencies: Dependencies) -> Built[RelevanceModel]:
    folder = open_folder(config.onnx, dependencies.field)
    judge, predictor = local_judge(folder, dependencies.name, config.asked(), dependencies.host)
    return replace(relevance_of(judge, config, folder.card), parts=(predictor,))


def _size(config: OnnxRelevance, dependencies: Dependencies) -> int:
    return checked(open_folder(config.onnx, dependencies.field), config.asked()).size_bytes


def _reads(config: OnnxRelevance, dependencies: Dependencies) -> frozenset[str]:
    return languages_of(config, open_folder(config.onnx, dependencies.field).card)


ENTRY: Entry[RelevanceModel] = Entry("onnx", OnnxRelevance, _build, size=_size, reads=_reads)
