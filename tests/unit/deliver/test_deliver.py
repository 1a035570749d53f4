"""Delivery: every result ends exactly once at every exporter, and none of them holds up another."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from exporters.base import DestinationError, PermanentExportError, RetryableExportError
from exporters.result import Outcome, Result
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.errors import BrokerError, ConfigError
from sidecar.record.memory import MemoryBudget
from tests.unit.exporters.samples import SAMPLED_OUT, SCORED

FAST = DeliverConfig(backoff_seconds=0.001, linger_seconds=0.0, timeout_seconds=5)


class Sink:
    """An exporter that remembers. `script` holds what each push does before all goes well: an error, or a wait."""

    def __init__(
        self,
        name: str = "sink",
        *,
        local: bool = False,
        every_trace: bool = False,
        script: Sequence[Exception | asyncio.Event] = (),
    ) -> None:
        self.name = name
        self.local = local
        self.every_trace = every_trace
        self.pushes: list[list[str]] = []
        self.pushed = asyncio.Event()
        self.log: list[str] = []
        self._script = list(script)

    @property
    def ids(self) -> list[str]:
        return [one for push in self.pushes for one in push]

    async def start(self) -> None:
        self.log.append("start")

    async def export(self, results: Sequence[Result]) -> None:
        self.pushes.append([result.id for result in results])
        self.pushed.set()
        step = self._script.pop(0) if self._script else None
        if isinstance(step, Exception):
            raise step
        if step is not None:
            await step.wait()

    async def stop(self) -> None:
        self.log.append("stop")


class Bench:
    """A deliverer with its telemetry, and how often each result was done."""

    def __init__(self, *sinks: Sink, config: DeliverConfig = FAST, required: Sequence[str] = ("sink",)) -> None:
        self.telemetry = Telemetry()
        self.memory = MemoryBudget(10_000_000)
        self.deliverer = Deliverer(
            config, sinks, telemetry=self.telemetry, clock=ManualClock(), required=required, memory=self.memory
        )
        self.done: Counter[str] = Counter()

    async def deliver(self, *results: Result) -> None:
        for result in results:
            await self.deliverer.deliver(result, done=self._done(result.id))

    def exports(self, exporter: str = "sink") -> dict[str, float]:
        """How many results ended how."""
        values = self.telemetry.values("rag_sidecar_exports_total")
        return {labels["outcome"]: value for labels, value in values if labels["exporter"] == exporter}

    def _done(self, name: str) -> Callable[[], None]:
        return lambda: self.done.update([name])


def results(count: int) -> list[Result]:
    return [replace(SCORED, id=f"r{n}") for n in range(count)]


async def test_a_result_is_done_once_after_every_required_exporter_has_taken_it() -> None:
    a, b, local = Sink("a"), Sink("b"), Sink("local", local=True)
    bench = Bench(a, b, local, required=("a", "b"))
    await bench.deliverer.start()
    await bench.deliver(*results(10))
    assert bench.done == Counter()
    await bench.deliverer.stop(5)
    assert bench.done == Counter({f"r{n}": 1 for n in range(10)})
    assert a.ids == b.ids == local.ids == [f"r{n}" for n in range(10)]
    assert bench.exports("a") == bench.exports("b") == bench.exports("local") == {"ok": 10}


async def test_without_exporters_a_result_is_done_at_once() -> None:
    bench = Bench()
    await bench.deliver(SCORED)
    assert bench.done == {SCORED.id: 1}


async def test_only_evaluated_results_go_to_an_exporter_that_does_not_ask_for_every_trace() -> None:
    some, every = Sink("some"), Sink("every", every_trace=True)
    bench = Bench(some, every)
    await bench.deliverer.start()
    await bench.deliver(SAMPLED_OUT, SCORED)
    await bench.deliverer.stop(5)
    assert some.ids == [SCORED.id]
    assert every.ids == [SAMPLED_OUT.id, SCORED.id]
    assert bench.done == {SAMPLED_OUT.id: 1, SCORED.id: 1}


async def test_a_local_exporter_is_called_before_deliver_returns() -> None:
    local = Sink(local=True, every_trace=True)
    bench = Bench(local)
    await bench.deliver(SCORED)
    assert local.ids == [SCORED.id]


async def test_results_that_wait_go_together_in_batches() -> None:
    gate = asyncio.Event()
    sink = Sink(script=[gate])
    bench = Bench(sink, config=FAST.model_copy(update={"batch_size": 4}))
    await bench.deliverer.start()
    await bench.deliver(results(1)[0])
    await sink.pushed.wait()
    await bench.deliver(*results(10))
    gate.set()
    await bench.deliverer.stop(5)
    assert [len(push) for push in sink.pushes] == [1, 4, 4, 2]


async def test_a_push_waits_a_little_for_more_to_go_along() -> None:
    sink = Sink()
    bench = Bench(sink, config=FAST.model_copy(update={"linger_seconds": 0.05}))
    await bench.deliverer.start()
    for result in results(5):
        await bench.deliver(result)
        await asyncio.sleep(0.002)
    await bench.deliverer.stop(5)
    assert len(sink.pushes) == 1


async def test_a_retryable_failure_is_tried_again_with_the_same_results() -> None:
    trouble = RetryableExportError("no", error_type="unavailable")
    sink = Sink(script=[trouble, trouble])
    bench = Bench(sink)
    await bench.deliverer.start()
    await bench.deliver(SCORED)
    await bench.deliverer.stop(5)
    assert sink.pushes == [[SCORED.id]] * 3
    assert bench.exports() == {"ok": 1}
    assert bench.telemetry.value("rag_sidecar_export_failures_total", exporter="sink", error_type="unavailable") == 2


async def test_where_nobody_must_wait_retries_end_and_the_results_are_dropped_and_counted() -> None:
    sink = Sink(script=[RetryableExportError("no", error_type="unavailable")] * 100)
    bench = Bench(sink, config=FAST.model_copy(update={"most_attempts": 3}), required=())
    await bench.deliverer.start()
    await bench.deliver(SCORED)
    await bench.deliverer.stop(5)
    assert len(sink.pushes) == 3
    assert bench.exports() == {"dropped_retries": 1}
    assert bench.done == {SCORED.id: 1}


async def test_a_permanent_failure_is_not_tried_again() -> None:
    sink = Sink(script=[PermanentExportError("no", error_type="refused")])
    bench = Bench(sink)
    await bench.deliverer.start()
    await bench.deliver(SCORED)
    await bench.deliverer.stop(5)
    assert len(sink.pushes) == 1
    assert bench.exports() == {"dropped_permanent": 1}
    assert bench.done == {SCORED.id: 1}


async def test_of_a_batch_only_the_refused_results_count_as_dropped() -> None:
    sink = Sink(script=[PermanentExportError("too large", error_type="too_large", rejected=1)])
    bench = Bench(sink, config=FAST.model_copy(update={"linger_seconds": 0.05}))
    await bench.deliverer.start()
    await bench.deliver(*results(5))
    await bench.deliverer.stop(5)
    assert bench.exports() == {"ok": 4, "dropped_permanent": 1}
    assert sum(bench.done.values()) == 5


@pytest.mark.parametrize("local", [True, False], ids=["local", "queued"])
async def test_an_exporter_that_breaks_is_counted_and_stops_nobody(local: bool) -> None:
    broken, well = Sink("broken", local=local, script=[KeyError("user text")]), Sink("well")
    bench = Bench(broken, well)
    await bench.deliverer.start()
    await bench.deliver(*results(2))
    await bench.deliverer.stop(5)
    assert well.ids == ["r0", "r1"]
    assert sum(bench.exports("broken").values()) == 2
    assert bench.exports("broken")["dropped_permanent"] >= 1
    assert bench.telemetry.value("rag_sidecar_export_failures_total", exporter="broken", error_type="KeyError") == 1
    assert bench.done == {"r0": 1, "r1": 1}


async def test_a_push_that_hangs_is_cut_and_tried_again() -> None:
    never = asyncio.Event()
    sink = Sink(script=[never])
    bench = Bench(sink, config=FAST.model_copy(update={"timeout_seconds": 0.02}))
    await bench.deliverer.start()
    await bench.deliver(SCORED)
    await bench.deliverer.stop(5)
    assert len(sink.pushes) == 2
    assert bench.exports() == {"ok": 1}
    assert bench.telemetry.value("rag_sidecar_export_failures_total", exporter="sink", error_type="timeout") == 1


async def test_a_slow_exporter_holds_up_neither_deliver_nor_the_others() -> None:
    gate = asyncio.Event()
    slow, quick = Sink("slow", script=[gate]), Sink("quick")
    config = FAST.model_copy(update={"queue_size": 5, "batch_size": 1})
    bench = Bench(slow, quick, config=config, required=("quick",))
    await bench.deliverer.start()
    for result in results(20):
        await bench.deliver(result)
        await asyncio.sleep(0.002)
    assert len(quick.ids) == 20
    assert len(slow.ids) == 1
    assert bench.exports("slow") == {"dropped_queue_full": 14}
    assert bench.done == Counter({f"r{n}": 1 for n in range(20)}), "no offset waits for the slow one"
    gate.set()
    await bench.deliverer.stop(5)
    assert bench.exports("slow") == {"dropped_queue_full": 14, "ok": 6}
    assert slow.ids == [f"r{n}" for n in range(6)], "the newest are dropped, not the oldest"


async def test_what_the_deadline_of_a_stop_cuts_off_is_counted_and_not_done() -> None:
    sink = Sink(script=[asyncio.Event()])
    bench = Bench(sink, config=FAST.model_copy(update={"batch_size": 2}))
    await bench.deliverer.start()
    await bench.deliver(*results(5))
    await bench.deliverer.stop(0.05)
    assert bench.exports() == {"abandoned": 5}
    assert bench.done == Counter(), "its record must be read again after the next start"
    assert sink.log == ["start", "stop"]


async def test_a_stop_does_not_wait_for_a_long_backoff() -> None:
    sink = Sink(script=[RetryableExportError("no", error_type="unavailable")])
    bench = Bench(sink, config=FAST.model_copy(update={"backoff_seconds": 600.0}))
    await bench.deliverer.start()
    await bench.deliver(SCORED)
    await sink.pushed.wait()
    async with asyncio.timeout(3):
        await bench.deliverer.stop(60)
    assert bench.exports() == {"ok": 1}


async def test_stopping_twice_and_delivering_after_it_harm_nothing() -> None:
    sink = Sink()
    bench = Bench(sink)
    await bench.deliverer.start()
    await bench.deliverer.stop(1)
    await bench.deliverer.stop(1)
    await bench.deliver(SCORED)
    assert bench.exports() == {"abandoned": 1}
    assert bench.done == Counter()


async def test_an_exporter_that_cannot_stop_does_not_keep_the_process() -> None:
    class Stuck(Sink):
        async def stop(self) -> None:
            await asyncio.Event().wait()

    class Raising(Sink):
        async def stop(self) -> None:
            raise OSError("no")

    bench = Bench(Stuck("stuck"), Raising("raising"))
    await bench.deliverer.start()
    async with asyncio.timeout(5):
        await bench.deliverer.stop(0.05)


async def test_a_wrong_destination_fails_at_the_start_naming_the_field() -> None:
    class Wrong(Sink):
        async def start(self) -> None:
            raise DestinationError("results.bootstrap_servers", "no broker answers", "start one")

    with pytest.raises(ConfigError, match=r"results\.bootstrap_servers: no broker answers \(start one\)"):
        await Bench(Wrong()).deliverer.start()


async def test_a_destination_that_is_not_up_is_started_by_a_later_call_and_the_others_once() -> None:
    class Late(Sink):
        async def start(self) -> None:
            await super().start()
            if len(self.log) == 1:
                raise DestinationError("results.bootstrap_servers", "no broker answers", "start one", passing=True)

    late, other = Late("late"), Sink("other")
    bench = Bench(late, other, config=FAST.model_copy(update={"batch_size": 1}), required=("late",))
    with pytest.raises(BrokerError, match=r"connect: results\.bootstrap_servers: no broker answers") as caught:
        await bench.deliverer.start()
    assert caught.value.passing
    for _ in range(3):
        await bench.deliverer.start()
    assert (late.log, other.log) == (["start", "start"], ["start"])
    await bench.deliver(*results(5))
    await bench.deliverer.stop(5)
    for sink in (late, other):
        assert len(sink.ids) == 5
    assert bench.telemetry.value("rag_sidecar_exports_total", exporter="late", outcome="ok") == 5


async def test_trouble_is_logged_when_it_begins_and_ends_not_at_every_push(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sidecar.deliver")
    sink = Sink(script=[RetryableExportError("secret text", error_type="unavailable")] * 5)
    bench = Bench(sink)
    await bench.deliverer.start()
    await bench.deliver(SCORED)
    await bench.deliverer.stop(5)
    assert caplog.messages == ["exporter sink fails: unavailable", "exporter sink works again"]


async def test_a_result_refused_for_good_is_told_and_is_no_failing_exporter(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sidecar.deliver")
    refused = PermanentExportError("secret text", error_type="TooLarge", rejected=1, mend="raise the limit")
    bench = Bench(Sink(script=[refused, refused]), config=FAST.model_copy(update={"batch_size": 1}))
    await bench.deliverer.start()
    await bench.deliver(*results(3))
    await bench.deliverer.stop(5)
    assert caplog.messages == [
        "exporter sink drops results for good, since they are refused: TooLarge; raise the limit"
    ]
    assert bench.exports() == {"ok": 1, "dropped_permanent": 2}


async def test_the_queue_shows_in_our_own_series() -> None:
    gate = asyncio.Event()
    bench = Bench(Sink(script=[gate]), config=FAST.model_copy(update={"batch_size": 1}))
    await bench.deliverer.start()
    assert bench.telemetry.value("rag_sidecar_queue_capacity", queue="export-sink") == FAST.queue_size
    await bench.deliver(*results(3))
    assert bench.telemetry.value("rag_sidecar_queue_length", queue="export-sink") == 3
    gate.set()
    await bench.deliverer.stop(5)
    assert bench.telemetry.value("rag_sidecar_queue_length", queue="export-sink") == 0


@pytest.mark.parametrize("outcome", list(Outcome))
async def test_every_outcome_is_done_exactly_once(outcome: Outcome) -> None:
    bench = Bench(Sink("a", every_trace=True), Sink("b"), Sink("c", local=True, every_trace=True))
    await bench.deliverer.start()
    await bench.deliver(replace(SCORED, outcome=outcome))
    await bench.deliverer.stop(5)
    assert bench.done == {SCORED.id: 1}
