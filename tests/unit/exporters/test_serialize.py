"""The result record."""

from __future__ import annotations

import json
import re

import orjson
import pytest

from exporters.serialize import result_to_json, rfc3339
from exporters.text import REDACTED, clean
from tests.unit.exporters.samples import EVERY_OUTCOME, HOSTILE, SAMPLED_OUT, SCORED, SECRET

MARKS = [{"start": 0, "end": 4}, {"start": 6, "end": 9}]
CONFLICTS = [{"start": 26, "end": 28, "evidence": {"document": 1, "start": 30, "end": 32}}]


def test_a_scored_result_is_the_whole_documented_record() -> None:
    record = result_to_json(SCORED, with_text=True)
    evaluations = record.pop("evaluations")
    assert record == {
        "schema": "rag-sidecar.result.v1",
        "id": "5b0a9a52-0d8c-5b0a-9a52-0d8c3b8a6f11",
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
        "span_id": "b7ad6b7169203331",
        "service": "support-bot",
        "model": "gpt-4o",
        "provider": "openai",
        "variant": "b",
        "session": "talk-7",
        "timestamp": "2023-11-14T22:13:20.250Z",
        "outcome": "scored",
        "reason": None,
        "verdict": "hallucinated",
        "abstention": "partial",
        "error_class": None,
        "inclusion_probability": 0.25,
        "upstream_adjusted_count": None,
        "retrieved_documents": 2,
        "tokens": {"input": 1000, "output": 100, "cached_input": 600, "cache_write": 100, "reasoning": 40},
        "cost_usd": 0.875,
        "cost_usd_by_type": {"input": 0.25, "cached_input": 0.5, "output": 0.125},
        "durations": {"total": 2.0, "retrieval": 0.25, "generation": 1.5, "time_to_first_token": 0.07},
        "redacted": None,
        "trace": {"records": 3, "spans": 5, "root_seen": True, "ended": "complete", "cut": False},
    }
    assert isinstance(evaluations, list)
    assert evaluations[0] == {
        "evaluator": "faithfulness",
        "outcome": "scored",
        "reason": None,
        "score": 0.5,
        "label": None,
        "explanation": f"not supported: {SECRET}",
        "model": {"name": "embedded", "version": "3", "sha256": "ab" * 32},
        "other_models": [{"name": "minilm", "version": "1", "sha256": "cd" * 32}],
        "abstention_model": {"name": "abstention", "version": "1+0.9+0.5", "sha256": "ef" * 32},
        "threshold": 0.5,
        "version": "1",
        "method": "local",
        "subject": "answer",
        "judged": False,
        "inclusion_probability": None,
        "parts": {"supported": 1.0},
        "claims": [
            {
                "text": SECRET,
                "support": 0.125,
                "supported": False,
                "label": None,
                "evidence": None,
                "unsupported": MARKS,
                "conflicts": CONFLICTS,
                "start": 0,
                "end": 44,
            },
            {
                "text": "Towels are useful.",
                "support": 0.875,
                "supported": True,
                "label": None,
                "evidence": {"document": 0, "start": 120, "end": 260},
                "unsupported": None,
                "conflicts": [],
                "start": None,
                "end": None,
            },
        ],
        "documents": [],
    }


def test_texts_are_null_unless_asked_for_and_the_claims_keep_their_places() -> None:
    record = result_to_json(SCORED, with_text=False)
    assert SECRET not in json.dumps(record)
    assert isinstance(record["evaluations"], list)
    first = record["evaluations"][0]
    assert isinstance(first, dict)
    assert first["explanation"] is None
    assert isinstance(first["claims"], list)
    told = {"text": None, "support": 0.125, "supported": False, "label": None, "evidence": None, "unsupported": MARKS}
    assert first["claims"][0] == {**told, "conflicts": CONFLICTS, "start": 0, "end": 44}


def test_redaction_runs_over_claims_and_explanations() -> None:
    record = json.dumps(result_to_json(SCORED, with_text=True, redact=[re.compile(r"Zaphod \w+"), re.compile("42")]))
    assert "Zaphod" not in record
    assert f"{REDACTED} lives at {REDACTED} Magrathea Lane" in record


def test_what_is_absent_is_null() -> None:
    bare = result_to_json(SAMPLED_OUT, with_text=True)
    assert bare["verdict"] is None
    assert bare["evaluations"] == []


def test_hostile_values_become_null_or_clean_text() -> None:
    record = orjson.loads(orjson.dumps(result_to_json(HOSTILE, with_text=True)))
    assert record["timestamp"] is None
    assert record["upstream_adjusted_count"] is None
    assert record["tokens"]["output"] is None
    assert record["evaluations"][0]["score"] is None
    assert record["durations"]["total"] is None
    assert "\N{REPLACEMENT CHARACTER}" in record["trace_id"]


@pytest.mark.parametrize("result", [*EVERY_OUTCOME, HOSTILE], ids=lambda result: str(result.outcome))
def test_every_result_has_the_same_keys(result: object) -> None:
    assert isinstance(result, type(SCORED))
    assert result_to_json(result, with_text=False).keys() == result_to_json(SCORED, with_text=False).keys()


def test_a_time_that_no_calendar_knows_is_null() -> None:
    assert rfc3339(1e30) is None
    assert rfc3339(float("inf")) is None
    assert rfc3339(0.0) == "1970-01-01T00:00:00.000Z"


def test_cleaning_leaves_good_text_alone() -> None:
    assert clean("Grüße 😀") == "Grüße 😀"
    assert clean("a\ud83db") == "a\N{REPLACEMENT CHARACTER}b"
