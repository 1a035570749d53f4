"""What all metrics over two strings have in common: answer and reference, any language, no model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from exporters.result import Evaluation, Outcome, Subject
from exporters.text import clean
from sidecar.evaluate.base import Lane, Needs
from sidecar.evaluate.case import Case

_MOST_ON_THE_LOOP = 4000


@dataclass(frozen=True, slots=True)
class Found:
    """A score in 0..1, what it is made of, and a word that goes with it."""

    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    label: str | None = None


class Strings:
    """A base: the subclass compares, and says its name, method and what it is about."""

    name: str
    version = "1"
    method: str
    subject = Subject.ANSWER
    needs = (Needs.ANSWER, Needs.REFERENCE)
    decides = False
    lane = Lane.LOCAL

    def languages(self, case: Case) -> None:
        """Any."""

    def compare(self, answer: str, reference: str) -> Found:
        """Both as they stand in the request, neither empty. May raise Unscorable."""
        raise NotImplementedError

    async def evaluate(self, case: Case) -> Evaluation:
        """What `compare` says; long texts are compared in a thread."""
        answer, reference = clean(case.trace.answer or ""), clean(case.trace.reference or "")
        if len(answer) + len(reference) > _MOST_ON_THE_LOOP:
            found = await asyncio.to_thread(self.compare, answer, reference)
        else:
            found = self.compare(answer, reference)
        return Evaluation(
            evaluator=self.name, outcome=Outcome.SCORED, score=found.score, parts=found.parts, label=found.label
        )
