"""The pipeline with a source in memory: every request has one outcome, every record is acknowledged when all is done."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import orjson
import pytest

from exporters.result import Completeness, Outcome, Result
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.evaluate.base import Lane
from sidecar.evaluate.engine import Engine, Evaluated
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.kafka.consume.offsets import OffsetTracker, Partition
from sidecar.kafka.consume.receiver import Taken
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.pipeline import Pipeline, PipelineConfig
from sidecar.price import PriceConfig, Pricer
from sidecar.record.clock import SystemClock
from sidecar.record.memory import MemoryBudget
from sidecar.record.record import Record
from sidecar.record.request import RagTrace
from sidecar.results import make_result
from sidecar.sample.rules import SampleConfig, Sampler
from tests.unit.evaluate.fakes import models, request


@dataclass
class ListSource:
    """Hands out records one by one; remembers dead letters. `dead_letters_work` False: the topic is out of reach."""

    values: list[bytes]
    dead_letters_work: bool = True
    tracker: OffsetTracker = field(default_factory=OffsetTracker)
    dead: list[tuple[int, str]] = field(default_factory=list)
    paused_polls: int = 0
    given: int = 0

    async def poll(self, *, paused: bool) -> list[Taken]:
        await asyncio.sleep(0)
        if paused:
            self.paused_polls += 1
            return []
        if self.given == len(self.values):
            return []
        offset, self.given = self.given, self.given + 1
        record = Record("t", 0, offset, 1.76e9, None, self.values[offset])
        return [Taken(record, self.tracker.take("t", 0, offset))]

    def caught_up(self) -> Mapping[Partition, float] | None:
        return None

    def repartitions(self, topic: str) -> bool:
        return False

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
        raise AssertionError("nothing is repartitioned")

    async def commit(self) -> None:
        self.tracker.committed(self.tracker.committable())

    async def dead_letter(self, record: Record, *, reason: str, detail: str) -> bool:
        if self.dead_letters_work:
            self.dead.append((record.offset, reason))
        return self.dead_letters_work

    @property
    def done(self) -> bool:
        return self.given == len(self.values) and not self.tracker.pending(("t", 0))


class Sink:
    """Remembers results."""

    name = "sink"
    every_trace = True
    local = True

    def __init__(self) -> None:
        self.results: list[Result] = []

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def export(self, results: Sequence[Result]) -> None:
        self.results += results


class Gated:
    """Takes nothing until it is let go."""

    name = "gated"
    every_trace = True
    local = False

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.ids: set[str] = set()

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def export(self, results: Sequence[Result]) -> None:
        await self.go.wait()
        self.ids |= {result.id for result in results}


class Slow(Engine):
    """Takes its time, and breaks on the question `break`."""

    async def evaluate(
        self, trace: RagTrace, *, lane: Lane = Lane.LOCAL, drawn: Mapping[str, float] | None = None
    ) -> Evaluated:
        await asyncio.sleep(0.002)
        if trace.question == "break":
            raise RuntimeError("a bug")
        return await super().evaluate(trace, lane=lane, drawn=drawn)


@dataclass
class Setting:
    """A pipeline with its source and sink."""

    source: ListSource
    sink: Sink
    telemetry: Telemetry
    pipeline: Pipeline

    async def run(self, *, flush: bool = True, seconds: float = 20.0) -> None:
        running = asyncio.create_task(self.pipeline.run())
        async with asyncio.timeout(seconds):
            while self.source.given < len(self.source.values):  # noqa: ASYNC110 - a list, not an event
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.05)
            self.pipeline.stop(flush=flush)
            await running


def build(
    values: list[bytes],
    *,
    sample: SampleConfig | None = None,
    dead_letters_work: bool = True,
    parts: Mapping[str, Any] | None = None,
    **config: object,
) -> Setting:
    """A pipeline of real parts; `parts` takes the place of some of them."""
    telemetry, clock, sink, source = Telemetry(), SystemClock(), Sink(), ListSource(values, dead_letters_work)
    sampler = Sampler(sample or SampleConfig(), telemetry)
    whole: dict[str, Any] = {
        "source": source,
        "decoder": Decoder(DecodeConfig(), telemetry, keep_text=sampler.may_keep),
        "assembler": Assembler(AssembleConfig(), clock, telemetry),
        "sampler": sampler,
        "engine": Slow(EvaluateConfig(), models()),
        "pricer": Pricer(PriceConfig()),
        "deliverer": Deliverer(DeliverConfig(), [sink], telemetry=telemetry, clock=clock),
        "telemetry": telemetry,
        "clock": clock,
        "tracing": Tracing(None),
    }
    pipeline = Pipeline(PipelineConfig.model_validate(config), **{**whole, **(parts or {})})
    return Setting(source, sink, telemetry, pipeline)


def native(number: int, **fields: object) -> bytes:
    record = {
        "request_id": str(number),
        "service": "kb",
        "question": "What?",
        "answer": "It is blue.",
        "contexts": ["It is blue."],
    }
    return orjson.dumps({**record, **fields})


async def test_the_funnel_adds_up_and_every_record_is_acknowledged() -> None:
    values = [native(n) for n in range(60)]
    values += [
        b"junk",
        native(60, question="它多高？", answer="很高。"),
        native(61, question="break"),
        native(62, answer=None, contexts=[]),
    ]
    setting = build(values, sample=SampleConfig(rate=0.5))
    await setting.run()
    outcomes = {labels["outcome"]: value for labels, value in setting.telemetry.values("rag_sidecar_requests_total")}
    assert sum(outcomes.values()) == 63 == len(setting.sink.results)
    assert outcomes["sampled_out"] > 10
    assert outcomes["scored"] > 10
    assert setting.source.done
    assert setting.source.dead == [(60, "unknown_format")]


async def test_a_bug_in_scoring_is_a_failed_request_and_the_next_one_goes_on() -> None:
    setting = build([native(1, question="break"), native(2)])
    await setting.run()
    assert sorted((r.outcome, r.reason) for r in setting.sink.results) == [
        (Outcome.FAILED, "internal"),
        (Outcome.SCORED, None),
    ]
    assert setting.source.done


async def test_intake_pauses_while_scoring_is_full_and_loses_nothing() -> None:
    setting = build([native(n) for n in range(80)], queue_size=2, workers=1)
    await setting.run()
    assert setting.source.paused_polls > 0
    assert len(setting.sink.results) == 80


async def test_intake_pauses_while_a_required_exporter_takes_nothing_and_goes_on_when_it_does() -> None:
    telemetry, clock, topic = Telemetry(), SystemClock(), Gated()
    config = DeliverConfig(queue_size=4, linger_seconds=0)
    deliverer = Deliverer(config, [topic], telemetry=telemetry, clock=clock, required=["gated"])
    setting = build([native(n) for n in range(60)], parts={"deliverer": deliverer, "telemetry": telemetry})
    await deliverer.start()
    running = asyncio.create_task(setting.run())
    async with asyncio.timeout(20):
        while setting.source.paused_polls < 200:  # noqa: ASYNC110 - a count, not an event
            await asyncio.sleep(0.005)
    assert setting.source.given < 60
    assert telemetry.value("rag_sidecar_intake_paused", reason="exporter") == 1
    assert setting.source.tracker.committable() == {}, "no offset passes a result that the topic has not"
    topic.go.set()
    await running
    await deliverer.stop(5)
    assert len(topic.ids) == 60
    assert setting.source.done
    assert telemetry.value("rag_sidecar_intake_paused", reason="exporter") == 0


async def test_a_backlog_over_its_limit_is_shed_and_counted() -> None:
    many = [native(n) for n in range(40)]
    setting = build([b"[" + b",".join(many) + b"]"], queue_size=1, workers=1, most_backlog=5)
    await setting.run()
    outcomes = {result.outcome for result in setting.sink.results}
    assert len(setting.sink.results) == 40
    assert outcomes == {Outcome.SCORED, Outcome.SHED}


async def test_unreadable_records_are_said_once_with_topic_cause_and_what_to_do(
    caplog: pytest.LogCaptureFixture,
) -> None:
    secret = b"my private words"
    await build([secret] * 10 + [native(1)]).run()
    [line] = [message for message in caplog.messages if "cannot be read" in message]
    assert "topic t " in line
    assert "unknown_format" in line
    assert "rag-sidecar inspect --topic t" in line
    assert secret.decode() not in caplog.text


async def test_a_poison_record_that_cannot_be_sent_on_stays_uncommitted() -> None:
    setting = build([b"junk", native(1)], dead_letters_work=False)
    await setting.run()
    assert setting.source.tracker.pending(("t", 0)) == 1
    assert len(setting.sink.results) == 1


async def test_a_replayed_request_has_the_same_result_id() -> None:
    pricer = Pricer(PriceConfig())
    one, two = (
        make_result(request(), pricer=pricer, completed_at=at, outcome=Outcome.SAMPLED_OUT) for at in (1.0, 2.0)
    )
    assert one.id == two.id


async def test_text_of_requests_that_cannot_be_kept_never_reaches_the_engine() -> None:
    setting = build([native(n) for n in range(30)], sample=SampleConfig(rate=0.0))
    await setting.run()
    assert {result.outcome for result in setting.sink.results} == {Outcome.SAMPLED_OUT}
    assert all(result.retrieved_documents == 1 for result in setting.sink.results)


async def test_a_silent_intake_is_reported_by_the_liveness_probe() -> None:
    setting = build([], stalled_seconds=0.01)
    await asyncio.sleep(0.05)
    assert "intake has not moved" in (setting.pipeline.problem() or "")


async def test_requests_that_wait_for_scoring_are_given_up_when_their_partition_is_taken_away() -> None:
    gate = asyncio.Event()

    class Gated(Engine):
        async def evaluate(
            self, trace: RagTrace, *, lane: Lane = Lane.LOCAL, drawn: Mapping[str, float] | None = None
        ) -> Evaluated:
            await gate.wait()
            return await super().evaluate(trace, lane=lane, drawn=drawn)

    assembler = Assembler(AssembleConfig(), SystemClock(), Telemetry())
    memory = MemoryBudget(10_000_000)
    parts = {"engine": Gated(EvaluateConfig(), models()), "assembler": assembler, "memory": memory}
    setting = build([native(n) for n in range(3)], parts=parts, workers=1)
    running = asyncio.create_task(setting.run())
    async with asyncio.timeout(20):
        while setting.source.given < 3 or not memory.used:  # noqa: ASYNC110 - a list, not an event
            await asyncio.sleep(0.005)
        setting.source.tracker.revoke({("t", 0)})
        assembler.forget({("t", 0)})
        gate.set()
        await running
    # The one that a worker had in hand was finished; its result has the same id when it comes again.
    assert [result.outcome for result in setting.sink.results] == [Outcome.SCORED]
    assert setting.telemetry.value("rag_sidecar_revoked_traces_total", stage="scoring") == 2
    assert memory.used == 0


async def test_a_result_says_how_whole_its_trace_was() -> None:
    setting = build([native(1)])
    await setting.run()
    assert [result.trace for result in setting.sink.results] == [Completeness(1, 1, True, "complete", False)]


async def test_a_stop_waits_for_scoring_no_longer_than_it_is_told() -> None:
    class Hanging(Engine):
        async def evaluate(
            self, trace: RagTrace, *, lane: Lane = Lane.LOCAL, drawn: Mapping[str, float] | None = None
        ) -> Evaluated:
            await asyncio.Event().wait()
            return await super().evaluate(trace, lane=lane, drawn=drawn)

    setting = build([native(1)], parts={"engine": Hanging(EvaluateConfig(), models())}, drain_seconds=3600)
    running = asyncio.create_task(setting.pipeline.run())
    async with asyncio.timeout(20):
        while not setting.source.given:  # noqa: ASYNC110 - a list, not an event
            await asyncio.sleep(0.005)
        setting.pipeline.stop(drain_seconds=0.05)
        await running
    assert setting.sink.results == []
    assert setting.source.tracker.pending(("t", 0)) == 1


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [({}, 40.0), ({"drain_seconds": 30}, 60.0), ({"drain_seconds": 0}, 5.0), ({"stop_seconds": 25}, 25.0)],
)
def test_the_whole_stop_has_one_length(settings: dict[str, float], seconds: float) -> None:
    assert PipelineConfig.model_validate(settings).whole_stop_seconds == seconds


class Forwarding(ListSource):
    """Every topic of it is repartitioned."""

    def repartitions(self, topic: str) -> bool:
        return True

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
        taken.lease.release()


class Watched(Decoder):
    """Remembers in which thread it split which record."""

    threads: ClassVar[dict[int, int]] = {}

    def split(self, record: Record) -> list[tuple[bytes, bytes]] | None:
        self.threads[record.offset] = threading.get_ident()
        return super().split(record)


async def test_a_big_record_is_split_beside_the_event_loop_and_a_small_one_on_it() -> None:
    span = {"traceId": "ab" * 16, "spanId": "cd" * 8, "name": "chain"}
    small = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    big = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span] * 4000}]}]})
    source, telemetry = Forwarding([small, big]), Telemetry()
    setting = build([], parts={"source": source, "decoder": Watched(DecodeConfig(), telemetry)})
    setting.source = source
    await setting.run(flush=False)
    here = threading.get_ident()
    assert Watched.threads[0] == here
    assert Watched.threads[1] != here
    assert setting.telemetry.value("rag_sidecar_records_total", topic="t", outcome="forwarded") == 2
