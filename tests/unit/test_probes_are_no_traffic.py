"""Requests that a probe sent: whatever marks them, nothing counts them as traffic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.probes import KEY_PATTERN, TRACE_STATE_KEY, says_so
from sidecar.observe.telemetry import Telemetry
from sidecar.probe.send import marks
from tests.unit.decode.spans import message, span
from tests.unit.test_pipeline import Setting, build, native


def chain(marked: Mapping[str, Any], **more: Any) -> bytes:
    """A RAG request of three spans; what marks it stands on the root alone."""
    kind = "openinference.span.kind"
    return message(
        span("root", {kind: "CHAIN", "input.value": "What?", "output.value": "It is blue.", **marked}, number=1, lasts=3, **more),
        span(
            "search",
            {kind: "RETRIEVER", "retrieval.documents.0.document.content": "It is blue."},
            number=2, parent=1, at=0.1,
        ),
        span("model", {kind: "LLM", "output.value": "It is blue.", "llm.model_name": "m"}, number=3, parent=1, at=1.2),
    )  # fmt: skip


async def ran(value: bytes) -> Setting:
    setting = build([value])
    await setting.run()
    return setting


MARKED = {
    "an attribute that baggage gave": chain({"rag.probe": "true"}),
    "an attribute that is a truth": chain({"rag.probe": True}),
    "a captured header": chain({"http.request.header.x-rag-probe": ["1"]}),
    "tracestate": chain({}, traceState="ot=th:8, rag-probe=1"),
    "a native record": native(1, probe=True),
}
PLAIN = {
    "nothing": chain({}),
    "a mark that says no": chain({"rag.probe": "false"}),
    "tracestate of another": chain({}, traceState="not-rag-probe=1"),
    "a native record": native(1),
    "a native record that says no": native(1, probe=False),
}


@pytest.mark.parametrize("marked", MARKED.values(), ids=MARKED)
async def test_a_marked_request_is_counted_as_a_probe_and_as_nothing_else(marked: bytes) -> None:
    setting = await ran(marked)
    assert setting.sink.results == []
    assert list(setting.telemetry.values("rag_sidecar_requests_total")) == []
    assert setting.telemetry.value("rag_sidecar_traces_ignored_total", reason="probe") == 1
    assert setting.source.done, "its record is acknowledged like any other"


@pytest.mark.parametrize("plain", PLAIN.values(), ids=PLAIN)
async def test_what_is_not_marked_is_traffic(plain: bytes) -> None:
    setting = await ran(plain)
    assert len(setting.sink.results) == 1
    assert setting.telemetry.value("rag_sidecar_traces_ignored_total", reason="probe") == 0


@pytest.mark.parametrize(
    ("value", "said"), [(1, True), (0, False), (None, False), ("off", False), ("yes", True), (["0"], False)]
)
def test_what_says_yes(value: Any, said: bool) -> None:
    assert says_so(value) is said


def instrumented(headers: Mapping[str, str]) -> bytes:
    """What a service exports that is instrumented with the OpenTelemetry SDK and takes the trace on from these headers, by its own propagator."""
    exported = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exported))
    tracer = provider.get_tracer("service")
    context = TraceContextTextMapPropagator().extract(headers)
    with tracer.start_as_current_span("POST /ask", context=context):
        asked = {"openinference.span.kind": "CHAIN", "input.value": "What?", "output.value": "It is blue."}
        with tracer.start_as_current_span("chain", attributes=asked):
            with tracer.start_as_current_span("search", attributes={"openinference.span.kind": "RETRIEVER"}):
                pass
            with tracer.start_as_current_span("model", attributes={"openinference.span.kind": "LLM"}):
                pass
    return encode_spans(exported.get_finished_spans()).SerializeToString()


async def test_the_marks_of_the_probe_go_through_an_instrumented_service_by_themselves() -> None:
    value = instrumented(marks(TRACE_STATE_KEY))
    setting = await ran(value)
    assert setting.sink.results == []
    assert setting.telemetry.value("rag_sidecar_traces_ignored_total", reason="probe") == 1
    others = {name: text for name, text in marks(TRACE_STATE_KEY).items() if name != "tracestate"}
    assert len((await ran(instrumented(others))).sink.results) == 1, "it is tracestate that marks it"


@pytest.mark.parametrize(("key", "ignored"), [("k7f2", 1), ("rag-probe", 0), (None, 0)])
async def test_the_member_of_tracestate_is_that_of_the_settings(key: str | None, ignored: int) -> None:
    telemetry = Telemetry()
    decoder = Decoder(DecodeConfig(probe_trace_state=key), telemetry)
    setting = build([chain({}, traceState="k7f2=1")], parts={"decoder": decoder, "telemetry": telemetry})
    await setting.run()
    assert telemetry.value("rag_sidecar_traces_ignored_total", reason="probe") == ignored
    assert len(setting.sink.results) == 1 - ignored


def test_the_key_is_one_that_trace_context_allows() -> None:
    assert re.fullmatch(KEY_PATTERN, TRACE_STATE_KEY)
