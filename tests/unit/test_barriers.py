"""Whatever breaks on one record, trace or request: it is accounted for, its record is released once, and the next one is taken."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from exporters.result import Outcome, Result
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoded, Decoder
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.kafka.consume.receiver import Taken
from sidecar.observe.telemetry import Telemetry
from sidecar.price import PriceConfig, Priced, Pricer
from sidecar.record.clock import SystemClock
from sidecar.record.record import AttributeValue, Record
from sidecar.record.request import ModelCall, RagTrace
from sidecar.record.span import RagSpan, Said, SpanKind
from sidecar.sample.rules import Decision, SampleConfig, Sampler
from tests.unit.test_pipeline import ListSource, Setting, build, native

CANARY = "the words of a user"
NUMBERS = range(5)


class BugError(Exception):
    """Quotes what it was given, as exceptions of libraries do."""

    def __init__(self) -> None:
        super().__init__(CANARY)


class BadDecoder(Decoder):
    """Breaks on the record of offset 2."""

    def decode(self, record: Record) -> Decoded:
        if record.offset == 2:
            raise BugError
        return super().decode(record)


class BadSampler(Sampler):
    """Breaks on request 2."""

    def decide(self, trace: RagTrace) -> Decision:
        if trace.trace_id == "2":
            raise BugError
        return super().decide(trace)


class BadPricer(Pricer):
    """Breaks on calls of the model `odd`."""

    def price(self, calls: Sequence[ModelCall]) -> Priced:
        if any(call.model == "odd" for call in calls):
            raise BugError
        return super().price(calls)


class BadDeliverer(Deliverer):
    """Breaks on request 2: before it has told anybody, or after."""

    def __init__(self, *arguments: Any, after: bool, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._after = after

    async def deliver(self, result: Result, *, done: Callable[[], None]) -> None:
        if result.trace_id != "2":
            await super().deliver(result, done=done)
            return
        if self._after:
            done()
        raise BugError


class BadAttributes(Mapping[str, AttributeValue]):
    """Attributes that nobody can read."""

    def __getitem__(self, key: str) -> AttributeValue:
        raise BugError

    def __iter__(self) -> Iterator[str]:
        raise BugError

    def __len__(self) -> int:
        return 1


def outcomes(setting: Setting) -> dict[tuple[str, str], float]:
    values = setting.telemetry.values("rag_sidecar_requests_total")
    return {(labels["outcome"], labels["reason"]): value for labels, value in values}


def broken(setting: Setting) -> dict[str, float]:
    return {labels["stage"]: value for labels, value in setting.telemetry.values("rag_sidecar_internal_errors_total")}


def said(caplog: pytest.LogCaptureFixture) -> str:
    """What was logged, with the tracebacks as any formatter might write them."""
    return "\n".join(logging.Formatter().format(record) for record in caplog.records)


async def test_a_record_that_breaks_decoding_goes_to_the_dead_letters_and_the_next_is_taken(
    caplog: pytest.LogCaptureFixture,
) -> None:
    setting = build([native(n) for n in NUMBERS], parts={"decoder": BadDecoder(DecodeConfig(), Telemetry())})
    await setting.run()
    assert setting.source.dead == [(2, "internal")]
    assert outcomes(setting) == {("scored", ""): 4}
    assert broken(setting) == {"record": 1}
    assert setting.source.done
    assert "BugError at test_barriers.py" in said(caplog)
    assert CANARY not in said(caplog)


async def test_a_record_that_breaks_splitting_goes_to_the_dead_letters() -> None:
    class Splitting(ListSource):
        def repartitions(self, topic: str) -> bool:
            return True

        def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
            raise AssertionError("what cannot be split is not forwarded")

    class BadSplitter(Decoder):
        def split(self, record: Record) -> list[tuple[bytes, bytes]] | None:
            if record.offset == 2:
                raise BugError
            return None

    source = Splitting([native(n) for n in NUMBERS])
    setting = build([], parts={"source": source, "decoder": BadSplitter(DecodeConfig(), Telemetry())})
    setting.source = source
    await setting.run()
    assert source.dead == [(2, "internal")]
    assert outcomes(setting) == {("scored", ""): 4}
    assert source.done


async def test_a_request_that_breaks_sampling_is_failed_and_delivered() -> None:
    setting = build([native(n) for n in NUMBERS], parts={"sampler": BadSampler(SampleConfig(), Telemetry())})
    await setting.run()
    assert outcomes(setting) == {("scored", ""): 4, ("failed", "internal"): 1}
    assert [r.trace_id for r in setting.sink.results if r.outcome is Outcome.FAILED] == ["2"]
    assert broken(setting) == {"sample": 1}
    assert setting.source.done


async def test_a_request_whose_result_cannot_be_made_is_failed_once() -> None:
    values = [native(n, model="odd" if n == 2 else "gpt-4o", prompt_tokens=5, completion_tokens=5) for n in NUMBERS]
    setting = build(values, parts={"pricer": BadPricer(PriceConfig())})
    await setting.run()
    assert outcomes(setting) == {("scored", ""): 4, ("failed", "internal"): 1}
    assert broken(setting) == {"result": 1}
    assert setting.source.done


@pytest.mark.parametrize("after", [False, True])
async def test_a_request_that_breaks_delivery_is_released_once(after: bool) -> None:
    setting = build([native(n) for n in NUMBERS])
    sinks = {"telemetry": setting.telemetry, "clock": SystemClock()}
    deliverer = BadDeliverer(DeliverConfig(), [setting.sink], after=after, **sinks)
    # Two requests share a record: were the broken one released twice, the other's hold would be gone before its time.
    setting = build([native(0), b"[" + native(2) + b"," + native(3) + b"]"], parts={"deliverer": deliverer})
    await setting.run()
    assert outcomes(setting) == {("scored", ""): 3}
    assert broken(setting) == {"deliver": 1}
    assert setting.source.done


async def test_a_trace_that_breaks_assembling_is_failed_and_releases_its_record() -> None:
    class Spans(Decoder):
        """A trace a record; that of offset 2 cannot be put together, that of offset 3 not even looked at."""

        def decode(self, record: Record) -> Decoded:
            ids = (f"{record.offset:032x}", f"{record.offset:016x}")
            fields: dict[str, Any] = {
                "kind": SpanKind.LLM,
                "convention": "c",
                "service": "kb",
                "start_ns": 1,
                "end_ns": 2,
            }
            if record.offset == 2:
                fields["attributes"] = BadAttributes()
            if record.offset == 3:
                fields["size_bytes"] = "none"
            return Decoded(
                [
                    RagSpan(
                        trace_id=ids[0], span_id=ids[1], parent_span_id=None, name="s", said=Said(answer="a"), **fields
                    )
                ]
            )

    telemetry = Telemetry()
    assembler = Assembler(AssembleConfig(quiet_seconds=0), SystemClock(), telemetry)
    setting = build(
        [native(n) for n in NUMBERS], parts={"decoder": Spans(DecodeConfig(), telemetry), "assembler": assembler}
    )
    await setting.run()
    assert outcomes(setting) == {("unscorable", "no_context"): 3, ("failed", "internal"): 1}
    assert telemetry.value("rag_sidecar_traces_ignored_total", reason="internal") == 1
    assert telemetry.value("rag_sidecar_internal_errors_total", stage="assemble") == 2
    assert setting.source.done


async def test_a_whole_request_that_breaks_assembling_is_failed_and_the_others_of_its_record_go_on() -> None:
    class Service(str):
        def __format__(self, spec: str) -> str:
            raise BugError

    class Whole(Decoder):
        def decode(self, record: Record) -> Decoded:
            found = super().decode(record)
            found.requests[1] = replace(found.requests[1], service=Service("kb"))
            return found

    values = [b"[" + b",".join(native(n) for n in range(3)) + b"]"]
    setting = build(values, parts={"decoder": Whole(DecodeConfig(), Telemetry())})
    await setting.run()
    assert outcomes(setting) == {("scored", ""): 2, ("failed", "internal"): 1}
    assert setting.source.done


async def test_a_poll_that_breaks_ends_nothing_and_is_no_beat() -> None:
    class Tripping(ListSource):
        trips: int = 0

        async def poll(self, *, paused: bool) -> list[Taken]:
            self.trips += 1
            if self.trips == 2:
                raise BugError
            return await super().poll(paused=paused)

    source = Tripping([native(n) for n in NUMBERS])
    setting = build([], parts={"source": source})
    setting.source = source
    await setting.run()
    assert outcomes(setting) == {("scored", ""): 5}
    assert broken(setting) == {"intake": 1}
