"""The table of native fields is true: every name in it is read, and what is in no table is told."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from docs import native
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.native.reader import read_native, unread
from sidecar.decode.native.table import FIELDS, INSIDE, NativeField
from sidecar.observe.telemetry import Telemetry
from sidecar.record.record import Record

LIMITS = DecodeConfig()
VALUES: dict[str, Any] = {
    "contexts": ["The warranty is two years."],
    "retrieved_context_ids": ["terms"],
    "span_id": "00f067aa0ba902b7",
    "timestamp": "2026-02-03T04:05:06Z",
    "usage": {"prompt_tokens": 3},
    "usage_details": {"input": 3, "output": 1},
    "prompt_tokens": 3,
    "completion_tokens": 3,
    "latency": 2.5,
    "retrieval_latency": 2.5,
    "generation_latency": 2.5,
    "ttft": 2.5,
    "durations": {"latency": 2.5},
    "status": "failed",
    "error": "TimeoutError",
    "feedback": 1,
    "reference_contexts": ["The warranty is two years."],
    "reference_context_ids": ["terms"],
    "reference_tool_calls": [{"name": "search", "args": {"q": "warranty"}}],
    "reference_topics": ["warranty"],
    "rubrics": {"1": "bad", "2": "good"},
    "messages": [{"role": "user", "content": "Is it long?"}, {"role": "assistant", "content": "It is."}],
    "source_units": [{"document": "terms", "start": 0, "end": 5}],
    "generation_params": {"seed": 1},
}
# A duration without a unit is read where its name says nothing else, or inside `durations`.
ONLY_WITH_A_UNIT = {
    "latency", "total_latency", "total_duration", "retrieval_latency", "retrieval_duration", "generation_latency",
    "generation_duration", "llm_latency",
}  # fmt: skip


def base_for(field: NativeField) -> dict[str, Any]:
    if field.name == "retrieved_context_ids":
        return {"request_id": "1", "timestamp": 1_767_225_600, "contexts": ["The warranty is two years."]}
    if field.name == "messages":
        return {"request_id": "1", "timestamp": 1_767_225_600, "contexts": ["The warranty is two years."]}
    found = {"request_id": "1", "question": "q?", "answer": "a.", "timestamp": 1_767_225_600}
    return {name: value for name, value in found.items() if name not in (field.name, *field.names)} or {"answer": "a."}


@pytest.mark.parametrize(
    ("field", "name"),
    [(field, name) for field in FIELDS for name in field.spellings if name not in ONLY_WITH_A_UNIT],
    ids=lambda one: one if isinstance(one, str) else one.name,
)
def test_every_name_is_read(field: NativeField, name: str) -> None:
    base = base_for(field)
    record = {**base, name: VALUES.get(field.name, "some text")}
    assert unread(record, LIMITS) == []
    assert read_native(record, LIMITS, fallback_timestamp=1.0) != read_native(base, LIMITS, fallback_timestamp=1.0)
    jsonschema.validate(record, json.loads(native.schema()))


@pytest.mark.parametrize("inside", INSIDE)
def test_names_are_found_one_level_down(inside: str) -> None:
    record = {inside: {"question": "q?", "answer": "a."}}
    assert unread(record, LIMITS) == []
    assert read_native(record, LIMITS, fallback_timestamp=1.0).answer == "a."


def test_a_misspelt_name_is_told_and_counted() -> None:
    telemetry = Telemetry()
    record = {"question": "q?", "anwser": "a.", "Request-Id": "1", "tenant.id": "t", "metadata": {}}
    Decoder(LIMITS, telemetry).decode(Record("t", 0, 0, 1.0, None, json.dumps(record).encode()))
    assert unread(record, LIMITS) == ["anwser", "metadata"]
    counted = telemetry.registry.get_sample_value("rag_sidecar_native_fields_unread_total", {"topic": "t"})
    assert counted == 2


def test_what_a_mapping_mentions_is_read() -> None:
    limits = DecodeConfig(mapping={"question": "payload.q", "contexts": "hits[].{text: body}"})
    assert unread({"payload": {"q": "q?"}, "hits": [{"body": "b"}], "else": 1}, limits) == ["else"]


@pytest.mark.parametrize("wrong", [{"usage": 3}, {"latency_ms": -1}, {"prompt_tokens": "many"}, {"contexts": 7}])
def test_the_schema_refuses_a_wrong_shape(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"question": "q?", **wrong}, json.loads(native.schema()))
