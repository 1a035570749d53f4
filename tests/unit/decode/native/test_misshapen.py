"""Values of another shape than is read: none costs a request, all are told, and nothing negative is counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.native.misspelt import Misspelt
from sidecar.decode.native.reader import misshapen_in, read_native
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import Durations, Tokens
from tests.unit.decode.recordings import record

ASKED = {"question": "q", "answer": "a"}
SHORT, WHOLE = "must be a text or a number", "must be a number from 0 to 1,000,000,000"
LASTS = "must be a number from 0 to 1,000,000 seconds, with its unit in the name, as `latency_ms`"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"model": {"name": "gpt-4o"}}, f"model {SHORT}"),
        ({"Model-Name": ["gpt-4o"]}, f"model_name {SHORT}"),
        ({"service": True}, f"service {SHORT}"),
        ({"id": {"$oid": "5"}}, "id must be a text or a whole number"),
        ({"_id": 1.5}, "id must be a text or a whole number"),
        ({"timestamp": {"$date": 5}}, f"timestamp {SHORT}"),
        ({"prompt_tokens": -5}, f"prompt_tokens {WHOLE}"),
        ({"output_tokens": "many"}, f"output_tokens {WHOLE}"),
        ({"usage": {"prompt_tokens": -5, "completion_tokens": 3}}, f"prompt_tokens of usage {WHOLE}"),
        (
            {"usage": {"input_tokens": 5, "input_tokens_details": {"cached_tokens": -1}}},
            f"input_tokens_details of usage {WHOLE}",
        ),
        ({"usage_details": {"input": 5, "of mine": -1}}, f"a count of usage_details {WHOLE}"),
        ({"usage": 350}, "usage must be an object"),
        ({"latency_ms": "1500 ms"}, f"latency_ms {LASTS}"),
        ({"latency_ms": -3}, f"latency_ms {LASTS}"),
        ({"latency": 1.5}, f"latency {LASTS}"),
        ({"ttft": "soon"}, f"ttft {LASTS}"),
        ({"data": {"model": {"name": "gpt-4o"}}}, f"model {SHORT}"),
    ],
    ids=str,
)
def test_what_is_passed_over_is_told_and_counted_and_costs_no_request(field: dict[str, Any], said: str) -> None:
    data = {**ASKED, **field}
    assert misshapen_in(data, DecodeConfig()) == [said]
    dropped: list[str] = []
    trace = read_native(data, DecodeConfig(), fallback_timestamp=1.0, dropped=dropped.append)
    assert (trace.question, trace.answer, dropped) == ("q", "a", ["bad_field"])
    assert read_native(data, DecodeConfig(), fallback_timestamp=1.0).answer == "a"
    told = Misspelt(DecodeConfig(), values=True)
    told.add(data)
    told.add(data)
    assert told.told() == [f"{said} (2 records): passed over"]


@pytest.mark.parametrize(
    "field",
    [
        {"model": {"name": "x"}, "model_name": "gpt-4o"},
        {"id": {"$oid": "5"}, "run_id": 7},
        {"model": None, "id": "", "service": {}, "latency_ms": "NaN", "prompt_tokens": float("nan"), "usage": []},
        {"prompt_tokens": "310", "completion_tokens": 6.0, "latency_ms": "840.5", "duration": 2, "status": True},
        {"usage": {"prompt_tokens": 5, "unit": "TOKENS", "cost": -1, "input_tokens_details": {"cached_tokens": 0}}},
        {"usage_details": {"input": 5, "unit": "TOKENS"}, "durations": {"latency": 1.5}},
        {"error": {"type": "x"}, "feedback": {"score": -1}, "generation_params": {"model": {}}, "of mine": {"a": -1}},
    ],
)
def test_what_is_read_or_is_nothing_is_not_told(field: dict[str, Any]) -> None:
    assert misshapen_in({**ASKED, **field}, DecodeConfig()) == []


def test_nothing_negative_becomes_a_count_or_a_duration() -> None:
    data = {
        **ASKED,
        "usage": {"prompt_tokens": -5, "completion_tokens": -3, "cached_input": -1, "reasoning_tokens": -2},
        "input_tokens": -7, "latency_ms": -1, "ttft": -2,
    }  # fmt: skip
    trace = read_native(data, DecodeConfig(), fallback_timestamp=1.0)
    assert (trace.tokens, trace.model_calls, trace.durations) == (Tokens(), (), Durations())
    assert (
        read_native({**ASKED, "usage_details": {"input": -5}}, DecodeConfig(), fallback_timestamp=1.0).tokens
        == Tokens()
    )


def test_a_record_of_kafka_counts_them_and_goes_on() -> None:
    telemetry = Telemetry()
    value = b'[{"question": "q", "answer": "a", "model": {}, "id": ["x"], "latency_ms": "1 s"}, {"question": "q", "prompt_tokens": -1}]'
    found = Decoder(DecodeConfig(), telemetry).decode(record(value))
    counted = Counter(
        {labels["reason"]: count for labels, count in telemetry.values("rag_sidecar_decode_errors_total")}
    )
    assert (len(found.requests), counted) == (2, {"bad_field": 3})
