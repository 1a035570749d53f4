"""Exporters that offsets wait for lose nothing, and those that nobody waits for hold up nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from exporters.base import DestinationError, PermanentExportError, RetryableExportError
from exporters.result import Result
from sidecar.config import build
from sidecar.deliver import DeliverConfig
from sidecar.deliver.lane import Lane
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.errors import ConfigError
from sidecar.record.memory import MemoryBudget
from tests.unit.deliver.test_deliver import FAST, Bench, Sink, results
from tests.unit.exporters.samples import SAMPLED_OUT, SCORED

DOWN = RetryableExportError("no", error_type="unavailable")
CLOSED = PermanentExportError("no", error_type="http_401", closed=True)
KAFKA = {"bootstrap_servers": "localhost:9092", "topics": ["spans"]}

Trouble: TypeAlias = "list[Exception | asyncio.Event]"


KINDS = pytest.mark.parametrize("kind", ["down", "slow", "half_open", "refusing"])


def trouble(kind: str) -> Trouble:
    """What many pushes in a row do to an exporter; a half-open one never answers, a slow one answers after the timeout."""
    if kind in ("down", "refusing"):
        return [DOWN if kind == "down" else CLOSED] * 12
    hanging = [asyncio.Event() for _ in range(8)]
    if kind == "slow":
        for event in hanging:
            asyncio.get_running_loop().call_later(0.02, event.set)
    return [*hanging]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.002)


@KINDS
async def test_a_required_exporter_in_trouble_gets_every_result_in_the_end(kind: str) -> None:
    sink = Sink(script=trouble(kind))
    bench = Bench(sink, config=DeliverConfig(backoff_seconds=1e-6, linger_seconds=0, timeout_seconds=0.01))
    await bench.deliverer.start()
    await bench.deliver(*results(5))
    await until(lambda: len(bench.done) == 5)
    assert len(sink.pushes) > FAST.most_attempts or kind == "slow"
    assert bench.exports() == {"ok": 5}
    await bench.deliverer.stop(5)


async def test_a_result_is_not_done_before_the_required_exporter_has_it() -> None:
    gate = asyncio.Event()
    sink = Sink(script=[DOWN, gate])
    bench = Bench(sink)
    await bench.deliverer.start()
    await bench.deliver(SCORED)
    await until(lambda: len(sink.pushes) == 2)
    assert not bench.done
    gate.set()
    await until(lambda: bench.done == {SCORED.id: 1})
    await bench.deliverer.stop(5)


@KINDS
async def test_an_exporter_that_nobody_must_wait_for_delays_neither_the_commit_nor_the_others(kind: str) -> None:
    sick, well = Sink("sick", script=trouble(kind)), Sink("well")
    config = FAST.model_copy(update={"timeout_seconds": 0.01, "most_attempts": 2})
    bench = Bench(sick, well, config=config, required=("well",))
    await bench.deliverer.start()
    await bench.deliver(*results(5))
    await until(lambda: len(bench.done) == 5)
    assert "ok" not in bench.exports("sick")
    await bench.deliverer.stop(5)
    assert sum(bench.exports("sick").values()) == 5
    assert bench.exports("well") == {"ok": 5}


async def test_a_required_exporter_that_takes_nothing_is_full_and_drops_nothing() -> None:
    gate = asyncio.Event()
    bench = Bench(Sink(script=[gate]), config=FAST.model_copy(update={"queue_size": 3, "batch_size": 1}))
    await bench.deliverer.start()
    full = []
    for result in results(8):
        await bench.deliver(result)
        full.append(bench.deliverer.full)
        await asyncio.sleep(0.002)
    assert full == [False] * 3 + [True] * 5
    gate.set()
    await until(lambda: len(bench.done) == 8)
    assert not bench.deliverer.full
    assert bench.exports() == {"ok": 8}


async def test_a_full_queue_that_nobody_must_wait_for_pauses_nothing() -> None:
    bench = Bench(Sink(script=[asyncio.Event()]), config=FAST.model_copy(update={"queue_size": 1}), required=())
    await bench.deliverer.start()
    await bench.deliver(*results(5))
    assert not bench.deliverer.full
    await bench.deliverer.stop(0.05)
    assert bench.exports() == {"dropped_queue_full": 4, "dropped_stop": 1}


async def test_results_for_a_required_exporter_are_kept_over_the_limit_of_memory() -> None:
    gate = asyncio.Event()
    bench = Bench(Sink(script=[gate]))
    bench.memory.charge("open_traces", bench.memory.most_bytes)
    await bench.deliverer.start()
    await bench.deliver(*results(5))
    assert bench.memory.by_buffer()["export"] > 0
    gate.set()
    await bench.deliverer.stop(5)
    assert bench.exports() == {"ok": 5}
    assert bench.memory.by_buffer()["export"] == 0


class Picky(Sink):
    """Refuses a whole push in which there is a bad result, as a receiver does that answers 400."""

    async def export(self, results: Sequence[Result]) -> None:
        if any(result.id == "r3" for result in results):
            raise PermanentExportError("no", error_type="http_400")
        await super().export(results)


async def test_a_bad_result_costs_a_required_exporter_no_other() -> None:
    picky = Picky()
    bench = Bench(picky, config=FAST.model_copy(update={"linger_seconds": 0.05}))
    await bench.deliverer.start()
    await bench.deliver(*results(9))
    await bench.deliverer.stop(5)
    assert sorted(picky.ids) == [f"r{n}" for n in range(9) if n != 3]
    assert bench.exports() == {"ok": 8, "dropped_permanent": 1}
    assert sum(bench.done.values()) == 9


@pytest.mark.parametrize(
    ("asked", "least", "most"), [(None, 0.35, 0.65), (20.0, 20.0, 20.0), (1e9, 300.0, 300.0)], ids=str
)
def test_a_pause_is_what_the_destination_asks_for_within_reason(asked: float | None, least: float, most: float) -> None:
    pauses = [lane()._pause(0, asked or 0.0) for _ in range(200)]
    assert least <= min(pauses) <= max(pauses) <= most


def test_pauses_double_up_to_half_a_minute_and_stay_there() -> None:
    for attempt, seconds in [(1, 1.0), (3, 4.0), (6, 30.0), (5000, 30.0)]:
        assert 0.7 * seconds <= lane()._pause(attempt, 0.0) <= 1.3 * seconds


def lane() -> Lane:
    return Lane(
        DeliverConfig(),
        Sink(),
        required=True,
        memory=MemoryBudget(10**9),
        telemetry=Telemetry(),
        clock=ManualClock(),
    )


async def test_a_stop_counts_what_a_half_done_push_has_left() -> None:
    """Halves of a refused push: the first was taken, the second hangs."""
    sink = Sink(script=[PermanentExportError("no", error_type="http_400"), asyncio.Event()])
    bench = Bench(sink, config=FAST.model_copy(update={"linger_seconds": 0.02}))
    await bench.deliverer.start()
    await bench.deliver(*results(4))
    await until(lambda: len(sink.pushes) == 2)
    await bench.deliverer.stop(0.05)
    assert bench.exports() == {"abandoned": 4}


@pytest.mark.parametrize(
    ("settings", "required"),
    [
        ({}, ()),
        ({"results": {"topic": "r"}}, ("results",)),
        ({"results": {"topic": "r"}, "deliver": {"required": []}}, ()),
        ({"otlp": {"endpoint": "http://c:4318"}, "deliver": {"required": ["otlp"]}}, ("otlp",)),
    ],
    ids=["nothing", "results", "asked for none", "otlp"],
)
def test_the_results_topic_is_required_where_it_is_on_unless_said_otherwise(
    settings: dict[str, object], required: tuple[str, ...]
) -> None:
    assert build({"receive": KAFKA, **settings}).required_exporters == required


@pytest.mark.parametrize(
    ("name", "problem"),
    [("results", "results, which is off: set results.topic"), ("kafka", r"deliver\.required")],
)
def test_a_required_exporter_that_is_off_or_unknown_is_an_error_of_the_settings(name: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        build({"receive": KAFKA, "deliver": {"required": [name]}})


async def test_a_result_that_a_required_exporter_does_not_want_is_done_at_once() -> None:
    bench = Bench(Sink(script=[asyncio.Event()]))
    await bench.deliverer.start()
    await bench.deliver(SAMPLED_OUT)
    assert bench.done == {SAMPLED_OUT.id: 1}
    await bench.deliverer.stop(0.01)


async def test_a_start_waits_for_no_exporter_that_nobody_must_wait_for() -> None:
    class Late(Sink):
        async def start(self) -> None:
            raise DestinationError("results.bootstrap_servers", "no broker answers", "start one", passing=True)

    late, other = Late("late"), Sink("other")
    bench = Bench(late, other, required=("other",))
    await bench.deliverer.start()
    await bench.deliver(*results(3))
    await bench.deliverer.stop(5)
    assert bench.exports("late") == bench.exports("other") == {"ok": 3}
