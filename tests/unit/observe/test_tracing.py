"""Our own spans."""

from __future__ import annotations

import time

import pytest

from exporters.otlp import OtlpConfig
from sidecar.observe.tracing import Tracing
from tests.unit.exporters.otlp_sinks import attributes, http_sink

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture(autouse=True)
def _no_variables_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EXPORTER_OTLP_ENDPOINT", "EXPORTER_OTLP_TRACES_ENDPOINT", "SDK_DISABLED", "TRACES_EXPORTER"):
        monkeypatch.delenv(f"OTEL_{name}", raising=False)


def test_an_evaluation_links_to_the_users_trace_and_never_joins_it() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with tracing.evaluation(TRACE, SPAN), tracing.span("decode"):
            pass
        tracing.stop()
    child, parent = sink.spans
    assert (parent.name, parent.kind, child.name) == ("evaluate", parent.SPAN_KIND_CONSUMER, "decode")
    assert [(link.trace_id.hex(), link.span_id.hex()) for link in parent.links] == [(TRACE, SPAN)]
    assert parent.trace_id.hex() != TRACE
    assert parent.parent_span_id == b""
    assert child.parent_span_id == parent.span_id
    assert sink.paths == ["/v1/traces"]
    (resource,) = sink.traces[0].resource_spans
    assert attributes(resource.resource.attributes)["service.name"] == "rag-sidecar"
    assert resource.scope_spans[0].scope.name == "rag_sidecar"


@pytest.mark.parametrize(("trace_id", "span_id"), [("order 4711", None), ("abc", "def"), (TRACE, None), ("-1", "1")])
def test_what_is_no_span_is_named_instead_of_linked(trace_id: str, span_id: str | None) -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with tracing.evaluation(trace_id, span_id):
            pass
        tracing.stop()
    (span,) = sink.spans
    assert len(span.links) == 0
    assert attributes(span.attributes) == {"rag_sidecar.trace_id": trace_id}


def test_an_exception_goes_on_and_its_text_stays_out_of_the_span() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        with pytest.raises(KeyError), tracing.span("decode"):
            raise KeyError("user text")
        tracing.stop()
    assert b"user text" not in sink.traces[0].SerializeToString()
    assert sink.spans[0].status.code == sink.spans[0].status.STATUS_CODE_ERROR
    assert attributes(sink.spans[0].attributes) == {"error.type": "KeyError"}


def test_it_is_off_unless_an_endpoint_is_named() -> None:
    tracing = Tracing(OtlpConfig())
    with tracing.evaluation(TRACE, SPAN), tracing.span("decode"):
        pass
    tracing.stop()
    Tracing(None).stop()


def test_own_spans_can_be_left_out() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url, traces=False))
        with tracing.span("decode"):
            pass
        tracing.stop()
    assert sink.paths == []


def test_stopping_twice_is_safe_and_spans_after_it_are_nothing() -> None:
    with http_sink() as sink:
        tracing = Tracing(OtlpConfig(endpoint=sink.url))
        tracing.stop()
        tracing.stop()
        with tracing.span("late"):
            pass
    assert sink.paths == []


def test_a_receiver_that_is_away_does_not_keep_the_process() -> None:
    tracing = Tracing(OtlpConfig(endpoint="http://127.0.0.1:1", timeout_seconds=2))
    with tracing.span("decode"):
        pass
    started = time.monotonic()
    tracing.stop()
    assert time.monotonic() - started < 10
