"""Hostile and broken input: a clear error or a counted part, never anything else."""

from __future__ import annotations

import json
import math
import time

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, TracesData

from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoded, Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import DecodeError
from tests.unit.decode.recordings import NAMES, record, understood, values
from tests.unit.decode.spans import pairs


def decode(value: bytes | None, **config: object) -> Decoded:
    return Decoder(DecodeConfig.model_validate(config), Telemetry()).decode(record(value))


def native(**fields: object) -> bytes:
    return json.dumps({"request_id": "1", "question": "q", "answer": "a", **fields}).encode()


OTLP_JSON = json.dumps(
    {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "01" * 16, "spanId": "02" * 8, "name": "chat gpt"}]}]}]}
).encode()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"hello", "unknown_format"),
        (b"\x0a\xff\xff\xff", "bad_protobuf"),
        (b'{"resourceSpans": [', "bad_json"),
        (b"[" * 5000, "too_deep"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "too_deep"),
        (b'{"model": "gpt-4o"}', "missing_field"),
        (b'{"request_id": "1", "question": "q", "timestamp": "yesterday"}', "bad_field"),
        (b'{"request_id": "1", "question": "q", "timestamp": -5}', "bad_field"),
        (b'{"request_id": "1", "question": "q", "contexts": 7}', "bad_field"),
        (b'{"request_id": "' + b"x" * 257 + b'", "question": "q"}', "bad_field"),
        (b'{"request_id": "1", "question": NaN}', "bad_json"),
    ],
)
def test_a_record_that_cannot_be_read_is_refused_with_a_reason(value: bytes, reason: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(value)
    assert caught.value.reason == reason


@pytest.mark.parametrize("encoding", ["sniff", "native_json"])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b'"hello"', "a JSON text alone"),
        (b' "{\\"question\\": \\"q\\"}"\n', "a JSON text with JSON in it, serialised twice"),
        (b"42", "a number alone"),
        (b"-0.5", "a number alone"),
        (b"true", "true or false alone"),
        (b"\xef\xbb\xbfnull", "null"),
    ],
)
def test_a_bare_json_value_is_told_for_what_it_is(value: bytes, said: str, encoding: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode(value, encoding=encoding)
    assert str(caught.value) == f"not_an_object: {said}; a record is a JSON object, or a list of them"


@pytest.mark.parametrize("value", [b"true story", b"null and void", b"7 words", b'"never closed'])
def test_what_begins_as_a_bare_json_value_and_is_none_is_of_no_known_format(value: bytes) -> None:
    with pytest.raises(DecodeError, match="unknown_format"):
        decode(value)


@pytest.mark.parametrize("value", [native(), b"[" + native() + b"]", OTLP_JSON])
def test_a_byte_order_mark_before_json_is_passed_over(value: bytes) -> None:
    found = decode(value)
    assert found.spans or found.requests
    assert decode(b"\xef\xbb\xbf" + value) == found


def test_a_record_over_the_limit_is_refused_unread() -> None:
    with pytest.raises(DecodeError, match="too_large"):
        decode(native(answer="x" * 5000), most_record_bytes=2000)


def test_a_native_record_without_an_id_gets_one_that_is_the_same_when_it_is_read_again() -> None:
    one, again, later, other = (
        decode(json.dumps({"question": "q", "answer": answer, "timestamp": at}).encode()).requests[0].trace_id
        for answer, at in (("a", 1_700_000_000), ("a", 1_700_000_000), ("a", 1_700_000_001), ("b", 1_700_000_000))
    )
    assert one == again
    assert len({one, later, other}) == 3


def test_a_tombstone_is_no_error() -> None:
    assert decode(None) == decode(b"") == Decoded()


def test_spans_without_trace_id_are_counted_and_the_others_go_on() -> None:
    good = Span(trace_id=b"\1" * 16, span_id=b"\2" * 8, name="chat gpt")
    data = TracesData(resource_spans=[ResourceSpans(scope_spans=[ScopeSpans(spans=[Span(name="lost"), good])])])
    telemetry = Telemetry()
    spans = Decoder(DecodeConfig(), telemetry).decode(record(data.SerializeToString())).spans
    assert [span.trace_id for span in spans] == ["01" * 16]
    assert telemetry.value("rag_sidecar_decode_errors_total", reason="no_trace_id") == 1


def test_a_list_with_one_bad_record_keeps_the_good_ones() -> None:
    telemetry = Telemetry()
    value = b"[" + native() + b', {"model": "x"}, 5]'
    found = Decoder(DecodeConfig(), telemetry).decode(record(value))
    assert len(found.requests) == 1
    assert telemetry.value("rag_sidecar_decode_errors_total") == 2


def test_invalid_utf8_becomes_replacement_characters() -> None:
    [request] = decode(b'{"request_id": "1", "question": "caf\xff", "answer": "a"}').requests
    assert request.question == "caf\ufffd"


@pytest.mark.parametrize("text", [r"\ud800", r"a\uDC00b", r"\ud83d\ud83d\ude00"])
def test_lone_surrogates_in_json_become_replacement_characters(text: str) -> None:
    [request] = decode(b'{"request_id": "1", "question": "q", "answer": "' + text.encode() + b' ok"}').requests
    assert (request.answer or "").endswith("ok")
    assert "\ufffd" in (request.answer or "")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1, 1e300, "many", None, True, [], {}])
def test_absurd_numbers_are_absent(bad: object) -> None:
    value = json.dumps(
        {"request_id": "1", "question": "q", "answer": "a", "usage": {"prompt_tokens": bad}, "latency_ms": bad}
    )
    if isinstance(bad, float) and not math.isfinite(bad):
        with pytest.raises(DecodeError, match="bad_json"):  # NaN and Infinity are not JSON
            decode(value.encode())
        return
    [request] = decode(value.encode()).requests
    assert request.tokens.input is None
    assert request.durations.total is None


def test_a_chunk_of_a_megabyte_is_kept_whole() -> None:
    [request] = decode(native(contexts=["word " * 200_000])).requests
    assert len(request.documents[0].text or "") == 999_999


def test_hostile_indices_of_flattened_documents_cost_nothing() -> None:
    attributes = [
        {"key": f"retrieval.documents.{n}.document.content", "value": {"stringValue": "x"}}
        for n in ("9" * 30, "٣", "-1", "10001", "2")
    ]
    attributes.append({"key": "openinference.span.kind", "value": {"stringValue": "RETRIEVER"}})
    span = {"traceId": "01" * 16, "spanId": "02" * 8, "attributes": attributes}
    [found] = decode(orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})).spans
    assert [d.rank for d in found.said.documents] == [3]


def test_a_trace_of_100_000_spans_is_cut_and_marked_in_bounded_time() -> None:
    spans = [Span(trace_id=b"\1" * 16, span_id=(n + 1).to_bytes(8, "big"), name="chat m") for n in range(100_000)]
    for span in spans[:2]:
        span.attributes.add(key="gen_ai.operation.name").value.string_value = "chat"
    data = TracesData(resource_spans=[ResourceSpans(scope_spans=[ScopeSpans(spans=spans)])])
    [request] = understood([data.SerializeToString()])
    assert request.spans <= 10_000
    assert "spans_left_out" in request.partial


def test_our_own_spans_and_evaluations_are_left_out() -> None:
    own = {"traceId": "01" * 16, "spanId": "02" * 8, "name": "evaluate"}
    evaluator = {**own, "attributes": [{"key": "openinference.span.kind", "value": {"stringValue": "EVALUATOR"}}]}
    value = {
        "resourceSpans": [{"scopeSpans": [{"scope": {"name": "rag_sidecar"}, "spans": [own]}, {"spans": [evaluator]}]}]
    }
    assert decode(orjson.dumps(value)) == Decoded()


def test_texts_that_may_not_be_kept_are_dropped_and_numbers_stay() -> None:
    for name in NAMES:
        for value in values(name, "proto"):
            decoder = Decoder(DecodeConfig(), Telemetry(), keep_text=lambda trace_id, service: False)
            for span in decoder.decode(record(value)).spans:
                texts = (
                    span.said.question,
                    span.said.answer,
                    span.said.query,
                    span.said.prompt,
                    span.said.prompt_context,
                    *(d.text for d in span.said.documents),
                )
                assert not any(texts)
                assert span.text_dropped


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=400),
        st.binary(max_size=200).map(lambda b: b"\n" + b),
        st.binary(max_size=200).map(lambda b: b"{" + b),
    )
)
def test_no_bytes_do_anything_but_decode_or_be_refused(value: bytes) -> None:
    try:
        spans = decode(value).spans
    except DecodeError:
        return
    assert isinstance(spans, list)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [
        "gen_ai.input.messages", "gen_ai.output.messages", "input.value", "output.value", "traceloop.entity.output", "langfuse.observation.output",
        "langfuse.observation.usage_details", "mlflow.spanOutputs", "gen_ai.completion", "gen_ai.prompt", "haystack.component.output",
        "ai.prompt.messages", "metadata", "llm.input_messages.0.message.content", "retrieval.documents.0.document.content", "gen_ai.tool.call.result",
    ]
)  # fmt: skip
KINDS = st.sampled_from(
    [
        ("openinference.span.kind", "LLM"), ("openinference.span.kind", "RETRIEVER"), ("gen_ai.operation.name", "chat"),
        ("gen_ai.operation.name", "retrieval"), ("traceloop.span.kind", "task"), ("langfuse.observation.type", "generation"),
        ("langsmith.span.kind", "llm"), ("mlflow.spanType", '"CHAT_MODEL"'), ("haystack.component.type", "OpenAIGenerator"),
        ("ai.operationId", "ai.generateText.doGenerate"),
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(KINDS, st.dictionaries(KEYS, JSON, max_size=5))
def test_no_attribute_value_breaks_a_convention(kind: tuple[str, str], attributes: dict[str, object]) -> None:
    pairs = [{"key": kind[0], "value": {"stringValue": kind[1]}}]
    pairs += [{"key": key, "value": {"stringValue": json.dumps(value)}} for key, value in attributes.items()]
    span = {"traceId": "01" * 16, "spanId": "02" * 8, "attributes": pairs}
    understood([orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})])


def test_a_message_of_many_brackets_takes_no_time() -> None:
    started = time.perf_counter()
    understood([native(answer="[" * 500_000, contexts=["<document>" * 10_000])])
    assert time.perf_counter() - started < 5


DEEP = "[" * 1000 + "]" * 1000


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("contexts", f'[{{"content": {DEEP}}}]'),
        ("error", f'{{"detail": {DEEP}}}'),
        ("messages", f'[{{"role": {DEEP}, "content": "x"}}]'),
        ("generation_params", f'{{"a": {DEEP}}}'),
        ("rubrics", f'{{"1": {DEEP}, "2": "x"}}'),
        ("persona", f'{{"name": {DEEP}}}'),
        ("probe", DEEP),
    ],
)
def test_what_is_nested_deep_within_a_field_costs_no_request(field: str, value: str) -> None:
    [request] = decode(f'{{"question": "q", "answer": "a", "{field}": {value}}}'.encode()).requests
    assert (request.question, request.answer, request.documents) == ("q", "a", ())
    assert request.error_class == ("other" if field == "error" else None)


@pytest.mark.parametrize(
    "attributes",
    [
        {"output.value": f'{{"output": [{{"content": {DEEP}}}]}}'},
        {"output.value": f'[{{"role": {DEEP}, "content": "x"}}]'},
        {"output.value": f'[{{"type": {DEEP}, "id": {DEEP}}}]'},
        {"gen_ai.tool.call.result": f'[{{"role": {DEEP}}}]'},
        {"gen_ai.tool.call.result": '[{"type": [], "id": 1}]'},
        {"gen_ai.output.messages": f'{{"lc": 1, "id": [{DEEP}], "kwargs": {{}}}}'},
        {
            "gen_ai.input.messages": f'[{{"role": "tool", "parts": [{{"type": "tool_call_response", "response": {DEEP}}}]}}]'
        },
    ],
)
@pytest.mark.parametrize("kind", ["CHAIN", "LLM", "TOOL"])
def test_what_is_nested_deep_within_an_attribute_costs_no_span(kind: str, attributes: dict[str, str]) -> None:
    values = pairs({"openinference.span.kind": kind, **attributes})
    span = {"traceId": "01" * 16, "spanId": "02" * 8, "attributes": values}
    assert decode(orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})).spans
