"""The evaluators on a real Apache Spark and a real Ray: two workers, Parquet in and out, and the scores of `rag-sidecar evaluate`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sidecar import FrameScorer
from sidecar.offline.record import Report
from tests.parts import paths
from tests.parts.spark_job import SETTINGS
from tests.unit.commands.test_cli import cli

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
    unread: dict[str, Any] = {"question": None, "answer": None, "contexts": [], "reference": None}
    return {**found, **(unread if number == 8 else lacking.get(number % 10, {}))}


def job(name: str, packages: Path, *words: str | Path, **environment: str) -> None:
    """A job in a process of its own, which finds these packages."""
    own = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(packages))), "OMP_NUM_THREADS": "1", **environment}
    command = [sys.executable, "-m", f"tests.parts.{name}", *map(str, words)]
    done = subprocess.run(command, env={**os.environ, **own}, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def on_spark(source: Path, scores: Path) -> None:
    java = {"JAVA_HOME": str(paths.find("java").resolve().parents[1]), "SPARK_LOCAL_IP": "127.0.0.1"}
    job("spark_job", paths.find_spark_packages(), source, "2", scores, PYSPARK_PYTHON=sys.executable, **java)


def on_ray(source: Path, scores: Path) -> None:
    job(
        "ray_job",
        paths.find_ray_packages(),
        source,
        "2",
        scores,
        RAY_USAGE_STATS_ENABLED="0",
        RAY_raylet_start_wait_time_s="300",
    )


# Ray starts a dozen processes before the first row, and gives up after half a minute: on two busy cores it has failed at that.
@pytest.mark.parametrize(
    "run", [pytest.param(on_spark, id="Spark"), pytest.param(on_ray, id="Ray", marks=pytest.mark.long)]
)
def test_two_workers_give_the_scores_of_the_command(run: Callable[[Path, Path], None], tmp_path: Path) -> None:
    rows = [case(number) for number in range(60)]
    source, scores = tmp_path / "cases.parquet", tmp_path / "scores.parquet"
    pd.DataFrame(rows).to_parquet(source)
    run(source, scores)
    # How many files it writes Ray decides by their size.
    assert len(list(scores.glob("*.parquet"))) == (2 if run is on_spark else 1)
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
        verdict = None if pd.isna(row["verdict"]) else row["verdict"]
        assert (row["outcome"], verdict) == (record.outcome, record.verdict)
        said = {one.evaluator: one.score for one in record.evaluations if one.score is not None}
        # Rows beside other rows are multiplied in another order, and a score on the edge of rounding falls to the other side.
        assert {name: row[name] for name in found.columns[4:] if pd.notna(row[name])} == pytest.approx(said, abs=2e-6)
