"""Spans written by hand, for what the recordings do not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from sidecar.record.request import RagTrace
from tests.unit.decode.recordings import understood

TRACE = "0af7651916cd43dd8448eb211c80319c"
SECOND = 1_000_000_000
START = 1_760_000_000 * SECOND


def span(
    name: str,
    attributes: Mapping[str, Any],
    *,
    number: int,
    parent: int | None = None,
    at: float = 0.0,
    lasts: float = 1.0,
    events: Sequence[tuple[str, float, Mapping[str, Any]]] = (),
    **more: Any,
) -> dict[str, Any]:
    """A span of OTLP/JSON; times in seconds from the start of the trace."""
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        **({} if parent is None else {"parentSpanId": f"{parent:016x}"}),
        "name": name,
        "startTimeUnixNano": str(START + int(at * SECOND)),
        "endTimeUnixNano": str(START + int((at + lasts) * SECOND)),
        "attributes": pairs(attributes),
        "events": [
            {"name": event, "timeUnixNano": str(START + int(when * SECOND)), "attributes": pairs(values)}
            for event, when, values in events
        ],
        **more,
    }


def pairs(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Attributes of OTLP/JSON."""
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(one) for one in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": pairs(value)}}
    return {"stringValue": value}


def message(*spans: Mapping[str, Any], service: str = "kb", scope: str = "") -> bytes:
    """A record of one service."""
    return orjson.dumps(
        {
            "resourceSpans": [
                {
                    "resource": {"attributes": pairs({"service.name": service})},
                    "scopeSpans": [{"scope": {"name": scope}, "spans": list(spans)}],
                }
            ]
        }
    )


def logs(*records: Mapping[str, Any]) -> bytes:
    """A record of log records."""
    return orjson.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]})


def one(*messages: bytes) -> RagTrace:
    """The only request of some records."""
    [request] = understood(list(messages))
    return request


def dumps(value: Any) -> str:
    """JSON in a text, as instrumentations put it into attributes."""
    return orjson.dumps(value).decode()
