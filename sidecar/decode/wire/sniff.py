"""What some bytes are, where nobody says it: which of OTLP's requests, or JSON that is no request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.decode.wire.parse import load_json
from sidecar.decode.wire.proto import proto_logs, proto_spans
from sidecar.record.errors import DecodeError
from sidecar.record.span import RawSpan

_OTLP_KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
# Under which names the answers of Tempo (/api/v2/traces) and Jaeger (/api/v3/traces) hold a request of OTLP.
_AROUND = ("trace", "result")
_BARE = tuple(bytes((one,)) for one in b'"-0123456789tfn')


def otlp_in(data: object) -> Mapping[str, Any] | None:
    """The request of OTLP that some JSON is, or that an answer of Tempo or Jaeger holds; None where it is something else."""
    if not isinstance(data, Mapping):
        return None
    for one in (data, *(data.get(name) for name in _AROUND)):
        if isinstance(one, Mapping):
            if any(key in one for key in _OTLP_KEYS):
                return one
            if _is_tempo(one.get("batches")):
                return {"resourceSpans": one["batches"]}
    return None


def _is_tempo(batches: object) -> bool:
    """Whether a list is the resource spans that Tempo's /api/traces calls batches."""
    first = batches[0] if isinstance(batches, list) and batches else None
    return isinstance(first, Mapping) and any(key in first for key in _SCOPES)


def spans_or_logs(value: bytes, bad: dict[str, int]) -> list[RawSpan]:
    """Traces and logs requests look alike on the wire; a logs request read as traces has spans without ids."""
    mine: dict[str, int] = {}
    problem: DecodeError | None = None
    spans: list[RawSpan] = []
    try:
        spans = list(proto_spans(value, mine))
    except DecodeError as error:
        problem = error
    if not spans and (problem or mine):
        logs_bad: dict[str, int] = {}
        try:
            logs = list(proto_logs(value, logs_bad))
        except DecodeError:
            logs = []
        if logs:
            bad.update(logs_bad)
            return logs
    if problem:
        raise problem
    bad.update(mine)
    return spans


def is_bare(first: bytes, value: bytes) -> bool:
    """Whether a value is JSON, and neither an object nor a list; `first` is its first byte that is no blank."""
    if first not in _BARE:
        return False
    try:
        load_json(value)
    except DecodeError:
        return False
    return True


def said_of_bare(data: object) -> str:
    """What JSON that is neither an object nor a list is, and what a record is; never what it holds."""
    if isinstance(data, str):
        twice = data.lstrip()[:1] in ("{", "[")
        found = "a JSON text with JSON in it, serialised twice" if twice else "a JSON text alone"
    elif data is None:
        found = "null"
    else:
        found = "true or false alone" if isinstance(data, bool) else "a number alone"
    return f"{found}; a record is a JSON object, or a list of them"
