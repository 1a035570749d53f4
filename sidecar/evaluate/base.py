"""What an evaluator is.

An evaluator is a small class in a file of its own, listed in registry.py. It scores one request or says why it cannot:
it raises Unscorable(reason) or InferenceError and nothing else, and never returns a score that is not finite and in 0..1.
What several evaluators need of one request (claims, language, support) is computed once and shared through `Case`.
"""

from __future__ import annotations

import enum
from typing import Protocol

from exporters.result import Evaluation
from sidecar.evaluate.case import Case


class Needs(enum.StrEnum):
    """What a request must have for an evaluator to look at it; what lacks is `unscorable{reason="no_<need>"}`."""

    QUESTION = "question"
    ANSWER = "answer"
    CONTEXT = "context"


class Evaluator(Protocol):
    """Scores one request. `name` is the label value; `needs` is checked, in order, before `evaluate` is called."""

    @property
    def name(self) -> str: ...

    @property
    def needs(self) -> tuple[Needs, ...]: ...

    async def evaluate(self, case: Case) -> Evaluation:
        """The evaluation, with outcome SCORED. Raises Unscorable or InferenceError."""
        ...
