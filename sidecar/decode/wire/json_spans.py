"""OTLP/JSON into RawSpans.

It is read as tolerantly as the Collector reads it: ids as hex or base64, 64-bit integers as strings or numbers, enums as
numbers or names, snake_case and camelCase, instrumentationLibrarySpans for scopeSpans. Attributes may be a plain object, and
times ISO 8601, too; what is neither is counted.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.decode.wire.json_values import read_attributes, read_int, read_iso_time, read_time, read_value
from sidecar.decode.wire.raw import MOST_EVENTS, Bad, count_bad, log_span, string
from sidecar.record.record import AttributeValue
from sidecar.record.span import RawEvent, RawSpan

_STATUS = {"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}


def json_spans(data: Mapping[str, Any], bad: Bad) -> Iterator[RawSpan]:
    """Spans of an ExportTraceServiceRequest in OTLP/JSON."""
    for resource_spans in maps(get(data, "resourceSpans", "resource_spans"), bad):
        resource = read_attributes(_map(resource_spans.get("resource")).get("attributes"), bad)
        groups = get(resource_spans, "scopeSpans", "scope_spans") or get(resource_spans, "instrumentationLibrarySpans")
        for scope_spans in maps(groups, bad):
            scope = _map(scope_spans.get("scope") or scope_spans.get("instrumentationLibrary"))
            for span in maps(scope_spans.get("spans"), bad):
                trace_id = read_id(get(span, "traceId", "trace_id"), 32)
                span_id = read_id(get(span, "spanId", "span_id"), 16)
                if trace_id is None or span_id is None:
                    count_bad(bad, "no_trace_id" if trace_id is None else "no_span_id")
                    continue
                yield _json_span(span, (trace_id, span_id), resource, scope, bad)


def json_logs(data: Mapping[str, Any], bad: Bad) -> Iterator[RawSpan]:
    """Log records of an ExportLogsServiceRequest in OTLP/JSON that name a span."""
    for resource_logs in maps(get(data, "resourceLogs", "resource_logs"), bad):
        resource = read_attributes(_map(resource_logs.get("resource")).get("attributes"), bad)
        for scope_logs in maps(get(resource_logs, "scopeLogs", "scope_logs"), bad):
            for record in maps(get(scope_logs, "logRecords", "log_records"), bad):
                trace_id = read_id(get(record, "traceId", "trace_id"), 32)
                span_id = read_id(get(record, "spanId", "span_id"), 16)
                if trace_id is None or span_id is None:
                    count_bad(bad, "log_without_span")
                    continue
                yield log_span(
                    trace_id,
                    span_id,
                    time_ns=read_time(get(record, "timeUnixNano", "time_unix_nano"), bad)
                    or read_time(get(record, "observedTimeUnixNano", "observed_time_unix_nano"), bad),
                    attributes=read_attributes(record.get("attributes"), bad),
                    body=read_value(record.get("body")),
                    event_name=string(get(record, "eventName", "event_name")),
                    resource=resource,
                    scope=string(_map(scope_logs.get("scope")).get("name")),
                )


def _json_span(
    span: Mapping[str, Any],
    ids: tuple[str, str],
    resource: dict[str, AttributeValue],
    scope: Mapping[str, Any],
    bad: Bad,
) -> RawSpan:
    status = _map(span.get("status"))
    code = status.get("code")
    events = span.get("events")
    return RawSpan(
        trace_id=ids[0],
        span_id=ids[1],
        parent_span_id=read_id(get(span, "parentSpanId", "parent_span_id"), 16),
        name=string(span.get("name")),
        start_ns=_time(span, ("startTimeUnixNano", "start_time_unix_nano"), ("startTime", "start_time"), bad),
        end_ns=_time(span, ("endTimeUnixNano", "end_time_unix_nano"), ("endTime", "end_time"), bad),
        attributes=read_attributes(span.get("attributes"), bad),
        resource=resource,
        scope=string(scope.get("name")),
        scope_version=string(scope.get("version")),
        events=tuple(
            RawEvent(
                string(event.get("name")),
                read_time(get(event, "timeUnixNano", "time_unix_nano"), bad),
                read_attributes(event.get("attributes"), bad),
            )
            for event in (events[:MOST_EVENTS] if isinstance(events, list) else ())
            if isinstance(event, dict)
        ),
        status_code=_STATUS.get(code, 0) if isinstance(code, str) else read_int(code),
        status_message=string(status.get("message")),
        trace_state=string(get(span, "traceState", "trace_state")),
        flags=read_int(span.get("flags")),
        dropped_attributes=read_int(get(span, "droppedAttributesCount", "dropped_attributes_count")),
    )


def _time(span: Mapping[str, Any], names: tuple[str, ...], others: tuple[str, ...], bad: Bad) -> int:
    """A time under its names, or ISO 8601 under those that who writes such times gives them."""
    found = get(span, *names)
    return read_iso_time(get(span, *others), bad) if found is None else read_time(found, bad)


def read_id(value: Any, digits: int) -> str | None:
    """Hex of the right length, else base64 of the right length; all zeros is no id."""
    if not isinstance(value, str) or not value:
        return None
    found = value.lower()
    if len(found) != digits or not _is_hex(found):
        try:
            found = base64.b64decode(value, validate=True).hex()
        except (binascii.Error, ValueError):
            return None
    return found if len(found) == digits and found.strip("0") else None


def _is_hex(text: str) -> bool:
    try:
        int(text, 16)
    except ValueError:
        return False
    return text.isalnum()


def get(source: Mapping[str, Any], *keys: str) -> Any:
    """The value of the first key that is there."""
    return next((source[key] for key in keys if key in source), None)


def maps(value: Any, bad: Bad) -> Iterator[dict[str, Any]]:
    """The objects of a list; what else is there is counted in `bad`."""
    if value is None:
        return
    if not isinstance(value, list):
        count_bad(bad, "not_a_list")
        return
    for one in value:
        if isinstance(one, dict):
            yield one
        else:
            count_bad(bad, "not_an_object")


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
