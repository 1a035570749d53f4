"""Runs the evaluators over one request. One evaluator's failure is one evaluation; the others go on."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from exporters.result import Abstention, Evaluation, Outcome, Subject, Verdict
from sidecar.evaluate.base import AUTHORED, AsksModels, Evaluator, Lane, Needs
from sidecar.evaluate.case import Case, languages_of
from sidecar.evaluate.draw import Draws
from sidecar.evaluate.gate import admit, admit_answer, asks_how_far_it_answers, brings, understood
from sidecar.evaluate.judged.base import SUFFIX
from sidecar.evaluate.settings import EvaluateConfig, build
from sidecar.evaluate.verdict import verdict_of
from sidecar.inference.base import UNREACHABLE, ModelSource
from sidecar.inference.judge.judge import Judge
from sidecar.inference.turn import in_turn
from sidecar.observe.said import RateLimited
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import Clock, SystemClock
from sidecar.record.errors import InferenceError, Unscorable
from sidecar.record.request import RagTrace

logger = logging.getLogger(__name__)

_TELLING = ("language", "too_long", "no_text", "no_answer", "no_context", "no_question", "no_claims", "abstained")
_OF_ANSWER = ("abstained", "no_claims")


@dataclass(frozen=True, slots=True)
class Evaluated:
    """All evaluations of one request, and what they come to. `abstention` is None where nobody looked at the answer."""

    evaluations: tuple[Evaluation, ...]
    verdict: Verdict | None
    outcome: Outcome
    reason: str | None
    abstention: Abstention | None = None


class Engine:
    """`evaluate` never raises for what is in a request. `lanes` are those that have an evaluator, LOCAL first."""

    def __init__(
        self,
        config: EvaluateConfig,
        models: ModelSource,
        evaluators: Sequence[Evaluator] | None = None,
        *,
        judge: Judge | None = None,
        clock: Clock | None = None,
        tracing: Tracing | None = None,
        only: Mapping[str, Callable[[RagTrace], bool]] | None = None,
    ) -> None:
        """Without `evaluators` they are those of the settings; what asks a judge is among them where there is one. `only` says of some, by name, which
        requests they look at: of others they say nothing."""
        self._judge = judge
        self._tracing = tracing or Tracing()
        self._said = RateLimited(logger, clock or SystemClock())
        self._config = config
        self._models = models
        self._only = only or {}
        self.evaluators = tuple(build(config, judge, models) if evaluators is None else evaluators)
        self._by_reference = config.by_reference if evaluators is None else frozenset[str]()
        self._draws = self._drawing(config)
        self.lanes = tuple(lane for lane in Lane if any(one.lane is lane for one in self.evaluators))

    def reconfigure(self, config: EvaluateConfig) -> None:
        """Let what is evaluated from now on be evaluated by other settings. Which evaluators there are may not change."""
        self.evaluators, self._config = tuple(build(config, self._judge, self._models)), config
        self._by_reference = config.by_reference
        self._draws = self._drawing(config)

    @property
    def present(self) -> Mapping[str, float]:
        """Probability with which each evaluator that asks the judge sees a scored request now."""
        return self._draws.present()

    def draw(self, trace: RagTrace) -> Mapping[str, float]:
        """Which slow evaluators see a request, and the probability with which they do. To be asked once for each request, for the
        probabilities change with the budget; what comes of it goes to `evaluate`."""
        others = {one.name: 1.0 for one in self._of(Lane.SLOW) if one.name not in self._draws.rates}
        drawn = {**others, **self._draws.draw(trace)}
        return {one.name: drawn[one.name] for one in self._of(Lane.SLOW, drawn, trace)}

    @property
    def standing(self) -> tuple[str, ...]:
        """Names of the evaluators that run on every request, whatever it brings."""
        return tuple(one.name for one in self.evaluators if not self._waits(one))

    async def evaluate(
        self, trace: RagTrace, *, lane: Lane = Lane.LOCAL, drawn: Mapping[str, float] | None = None
    ) -> Evaluated:
        """The evaluations of one lane, in the order of the registry. A caller that wants more than one lane asks for each
        by itself and puts them together with `summarise`: what waits in one never holds another. With `drawn` only the evaluators in it
        run, and each says the probability that stands there."""
        mine = self._of(lane, drawn, trace)
        if lane is not Lane.LOCAL:
            made = await self._all(mine, Case(trace, None, reader=self._models.abstention))
            return replace(made, evaluations=tuple(_with(one, drawn) for one in made.evaluations))
        with in_turn():
            found = await self._routed(trace, mine)
            if any(one.reason == UNREACHABLE for one in found.evaluations):
                # Its model went away meanwhile: all is evaluated anew by what stands in, so that one model says all of it.
                found = await self._routed(trace, mine)
            return found

    async def _routed(self, trace: RagTrace, mine: Sequence[Evaluator]) -> Evaluated:
        languages = cache(lambda: languages_of(trace))
        try:
            async with self._models.route(service=trace.service, languages=languages) as models:
                return await self._all(mine, Case(trace, models, languages, self._models.abstention))
        except InferenceError as error:  # a model that this request needs cannot be loaded
            return summarise([_stamped(one, _failed(one.name, error.reason)) for one in mine])

    async def _all(self, evaluators: Sequence[Evaluator], case: Case) -> Evaluated:
        try:
            made = await asyncio.gather(*(self._one(evaluator, case) for evaluator in evaluators))
        finally:
            case.close()
        by_itself = (
            one
            for by, one in zip(evaluators, made, strict=True)
            if Needs.ANSWER in by.needs and not AUTHORED & set(by.needs)
        )
        return summarise(made, case.stance.kind if any(map(_read_answer, by_itself)) else None)

    async def evaluate_all(self, trace: RagTrace, *, kept: float = 1.0) -> Evaluated:
        """All lanes, one after the other, for callers that wait for the slow ones too. `kept` is the probability with which the request came here."""
        local = await self.evaluate(trace)
        drawn = {name: kept * p for name, p in self.draw(trace).items()}
        if not drawn:
            return local
        slow = await self.evaluate(trace, lane=Lane.SLOW, drawn=drawn)
        return summarise((*local.evaluations, *slow.evaluations), local.abstention or slow.abstention)

    def refused(self, lane: Lane, reason: str, drawn: Mapping[str, float] | None = None) -> tuple[Evaluation, ...]:
        """Failed evaluations of a lane that could not be run, `reason` for all; `drawn` as for `evaluate`."""
        mine = self._of(lane, drawn)
        return tuple(_with(_stamped(one, _failed(one.name, reason)), drawn) for one in mine)

    def _of(
        self, lane: Lane, drawn: Mapping[str, float] | None = None, trace: RagTrace | None = None
    ) -> list[Evaluator]:
        """Of a lane those that are drawn; those that wait for a reference or a conversation only where the request brings it."""
        mine = [one for one in self.evaluators if one.lane is lane and (drawn is None or one.name in drawn)]
        return [one for one in mine if trace is None or not self._waits(one) or self._brought(one, trace)]

    def _brought(self, evaluator: Evaluator, trace: RagTrace) -> bool:
        looks_at = self._only.get(evaluator.name)
        return brings(trace, evaluator.needs) if looks_at is None else looks_at(trace)

    def _waits(self, evaluator: Evaluator) -> bool:
        name = evaluator.name
        return name in self._only or name in self._by_reference or name.removesuffix(SUFFIX) in self._by_reference

    def _drawing(self, config: EvaluateConfig) -> Draws:
        if self._judge is None:
            return Draws({}, salt="", factor=lambda: 1.0)
        judge = self._judge
        return Draws(config.judged, salt=judge.config.salt, factor=lambda: judge.factor)

    async def _one(self, evaluator: Evaluator, case: Case) -> Evaluation:
        with self._tracing.span(f"evaluate {evaluator.name}") as tell:
            made = await self._attempt(evaluator, case)
            tell(_told(evaluator.name, made))
        return _stamped(evaluator, made)

    async def _attempt(self, evaluator: Evaluator, case: Case) -> Evaluation:
        name = evaluator.name
        try:
            async with asyncio.timeout(self._config.timeout_seconds):
                if Needs.ANSWER in evaluator.needs:
                    admit_answer(case, self._config)
                if asks_how_far_it_answers(evaluator.needs) and understood(case, evaluator):
                    await case.read_answer()
                admit(case, evaluator, self._config)
                return _sound(await evaluator.evaluate(case))
        except Unscorable as error:
            by = case.decided_by if error.reason == Verdict.ABSTAINED else None
            return Evaluation(evaluator=name, outcome=Outcome.UNSCORABLE, reason=error.reason, model=by)
        except InferenceError as error:
            return _of_models(evaluator, case, _failed(name, error.reason))
        except TimeoutError:
            return _of_models(evaluator, case, _failed(name, "timeout"))
        except Exception as error:  # noqa: BLE001 - the door of the evaluators: one that breaks is one failed evaluation
            kind = type(error).__name__
            self._said.warn(("broke", name, kind), "evaluator %s broke: %s", name, kind)
            return _of_models(evaluator, case, _failed(name, "internal"))


def _read_answer(one: Evaluation) -> bool:
    """Whether an evaluator got as far as reading the answer, which it does not where the language is not one of its own."""
    return one.subject is Subject.ANSWER and (one.outcome is Outcome.SCORED or one.reason in _OF_ANSWER)


def summarise(evaluations: Sequence[Evaluation], abstention: Abstention | None = None) -> Evaluated:
    """Scored where anything was; else failed where anything failed; else unscorable, with the most telling reason, which is
    the language only where it is that of half of them."""
    made = tuple(evaluations)
    verdict = verdict_of(made)
    if any(e.outcome is Outcome.SCORED for e in made):
        return Evaluated(made, verdict, Outcome.SCORED, None, abstention)
    for outcome in (Outcome.FAILED, Outcome.UNSCORABLE):
        reasons = [e.reason or "" for e in made if e.outcome is outcome]
        if reasons:
            if 2 * reasons.count("language") < len(reasons):
                reasons = [one for one in reasons if one != "language"]
            reason = min(reasons, key=lambda r: _TELLING.index(r) if r in _TELLING else len(_TELLING))
            return Evaluated(made, verdict, outcome, reason, abstention)
    return Evaluated(made, None, Outcome.UNSCORABLE, "no_evaluators")


def _told(name: str, made: Evaluation) -> dict[str, str | float | None]:
    """What a span is told of an evaluation."""
    return {
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.value": made.score,
        "gen_ai.evaluation.score.label": made.label,
        "rag_sidecar.outcome": made.outcome.value,
        "rag_sidecar.reason": made.reason,
        "error.type": made.reason if made.outcome is Outcome.FAILED else None,
    }


def _stamped(evaluator: Evaluator, evaluation: Evaluation) -> Evaluation:
    """The evaluation with what its evaluator declares of itself."""
    return replace(
        evaluation,
        evaluator=evaluator.name,
        version=evaluator.version,
        method=evaluator.method,
        subject=evaluator.subject,
        decides_verdict=evaluator.decides,
        judged=evaluator.lane is Lane.SLOW,
    )


def _with(evaluation: Evaluation, drawn: Mapping[str, float] | None) -> Evaluation:
    """The evaluation with the probability that it was drawn with."""
    if drawn is None or evaluation.inclusion_probability is not None:
        return evaluation
    return replace(evaluation, inclusion_probability=drawn[evaluation.evaluator])


def _failed(name: str, reason: str) -> Evaluation:
    return Evaluation(evaluator=name, outcome=Outcome.FAILED, reason=reason)


def _of_models(evaluator: Evaluator, case: Case, failed: Evaluation) -> Evaluation:
    """A failed evaluation with the models that its evaluator asks, the one that was asked how far the answer declines among them where it matters."""
    own = evaluator.models(case) if isinstance(evaluator, AsksModels) else ()
    model, *others = (*own, *(case.asked if asks_how_far_it_answers(evaluator.needs) else ())) or (None,)
    return replace(failed, model=model, other_models=tuple(dict.fromkeys(others)))


def _sound(evaluation: Evaluation) -> Evaluation:
    """The evaluation, or a failed one where its score is not a number in 0..1: a failure never looks like a score."""
    score = evaluation.score
    numbers = [claim.support for claim in evaluation.claims] + [document.score for document in evaluation.documents]
    if (
        score is None
        or not all(math.isfinite(value) and 0 <= value <= 1 for value in [score, *numbers])
        or not all(map(math.isfinite, evaluation.parts.values()))
    ):
        return replace(
            _failed(evaluation.evaluator, "bad_score"),
            model=evaluation.model,
            other_models=evaluation.other_models,
            abstention_model=evaluation.abstention_model,
        )
    return evaluation
