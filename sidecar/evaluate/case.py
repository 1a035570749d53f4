"""One request under evaluation: what several evaluators need of it is computed once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from exporters.result import Abstention, Evidence, ModelIdentity, ValueConflict
from exporters.text import clean
from sidecar.evaluate.stance import stance_by
from sidecar.evaluate.text import chinese
from sidecar.evaluate.text.abstain import DECLINES, Stance, quoted_from, stance_of
from sidecar.evaluate.text.asked import agrees, is_short, reply_before, short_question
from sidecar.evaluate.text.language import goes_with, language_of, languages_together
from sidecar.evaluate.text.resolved import resolved
from sidecar.inference.base import AbstentionModel, Claim, Models, Support
from sidecar.record.authored import Authored, Message
from sidecar.record.request import Document, RagTrace

_MOST_QUESTION_WORDS, _MOST_QUESTION_CHARS = 40, 300
Value = TypeVar("Value")


class Case:
    """A request and the models. Attributes are what the request says, methods what the models say of it."""

    def __init__(
        self,
        trace: RagTrace,
        models: Models | None,
        languages: Callable[[], frozenset[str]] | None = None,
        reader: AbstentionModel | None = None,
    ) -> None:
        """`languages` gives what `languages_of` says of the request, where it was asked before; `reader` reads how far the answer declines; `asked` is which that is,
        once it was asked."""
        self.trace = trace
        self._languages = languages or (lambda: languages_of(trace))
        self._models = models
        self._reader = reader
        self._stance: Stance | None = None
        self.asked: tuple[ModelIdentity, ...] = ()
        self.question = clean(trace.question or "").strip()
        self.answer = clean(trace.answer or "").strip()
        self.documents: tuple[Document, ...] = tuple(d for d in trace.documents if d.text and d.text.strip())
        self.reference = clean(trace.reference or "").strip()
        self.authored = trace.authored or Authored()
        self._running: dict[str, asyncio.Future[Any]] = {}

    @property
    def models(self) -> Models:
        """The local models. Raises RuntimeError in a slow lane, which has none: it would keep them from others while it waits."""
        if self._models is None:
            raise RuntimeError("an evaluator of a slow lane has no local models")
        return self._models

    @cached_property
    def texts(self) -> list[str]:
        """Texts of the documents that have one, in rank order."""
        return [clean(document.text or "") for document in self.documents]

    @cached_property
    def ranked(self) -> tuple[int, ...]:
        """Places in `documents`, the best rank first; of a text that was retrieved twice the better rank alone."""
        by_text: dict[str, int] = {}
        for place in sorted(range(len(self.documents)), key=lambda one: self.documents[one].rank):
            by_text.setdefault(self.texts[place], place)
        return tuple(by_text.values())

    @cached_property
    def reference_contexts(self) -> tuple[str, ...]:
        """Texts of the chunks that retrieval should find."""
        return tuple(clean(text).strip() for text in self.authored.contexts or ())

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The conversation."""
        return tuple(replace(one, text=clean(one.text) if one.text else None) for one in self.trace.messages)

    @cached_property
    def message_languages(self) -> frozenset[str]:
        """Codes of the languages that the conversation is in as a whole."""
        return languages_together(one.text or "" for one in self.messages)

    @cached_property
    def reference_claims(self) -> list[Claim]:
        """The checkable statements of the reference answer. Places are those in it, and so none of the answer's."""
        return [replace(one, start=None, end=None) for one in self._with_question(stance_of(self.reference).claims)]

    @cached_property
    def reference_languages(self) -> frozenset[str]:
        """Codes of the languages that reference and reference contexts are in as a whole."""
        return languages_together((self.reference, *self.reference_contexts))

    @cached_property
    def reference_goes_along(self) -> bool:
        """Whether the reference can be told, or may take the language of question, documents and reference contexts. What the answer says is not asked:
        else right answers would be scored and wrong ones not."""
        beside = (self.question, *self.texts, *self.reference_contexts)
        return language_of(self.reference) is not None or goes_with(self.reference, beside)

    async def read_answer(self) -> None:
        """Find out how far the answer declines, once for all who ask: before `stance` and what follows from it. Raises InferenceError."""
        await self.once("stance", self._read_answer)

    async def _read_answer(self) -> None:
        reader = self._reader
        if reader and self.answer and languages_together((self.question, self.answer)) <= reader.languages:
            self.asked = (reader.identity,)
            self._stance = await stance_by(reader, self.question, clean(self.trace.answer or ""))

    @property
    def stance(self) -> Stance:
        """What the answer states, and how far it declines to; by rules alone where nobody read it. Places are those in the answer of the request."""
        stance = self._stance or self._by_rules
        return (self._quoted or stance) if stance.kind is Abstention.FULL else stance

    @cached_property
    def _quoted(self) -> Stance | None:
        """What an answer says in a document's own words that would decline in others."""
        return quoted_from(clean(self.trace.answer or ""), self.texts)

    @property
    def decided_by(self) -> ModelIdentity | None:
        """The model that decided how far the answer declines; None where rules did."""
        return self.stance.by

    @cached_property
    def _by_rules(self) -> Stance:
        return stance_of(clean(self.trace.answer or ""))

    @cached_property
    def claims(self) -> list[Claim]:
        """The checkable statements of the answer, each with the question where that is short enough to be read with all of them; of an
        answer that abstains in part, those that answer."""
        found = self._with_question(self.stance.claims)
        if found or not agrees(self._short_question, self.answer):
            return found
        said = self.answer if chinese.language(self.answer) == "zh" else "Yes."
        return [Claim(said, start=0, end=len(self.answer), question=self._short_question, short=True)]

    def _with_question(self, claims: Sequence[Claim]) -> list[Claim]:
        asked = [replace(claim, question=self._short_question) for claim in claims]
        if asked and self._short_question:
            reply = reply_before(self.answer, asked[0])
            asked[0] = replace(asked[0], text=resolved(self._short_question, asked[0].text), reply=reply)
        if len(asked) == 1 and self._short_question and is_short(asked[0].text):
            return [replace(asked[0], short=True)]
        return asked

    @cached_property
    def _short_question(self) -> str:
        return short_question(self.question, _MOST_QUESTION_WORDS, _MOST_QUESTION_CHARS)

    @property
    def abstained(self) -> bool:
        """Whether the answer declines to answer, or asks back."""
        return self.stance.kind in DECLINES

    @cached_property
    def languages(self) -> frozenset[str]:
        """Codes of the languages that the request is in: question, answer and documents as a whole."""
        return self._languages()

    async def support(self) -> list[Support]:
        """Support of each claim; evidence points into `documents`."""
        return await self.once("support", lambda: self.models.grounder.support(self.claims, self.texts))

    async def reference_support(self) -> list[Support]:
        """Support of each claim of the reference by the documents; evidence points into `documents`."""
        return await self.once("reference_support", lambda: self._supported(self.reference_claims, self.texts))

    async def answer_against_reference(self) -> list[float]:
        """Probability of each claim that the reference says it. Raises InferenceError."""
        await self.read_answer()
        return await self.once("answer/reference", lambda: self._said(self.claims, self.reference))

    async def reference_against_answer(self) -> list[float]:
        """Probability of each claim of the reference that the answer says it."""
        return await self.once("reference/answer", lambda: self._said(self.reference_claims, self.answer))

    async def reference_by_document(self) -> list[list[float]]:
        """For each of `documents`, the probability of each claim of the reference that it says it."""
        return await self.once("reference/documents", lambda: self._each(self.reference_claims))

    async def answer_by_document(self) -> list[list[float]]:
        """For each of `documents`, the probability of each claim that it says it."""
        return await self.once("answer/documents", lambda: self._each(self.claims))

    async def _each(self, claims: list[Claim]) -> list[list[float]]:
        return await asyncio.gather(*(self._said(claims, text) for text in self.texts))

    async def _said(self, claims: list[Claim], text: str) -> list[float]:
        """What one text says of claims, with the question or without: an answer need not repeat it."""
        alone = [replace(claim, short=False) for claim in claims]
        return [one.probability for one in await self._supported(alone, [text])]

    async def _supported(self, claims: list[Claim], texts: list[str]) -> list[Support]:
        if not claims or not texts:
            return [Support(0.0, None) for _ in claims]
        return await self.models.grounder.support(claims, texts)

    async def consistency(self) -> float:
        """Probability that all that the answer states is consistent with the documents."""
        supports = await self.support()
        stated = resolved(self._short_question, self.stance.stated or self.answer)
        return await self.once(
            "consistency", lambda: self.models.grounder.consistency(stated, self.claims, supports, self.texts)
        )

    async def relevance(self) -> list[float]:
        """Probability of each document that it helps with the question."""
        return await self.once("relevance", lambda: self.models.relevance.documents(self.question, self.texts))

    def place(self, evidence: Evidence | None) -> Evidence | None:
        """Evidence with its document as an index into the request's own documents, those without text counted too."""
        if evidence is None:
            return None
        return Evidence(self.trace.documents.index(self.documents[evidence.document]), evidence.start, evidence.end)

    def placed(self, conflicts: Sequence[ValueConflict]) -> tuple[ValueConflict, ...]:
        """Conflicts with their evidence placed so."""
        return tuple(replace(one, evidence=self.place(one.evidence) or one.evidence) for one in conflicts)

    async def once(self, name: str, compute: Callable[[], Awaitable[Value]]) -> Value:
        """Run `compute` once for all who ask; a failure is the failure of all of them."""
        task = self._running.get(name)
        if task is None:
            task = self._running[name] = asyncio.ensure_future(compute())
        value: Value = await asyncio.shield(task)
        return value

    def close(self) -> None:
        """Cancel what nobody waits for any more."""
        for task in self._running.values():
            if not task.done():
                task.cancel()
            elif not task.cancelled():
                task.exception()


def languages_of(trace: RagTrace) -> frozenset[str]:
    """Codes of the languages that question, answer and documents are in as a whole: see text.language.languages_together."""
    texts = (trace.question, trace.answer, *(document.text for document in trace.documents))
    return languages_together(clean(text or "").strip() for text in texts)
