"""What other tools write that holds requests and is no native record: where it is to be taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.decode.wire.sniff import otlp_in

_INSPECT = "`rag-sidecar inspect --json FILE` makes native records of spans in OTLP"
_TRULENS = "ai.observability."


def elsewhere_of(value: object) -> str | None:
    """The same of any JSON. A list is told by what it begins with: Zipkin gives traces as lists of lists of spans."""
    first = value[0] if isinstance(value, list) and value else value
    first = first[0] if isinstance(first, list) and first else first
    return elsewhere(first) if isinstance(first, Mapping) else None


def elsewhere(record: Mapping[str, Any]) -> str | None:
    """In words; None of what nobody here knows. Holds no text of the record."""
    if otlp_in(record) is not None:
        return f"traces of OpenTelemetry, not requests: {_INSPECT}"
    if "record_attributes" in record or any(str(name).startswith(_TRULENS) for name in record):
        return f"an event of TruLens, whose requests stand in several: export its traces; {_INSPECT}"
    if "record_json" in record:
        return f"a record of TruLens, whose contexts stand in the calls of record_json: give them as `contexts`, or export its traces; {_INSPECT}"
    if isinstance(record.get("context"), Mapping) and "attributes" in record and "trace_id" in record["context"]:
        return f"a span as the SDK prints it, not a request: export it; {_INSPECT}"
    if _of_jaeger(record) or _of_jaeger(_first(record.get("data"))):
        return f"traces of Jaeger, not requests: take them as OTLP from its /api/v3/traces/TRACE_ID; {_INSPECT}"
    if _of_zipkin(record):
        return f"a span of Zipkin, not a request: send it through a Collector (receiver zipkin, exporter file) that writes OTLP; {_INSPECT}"
    return None


def _first(items: object) -> Mapping[str, Any]:
    first = items[0] if isinstance(items, list) and items else None
    return first if isinstance(first, Mapping) else {}


def _of_jaeger(record: Mapping[str, Any]) -> bool:
    """Whether it is a trace of Jaeger's, or a span as it stores them."""
    return "traceID" in record and (isinstance(record.get("spans"), list) or "operationName" in record)


def _of_zipkin(record: Mapping[str, Any]) -> bool:
    timed = isinstance(record.get("tags"), Mapping) and "duration" in record
    return "traceId" in record and "id" in record and ("localEndpoint" in record or timed)
