"""What all judged evaluators have in common: what the judge is told of a request, and the two-rating formula.

A judged evaluator stands in the slow lane, reads any language, and is an evaluator of its own: what is called `faithfulness` here is `faithfulness_judge` there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, Protocol, cast

from exporters.result import ModelIdentity
from sidecar.evaluate.base import About, Lane, Needs
from sidecar.evaluate.case import Case
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import Prompt, load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import InferenceError, RetryableInferenceError, Unscorable

SUFFIX = "_judge"
# What every evaluator is told counts for all.
_SHOWN = ("question", "document", "answer")


@dataclass(frozen=True, slots=True)
class Told:
    """A request as the judge may be told it. `documents` are those that have a text, in rank order; `reference` and `reference_contexts` are
    empty where there are none."""

    question: str
    answer: str
    documents: tuple[str, ...]
    reference: str = ""
    reference_contexts: tuple[str, ...] = ()

    @property
    def numbered(self) -> list[dict[str, object]]:
        """The documents with their numbers, from 1."""
        return numbered(self.documents)


def numbered(texts: Iterable[str]) -> list[dict[str, object]]:
    """Texts with their numbers, from 1."""
    return [{"number": number, "text": text} for number, text in enumerate(texts, 1)]


class Asking:
    """A base for judged evaluators: says what they all say, and asks. `prompts` are those that the evaluator asks by."""

    lane = Lane.SLOW
    decides = False
    version: str
    needs: tuple[Needs, ...] = ()

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

    def models(self, case: Case) -> tuple[ModelIdentity, ...]:
        """The judge."""
        return (self.model,)

    @property
    def calls(self) -> str:
        """How many questions it asks about a request, as "2" or "2K + 3"; K is the number of documents, the same one twice counted once."""
        about = getattr(self, "about", None)
        return about.calls if isinstance(about, About) else "1"

    @property
    def by_document(self) -> bool:
        """Whether it asks about one document after the other."""
        return "K" in self.calls

    def questions(self, case: Case) -> int:
        """How many that is for a case, where no reply is invalid."""
        return counted(self.calls, len(set(case.texts)))

    def languages(self, case: Case) -> None:
        """Any."""

    async def told(self, case: Case) -> Told:
        """What the judge may be told, the same for all evaluators of a request. Raises Unscorable: too_long."""
        parts = {
            "question": [case.question],
            "document": case.texts,
            "answer": [case.answer],
            "reference": [case.reference],
            "reference_context": list(case.reference_contexts),
        }
        counted = _SHOWN if Needs.REFERENCE not in self.needs else (*_SHOWN, "reference")
        counted = counted if Needs.REFERENCE_CONTEXTS not in self.needs else (*counted, "reference_context")
        if sum(len(text) for place in counted for text in parts[place]) > self.judge.config.most_chars:
            raise Unscorable("too_long")
        texts = [(place, text) for place, all_of in parts.items() for text in all_of]
        told = iter(await case.once("told", lambda: self.judge.told(texts)))
        (question,), documents, (answer,), (reference,), contexts = (
            tuple(islice(told, len(all_of))) for all_of in parts.values()
        )
        return Told(question, answer, documents, reference, contexts)


def counted(calls: str, documents: int) -> int:
    """The value of a formula of calls. Raises ValueError where it is none."""
    total = 0
    for part in calls.replace(" ", "").split("+"):
        factor, of, _ = part.partition("K")
        total += (int(factor) if factor else 1) * (documents if of else 1) if part else int(part)
    return total


class Rated(Reply):
    """A rating with its reason."""

    reason: str
    rating: Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Two independent ratings of one thing, each from 0 to `most`, or None where the reply was invalid."""

    first: int | None
    second: int | None
    most: int = 2

    @property
    def score(self) -> float | None:
        """Mean / most of those that are valid, 0..1; None where neither is. As NVIDIA's groundedness and relevance in Ragas, without
        their traps: a rating is valid by the schema alone."""
        valid = [one for one in (self.first, self.second) if one is not None]
        return sum(valid) / (self.most * len(valid)) if valid else None


class _Rated(Protocol):
    @property
    def reason(self) -> str: ...
    @property
    def rating(self) -> int: ...


class Rating(Asking):
    """Asks for two ratings by two different prompts. `reply` is what each may say, `most` its highest rating."""

    reply: type[Reply] = Rated
    most = 2

    def __init__(self, name: str, judge: Judge, prompts: tuple[str, ...]) -> None:
        super().__init__(name, judge, [load(one) for one in prompts])

    async def rate(self, data: Mapping[str, object]) -> tuple[float, str]:
        """Score and reasons. Raises InferenceError: judge_invalid where neither rating is one."""
        return self.scored(*await asyncio.gather(*(self.rated(prompt, data) for prompt in self.prompts)))

    def scored(self, first: _Rated | None, second: _Rated | None) -> tuple[float, str]:
        """Score and reasons of two ratings. Raises InferenceError: judge_invalid where neither is one."""
        given = [None if one is None else one.rating for one in (first, second)]
        score = Ratings(given[0], given[1], self.most).score
        if score is None:
            raise RetryableInferenceError(INVALID)
        return score, "\n".join(f"{one.rating}: {one.reason}" for one in (first, second) if one is not None)

    async def rated(self, prompt: Prompt, data: Mapping[str, object]) -> _Rated | None:
        """One rating; None where the reply was invalid."""
        try:
            return cast("_Rated", await self.judge.ask(Question(self.name, prompt, data, self.reply)))
        except InferenceError as error:
            if error.reason != INVALID:
                raise
            return None
