"""Lanes: what waits for something outside the process never holds what does not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from exporters.result import Evaluation, Outcome, Subject, Verdict
from sidecar.evaluate.base import Lane, Needs
from sidecar.evaluate.case import Case
from sidecar.evaluate.engine import Engine, summarise
from sidecar.evaluate.settings import EvaluateConfig, build
from sidecar.inference.base import Models
from tests.unit.evaluate.fakes import models, request


class Patient:
    """An evaluator that waits until it is let go."""

    name = "patient"
    version = "7"
    method = "waiting"
    subject = Subject.DOCUMENT
    needs = (Needs.ANSWER,)
    decides = False
    lane = Lane.SLOW

    def __init__(self) -> None:
        self.go = asyncio.Event()

    def languages(self, case: Case) -> None:
        return None

    async def evaluate(self, case: Case) -> Evaluation:
        await self.go.wait()
        return Evaluation(evaluator=self.name, outcome=Outcome.SCORED, score=0.25, inclusion_probability=0.1)


def engine_with(patient: Patient, *, timeout_seconds: float = 60.0) -> Engine:
    config = EvaluateConfig(timeout_seconds=timeout_seconds)
    return Engine(config, models(), [*build(config), patient])


async def test_the_local_lane_ends_while_the_slow_one_waits() -> None:
    patient = Patient()
    engine = engine_with(patient)
    assert engine.lanes == (Lane.LOCAL, Lane.SLOW)
    waiting = asyncio.create_task(engine.evaluate(request(), lane=Lane.SLOW))
    local = await engine.evaluate(request())
    assert not waiting.done()
    assert "patient" not in [one.evaluator for one in local.evaluations]
    patient.go.set()
    slow = await waiting
    [one] = slow.evaluations
    assert (one.evaluator, one.score, one.inclusion_probability) == ("patient", 0.25, 0.1)
    assert (one.version, one.method, one.subject) == ("7", "waiting", Subject.DOCUMENT)
    whole = summarise((*local.evaluations, *slow.evaluations))
    assert (whole.verdict, whole.outcome) == (Verdict.GROUNDED, Outcome.SCORED)


async def test_what_waits_too_long_is_one_failed_evaluation_of_its_lane() -> None:
    [one] = (await engine_with(Patient(), timeout_seconds=0.02).evaluate(request(), lane=Lane.SLOW)).evaluations
    assert (one.outcome, one.reason) == (Outcome.FAILED, "timeout")


async def test_an_evaluator_that_reads_any_language_is_never_turned_away_for_it() -> None:
    patient = Patient()
    patient.go.set()
    trace = request(question="它多高？", answer="埃菲尔铁塔高330米。", documents=("埃菲尔铁塔高330米。",))
    [one] = (await engine_with(patient).evaluate(trace, lane=Lane.SLOW)).evaluations
    assert one.score == 0.25


async def test_the_slow_lane_holds_no_local_models_while_it_waits() -> None:
    held: list[str] = []

    class Lent:
        """Models that say who holds them."""

        abstention = None

        @asynccontextmanager
        async def route(self, *, service: str, languages: Callable[[], frozenset[str]]) -> AsyncIterator[Models]:
            held.append(service)
            try:
                yield models()
            finally:
                held.remove(service)

    patient = Patient()
    engine = Engine(EvaluateConfig(), Lent(), [*build(EvaluateConfig()), patient])
    waiting = asyncio.create_task(engine.evaluate(request(), lane=Lane.SLOW))
    await asyncio.sleep(0)
    assert held == []
    patient.go.set()
    assert (await waiting).outcome is Outcome.SCORED
    assert (await engine.evaluate(request())).outcome is Outcome.SCORED


def test_there_is_one_lane_where_nothing_waits() -> None:
    assert Engine(EvaluateConfig(), models()).lanes == (Lane.LOCAL,)
