"""What all judged evaluators have in common: what the judge is told of a request, and the two-rating formula.

A judged evaluator stands in the slow lane, reads any language, and is an evaluator of its own: what is called `faithfulness` here is `faithfulness_judge` there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from exporters.result import ModelIdentity
from sidecar.evaluate.base import Lane
from sidecar.evaluate.case import Case
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import Prompt, load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import InferenceError, RetryableInferenceError, Unscorable

SUFFIX = "_judge"


@dataclass(frozen=True, slots=True)
class Told:
    """A request as the judge may be told it. `documents` are those that have a text, in rank order."""

    question: str
    answer: str
    documents: tuple[str, ...]

    @property
    def numbered(self) -> list[dict[str, object]]:
        """The documents with their numbers, from 1."""
        return [{"number": number, "text": text} for number, text in enumerate(self.documents, 1)]


class Asking:
    """A base for judged evaluators: says what they all say, and asks. `prompts` are those that the evaluator asks by."""

    lane = Lane.SLOW
    decides = False

    def __init__(self, name: str, judge: Judge, prompts: Sequence[Prompt], *, code: int = 1) -> None:
        """`code` goes up whenever the same replies may come out otherwise."""
        self.name = name
        self.version = "+".join([str(code), *(prompt.identity for prompt in prompts)])
        self.judge = judge
        self.prompts = tuple(prompts)

    @property
    def model(self) -> ModelIdentity:
        """The judge's."""
        return self.judge.identity

    def languages(self, case: Case) -> None:
        """Any."""

    async def told(self, case: Case) -> Told:
        """What the judge may be told, the same for all evaluators of a request. Raises Unscorable: too_long."""
        texts = [("question", case.question), *(("document", text) for text in case.texts), ("answer", case.answer)]
        if sum(len(text) for _, text in texts) > self.judge.config.most_chars:
            raise Unscorable("too_long")
        question, *documents, answer = await case.once("told", lambda: self.judge.told(texts))
        return Told(question, answer, tuple(documents))


class Rated(Reply):
    """A rating with its reason."""

    reason: str
    rating: Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Two independent ratings of one thing, each 0, 1, 2, or None where the reply was invalid."""

    first: int | None
    second: int | None

    @property
    def score(self) -> float | None:
        """Mean / 2 of those that are valid, 0..1; None where neither is. As NVIDIA's groundedness and relevance in Ragas, without
        their traps: a rating is valid by the schema alone."""
        valid = [one for one in (self.first, self.second) if one is not None]
        return sum(valid) / (2 * len(valid)) if valid else None


class Rating(Asking):
    """Asks for two ratings by two different prompts."""

    def __init__(self, name: str, judge: Judge, prompts: tuple[str, str]) -> None:
        super().__init__(name, judge, [load(one) for one in prompts])

    async def rate(self, data: Mapping[str, object]) -> tuple[float, str]:
        """Score and reasons. Raises InferenceError: judge_invalid where neither rating is one."""
        first, second = await asyncio.gather(*(self._rated(prompt, data) for prompt in self.prompts))
        score = Ratings(*(one.rating if one else None for one in (first, second))).score
        if score is None:
            raise RetryableInferenceError(INVALID)
        said = [f"{one.rating}: {one.reason}" for one in (first, second) if one is not None]
        return score, "\n".join(said)

    async def _rated(self, prompt: Prompt, data: Mapping[str, object]) -> Rated | None:
        try:
            return await self.judge.ask(Question(self.name, prompt, data, Rated))
        except InferenceError as error:
            if error.reason != INVALID:
                raise
            return None
