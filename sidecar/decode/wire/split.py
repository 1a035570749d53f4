"""One record of many traces into one record a trace, so that Kafka can bring the spans of a trace together by key.

The parts are OTLP again, in the encoding that came, with the resource and scope of each span. Keys are the trace id in hex, as the
Collector's `partition_traces_by_id` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import orjson
from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sidecar.decode.wire.json_spans import get, maps, read_id
from sidecar.decode.wire.raw import Bad
from sidecar.record.errors import DecodeError

Part = tuple[bytes, bytes]
_SPANS = ("resource_spans", "scope_spans", "spans", "no_trace_id")
_LOGS = ("resource_logs", "scope_logs", "log_records", "log_without_span")
_Message = TypeVar("_Message", TracesData, ExportLogsServiceRequest)


def split_proto(value: bytes, bad: Bad) -> list[Part]:
    """(key, value) of each trace of a traces or logs request; what has no trace is counted in `bad`. Raises DecodeError."""
    lost: Bad = {}
    parts = _split(value, TracesData, _SPANS, lost)
    if not parts:
        # A logs request that is read as traces has spans without ids.
        of_logs: Bad = {}
        try:
            parts = _split(value, ExportLogsServiceRequest, _LOGS, of_logs)
        except DecodeError:
            if not lost:
                raise
        lost = of_logs if parts or not lost else lost
    for reason, amount in lost.items():
        bad[reason] = bad.get(reason, 0) + amount
    return parts


def _split(value: bytes, kind: type[_Message], names: tuple[str, str, str, str], bad: Bad) -> list[Part]:
    outer, inner, items, reason = names
    try:
        data = kind.FromString(value)
    except ProtobufError as error:
        if kind is TracesData:
            return []
        raise DecodeError("bad_protobuf", "neither traces nor logs of OTLP") from error
    made: dict[bytes, tuple[_Message, dict[tuple[int, int], Any]]] = {}
    for r, resource in enumerate(getattr(data, outer)):
        for s, scope in enumerate(getattr(resource, inner)):
            for item in getattr(scope, items):
                if len(item.trace_id) != 16 or not any(item.trace_id):
                    bad[reason] = bad.get(reason, 0) + 1
                    continue
                message, scopes = made.setdefault(item.trace_id, (kind(), {}))
                own = scopes.get((r, s))
                if own is None:
                    to = getattr(message, outer).add(schema_url=resource.schema_url)
                    to.resource.CopyFrom(resource.resource)
                    own = scopes[r, s] = getattr(to, inner).add(schema_url=scope.schema_url)
                    own.scope.CopyFrom(scope.scope)
                getattr(own, items).append(item)
    if len(made) == 1 and not bad:
        return [(next(iter(made)).hex().encode(), value)]
    return [(trace_id.hex().encode(), message.SerializeToString()) for trace_id, (message, _) in made.items()]


def split_json(data: Mapping[str, Any], bad: Bad) -> list[Part]:
    """The same of a traces or logs request in OTLP/JSON."""
    reason = "no_trace_id"
    if "resourceLogs" in data or "resource_logs" in data:
        reason = "log_without_span"
        names: tuple[tuple[str, ...], ...] = (
            ("resourceLogs", "resource_logs"),
            ("scopeLogs", "scope_logs"),
            ("logRecords", "log_records"),
        )
    else:
        names = (
            ("resourceSpans", "resource_spans"),
            ("scopeSpans", "scope_spans", "instrumentationLibrarySpans"),
            ("spans", "spans"),
        )
    made: dict[str, list[dict[str, Any]]] = {}
    for resource in maps(get(data, *names[0]), bad):
        for scope in maps(get(resource, *names[1]), bad):
            for trace_id, items in _by_trace(maps(get(scope, *names[2]), bad), reason, bad).items():
                own = {k: v for k, v in resource.items() if k not in names[1]}
                inner = {k: v for k, v in scope.items() if k not in names[2]}
                made.setdefault(trace_id, []).append({**own, names[1][0]: [{**inner, names[2][0]: items}]})
    return [(trace_id.encode(), orjson.dumps({names[0][0]: groups})) for trace_id, groups in made.items()]


def _by_trace(items: Iterable[dict[str, Any]], reason: str, bad: Bad) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        trace_id = read_id(get(item, "traceId", "trace_id"), 32)
        if trace_id:
            found.setdefault(trace_id, []).append(item)
        else:
            bad[reason] = bad.get(reason, 0) + 1
    return found
