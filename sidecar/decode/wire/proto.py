"""OTLP protobuf into RawSpans; log records that belong to a span become RawSpans too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sidecar.decode.wire.raw import DEEPEST, MOST_EVENTS, NO_SPAN, NO_TRACE, Bad, count_bad, log_span
from sidecar.record.errors import DecodeError
from sidecar.record.record import AttributeValue
from sidecar.record.span import RawEvent, RawSpan


def proto_spans(value: bytes, bad: Bad) -> Iterator[RawSpan]:
    """Spans of a TracesData / ExportTraceServiceRequest. Raises DecodeError("bad_protobuf"); `bad` counts spans left out."""
    try:
        data = TracesData.FromString(value)
    except ProtobufError as error:
        raise DecodeError("bad_protobuf", "not an ExportTraceServiceRequest") from error
    for resource_spans in data.resource_spans:
        resource = _attributes(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            scope = scope_spans.scope
            for span in scope_spans.spans:
                trace_id, span_id = span.trace_id.hex(), span.span_id.hex()
                if len(trace_id) != 32 or trace_id == NO_TRACE or len(span_id) != 16 or span_id == NO_SPAN:
                    count_bad(bad, "no_trace_id" if len(trace_id) != 32 or trace_id == NO_TRACE else "no_span_id")
                    continue
                yield RawSpan(
                    trace_id=trace_id,
                    span_id=span_id,
                    parent_span_id=span.parent_span_id.hex() or None,
                    name=span.name,
                    start_ns=span.start_time_unix_nano,
                    end_ns=span.end_time_unix_nano,
                    attributes=_attributes(span.attributes),
                    resource=resource,
                    scope=scope.name,
                    scope_version=scope.version,
                    events=tuple(
                        RawEvent(event.name, event.time_unix_nano, _attributes(event.attributes))
                        for event in span.events[:MOST_EVENTS]
                    ),
                    status_code=span.status.code,
                    status_message=span.status.message,
                    trace_state=span.trace_state,
                    flags=span.flags,
                    dropped_attributes=span.dropped_attributes_count,
                )


def proto_logs(value: bytes, bad: Bad) -> Iterator[RawSpan]:
    """Log records of an ExportLogsServiceRequest that name a span."""
    try:
        data = ExportLogsServiceRequest.FromString(value)
    except ProtobufError as error:
        raise DecodeError("bad_protobuf", "not an ExportLogsServiceRequest") from error
    for resource_logs in data.resource_logs:
        resource = _attributes(resource_logs.resource.attributes)
        for scope_logs in resource_logs.scope_logs:
            for record in scope_logs.log_records:
                if len(record.trace_id) != 16 or len(record.span_id) != 8:
                    count_bad(bad, "log_without_span")
                    continue
                yield log_span(
                    record.trace_id.hex(),
                    record.span_id.hex(),
                    time_ns=record.time_unix_nano or record.observed_time_unix_nano,
                    attributes=_attributes(record.attributes),
                    body=_value(record.body),
                    event_name=record.event_name,
                    resource=resource,
                    scope=scope_logs.scope.name,
                )


def _attributes(pairs: Sequence[KeyValue]) -> dict[str, AttributeValue]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue, depth: int = 0) -> AttributeValue:
    kind = value.WhichOneof("value")
    if kind == "string_value":
        return value.string_value
    if kind is None or depth > DEEPEST:
        return None
    if kind == "array_value":
        return [_value(one, depth + 1) for one in value.array_value.values]
    if kind == "kvlist_value":
        return {pair.key: _value(pair.value, depth + 1) for pair in value.kvlist_value.values}
    found: AttributeValue = getattr(value, kind)
    return found
