"""Cases written by the judge: one question to it a draft, from windows that it sees as data."""

from __future__ import annotations

import re
from typing import TypeVar

from sidecar.evaluate.judged.base import numbered
from sidecar.evaluate.text.language import language_of
from sidecar.inference.judge.judge import Judge, Question
from sidecar.inference.judge.prompt import Prompt, load
from sidecar.inference.judge.reading import Reply
from sidecar.offline.case import NEGATIVE
from sidecar.offline.testset.draft import Draft, RejectedError, StoppedError, Task
from sidecar.offline.testset.plan import MULTI_HOP, SHARES
from sidecar.record.errors import InferenceError

NAME = "testset"
# What right is where the documents do not say it; of a language that is not here in English.
UNANSWERABLE = {"en": "The documents do not say.", "zh": "文档中没有相关信息。"}
# The first attempt is what the settings say; another one at the same window is to be another one.
_OTHER_TEMPERATURE = 0.7
_PSEUDONYM = re.compile(r"<[a-z][a-z0-9_]{0,30}-[1-9][0-9]{0,5}>")
_STOPS = frozenset({"judge_budget"})
_Said = TypeVar("_Said", bound=Reply)


class Written(Reply):
    """A question with its answer."""

    question: str
    answer: str


class Asked(Reply):
    """A question alone."""

    question: str


class Answered(Reply):
    """Whether documents answer a question."""

    reason: str
    answered: bool


class JudgeWriter:
    """offline.testset.draft.Writer by the judge."""

    origin = "synthetic"
    kinds = frozenset(SHARES)

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @staticmethod
    def prompt(kind: str) -> Prompt:
        """What the judge is told to do for a kind."""
        return load(f"{NAME}_{kind}")

    @property
    def identity(self) -> str:
        """What it is told to do: prompts with their versions."""
        return " ".join(load(f"{NAME}_{name}").identity for name in (*sorted(self.kinds), "answered"))

    async def write(self, task: Task) -> Draft:
        """Raises RejectedError: judge_*, empty, or pseudonym where what was redacted came back."""
        prompt = self.prompt(task.kind)
        *texts, asked = await self._told(*(one.text for one in task.windows), "\n".join(task.asked))
        names = ("first", "second") if task.kind == MULTI_HOP else ("text",)
        shown: dict[str, object] = {"asked": asked.split("\n") if asked else []}
        shown.update(zip(names, texts, strict=True))
        params = {"by": "judge", "model": self._judge.config.model, "prompt": prompt.identity}
        if task.kind == NEGATIVE:
            said = await self._ask(prompt, shown, Asked, task.attempt)
            return _whole(Draft(said.question.strip(), no_answer(task.windows[0].text), params=params))
        written = await self._ask(prompt, shown, Written, task.attempt)
        return _whole(Draft(written.question.strip(), written.answer.strip(), params=params))

    async def answered(self, question: str, found: tuple[str, ...]) -> bool:
        """Whether the judge finds an answer in these texts. Raises RejectedError."""
        asked, *texts = await self._told(question, *found)
        data: dict[str, object] = {"documents": numbered(texts), "question": asked}
        return (await self._ask(load(f"{NAME}_answered"), data, Answered, 0)).answered

    async def _told(self, *texts: str) -> list[str]:
        return await self._judge.told([("document", text) for text in texts])

    async def _ask(self, prompt: Prompt, data: dict[str, object], reply: type[_Said], attempt: int) -> _Said:
        try:
            return await self._judge.ask(
                Question(NAME, prompt, data, reply, vote=attempt, temperature=_OTHER_TEMPERATURE if attempt else None)
            )
        except InferenceError as error:
            kind = StoppedError if error.reason in _STOPS else RejectedError
            raise kind(error.reason) from error


def no_answer(text: str) -> str:
    """The fixed sentence in the language of a text."""
    return UNANSWERABLE.get(language_of(text) or "en", UNANSWERABLE["en"])


def _whole(draft: Draft) -> Draft:
    if not draft.question or not draft.reference:
        raise RejectedError("empty")
    if _PSEUDONYM.search(draft.question + draft.reference):
        raise RejectedError("pseudonym")
    return draft
