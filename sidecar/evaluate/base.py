"""What an evaluator is.

An evaluator is a small class in a file of its own, listed in registry.py. It scores one request or says why it cannot:
it raises Unscorable(reason) or InferenceError and nothing else, and never returns a score that is not finite and in 0..1.
What several evaluators need of one request (claims, language, support) is computed once and shared through `Case`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from exporters.result import Evaluation, Subject
from sidecar.evaluate.case import Case


class Needs(enum.StrEnum):
    """What a request must have for an evaluator to look at it; what lacks is `unscorable{reason="no_<need>"}`."""

    QUESTION = "question"
    ANSWER = "answer"
    CONTEXT = "context"


class Lane(enum.StrEnum):
    """Evaluators of one lane run together; the slow one waits for something outside the process, the local one never does."""

    LOCAL = "local"
    SLOW = "slow"


class Settings(BaseModel):
    """Settings of one evaluator: the section `evaluate.NAME`. Each evaluator has a class of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What an evaluator may be built with beside its own settings.

    claim_threshold  support from which on a claim counts as supported, None = the grounding model's own: one for all
                     evaluators, so that the claims that one reports and the verdict of another tell one story
    """

    claim_threshold: float | None = None


def or_else(setting: float | None, default: float) -> float:
    """A setting, or what holds where it is not set; 0 is set."""
    return default if setting is None else setting


class Evaluator(Protocol):
    """Scores one request. What it declares is stamped on each of its evaluations by the engine.

    name     the label value, and the name of its section of settings
    version  goes up whenever the same request may come out otherwise
    method   the formula, a bounded word: scores of two methods are never compared
    subject  what is judged, which says the span that an evaluation is attached to
    needs    checked, in order, before `evaluate` is called
    decides  whether its label is the verdict
    lane     SLOW where it waits for something outside the process: its case has no local models, which others may need meanwhile
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def subject(self) -> Subject: ...

    @property
    def needs(self) -> tuple[Needs, ...]: ...

    @property
    def decides(self) -> bool: ...

    @property
    def lane(self) -> Lane: ...

    def languages(self, case: Case) -> frozenset[str] | None:
        """ISO 639-1 codes that it reads with the models of the case; None = any."""
        ...

    async def evaluate(self, case: Case) -> Evaluation:
        """The evaluation, with outcome SCORED. Raises Unscorable or InferenceError."""
        ...
