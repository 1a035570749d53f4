"""What is written of a case; and what makes another run of a run: settings that change what is said, and those that do not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from exporters.result import (
    ClaimLabel,
    ClaimResult,
    DocumentResult,
    Evaluation,
    Evidence,
    ModelIdentity,
    Outcome,
    Result,
    Subject,
    ValueConflict,
)
from exporters.serialize import result_to_json
from sidecar import config
from sidecar.offline.record import CaseRecord
from sidecar.offline.run import settings_hash


def test_the_record_of_a_case_keeps_all_that_an_evaluator_said() -> None:
    places = Evidence(document=0, start=2, end=9)
    claim = ClaimResult(
        "It is red.", 0.9, True, places, ((0, 2),), (ValueConflict(3, 5, places),), 0, 10, ClaimLabel.CONTRADICTED
    )
    said = Evaluation(
        evaluator="f", outcome=Outcome.SCORED, score=0.9, label="x", explanation="so", model=ModelIdentity("m", "1", "ab"),
        threshold=0.5, version="2", method="n", subject=Subject.RETRIEVAL, judged=True, inclusion_probability=0.5,
        claims=(claim,), documents=(DocumentResult(1, "d", 0.7, True),), parts={"precision": 0.5, "raw": -3.0},
    )  # fmt: skip
    result = Result(
        id="r", trace_id="t", span_id=None, service="s", model="gpt", variant="b", timestamp=1.0, completed_at=2.0,
        outcome=Outcome.SCORED, evaluations=(said,),
    )  # fmt: skip
    written = json.loads(orjson.dumps(result_to_json(result, with_text=True)))
    record = CaseRecord.model_validate({**written, "key": "k", "digest": "d"})
    again = CaseRecord.model_validate_json(record.model_dump_json())
    assert json.loads(again.evaluations[0].model_dump_json()) == written["evaluations"][0]
    assert (again.model, again.variant) == ("gpt", "b")


def hashed(given: Mapping[str, Any]) -> str:
    return settings_hash(config.build(given, kafka=False))


@pytest.mark.parametrize(
    "changed",
    [
        {"judge": {"most_chars": 20_000}},
        {"judge": {"redact": False}},
        {"judge": {"replies": "text"}},
        {"judge": {"most_output_tokens": 100}},
        {"judge": {"model": "another"}},
        {"judge": {"parameters": {"seed": 1}}},
        {"evaluate": {"faithfulness": {"threshold": 0.9}}},
        {"redact": {"terms": ["Acme"]}},
        {"price": {"models": {"m": {"input": 1.0, "output": 2.0}}}},
    ],
    ids=str,
)
def test_settings_that_change_what_is_said_make_another_run(changed: Mapping[str, Any]) -> None:
    assert hashed(changed) != hashed({})


@pytest.mark.parametrize(
    "changed", [{"judge": {"api_key": "k"}}, {"judge": {"concurrency": 2, "timeout_seconds": 90}}], ids=str
)
def test_logins_and_pace_do_not(changed: Mapping[str, Any]) -> None:
    assert hashed(changed) == hashed({})
