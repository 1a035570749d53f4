"""Tool call accuracy: did the agent call the tools that it should, in order, with the right arguments?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import orjson
from pydantic import Field

from exporters.result import Evaluation, Outcome, Subject
from sidecar.evaluate.base import About, Cost, Dependencies, Lane, Needs, Section
from sidecar.evaluate.case import Case
from sidecar.evaluate.metrics.strings.string_similarity import similarity
from sidecar.record.authored import ToolCall
from sidecar.statistics.assignment import assigned


class ToolCallAccuracySettings(Section):
    """Calls as they should be."""

    order: Literal["strict", "any"] = Field(
        default="strict", description="Whether names have to come in the order of the reference, or in any."
    )
    arguments: Literal["exact", "string_similarity"] = Field(
        default="exact",
        description="How an argument is compared: the same value, or Levenshtein similarity of the two as text (extra `offline`).",
    )


Likeness: TypeAlias = Callable[[ToolCall, ToolCall], float]


def aligned(
    made: Sequence[ToolCall], wanted: Sequence[ToolCall], likeness: Likeness, *, strict: bool
) -> list[float] | None:
    """How like each call is to the one of the reference that it goes with; None where names differ. In any order calls of one name go with those that make
    the sum the largest."""
    names, others = [one.name for one in made], [one.name for one in wanted]
    if strict:
        return list(map(likeness, made, wanted)) if names == others else None
    if Counter(names) != Counter(others):
        return None
    found: list[float] = []
    for name in dict.fromkeys(others):
        table = [[likeness(one, other) for one in made if one.name == name] for other in wanted if other.name == name]
        found += [row[place] for row, place in zip(table, assigned(table), strict=True)]
    return found


class ToolCallAccuracy:
    """Aligned names x mean over reference calls of equal arguments / arguments of the reference. Arguments beside these do not count.
    Where neither side has a call it is 1, where one has none 0."""

    name = "tool_call_accuracy"
    version = "3"
    method = "strict_exact"
    subject = Subject.ANSWER
    needs = (Needs.MESSAGES, Needs.TOOL_CALLS)
    decides = False
    lane = Lane.LOCAL
    about = About(
        "1 if the sequences of tool names are the same, else 0, x mean over calls of equal arguments / reference arguments",
        "Ragas ToolCallAccuracy",
        Cost.TEXT,
    )

    def __init__(self, settings: ToolCallAccuracySettings, dependencies: Dependencies) -> None:
        self._settings = settings
        self.method = f"{settings.order}_{settings.arguments}"

    def languages(self, case: Case) -> None:
        """Any."""

    async def evaluate(self, case: Case) -> Evaluation:
        """Raises nothing of its own."""
        made = [call for message in case.trace.messages if message.role == "assistant" for call in message.tool_calls]
        wanted = case.authored.tool_calls or ()
        equal = aligned(made, wanted, self._equal, strict=self._settings.order == "strict")
        if equal is None:
            return Evaluation(evaluator=self.name, outcome=Outcome.SCORED, score=0.0, label="names_differ")
        score = sum(equal) / len(equal) if equal else 1.0
        return Evaluation(evaluator=self.name, outcome=Outcome.SCORED, score=score)

    def _equal(self, made: ToolCall, wanted: ToolCall) -> float:
        if not wanted.arguments:
            return 1.0
        found = [
            self._argument(made.arguments[key], value) if key in made.arguments else 0.0
            for key, value in wanted.arguments.items()
        ]
        return sum(found) / len(found)

    def _argument(self, made: Any, wanted: Any) -> float:
        if self._settings.arguments == "exact":
            return float(_same(made, wanted))
        return similarity(_text(made), _text(wanted))


def _same(one: Any, other: Any) -> bool:
    """The same JSON value: 1 is 1.0, and neither is true, at any depth."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
