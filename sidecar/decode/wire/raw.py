"""What both encodings of OTLP share: limits, the count of what was left out, and a log record as a RawSpan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.record.record import AttributeValue
from sidecar.record.span import RawEvent, RawSpan

MOST_EVENTS = 2000
DEEPEST = 32
NO_TRACE = "0" * 32
NO_SPAN = "0" * 16
Bad = dict[str, int]


def log_span(
    trace_id: str,
    span_id: str,
    *,
    time_ns: int,
    attributes: dict[str, AttributeValue],
    body: AttributeValue,
    event_name: str,
    resource: dict[str, AttributeValue],
    scope: str,
) -> RawSpan:
    name = event_name or string(attributes.get("event.name"))
    inner = dict(body) if isinstance(body, Mapping) else {}
    return RawSpan(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=None,
        name=name,
        start_ns=time_ns,
        end_ns=time_ns,
        attributes=attributes,
        resource=resource,
        scope=scope,
        events=(RawEvent(name, time_ns, {**inner, **attributes}),),
        is_log=True,
    )


def string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def count_bad(bad: Bad, reason: str) -> None:
    bad[reason] = bad.get(reason, 0) + 1
