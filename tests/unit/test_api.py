"""The public Python API: `from sidecar import score`."""

from __future__ import annotations

import asyncio
import json
import math
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sidecar
from sidecar import score
from sidecar.commands.score import score_file
from sidecar.config import load
from sidecar.record.errors import ConfigError

GOOD = {
    "request_id": "a",
    "timestamp": "2026-01-01T00:00:00Z",
    "service": "kb",
    "question": "How long is the warranty?",
    "answer": "Two years.",
    "contexts": ["The warranty is two years."],
}
BAD = {**GOOD, "request_id": "b", "answer": "The warranty is nine years."}
NO_ANSWER = {**GOOD, "request_id": "c", "answer": None}
UNREADABLE = {"request_id": "d"}
RECORDS: list[dict[str, Any]] = [GOOD, BAD, NO_ANSWER, UNREADABLE]


@pytest.fixture(scope="module")
def results() -> list[dict[str, Any]]:
    return score(RECORDS)


async def test_the_results_are_those_of_the_command(results: list[dict[str, Any]], tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in RECORDS), encoding="utf-8")
    await score_file(source, target, settings=load(None, kafka=False), progress=lambda lines, read: None)
    assert results == [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def test_each_record_keeps_its_place(results: list[dict[str, Any]]) -> None:
    assert [(one["request_id"], one["outcome"], one["verdict"]) for one in results] == [
        ("a", "scored", "grounded"),
        ("b", "scored", "hallucinated"),
        ("c", "scored", None),
        ("d", "failed", None),
    ]
    assert (results[3]["line"], results[3]["reason"]) == (4, "missing_field")


def test_a_frame_gives_a_frame_with_its_index_and_a_column_an_evaluator(results: list[dict[str, Any]]) -> None:
    frame = pd.DataFrame(RECORDS, index=["w", "x", "y", "z"])
    found = score(frame)
    assert list(found.index) == ["w", "x", "y", "z"]
    evaluators = [one["evaluator"] for one in results[0]["evaluations"]]
    assert list(found.columns) == ["outcome", "reason", "verdict", *evaluators]
    for (_, row), result in zip(found.iterrows(), results, strict=True):
        scores = {one["evaluator"]: one["score"] for one in result["evaluations"]}
        for name in evaluators:
            expected = scores.get(name)
            assert math.isnan(row[name]) if expected is None else row[name] == expected


def test_a_frame_may_hold_times_arrays_and_nothing() -> None:
    frame = pd.DataFrame([GOOD])
    frame["timestamp"] = pd.to_datetime(frame["timestamp"])
    frame["contexts"] = [pd.Series(["The warranty is two years."], dtype=object).to_numpy()]
    frame["user_id"] = pd.array([pd.NA], dtype="Int64")
    frame["feedback_time"] = pd.NaT
    frame["latency"] = float("nan")
    assert score(frame)["verdict"].tolist() == ["grounded"]


def test_no_records_give_no_results() -> None:
    assert score([]) == []
    assert list(score(pd.DataFrame(columns=["question", "answer"])).columns) == ["outcome", "reason", "verdict"]


def test_settings_come_as_a_mapping_or_a_file(tmp_path: Path) -> None:
    only = {"evaluate": {"evaluators": ["groundedness"]}}
    file = tmp_path / "config.yaml"
    file.write_text(json.dumps(only), encoding="utf-8")
    for given in (only, file, str(file)):
        (result,) = score([GOOD], config=given)
        assert [one["evaluator"] for one in result["evaluations"]] == ["groundedness"]
    with pytest.raises(ConfigError, match=r"evaluate\.evaluatorz"):
        score([GOOD], config={"evaluate": {"evaluatorz": []}})


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (GOOD, "not a single record"),
        ("a.jsonl", "not a single record"),
        ([GOOD, "text"], "record 2 is a str"),
        ([{**GOOD, "answer": object()}], "record 1 cannot be written as JSON"),
        ([{**GOOD, "answer": "\ud800"}], "record 1 cannot be written as JSON"),
    ],
    ids=["one mapping", "a path", "a text among them", "an object", "a lone surrogate"],
)
def test_what_is_no_record_is_named(records: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        score(records)


def test_it_works_where_an_event_loop_runs_already() -> None:
    async def notebook() -> Any:
        await asyncio.sleep(0)
        return score([{**GOOD, "timestamp": datetime(2026, 1, 1, tzinfo=UTC)}])

    assert asyncio.run(notebook())[0]["verdict"] == "grounded"


def test_importing_the_package_loads_no_library_of_models() -> None:
    code = "import sys, sidecar; print(sorted({'onnxruntime', 'numpy', 'sidecar.config', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        sidecar.scores  # type: ignore[attr-defined]  # noqa: B018
