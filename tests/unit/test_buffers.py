"""Every buffer is filled until something must give way: the budget holds, and what gave way is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pytest

from exporters.result import ClaimResult, Outcome, Result
from sidecar.assemble import AssembleConfig, Assembled, Assembler
from sidecar.assemble.ended import Partition
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoded, Decoder
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.memory import MemoryBudget
from sidecar.record.record import Record
from sidecar.record.request import Document, RagTrace, Tokens
from sidecar.record.span import RagSpan, SpanKind
from tests.unit.assemble.test_buffer import span
from tests.unit.exporters.samples import FAITHFULNESS, SCORED
from tests.unit.test_pipeline import ListSource, build, native

LIMIT = 1_000_000
LONG = "x" * 20_000


class Shelf:
    """An assembler with a small budget. `most` is the most that was ever taken."""

    def __init__(self, **config: object) -> None:
        self.memory = MemoryBudget(LIMIT)
        self.clock = ManualClock()
        self.telemetry = Telemetry()
        settings = AssembleConfig.model_validate({"quiet_seconds": 5, **config})
        self.assembler = Assembler(settings, self.clock, self.telemetry, memory=self.memory)
        self.most = 0

    def add(self, spans: Sequence[RagSpan]) -> int:
        return self._settle(self.assembler.add(spans))

    def take(self, *requests: RagTrace) -> int:
        return self._settle(self.assembler.take(requests))

    def _settle(self, ended: Sequence[Assembled]) -> int:
        for one in ended:
            self.assembler.settle(one)
        self.most = max(self.most, self.memory.used)
        return len(ended)


def test_open_traces_hold_the_budget_and_the_oldest_ends_first() -> None:
    shelf = Shelf()
    ended = sum(shelf.add([span(n, 1, SpanKind.CHAIN, question=LONG, size_bytes=40_000)]) for n in range(100))
    assert ended > 70
    assert shelf.telemetry.value("rag_sidecar_traces_assembled_total", completion="evicted") == ended
    assert 0.9 * LIMIT < shelf.most <= LIMIT


def test_traces_held_back_hold_the_budget_and_the_oldest_is_let_go() -> None:
    shelf = Shelf(quiet_seconds=3, quiet_without_root_seconds=0, max_age_seconds=100)
    let_go = 0
    for n in range(100):
        let_go += shelf.add([span(n, 1, SpanKind.LLM, parent=7, answer=LONG, tokens=Tokens(n, n), size_bytes=40_000)])
        assert shelf.assembler.due() == []
    assert let_go > 70
    assert shelf.memory.by_buffer()["open_traces"] == 0
    assert 0.9 * LIMIT < shelf.most <= LIMIT


def test_ids_of_ended_traces_take_an_eighth_at_most_and_the_oldest_are_forgotten() -> None:
    shelf = Shelf(remember_seconds=1e9)

    def request(number: int) -> RagTrace:
        return RagTrace(trace_id=f"{number:064x}", service="kb", convention="native", timestamp=1.0)

    assert sum(shelf.take(request(n)) for n in range(5000)) == 5000
    assert 0.9 * LIMIT / 8 < shelf.memory.by_buffer()["ended_ids"] <= LIMIT / 8
    assert shelf.take(request(4999)) == 0
    assert shelf.take(request(0)) == 1


def test_ids_are_forgotten_when_other_buffers_have_taken_all() -> None:
    shelf = Shelf()
    shelf.memory.charge("records", LIMIT)
    whole = RagTrace(trace_id="r", service="kb", convention="native", timestamp=1.0)
    assert shelf.take(whole, whole) == 2
    assert shelf.memory.by_buffer().get("ended_ids", 0) == 0


def test_all_is_given_back_when_every_trace_has_ended() -> None:
    shelf = Shelf(remember_seconds=0)
    for n in range(50):
        documents = (Document(1, LONG),) if n % 2 else ()
        kind = SpanKind.RETRIEVER if n % 2 else SpanKind.LLM
        shelf.add([span(n, 1, kind, documents=documents, answer=LONG, size_bytes=40_000)])
        shelf.assembler.forget({("t", 0)})
    shelf.assembler.flush()
    shelf.clock.advance(10)
    shelf.assembler.due()
    assert {name: amount for name, amount in shelf.memory.by_buffer().items() if amount} == {}


async def test_requests_that_wait_for_scoring_hold_the_budget_and_more_are_shed() -> None:
    memory = MemoryBudget(LIMIT)
    many = [native(n, contexts=[LONG]) for n in range(60)]
    setting = build([b"[" + b",".join(many) + b"]"], parts={"memory": memory}, queue_size=1, workers=1)
    await setting.run()
    shed = [result for result in setting.sink.results if result.outcome is Outcome.SHED]
    assert {result.reason for result in shed} == {"memory"}
    assert len(setting.sink.results) == 60
    assert 30 < len(shed) < 45
    assert memory.used == 0
    assert setting.source.done


async def test_intake_pauses_before_the_budget_is_used_up() -> None:
    memory = MemoryBudget(LIMIT)
    memory.take("open_traces", int(0.7 * LIMIT))
    memory.take("export", int(0.15 * LIMIT))
    setting = build([native(1)], parts={"memory": memory})
    running = asyncio.create_task(setting.pipeline.run())
    async with asyncio.timeout(20):
        while setting.source.paused_polls < 3:  # noqa: ASYNC110 - a counter, not an event
            await asyncio.sleep(0.005)
        assert setting.source.given == 0
        memory.give("export", int(0.15 * LIMIT))
        while not setting.sink.results:  # noqa: ASYNC110 - the same
            await asyncio.sleep(0.005)
        setting.pipeline.stop()
        await running


async def test_open_traces_that_fill_the_budget_while_their_time_stands_still_make_room_for_what_comes() -> None:
    class Unread(ListSource):
        """There is always more to read, so that no trace has waited long enough."""

        def caught_up(self) -> Mapping[Partition, float]:
            return {}

    class Spans(Decoder):
        """A record is the root of a trace of its own."""

        def decode(self, record: Record) -> Decoded:
            return Decoded([span(record.offset, 1, SpanKind.CHAIN, question=LONG, size_bytes=40_000)])

    memory, telemetry, source = MemoryBudget(LIMIT), Telemetry(), Unread([b"{}"] * 60)
    assembler = Assembler(AssembleConfig(), ManualClock(), telemetry, memory=memory)
    decoder = Spans(DecodeConfig(), telemetry)
    setting = build([], parts={"source": source, "decoder": decoder, "assembler": assembler, "memory": memory})
    setting.source = source
    await setting.run(flush=False)
    assert source.given == 60
    assert source.paused_polls == 0
    assert memory.used <= LIMIT
    assert telemetry.value("rag_sidecar_traces_assembled_total", completion="evicted") > 30


class Stuck:
    """An exporter that takes nothing until it is let go."""

    name = "stuck"
    every_trace = True
    local = False

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.taken: list[str] = []

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def export(self, results: Sequence[Result]) -> None:
        await self.go.wait()
        self.taken += [result.id for result in results]


@pytest.mark.parametrize("exporters", [1, 2])
async def test_results_that_wait_for_exporters_nobody_must_wait_for_hold_an_eighth_of_the_budget_each(
    exporters: int,
) -> None:
    memory, telemetry, stuck = MemoryBudget(LIMIT), Telemetry(), [Stuck() for _ in range(exporters)]
    deliverer = Deliverer(DeliverConfig(), stuck, telemetry=telemetry, clock=ManualClock(), memory=memory)
    await deliverer.start()
    done: list[str] = []
    faithfulness = replace(FAITHFULNESS, claims=(ClaimResult(LONG, 0.5, True),))
    for n in range(60):
        result = replace(SCORED, id=f"r{n}", evaluations=(faithfulness,))
        await deliverer.deliver(result, done=partial(done.append, result.id))
        await asyncio.sleep(0)
    assert memory.by_buffer().get("export", 0) == 0, "such results never pause intake"
    assert 0.05 * LIMIT * exporters < memory.used <= LIMIT / 8 * exporters
    for one in stuck:
        one.go.set()
    await deliverer.stop(20)
    assert memory.used == 0
    assert sorted(done) == sorted(f"r{n}" for n in range(60))
    dropped = telemetry.value("rag_sidecar_exports_total", outcome="dropped_memory")
    assert dropped / exporters + len(stuck[0].taken) == 60
    assert dropped > 0
