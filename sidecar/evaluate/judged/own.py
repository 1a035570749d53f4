"""Metrics that a user defines in the settings, and the judge answers: aspects, criteria and rubrics."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import Needs, Rate
from sidecar.evaluate.case import Case
from sidecar.evaluate.judged.base import Asking
from sidecar.inference.judge.judge import INVALID, Judge, Question
from sidecar.inference.judge.prompt import Prompt, load
from sidecar.inference.judge.reading import Reply
from sidecar.record.errors import InferenceError, RetryableInferenceError

_MOST_STEPS = 100
# Independent votes need chance.
_VOTING_TEMPERATURE = 0.7

Part = Literal["question", "answer", "documents", "reference", "reference_contexts"]
Level = Annotated[int, Field(ge=-1000, le=1000)]
_NEEDS: Mapping[Part, Needs] = {
    "question": Needs.QUESTION,
    "answer": Needs.ANSWER,
    "documents": Needs.CONTEXT,
    "reference": Needs.REFERENCE,
    "reference_contexts": Needs.REFERENCE_CONTEXTS,
}


class OwnMetric(BaseModel):
    """A metric of your own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["aspect", "criteria", "rubric"] = Field(
        description="aspect: a yes-or-no question; criteria: a whole number on a scale; rubric: the level that fits best."
    )
    definition: str = Field(
        min_length=10,
        max_length=4000,
        description="What is asked: for an aspect a yes-or-no question, else what the scale measures.",
    )
    reads: tuple[Part, ...] = Field(
        default=("question", "answer"),
        min_length=1,
        description="What the judge is shown: question, answer, documents; of cases that bring them reference, reference_contexts.",
    )
    good: bool = Field(default=True, description="Of an aspect: whether yes is good. 1 is good in every score.")
    votes: int = Field(
        default=1, ge=1, le=9, description="Of an aspect: how often it is asked, an odd number; the majority counts."
    )
    scale: tuple[Level, Level] = Field(default=(0, 5), description="Of criteria: the worst number and the best.")
    levels: Mapping[Level, Annotated[str, Field(min_length=1, max_length=1000)]] = Field(
        default={}, description="Of a rubric: a description for each number, the highest is the best."
    )
    judge_rate: Rate = Field(default=0.1, description="Share of the scored requests that the judge sees for it.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.votes % 2 == 0:
            raise ValueError("votes must be odd, or there is no majority")
        if len(set(self.reads)) != len(self.reads):
            raise ValueError("reads names something twice")
        if not 0 < self.scale[1] - self.scale[0] <= _MOST_STEPS:
            raise ValueError(f"scale goes from the worst to the best, which is greater, by {_MOST_STEPS} steps at most")
        if self.kind == "rubric" and len(self.levels) < 2:
            raise ValueError("a rubric needs levels: a description for each of two numbers or more")
        for name, kind in (("levels", "rubric"), ("scale", "criteria"), ("votes", "aspect"), ("good", "aspect")):
            if name in self.model_fields_set and self.kind != kind:
                raise ValueError(f"{name} is for {kind} alone")
        return self

    @property
    def numbers(self) -> tuple[int, ...]:
        """What may be said, from the worst to the best; of an aspect nothing."""
        if self.kind == "rubric":
            return tuple(sorted(self.levels))
        return tuple(range(self.scale[0], self.scale[1] + 1)) if self.kind == "criteria" else ()


class Holds(Reply):
    """Whether an aspect holds."""

    reason: str
    holds: bool


def normalised(score: int, numbers: tuple[int, ...]) -> float:
    """(score - worst) / (best - worst), 0..1."""
    return (score - numbers[0]) / (numbers[-1] - numbers[0])


def majority(votes: list[bool | None]) -> bool | None:
    """What more than half of the valid votes say; None where there is none or they are equal."""
    counts = Counter(vote for vote in votes if vote is not None)
    if counts[True] == counts[False]:
        return None
    return counts[True] > counts[False]


class OwnEvaluator(Asking):
    """One metric of a user. The definition is part of its version."""

    def __init__(self, name: str, metric: OwnMetric, judge: Judge) -> None:
        super().__init__(name, judge, [_prompt(metric)])
        told = f"{metric.definition}\0{metric.model_dump(mode='json')}".encode()
        self.version = f"{self.version}+{hashlib.sha256(told).hexdigest()[:8]}"
        self.method = metric.kind
        self.needs = tuple(_NEEDS[part] for part in _NEEDS if part in metric.reads)
        self.subject = Subject.ANSWER if "answer" in metric.reads else Subject.RETRIEVAL
        self._metric = metric
        self._reply = scored_reply(metric.numbers) if metric.numbers else Holds

    def questions(self, case: Case) -> int:
        """A vote each."""
        return self._metric.votes

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises Unscorable: too_long; InferenceError: judge_invalid."""
        told = await self.told(case)
        parts: dict[str, object] = {
            "question": told.question,
            "documents": told.numbered,
            "reference": told.reference,
            "reference_contexts": list(told.reference_contexts),
            "answer": told.answer,
        }
        data: dict[str, object] = {name: value for name, value in parts.items() if name in self._metric.reads}
        question = Question(self.name, self.prompts[0], data, self._reply)
        found = Evaluation(evaluator=self.name, outcome=Outcome.SCORED, model=self.model)
        if self._metric.kind == "aspect":
            return await self._aspect(question, found)
        said = await self.judge.ask(question)
        score = int(getattr(said, "score"))  # noqa: B009 - a field of the model that was made for the scale
        reason = str(getattr(said, "reason"))  # noqa: B009 - the same
        exported = normalised(score, self._metric.numbers)
        return replace(found, score=exported, label=str(score), parts={"raw": score}, explanation=reason)

    async def _aspect(self, question: Question[Reply], found: Evaluation) -> Evaluation:
        votes = await asyncio.gather(*(self._vote(question, number) for number in range(self._metric.votes)))
        holds = majority([None if vote is None else vote.holds for vote in votes])
        if holds is None:
            raise RetryableInferenceError(INVALID)
        return replace(
            found,
            score=float(holds == self._metric.good),
            parts={"raw": float(holds)},
            label="holds" if holds else "holds_not",
            explanation="\n".join(vote.reason for vote in votes if vote is not None),
        )

    async def _vote(self, question: Question[Reply], number: int) -> Holds | None:
        if self._metric.votes > 1:
            question = replace(question, vote=number + 1, temperature=_VOTING_TEMPERATURE)
        try:
            said = await self.judge.ask(question)
        except InferenceError as error:
            if error.reason != INVALID:
                raise
            return None
        return said if isinstance(said, Holds) else None


def _prompt(metric: OwnMetric) -> Prompt:
    prompt = load(metric.kind)
    definition = metric.definition.strip()
    if metric.kind == "aspect":
        return prompt.filled(definition=definition)
    if metric.kind == "criteria":
        least, most = metric.scale
        return prompt.filled(least=str(least), most=str(most), definition=definition)
    levels = "\n".join(f"{number}: {metric.levels[number]}" for number in metric.numbers)
    return prompt.filled(levels=levels, definition=definition)


def scored_reply(numbers: tuple[int, ...]) -> type[Reply]:
    """A reply whose score is one of these numbers."""
    scale: Any = Literal[numbers]
    return create_model("Scored", __base__=Reply, reason=(str, ...), score=(scale, ...))
