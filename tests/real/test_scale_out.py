"""The evaluators on a real Apache Spark: two workers, Parquet in and out, and the scores of `rag-sidecar evaluate`."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sidecar import FrameScorer
from sidecar.offline.record import Report
from tests.parts import paths
from tests.parts.spark_job import SETTINGS
from tests.unit.commands.test_evaluate import cli

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]


def case(number: int) -> dict[str, Any]:
    """A case of several kinds: right, wrong, without documents, without an answer, and one that cannot be read."""
    fact = f"The warranty of lamp {number} is {number % 9 + 1} years."
    found: dict[str, Any] = {
        "id": f"c{number}",
        "question": f"How long is the warranty of lamp {number}?",
        "answer": fact if number % 2 else f"The warranty of lamp {number} is {number + 20} years.",
        "contexts": [fact, "Shipping takes five days."],
        "reference": fact if number % 3 else None,
    }
    lacking: dict[int, dict[str, Any]] = {5: {"contexts": []}, 6: {"answer": None}}
    unread = {"question": None, "answer": None, "contexts": [], "reference": None}
    return {**found, **(unread if number == 8 else lacking.get(number % 10, {}))}


def spark(*words: str | Path) -> str:
    """What the job prints."""
    packages = paths.find_spark_packages()
    own = {
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(packages))),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_HOME": str(paths.find("java").resolve().parents[1]),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "tests.parts.spark_job", *map(str, words)]
    done = subprocess.run(command, env={**os.environ, **own}, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_two_workers_of_spark_give_the_scores_of_the_command(tmp_path: Path) -> None:
    rows = [case(number) for number in range(60)]
    source, scores = tmp_path / "cases.parquet", tmp_path / "scores.parquet"
    pd.DataFrame(rows).to_parquet(source)
    spark(source, "2", scores)
    assert len(list(scores.glob("part-*.parquet"))) == 2
    found = pd.read_parquet(scores)
    assert tuple(found.columns) == FrameScorer(SETTINGS).columns

    settings, report = tmp_path / "config.yaml", tmp_path / "report.json"
    settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
    assert cli("evaluate", source, "-o", report, "--config", settings).returncode == 1  # one row cannot be read
    told = Report.model_validate_json(report.read_bytes())
    expected = {one.id: one for one in told.results}
    assert [one.row for one in told.unread] == [9]
    assert list(found[found["id"].isna()]["reason"]) == ["missing_field"]
    assert set(found["id"].dropna()) == set(expected)
    for row in found.dropna(subset="id").to_dict("records"):
        record = expected[row["id"]]
        assert (row["outcome"], row["verdict"]) == (record.outcome, record.verdict)
        said = {one.evaluator: one.score for one in record.evaluations if one.score is not None}
        assert said == {name: row[name] for name in found.columns[4:] if not math.isnan(row[name])}
