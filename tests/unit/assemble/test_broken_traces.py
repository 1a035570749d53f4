"""Traces as production sends them: over several services and clocks, without a root, late, doubled, stuck."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.assemble.request import build_requests
from sidecar.kafka.consume.offsets import OffsetTracker
from sidecar.record.request import Document, RagTrace, Tokens
from sidecar.record.span import RagSpan, SpanKind
from tests.unit.assemble.test_buffer import Lease, Setting, rag, span

SECOND = 1_000_000_000


def at(start: float, end: float) -> dict[str, Any]:
    """Times in seconds."""
    return {"start_ns": int((100_000 + start) * SECOND), "end_ns": int((100_000 + end) * SECOND)}


def two_services(skew: float = 0.0) -> list[RagSpan]:
    """A gateway without a convention, a generator, and a retriever whose clock is off by `skew` seconds."""
    return [
        span(1, 1, SpanKind.NONE, service="gateway", **at(0, 10), upstream_adjusted_count=4.0),
        span(1, 2, SpanKind.CHAIN, parent=1, service="answers", question="q?", tenant="acme", **at(1, 9)),
        span(1, 3, SpanKind.NONE, parent=2, service="search", **at(2 + skew, 4 + skew)),
        span(
            1, 4, SpanKind.RETRIEVER, parent=3, service="search", documents=(Document(1, "text", "d1"),), tenant="other", **at(2.5 + skew, 3.5 + skew)
        ),
        span(1, 5, SpanKind.LLM, parent=2, service="answers", answer="a.", tokens=Tokens(10, 5), **at(5, 8)),
    ]  # fmt: skip


def request(spans: list[RagSpan]) -> RagTrace:
    [one] = build_requests(spans)
    return one


def test_a_request_over_services_is_that_of_the_service_that_answers() -> None:
    one = request(two_services())
    assert (one.service, one.tenant, one.answer, [d.id for d in one.documents]) == ("answers", "acme", "a.", ["d1"])
    assert (one.durations.total, one.durations.retrieval, one.durations.generation) == (8.0, 1.0, 3.0)


def test_an_attribute_of_the_request_goes_before_those_of_calls_within_it() -> None:
    spans = two_services()
    spans[1] = replace(spans[1], attributes={"http.response.status_code": 500})
    spans[3] = replace(spans[3], attributes={"http.response.status_code": 200, "app.tier": "gold"})
    spans[4] = replace(spans[4], attributes={"http.response.status_code": 201, "app.tier": "none"})
    assert request(spans).attributes == {"http.response.status_code": 500, "app.tier": "gold"}


def test_the_weight_on_the_root_of_the_trace_is_that_of_its_requests() -> None:
    assert request(two_services()).upstream_adjusted_count == 4.0
    unknown = [replace(one, upstream_adjusted_count=None) for one in two_services()]
    assert request(unknown).upstream_adjusted_count is None


def test_the_weight_of_the_record_itself_goes_before_that_of_the_trace() -> None:
    spans = two_services()
    spans[1] = replace(spans[1], upstream_adjusted_count=2.0)
    assert request(spans).upstream_adjusted_count == 2.0


@pytest.mark.parametrize("skew", [-3600.0, -30.0, -2.0, 2.0, 30.0, 3600.0])
def test_clocks_that_differ_between_services_make_no_absurd_durations(skew: float) -> None:
    one = request(two_services(skew))
    assert (one.durations.total, one.durations.retrieval, one.durations.generation) == (8.0, 1.0, 3.0)
    assert (one.answer, one.timestamp) == ("a.", 100_009.0)


@pytest.mark.parametrize("skew", [-3600.0, 3600.0])
def test_without_a_root_the_total_holds_no_difference_of_clocks(skew: float) -> None:
    spans = [one for one in two_services(skew) if one.kind in (SpanKind.RETRIEVER, SpanKind.LLM)]
    total = request(spans).durations.total
    assert total is None or 0 <= total <= 10


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**63), st.integers(0, 2**63)), min_size=5, max_size=5))
def test_no_times_make_a_negative_or_endless_duration(times: list[tuple[int, int]]) -> None:
    spans = [
        replace(one, start_ns=start, end_ns=max(start, end))
        for one, (start, end) in zip(two_services(), times, strict=True)
    ]
    durations = request(spans).durations
    for seconds in (durations.total, durations.retrieval, durations.generation):
        assert seconds is None or 0 <= seconds < 7 * 86_400


def test_the_order_in_which_spans_come_does_not_matter() -> None:
    spans = two_services()
    wanted = request(spans)
    for seed in range(20):
        random.Random(seed).shuffle(spans)
        assert request(spans) == wanted


def test_of_two_copies_of_a_span_the_one_with_more_in_it_is_kept() -> None:
    for first, second in ((1000, 1001), (1001, 1000)):
        setting = Setting(quiet_seconds=1)
        model: dict[str, Any] = {"documents": (), "tokens": Tokens(1, 1), "answer": "a"}
        setting.assembler.add([span(1, 1, SpanKind.LLM, size_bytes=first, model_answered=str(first), **model)])
        setting.assembler.add([span(1, 1, SpanKind.LLM, size_bytes=second, model_answered=str(second), **model)])
        [ended] = setting.assembler.flush()
        assert ended.requests[0].model_answered == "1001"


def test_ids_of_ended_traces_are_forgotten_in_time() -> None:
    setting = Setting(quiet_seconds=1, remember_seconds=600)
    setting.assembler.add(rag(1))
    setting.after(2)
    setting.after(599)
    setting.assembler.add(rag(1)[:1])
    assert setting.telemetry.value("rag_sidecar_late_spans_total") == 1
    setting.after(3)
    setting.assembler.add(rag(1)[:1])
    assert setting.telemetry.value("rag_sidecar_late_spans_total") == 1
    assert setting.assembler.open_traces == 1


def test_ids_of_many_ended_traces_are_held_for_their_time_only() -> None:
    setting = Setting(quiet_seconds=0, remember_seconds=10)
    for trace in range(2000):
        setting.assembler.add(rag(trace))
        setting.after(0.1)
    late = sum(bool(setting.assembler.add(rag(trace)[:1])) for trace in range(2000))
    assert late == 0
    assert setting.telemetry.value("rag_sidecar_late_spans_total") <= 110


def test_one_stuck_trace_never_holds_commits_longer_than_its_greatest_age() -> None:
    setting = Setting(quiet_seconds=5, max_age_seconds=120)
    tracker = OffsetTracker()
    partition = ("t", 0)
    for second in range(130):
        lease = tracker.take("t", 0, second, taken_at=float(second))
        # One trace gets a span each second for ever; each record also ends a trace of its own.
        setting.assembler.add(
            [span(1, second + 1, SpanKind.TOOL, parent=9999)], acknowledgement=lease, partition=partition
        )
        lease.release()
        for ended in setting.after(1):
            setting.assembler.settle(ended)
        committed = tracker.committable().get(partition, 0)
        assert second < 119 or committed >= 119
    # What came after the trace had ended is late, counted, and holds nothing.
    assert tracker.committable()[partition] == 130
    assert setting.telemetry.value("rag_sidecar_late_spans_total") > 0


def test_a_trace_that_outgrows_the_number_of_spans_still_ends_and_gives_all_holds_back() -> None:
    setting = Setting(quiet_seconds=1, most_spans=10)
    leases = [Lease() for _ in range(50)]
    for number, lease in enumerate(leases):
        setting.assembler.add([span(1, number + 1, SpanKind.LLM, answer="a")], acknowledgement=lease)
    setting.after(2)
    [ended] = setting.after(10)
    for acknowledgement in ended.acknowledgements:
        acknowledgement.release()
    assert sum(lease.holds for lease in leases) == 0
    assert "spans_left_out" in ended.requests[0].partial


def test_a_chain_of_ten_thousand_spans_costs_no_square() -> None:
    spans = [span(1, n + 1, SpanKind.LLM, parent=n or None, answer="a") for n in range(10_000)]
    started = time.process_time()
    assert len(build_requests(spans)) == 1
    assert time.process_time() - started < 3
