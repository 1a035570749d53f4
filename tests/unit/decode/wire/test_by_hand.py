"""OTLP/JSON that somebody wrote by hand or by a script: attributes as an object, times as ISO 8601; what cannot be read is counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.span import RagSpan
from tests.unit.decode.recordings import record
from tests.unit.decode.spans import START, TRACE, pairs

SAID = {"openinference.span.kind": "LLM", "output.value": "Two years.", "llm.token_count.prompt": 7}
DAY = 1_767_225_600 * 1_000_000_000  # 2026-01-01T00:00:00Z


def decoded(*, resource: Any = None, **span: Any) -> tuple[RagSpan, dict[str, float]]:
    one = {"traceId": TRACE, "spanId": "b" * 16, "name": "q", "attributes": pairs(SAID), **span}
    data = {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [{"spans": [one]}]}]}
    telemetry = Telemetry()
    [found] = Decoder(DecodeConfig(), telemetry).decode(record(json.dumps(data).encode())).spans
    counted = {labels["reason"]: value for labels, value in telemetry.values("rag_sidecar_decode_errors_total")}
    return found, counted


@pytest.mark.parametrize(
    "attributes",
    [
        SAID,
        {one["key"]: one["value"] for one in pairs(SAID)},
        {**SAID, "llm.token_count.prompt": {"intValue": "7"}, "more": [1, {"a": None}]},
    ],
    ids=["plain", "with types", "both"],
)
def test_attributes_as_an_object_are_read(attributes: dict[str, Any]) -> None:
    found, counted = decoded(attributes=attributes, resource={"service.name": "kb"})
    assert (found.kind.value, found.service, found.said.answer) == ("llm", "kb", "Two years.")
    assert found.said.tokens is not None
    assert (found.said.tokens.input, counted) == (7, {})


@pytest.mark.parametrize("attributes", ["a=b", 5, [["a", "b"]], [{"key": "a", "value": "b"}], [{"name": "a"}]])
def test_attributes_that_are_neither_are_counted(attributes: Any) -> None:
    assert decoded(attributes=attributes)[1] == {"bad_attributes": 1}


def test_an_attribute_without_a_value_is_nothing_to_count() -> None:
    assert decoded(attributes=[{"key": "a"}, {"key": "b", "value": None}, {"key": "c", "value": {}}])[1] == {}


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (("2026-01-01T00:00:00Z", "2026-01-01T00:00:01.5Z"), (DAY, DAY + 1_500_000_000)),
        (("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000250"), (DAY, DAY + 250_000)),
        (("2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:01Z"), (DAY + 123_456_000, DAY + 1_000_000_000)),
        ((str(START), START + 1), (START, START + 1)),
        ((None, ""), (0, 0)),
    ],
)
def test_times_are_nanoseconds_or_iso_8601(times: tuple[Any, Any], expected: tuple[int, int]) -> None:
    found, counted = decoded(startTimeUnixNano=times[0], endTimeUnixNano=times[1])
    assert (found.start_ns, found.end_ns, counted) == (*expected, {})


@pytest.mark.parametrize("names", [("startTime", "endTime"), ("start_time", "end_time")])
def test_iso_8601_may_stand_under_names_of_its_own(names: tuple[str, str]) -> None:
    found, counted = decoded(**{names[0]: "2026-01-01T00:00:00Z", names[1]: "2026-01-01T00:00:01Z"})
    assert (found.start_ns, found.end_ns, counted) == (DAY, DAY + 1_000_000_000, {})


@pytest.mark.parametrize(
    "times",
    [
        {"startTimeUnixNano": "yesterday"},
        {"endTimeUnixNano": {"seconds": 1}},
        {"startTimeUnixNano": True},
        {"startTime": 1_767_225_600_000},
        {"endTimeUnixNano": "2026-01-01T00:00:00Z" + " " * 50},
        {"events": [{"name": "e", "timeUnixNano": "soon"}]},
    ],
)
def test_a_time_that_is_none_is_counted(times: dict[str, Any]) -> None:
    found, counted = decoded(**times)
    assert (found.said.answer, counted) == ("Two years.", {"bad_time": 1})
