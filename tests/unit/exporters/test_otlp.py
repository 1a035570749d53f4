"""Evaluation events over OTLP, to real receivers on 127.0.0.1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans
from pydantic import SecretStr, ValidationError

from exporters.base import DestinationError, PermanentExportError, RetryableExportError
from exporters.evaluator_spans import evaluator_spans
from exporters.otlp import EVENT, OtlpConfig, OtlpExporter
from exporters.otlp_send import RETRYABLE_GRPC
from exporters.result import Result
from exporters.text import text_door
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.record import Record
from tests.unit.exporters.otlp_sinks import Sink, attributes, grpc_sink, http_sink
from tests.unit.exporters.samples import HOSTILE, SCORED, SECRET

PROTOCOLS = ["grpc", "http/protobuf"]


@pytest.fixture(autouse=True)
def _no_variables_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENDPOINT", "LOGS_ENDPOINT", "TRACES_ENDPOINT", "PROTOCOL", "LOGS_PROTOCOL", "HEADERS", "COMPRESSION"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)
    for name in ("OTEL_SDK_DISABLED", "OTEL_LOGS_EXPORTER", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"):
        monkeypatch.delenv(name, raising=False)


def receiver(protocol: str) -> AbstractContextManager[Sink]:
    return grpc_sink() if protocol == "grpc" else http_sink()


@pytest.fixture
def http_receiver() -> Iterator[Sink]:
    with http_sink() as sink:
        yield sink


async def export(config: OtlpConfig, results: Sequence[Result]) -> None:
    exporter = OtlpExporter(config)
    await exporter.start()
    try:
        await exporter.export(results)
    finally:
        await exporter.stop()


async def sent(sink: Sink, result: Result, **settings: Any) -> list[dict[str, object]]:
    """The attributes of the events of one result."""
    await export(OtlpConfig(endpoint=sink.url, **settings), [result])
    return [attributes(record.attributes) for record in sink.records]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_evaluation_is_one_event_on_the_span_that_was_evaluated(protocol: Any) -> None:
    with receiver(protocol) as sink:
        await export(OtlpConfig(endpoint=sink.url, protocol=protocol), [SCORED])
    records = sink.records
    assert [record.event_name for record in records] == [EVENT] * 5
    assert {record.trace_id.hex() for record in records} == {SCORED.trace_id}
    spans = {str(attributes(r.attributes)["gen_ai.evaluation.name"]): r.span_id.hex() for r in records}
    assert spans == {
        "faithfulness": SCORED.span_id,
        "groundedness": SCORED.span_id,
        "answer_relevancy": SCORED.span_id,
        "context_relevance": SCORED.retrieval_span_id,
        "context_precision": SCORED.retrieval_span_id,
    }
    assert {record.flags for record in records} == {1}
    assert not any(record.HasField("body") for record in records)
    assert records[0].time_unix_nano == 1_700_000_001_500_000_000


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_resource_and_scope_tell_decode_that_it_is_our_own(protocol: Any) -> None:
    with receiver(protocol) as sink:
        await export(OtlpConfig(endpoint=sink.url, protocol=protocol), [SCORED])
    (resource,) = sink.logs[0].resource_logs
    assert attributes(resource.resource.attributes)["service.name"] == "rag-sidecar"
    assert resource.scope_logs[0].scope.name == "rag_sidecar"


async def test_a_score_has_exactly_the_attributes_of_the_convention_and_ours(http_receiver: Sink) -> None:
    events = await sent(http_receiver, SCORED)
    assert events[1] == {
        "gen_ai.evaluation.name": "groundedness",
        "gen_ai.evaluation.score.value": 0.25,
        "gen_ai.evaluation.score.label": "hallucinated",
        "rag_sidecar.result.id": SCORED.id,
        "rag_sidecar.service": "support-bot",
        "rag_sidecar.outcome": "scored",
        "rag_sidecar.verdict": "hallucinated",
        "rag_sidecar.inclusion_probability": 0.25,
        "rag_sidecar.evaluator.version": "2",
        "rag_sidecar.evaluator.method": "consistency",
        "rag_sidecar.evaluator.threshold": 0.5,
        "rag_sidecar.evaluator.model": "embedded",
        "rag_sidecar.evaluator.model_version": "3",
        "rag_sidecar.evaluator.model_sha256": "ab" * 32,
    }


async def test_a_score_names_the_other_models_that_it_follows_from(http_receiver: Sink) -> None:
    [first, *_] = await sent(http_receiver, SCORED)
    assert first["rag_sidecar.evaluator.other_models"] == "minilm 1"
    assert first["rag_sidecar.evaluator.abstention_model"] == "abstention 1+0.9+0.5"


async def test_an_evaluation_with_a_probability_of_its_own_says_that_one(http_receiver: Sink) -> None:
    first, *others = SCORED.evaluations
    rare = replace(SCORED, evaluations=(replace(first, inclusion_probability=0.01), *others))
    events = await sent(http_receiver, rare)
    assert [event["rag_sidecar.inclusion_probability"] for event in events] == [0.01, 0.25, 0.25, 0.25, 0.25]


async def test_a_failure_carries_its_error_type_and_no_score(http_receiver: Sink) -> None:
    events = {str(e["gen_ai.evaluation.name"]): e for e in await sent(http_receiver, SCORED)}
    assert events["context_precision"]["error.type"] == "timeout"
    assert events["answer_relevancy"]["rag_sidecar.reason"] == "no_question"
    assert "error.type" not in events["answer_relevancy"]
    for name in ("context_precision", "answer_relevancy"):
        assert "gen_ai.evaluation.score.value" not in events[name]


async def test_where_the_span_is_not_known_the_response_id_stands_in(http_receiver: Sink) -> None:
    events = await sent(http_receiver, replace(SCORED, span_id=None, retrieval_span_id=None))
    assert {event["gen_ai.response.id"] for event in events} == {"chatcmpl-1"}
    assert {record.trace_id.hex() for record in http_receiver.records} == {SCORED.trace_id}
    assert {record.span_id for record in http_receiver.records} == {b""}


@pytest.mark.parametrize("own", ["order 4711", "0" * 32, "xyz" * 10 + "ab", "0AF7"])
async def test_an_id_that_is_no_trace_id_becomes_an_attribute(http_receiver: Sink, own: str) -> None:
    events = await sent(http_receiver, replace(SCORED, trace_id=own))
    assert {event["rag_sidecar.trace_id"] for event in events} == {own}
    assert {(record.trace_id, record.span_id) for record in http_receiver.records} == {(b"", b"")}


async def test_texts_stay_unless_asked_for(http_receiver: Sink) -> None:
    events = await sent(http_receiver, SCORED)
    assert SECRET not in str(events)
    assert SECRET.encode() not in http_receiver.logs[0].SerializeToString()


async def test_explanations_go_along_on_request_and_redacted(http_receiver: Sink) -> None:
    events = await sent(http_receiver, SCORED, include_text=True, redact=("Zaphod",))
    assert events[0]["gen_ai.evaluation.explanation"] == f"not supported: {SECRET.replace('Zaphod', '[redacted]')}"


async def test_hostile_results_are_sent_without_what_cannot_be(http_receiver: Sink) -> None:
    events = await sent(http_receiver, HOSTILE)
    assert len(events) == 2
    assert "gen_ai.evaluation.score.value" not in events[0]
    assert {record.time_unix_nano for record in http_receiver.records} == {0}


async def test_a_result_without_evaluations_sends_nothing(http_receiver: Sink) -> None:
    assert await sent(http_receiver, replace(SCORED, evaluations=())) == []
    assert http_receiver.paths == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, PermanentExportError),
        (401, PermanentExportError),
        (404, PermanentExportError),
        (500, PermanentExportError),
        (302, PermanentExportError),
        (429, RetryableExportError),
        (502, RetryableExportError),
        (503, RetryableExportError),
        (504, RetryableExportError),
    ],
)
async def test_an_http_status_says_whether_to_try_again(
    http_receiver: Sink, status: int, kind: type[Exception]
) -> None:
    http_receiver.answers = [status]
    with pytest.raises(kind) as caught:
        await sent(http_receiver, SCORED)
    assert getattr(caught.value, "error_type", None) == f"http_{status}"


@pytest.mark.parametrize(("status", "closed"), [(400, False), (413, False), (401, True), (403, True), (404, True)])
async def test_a_permanent_refusal_says_whether_others_would_be_taken(
    http_receiver: Sink, status: int, closed: bool
) -> None:
    http_receiver.answers = [status]
    with pytest.raises(PermanentExportError) as caught:
        await sent(http_receiver, SCORED)
    assert caught.value.closed is closed


@pytest.mark.parametrize(("said", "seconds"), [("7", 7.0), ("", None)], ids=["seconds", "nothing"])
async def test_the_wait_that_a_receiver_asks_for_is_handed_on(
    http_receiver: Sink, said: str, seconds: float | None
) -> None:
    http_receiver.answers, http_receiver.retry_after = [429], said
    with pytest.raises(RetryableExportError) as caught:
        await sent(http_receiver, SCORED)
    assert caught.value.retry_after_seconds == seconds


@pytest.mark.parametrize("code", [c for c in grpc.StatusCode if c is not grpc.StatusCode.OK], ids=lambda c: c.name)
async def test_a_grpc_status_says_whether_to_try_again(code: Any) -> None:
    with grpc_sink() as sink:
        sink.answers = [code]
        kind = RetryableExportError if code.name in RETRYABLE_GRPC else PermanentExportError
        with pytest.raises(kind) as caught:
            await export(OtlpConfig(endpoint=sink.url, protocol="grpc"), [SCORED])
    assert getattr(caught.value, "error_type", None) == f"grpc_{code.name.lower()}"


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_receiver_that_is_not_there_may_come_later(protocol: Any) -> None:
    with pytest.raises(RetryableExportError):
        await export(OtlpConfig(endpoint="http://127.0.0.1:1", protocol=protocol, timeout_seconds=2), [SCORED])


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_events_that_the_receiver_refuses_are_not_sent_again(protocol: Any) -> None:
    with receiver(protocol) as sink:
        sink.refuse = 2
        with pytest.raises(PermanentExportError) as caught:
            await export(OtlpConfig(endpoint=sink.url, protocol=protocol), [SCORED])
    assert caught.value.rejected == 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_headers_of_the_config_and_of_the_environment_go_along(
    protocol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=a%20b,api-key=weak")
    with receiver(protocol) as sink:
        headers = {"Api-Key": SecretStr("strong")}
        config = OtlpConfig(endpoint=sink.url, protocol=protocol, headers=headers)
        await export(config, [SCORED])
        await export(config, [SCORED])
    assert [(seen["x-tenant"], seen["api-key"]) for seen in sink.headers] == [("a b", "strong")] * 2
    assert "strong" not in repr(config)


async def test_the_standard_variables_alone_are_enough(http_receiver: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not OtlpConfig().wanted
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", http_receiver.url + "/")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    assert OtlpConfig().wanted
    await export(OtlpConfig(), [SCORED])
    assert http_receiver.paths == ["/v1/logs"]
    assert http_receiver.headers[0]["content-encoding"] == "gzip"
    assert len(http_receiver.records) == 5


async def test_the_variable_of_the_logs_signal_is_taken_as_it_is(
    http_receiver: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", http_receiver.url + "/custom")
    await export(OtlpConfig(), [SCORED])
    assert http_receiver.paths == ["/custom"]


async def test_grpc_by_the_standard_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    with grpc_sink() as sink:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", sink.url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "grpc")
        await export(OtlpConfig(), [SCORED])
    assert len(sink.records) == 5


@pytest.mark.parametrize(("name", "value"), [("OTEL_SDK_DISABLED", "TRUE"), ("OTEL_LOGS_EXPORTER", "none")])
def test_it_can_be_switched_off_by_the_standard_variables(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = OtlpConfig(endpoint="http://collector:4318")
    assert config.wanted
    monkeypatch.setenv(name, value)
    assert not config.wanted


def test_an_endpoint_for_traces_alone_asks_for_no_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://collector:4318/v1/traces")
    assert not OtlpConfig().wanted
    assert OtlpConfig().traces_wanted
    assert not OtlpConfig(traces=False).traces_wanted


@pytest.mark.parametrize("endpoint", ["collector:4317", "", "ftp://collector", "http://"])
def test_an_endpoint_that_is_no_url_is_refused(endpoint: str) -> None:
    with pytest.raises(ValidationError, match="write for example http://collector:4318"):
        OtlpConfig(endpoint=endpoint)


@pytest.mark.parametrize(
    ("name", "value"),
    [("OTEL_EXPORTER_OTLP_ENDPOINT", "nonsense"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")],
)
async def test_a_variable_that_makes_no_sense_is_named_at_the_start(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
    monkeypatch.setenv(name, value)
    with pytest.raises(DestinationError, match=name):
        await OtlpExporter(OtlpConfig()).start()


async def test_a_certificate_that_cannot_be_read_is_named_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "/no/such.pem")
    for protocol in ("grpc", "http/protobuf"):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4318")
        with pytest.raises(DestinationError, match="OTEL_EXPORTER_OTLP_CERTIFICATE"):
            await OtlpExporter(OtlpConfig()).start()


async def _spans_of(results: list[Result], **more: Any) -> Sink:
    with http_sink() as sink:
        exporter = OtlpExporter(OtlpConfig.model_validate({"endpoint": sink.url, "evaluator_spans": True, **more}))
        await exporter.start()
        await exporter.export(results)
        await exporter.stop()
    return sink


async def test_evaluator_spans_are_a_trace_of_their_own_that_links_to_what_was_evaluated() -> None:
    sink = await _spans_of([SCORED])
    root, *others = sink.spans
    assert {span.trace_id for span in sink.spans} == {root.trace_id}
    assert root.trace_id.hex() != SCORED.trace_id
    assert {span.parent_span_id for span in others} == {root.span_id}
    assert root.parent_span_id == b""
    assert [(link.trace_id.hex(), link.span_id.hex()) for link in root.links] == [(SCORED.trace_id, SCORED.span_id)]
    assert attributes(root.attributes)["rag_sidecar.trace_id"] == SCORED.trace_id
    links = {span.name: span.links[0].span_id.hex() for span in others}
    assert links["context_relevance"] == SCORED.retrieval_span_id
    assert links["faithfulness"] == SCORED.span_id
    told = {span.name: attributes(span.attributes) for span in others}
    assert {name: one["openinference.span.kind"] for name, one in told.items()} == dict.fromkeys(told, "EVALUATOR")
    assert told["groundedness"] == {
        "openinference.span.kind": "EVALUATOR", "output.value": "0.25", "gen_ai.evaluation.name": "groundedness",
        "gen_ai.evaluation.score.value": 0.25, "gen_ai.evaluation.score.label": "hallucinated", "rag_sidecar.outcome": "scored",
        "rag_sidecar.evaluator.model": "embedded",
    }  # fmt: skip
    assert told["context_precision"]["error.type"] == "timeout"
    assert "gen_ai.evaluation.score.value" not in told["context_precision"]
    assert sink.paths == ["/v1/traces", "/v1/logs"]
    assert SECRET not in str(sink.traces)


async def test_evaluator_spans_have_the_same_ids_when_they_come_again_and_go_without_events_where_these_are_off() -> (
    None
):
    first, again = await _spans_of([SCORED], events=False), await _spans_of([SCORED], events=False)
    assert [(span.trace_id, span.span_id) for span in first.spans] == [
        (one.trace_id, one.span_id) for one in again.spans
    ]
    assert len({span.span_id for span in first.spans}) == len(first.spans) == 6
    assert first.paths == ["/v1/traces"]


async def test_explanations_are_on_evaluator_spans_only_where_texts_are_wanted() -> None:
    assert SECRET in str((await _spans_of([SCORED], include_text=True)).traces)


def test_our_own_evaluator_spans_are_no_requests() -> None:
    request = ExportTraceServiceRequest(
        resource_spans=[ResourceSpans(scope_spans=[ScopeSpans(spans=evaluator_spans([SCORED], text_door(True, ())))])]
    )
    decoded = Decoder(DecodeConfig(), Telemetry()).decode(Record("t", 0, 0, 1.0, None, request.SerializeToString()))
    assert decoded.spans == []
