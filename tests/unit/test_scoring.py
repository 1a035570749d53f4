"""The slow lane: what waits there never holds local scoring, and never makes a request end twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from exporters.result import Evaluation, Outcome
from sidecar.evaluate.base import Lane
from sidecar.evaluate.engine import Engine, Evaluated
from sidecar.evaluate.settings import EvaluateConfig, build
from sidecar.record.memory import MemoryBudget
from sidecar.record.request import RagTrace
from tests.unit import test_pipeline
from tests.unit.evaluate.fakes import models
from tests.unit.evaluate.test_lanes import Patient
from tests.unit.test_pipeline import Setting, native


class Judged(Setting):
    """A pipeline with a patient evaluator beside the local ones, running until `finish`."""

    patient: Patient
    memory: MemoryBudget
    running: asyncio.Task[None]

    @classmethod
    def begin(cls, count: int, *, engine: type[Engine] = Engine, **config: Any) -> Judged:
        patient, memory = Patient(), MemoryBudget(50_000_000)
        settings = EvaluateConfig(references="off")
        parts = {"engine": engine(settings, models(), [*build(settings), patient]), "memory": memory}
        made = test_pipeline.build([native(n) for n in range(count)], parts=parts, **config)
        found = cls(made.source, made.sink, made.telemetry, made.pipeline)
        found.patient, found.memory = patient, memory
        found.running = asyncio.create_task(found.pipeline.run())
        return found

    async def until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not reached():  # noqa: ASYNC110 - states of several parts, not one event
                await asyncio.sleep(0.005)

    async def finish(self) -> None:
        self.patient.go.set()
        await self.until(lambda: self.source.done)
        self.pipeline.stop()
        await self.running

    @property
    def local(self) -> float:
        """How many requests have their local evaluations."""
        return self.telemetry.registry.get_sample_value("rag_sidecar_scoring_seconds_count") or 0.0

    def patients(self) -> list[Evaluation]:
        """What the patient evaluator has said."""
        return [one for result in self.sink.results for one in result.evaluations if one.evaluator == "patient"]


async def test_local_scoring_goes_on_while_every_slow_worker_waits() -> None:
    judged = Judged.begin(6, workers=1, slow_workers=1)
    await judged.until(lambda: judged.local == 6)
    assert judged.sink.results == []
    assert judged.source.tracker.pending(("t", 0)) == 6
    await judged.finish()
    assert [result.outcome for result in judged.sink.results] == [Outcome.SCORED] * 6
    assert [one.score for one in judged.patients()] == [0.25] * 6
    assert len(judged.sink.results[0].evaluations) == 6
    assert judged.memory.used == 0


async def test_requests_for_which_the_slow_lane_has_no_room_are_delivered_without_it_and_say_so() -> None:
    judged = Judged.begin(6, workers=1, slow_workers=1, slow_queue_size=1)
    await judged.until(lambda: len(judged.sink.results) == 4)
    assert [(one.outcome, one.reason, one.version) for one in judged.patients()] == [
        (Outcome.FAILED, "lane_full", "7")
    ] * 4
    assert {result.outcome for result in judged.sink.results} == {Outcome.SCORED}
    await judged.finish()
    assert len(judged.sink.results) == 6
    assert judged.memory.used == 0


async def test_a_slow_lane_that_breaks_us_leaves_the_local_evaluations() -> None:
    class Breaking(Engine):
        async def evaluate(
            self, trace: RagTrace, *, lane: Lane = Lane.LOCAL, drawn: Mapping[str, float] | None = None
        ) -> Evaluated:
            if lane is Lane.SLOW:
                raise RuntimeError("a bug")
            return await super().evaluate(trace, lane=lane, drawn=drawn)

    judged = Judged.begin(2, engine=Breaking)
    await judged.finish()
    assert [result.outcome for result in judged.sink.results] == [Outcome.SCORED] * 2
    assert [one.reason for one in judged.patients()] == ["internal"] * 2
    assert judged.memory.used == 0
