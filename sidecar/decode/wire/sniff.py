"""Which of OTLP's requests some bytes are, where nobody says it."""

from __future__ import annotations

from sidecar.decode.wire.proto import proto_logs, proto_spans
from sidecar.record.errors import DecodeError
from sidecar.record.span import RawSpan

OTLP_KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")


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
