"""Frames of cases to frames of scores: what Spark and Ray call on their workers."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sidecar import FrameScorer
from sidecar.api import settings_of
from sidecar.evaluate.registry import DEFAULTS
from sidecar.frames import _key
from sidecar.offline.record import Report
from sidecar.record.errors import ConfigError
from tests.unit.commands.test_cli import cli

GOOD: dict[str, Any] = {
    "id": "a",
    "question": "How long is the warranty?",
    "answer": "The warranty is two years.",
    "contexts": np.array(["The warranty is two years."], dtype=object),
    "reference": "Two years.",
}
ROWS: list[dict[str, Any]] = [
    GOOD,
    {**GOOD, "id": "b", "answer": "The warranty is nine years.", "reference": None},
    {"id": "c", "question": None},
    {**GOOD, "id": "d", "answer": None},
    {
        **GOOD, "id": "e", "messages": [
            {"role": "tool", "content": "The warranty is two years."}, {"role": "assistant", "content": "It is two years."}
        ],
    },
]  # fmt: skip
FRAME = pd.DataFrame(ROWS, index=[7, 5, 3, 1, 0])


@pytest.fixture(scope="module")
def scored() -> pd.DataFrame:
    found: pd.DataFrame = FrameScorer()(FRAME)
    return found


def test_the_scores_are_those_of_the_command(scored: pd.DataFrame, tmp_path: Path) -> None:
    source, target = tmp_path / "cases.jsonl", tmp_path / "report.json"
    rows = [{**one, "contexts": list(one["contexts"])} if "contexts" in one else one for one in ROWS]
    source.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    assert cli("evaluate", source, "-o", target).returncode == 1  # a row cannot be read
    by_id = {one.id: one for one in Report.model_validate_json(target.read_bytes()).results}
    assert set(by_id) == {"a", "b", "d", "e"}
    assert list(scored["turn_faithfulness"].dropna()) == [1.0]
    for _, row in scored.dropna(subset="id").iterrows():
        record = by_id[row["id"]]
        assert (row["outcome"], row["verdict"]) == (record.outcome, record.verdict)
        said = {one.evaluator: one.score for one in record.evaluations if one.score is not None}
        assert said == {name: row[name] for name in scored.columns[4:] if not math.isnan(row[name])}


def test_each_row_keeps_its_place_and_index(scored: pd.DataFrame) -> None:
    assert list(scored.index) == [7, 5, 3, 1, 0]
    assert list(scored["outcome"]) == ["scored", "scored", "failed", "scored", "scored"]
    assert scored["reason"][3] == "missing_field"
    assert list(scored["verdict"])[:2] == ["grounded", "hallucinated"]


def test_the_columns_and_their_types_are_known_before(scored: pd.DataFrame) -> None:
    scorer = FrameScorer()
    assert tuple(scored.columns) == scorer.columns
    assert set(DEFAULTS) <= set(scorer.columns)
    assert {str(scored[name].dtype) for name in scorer.columns[4:]} == {"float64"}
    assert scorer.schema.startswith(
        "`id` string, `outcome` string, `reason` string, `verdict` string, `faithfulness` double"
    )
    none = scorer(FRAME[:0])
    assert (tuple(none.columns), len(none)) == (scorer.columns, 0)


def test_it_goes_to_workers_with_the_settings_of_where_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_SIDECAR_EVALUATE__EVALUATORS", "groundedness")
    sent = pickle.dumps(FrameScorer({"evaluate": {"references": "off"}}, details=True))
    monkeypatch.delenv("RAG_SIDECAR_EVALUATE__EVALUATORS")
    there = pickle.loads(sent)
    assert there.columns == ("id", "outcome", "reason", "verdict", "groundedness", "evaluations")
    [frame] = there.frames([FRAME[:1]])
    [one] = json.loads(frame["evaluations"].iloc[0])
    assert one["score"] == frame["groundedness"].iloc[0]
    assert {"subject", "parts", "documents", "claims"} <= set(one)


def test_wrong_settings_are_refused_before_anything_is_sent() -> None:
    with pytest.raises(ConfigError, match=r"evaluate\.evaluatorz"):
        FrameScorer({"evaluate": {"evaluatorz": []}})


def test_a_process_that_scored_ends_without_a_word() -> None:
    code = (
        "import pandas as pd; from sidecar import FrameScorer; "
        "print(FrameScorer()(pd.DataFrame([{'answer': 'It is blue.', 'contexts': ['It is blue.']}]))['verdict'][0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert (done.stdout, done.stderr) == ("grounded\n", "")


def test_a_value_that_cannot_be_read_costs_its_row_and_not_the_job() -> None:
    beside = [Decimal("1.5"), b"\x00", 2**80, "\ud800", object(), None]
    frame = pd.DataFrame([GOOD] * len(beside)).assign(beside=pd.Series(beside, dtype=object))
    scored = FrameScorer({"evaluate": {"evaluators": ["groundedness"]}})(frame)
    assert list(scored["outcome"]) == ["scored", "scored", "failed", "failed", "failed", "scored"]
    assert list(scored["reason"][2:5]) == ["bad_row"] * 3


def test_a_forked_child_scores_with_an_engine_of_its_own() -> None:
    code = (
        "import multiprocessing, sys\nimport pandas as pd\nfrom sidecar import FrameScorer\n"
        "scorer = FrameScorer({'evaluate': {'evaluators': ['groundedness']}})\n"
        "frame = pd.DataFrame([{'answer': 'It is blue.', 'contexts': ['It is blue.']}])\n"
        "def work():\n    print(scorer(frame)['verdict'][0], flush=True)\n"
        "work()\n"
        "child = multiprocessing.get_context('fork').Process(target=work)\nchild.start()\nchild.join(90)\n"
        "hung = child.exitcode is None\nchild.kill()\nchild.join()\nwork()\nsys.exit(hung)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=200, check=False)
    assert (done.stdout, done.returncode) == ("grounded\n" * 3, 0), done.stderr


def test_another_key_of_the_judge_is_another_engine() -> None:
    def key(*secrets: str) -> str:
        first, second = secrets
        given = {"judge": {"url": "http://127.0.0.1:9/v1", "api_key": first, "headers": {"x-team": second}}}
        return _key(settings_of(given))

    assert key("one", "two") == key("one", "two")
    assert len({key("one", "two"), key("other", "two"), key("one", "other")}) == 3
    assert "one" not in key("one", "two")
