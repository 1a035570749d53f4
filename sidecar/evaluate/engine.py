"""Runs the evaluators over one request. One evaluator's failure is one evaluation; the others go on."""

from __future__ import annotations

import asyncio
import difflib
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, field_validator

from exporters.result import Evaluation, Outcome, Verdict
from sidecar.evaluate.base import Evaluator, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.registry import EVALUATORS, NAMES
from sidecar.inference.base import Models
from sidecar.record.errors import InferenceError, Unscorable
from sidecar.record.trace import RagTrace

logger = logging.getLogger(__name__)

_TELLING = ("language", "too_long", "no_text", "no_answer", "no_context", "no_question", "no_claims", "abstained")


class EvaluateConfig(BaseModel):
    """Settings of the evaluators."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    evaluators: tuple[str, ...] = Field(default=NAMES, min_length=1, description="Which evaluators run.")
    most_answer_chars: int = Field(
        default=20_000, ge=1, description="Longer answers are unscorable{reason=too_long}, never cut."
    )
    most_document_chars: int = Field(
        default=200_000, ge=1, description="The same for all documents of a request together."
    )
    most_documents: int = Field(default=200, ge=1, description="The same for the number of documents.")
    timeout_seconds: float = Field(default=60.0, gt=0, description="Time for all evaluators of one request.")

    @field_validator("evaluators")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in NAMES:
                close = difflib.get_close_matches(name, NAMES, n=1)
                raise ValueError(
                    f"no evaluator {name!r}; "
                    + (f"did you mean {close[0]}?" if close else f"known are {', '.join(NAMES)}")
                )
        if len(set(names)) != len(names):
            raise ValueError("an evaluator is named twice")
        return names


@dataclass(frozen=True, slots=True)
class Evaluated:
    """All evaluations of one request, and what they come to."""

    evaluations: tuple[Evaluation, ...]
    verdict: Verdict | None
    outcome: Outcome
    reason: str | None


class Engine:
    """`evaluate` never raises for what is in a request."""

    def __init__(self, config: EvaluateConfig, models: Models, registry: Sequence[Evaluator] = EVALUATORS) -> None:
        self._config = config
        self._models = models
        self.evaluators = [evaluator for evaluator in registry if evaluator.name in config.evaluators]

    async def evaluate(self, trace: RagTrace) -> Evaluated:
        """Every evaluator's evaluation, in the order of the registry."""
        case = Case(trace, self._models)
        try:
            evaluations = tuple(await asyncio.gather(*(self._one(evaluator, case) for evaluator in self.evaluators)))
        finally:
            case.close()
        return summarise(evaluations)

    async def _one(self, evaluator: Evaluator, case: Case) -> Evaluation:
        name = evaluator.name
        try:
            self._check(evaluator, case)
            async with asyncio.timeout(self._config.timeout_seconds):
                return _sound(await evaluator.evaluate(case))
        except Unscorable as error:
            return Evaluation(evaluator=name, outcome=Outcome.UNSCORABLE, reason=error.reason)
        except InferenceError as error:
            return Evaluation(evaluator=name, outcome=Outcome.FAILED, reason=error.reason)
        except TimeoutError:
            return Evaluation(evaluator=name, outcome=Outcome.FAILED, reason="timeout")
        except Exception as error:  # noqa: BLE001 - the door of the evaluators: one that breaks is one failed evaluation
            logger.error("evaluator %s broke: %s", name, type(error).__name__)
            return Evaluation(evaluator=name, outcome=Outcome.FAILED, reason="internal")

    def _check(self, evaluator: Evaluator, case: Case) -> None:
        """Raise Unscorable where the request lacks what the evaluator needs, or has too much of it."""
        if case.trace.text_dropped:
            raise Unscorable("no_text")
        config, needs = self._config, evaluator.needs
        if Needs.ANSWER in needs and len(case.answer) > config.most_answer_chars:
            raise Unscorable("too_long")
        if Needs.ANSWER in needs and Needs.CONTEXT in needs and case.abstained:
            raise Unscorable("abstained")  # also where nothing was retrieved, which is when a good service abstains
        has = {
            Needs.QUESTION: bool(case.question),
            Needs.ANSWER: bool(case.answer),
            Needs.CONTEXT: bool(case.documents),
        }
        for need in needs:
            if not has[need]:
                raise Unscorable(f"no_{need}")
        if Needs.QUESTION in needs and len(case.question) > config.most_answer_chars:
            raise Unscorable("too_long")
        too_many = len(case.documents) > config.most_documents or sum(map(len, case.texts)) > config.most_document_chars
        if Needs.CONTEXT in needs and too_many:
            raise Unscorable("too_long")


def summarise(evaluations: Sequence[Evaluation]) -> Evaluated:
    """Scored where anything was; else failed where anything failed; else unscorable, with the most telling reason."""
    made = tuple(evaluations)
    verdict = next((Verdict(e.label) for e in made if e.evaluator == "groundedness" and e.label), None)
    if any(e.reason == "abstained" for e in made):
        verdict = Verdict.ABSTAINED
    if any(e.outcome is Outcome.SCORED for e in made):
        return Evaluated(made, verdict, Outcome.SCORED, None)
    for outcome in (Outcome.FAILED, Outcome.UNSCORABLE):
        reasons = [e.reason or "" for e in made if e.outcome is outcome]
        if reasons:
            reason = min(reasons, key=lambda r: _TELLING.index(r) if r in _TELLING else len(_TELLING))
            return Evaluated(made, verdict, outcome, reason)
    return Evaluated(made, None, Outcome.UNSCORABLE, "no_evaluators")


def _sound(evaluation: Evaluation) -> Evaluation:
    """The evaluation, or a failed one where its score is not a number in 0..1: a failure never looks like a score."""
    score = evaluation.score
    parts = [claim.support for claim in evaluation.claims] + [document.score for document in evaluation.documents]
    if score is None or not all(math.isfinite(value) and 0 <= value <= 1 for value in [score, *parts]):
        return Evaluation(
            evaluator=evaluation.evaluator, outcome=Outcome.FAILED, reason="bad_score", model=evaluation.model
        )
    return evaluation
