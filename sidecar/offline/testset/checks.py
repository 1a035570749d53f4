"""What a draft must pass, by local models: its reference is what its windows say, a negative one is answered by nothing that a search finds, and it is no
question that there is already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sidecar.evaluate.text.abstain import stance_of
from sidecar.evaluate.text.language import languages_together
from sidecar.inference.base import FloatArray, Models, ModelSource
from sidecar.offline.case import NEGATIVE
from sidecar.offline.testset.documents import Window
from sidecar.offline.testset.draft import Draft, RejectedError, Task, Writer
from sidecar.offline.testset.found import Search, alike, overlap, same_numbers
from sidecar.offline.testset.plan import MULTI_HOP
from sidecar.record.errors import InferenceError, Unscorable

# Of the relevance model, over the windows that a search finds. Measured on the questions of the demo: of 64 that are answered all are at or above it, of 14
# that are not, ten of them on the same subjects, 2; the model's own threshold, which says that a text helps, would turn away 4.
_ANSWERS = 0.4
# Windows that a search gives for a question that nothing is to answer.
FOUND = 5
# A threshold for few false alarms lets doubtful claims pass; a draft that is turned away costs another try and no more.
_SUPPORTED = 0.5
_SAME_COSINE = 0.95
_OF_THE_TEXT = re.compile(
    r"\b(?:(?:the|this|these|given|above|following) (?:text|passage|document|paragraph|excerpt|article|context)s?|(?:both|two) (?:texts|passages|documents))\b"
    r"|本文|上文|这段|该段|文中|这篇|以上内容",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft that passed. `support` is that of its least supported claim; None where no local model reads it, which `unchecked` says."""

    draft: Draft
    vector: FloatArray | None
    support: float | None = None
    unchecked: str | None = None


class Checks:
    """Of one collection, which `windows` are."""

    def __init__(self, models: ModelSource, windows: Sequence[Window], search: Search, writer: Writer) -> None:
        self._models = models
        self._windows = windows
        self._search = search
        self._writer = writer

    async def check(self, task: Task, draft: Draft) -> Checked:
        """Raises RejectedError: refers_to_text, names_nothing, answered, not_supported, one_text_is_enough, no_claim, too_long, or the reason of a model that failed."""
        if _OF_THE_TEXT.search(draft.question):
            raise RejectedError("refers_to_text")
        texts = [one.text for one in task.windows]
        try:
            if task.kind == NEGATIVE:
                return await self._negative(draft, texts)
            if not overlap_of(draft.question, texts):
                raise RejectedError("names_nothing")
            return await self._supported(task, draft, texts)
        except (InferenceError, Unscorable) as error:
            raise RejectedError(error.reason) from error

    async def _supported(self, task: Task, draft: Draft, texts: list[str]) -> Checked:
        languages = languages_together([draft.question, draft.reference, *texts])
        async with self._models.route(service="", languages=lambda: languages) as models:
            vector = await _embedded(models, draft, languages)
            if not languages <= models.grounder.languages:
                return Checked(draft, vector, unchecked="language")
            least = await _support(models, draft, texts)
            if least < max(_SUPPORTED, models.grounder.threshold):
                raise RejectedError("not_supported")
            if task.kind == MULTI_HOP:
                for one in texts:
                    if await _support(models, draft, [one]) >= models.grounder.threshold:
                        raise RejectedError("one_text_is_enough")
            return Checked(draft, vector, support=least)

    async def _negative(self, draft: Draft, texts: list[str]) -> Checked:
        """No window that a search finds answers it: by the relevance model; by the grounding model where it is known what they would say; and by the writer."""
        asked = draft.statement or draft.question
        found = tuple(self._windows[n].text for n in self._search.best(asked, FOUND))
        languages = languages_together([draft.question, *texts])
        async with self._models.route(service="", languages=lambda: languages) as models:
            vector = await _embedded(models, draft, languages)
            model = models.relevance if draft.statement is None else models.grounder
            unread = not languages <= model.languages
            if found and not unread and await _answers(models, draft, found):
                raise RejectedError("answered")
        if found and await self._writer.answered(draft.question, found):
            raise RejectedError("answered")
        return Checked(draft, vector, unchecked="language" if unread else None)


def overlap_of(question: str, texts: Sequence[str]) -> bool:
    """Whether a question names anything that one of the texts names."""
    return any(overlap(question, text) > 0 for text in texts)


def is_near(one: Checked, other: Checked) -> bool:
    """Whether two ask for the same: by their embeddings, but for the numbers in them, to which these are nearly blind; or by their words."""
    questions = one.draft.question, other.draft.question
    if one.vector is not None and other.vector is not None and float(one.vector @ other.vector) >= _SAME_COSINE:
        return same_numbers(*questions)
    return alike(*questions)


async def _embedded(models: Models, draft: Draft, languages: frozenset[str]) -> FloatArray | None:
    read = models.embedder.languages
    if read is not None and not languages <= read:
        return None
    vector: FloatArray = np.asarray((await models.embedder.embed([draft.question]))[0])
    return vector


async def _support(models: Models, draft: Draft, texts: Sequence[str]) -> float:
    claims = [replace(one, start=None, end=None, question=draft.question) for one in stance_of(draft.reference).claims]
    if not claims:
        raise RejectedError("no_claim")
    return min(one.probability for one in await models.grounder.support(claims, texts))


async def _answers(models: Models, draft: Draft, found: Sequence[str]) -> bool:
    if draft.statement is None:
        return max(await models.relevance.documents(draft.question, found)) >= _ANSWERS
    claims = stance_of(draft.statement).claims
    supports = await models.grounder.support(claims, found)
    return bool(supports) and min(one.probability for one in supports) >= models.grounder.threshold
