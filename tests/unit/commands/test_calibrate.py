"""`rag-sidecar calibrate`: the rates of the verdict on labelled requests, and settings that can be pasted."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sidecar import config
from sidecar.commands.calibrate import label_of
from sidecar.commands.calibrate import measure as measure_file
from sidecar.commands.calibration import Calibration
from sidecar.commands.demo.corpus import Corpus, Kind
from sidecar.commands.demo.spans import SpanMaker
from sidecar.inference.grounding.detector import Detector
from sidecar.record.errors import ConfigError
from tests.parts.judge_server import Asked, JudgeServer

UNUSED = {"bootstrap_servers": "unused:9092", "topics": ["unused"]}


def labelled(path: Path, kinds: list[Kind], *, wrong: int = 0) -> Path:
    """A file with one labelled request of each kind; the first `wrong` labels are the opposite of what is true."""
    corpus, spans, lines = Corpus(5), SpanMaker(5), []
    for number, kind in enumerate(kinds):
        _, record = spans.native(corpus.compose(kind), time.time())
        grounded = (kind is Kind.FAITHFUL) == (number >= wrong)
        lines.append(json.dumps({**json.loads(record), "label": "grounded" if grounded else "hallucinated"}))
    path.write_text("\n".join([*lines, ""]))
    return path


async def measure(path: Path) -> Calibration:
    return await measure_file(path, config.load(None, kafka=False))


async def test_the_rates_are_counts_of_verdicts_against_labels(tmp_path: Path) -> None:
    kinds = [Kind.FAITHFUL] * 45 + [Kind.HALLUCINATED] * 40 + [Kind.ABSTAINING] * 3
    right = await measure(labelled(tmp_path / "right.jsonl", kinds))
    assert right.found is not None
    assert right.without_verdict >= 3
    assert right.found.hallucinated + right.found.grounded + right.without_verdict == len(kinds)
    assert right.found.sensitivity > 0.6
    assert right.found.specificity > 0.6
    # Ten faithful answers labelled as hallucinated: those that pass are now misses.
    wrong = await measure(labelled(tmp_path / "wrong.jsonl", kinds, wrong=10))
    assert wrong.found is not None
    assert wrong.found.hallucinated == right.found.hallucinated + 10
    assert wrong.found.sensitivity < right.found.sensitivity


def test_what_is_printed_is_settings_that_load(tmp_path: Path) -> None:
    found = Calibration(
        Detector(sensitivity=0.875, specificity=0.75, hallucinated=40, grounded=80), 2, 0.5, "embedded 1"
    )
    # Wilson by hand for 35 of 40: centre (0.875 + 3.8416 / 80) / 1.09604, half width 0.1032.
    assert "sensitivity 0.875 (0.739 to 0.945)" in "\n".join(found.report())
    path = tmp_path / "config.yaml"
    path.write_text(found.settings())
    assert config.load(path, kafka=False).inference.detector == found.found


@pytest.mark.parametrize(
    ("sensitivity", "specificity", "hallucinated", "grounded", "starts"),
    [
        (0.7, 0.7, 100, 100, []),
        (0.6, 0.59, 100, 100, ["sensitivity + specificity is 1.19"]),
        (0.6, 0.6, 99, 100, ["only 99 hallucinated requests"]),
        (0.5, 0.5, 30, 30, ["sensitivity + specificity is 1.00", "only 30 hallucinated", "only 30 grounded"]),
    ],
)
def test_rates_that_say_little_are_warned_of(
    sensitivity: float, specificity: float, hallucinated: int, grounded: int, starts: list[str]
) -> None:
    rates = Detector(sensitivity=sensitivity, specificity=specificity, hallucinated=hallucinated, grounded=grounded)
    warnings = Calibration(rates, 0, 0.5, "embedded 1").warnings()
    assert [line[: len(start)] for line, start in zip(warnings, starts, strict=True)] == starts


@pytest.mark.parametrize(
    "given", [True, 1, 1.0, "1", "true", "True", "yes", "YES", "ok", "good", " Grounded "], ids=repr
)
def test_labels_of_grounded_answers(given: object) -> None:
    assert label_of({"label": given}) is True


@pytest.mark.parametrize("given", [False, 0, 0.0, "0", "false", "no", "Bad", "hallucinated", "HALLUCINATED"], ids=repr)
def test_labels_of_hallucinated_answers(given: object) -> None:
    assert label_of({"label": given}) is False


@pytest.mark.parametrize(
    "row", [{}, [], {"label": None}, {"label": 2}, {"label": 0.5}, {"label": ""}, {"label": [1]}], ids=repr
)
def test_something_else_is_no_label(row: object) -> None:
    with pytest.raises(ValueError, match="label"):
        label_of(row)


def test_the_report_goes_to_standard_error_and_only_settings_to_standard_output(tmp_path: Path) -> None:
    path = labelled(tmp_path / "in.jsonl", [Kind.FAITHFUL] * 40 + [Kind.HALLUCINATED] * 40)
    command = [sys.executable, "-m", "sidecar", "calibrate", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert "specificity" in run.stderr
    assert "warning: only " in run.stderr
    (tmp_path / "patch.yaml").write_text(run.stdout)
    assert config.load(tmp_path / "patch.yaml", kafka=False).inference.detector is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"request_id": "1", "question": "q", "answer": "a"}', "line 1: no label"),
        ('\n{"request_id": "1", "question": "q", "answer": "a", "label": 2}', "line 2: no label"),
        ("not json", "line 1"),
        ('{"request_id": "1", "label": 1}', "line 1: missing_field"),
    ],
)
async def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        await measure(path)


async def test_too_few_labelled_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="hallucinated requests got a verdict"):
        await measure(labelled(tmp_path / "few.jsonl", [Kind.FAITHFUL] * 31 + [Kind.HALLUCINATED] * 29))


async def test_the_judge_labels_what_has_no_label(tmp_path: Path) -> None:
    corpus, spans, lines = Corpus(5), SpanMaker(5), []
    told: dict[str, bool] = {}
    for kind in [Kind.FAITHFUL] * 32 + [Kind.HALLUCINATED] * 32 + [Kind.ABSTAINING] * 2:
        _, record = spans.native(corpus.compose(kind), time.time())
        lines.append(record)
        told[json.loads(record)["answer"]] = kind is Kind.FAITHFUL
    path = tmp_path / "unlabelled.jsonl"
    path.write_bytes(b"\n".join(lines))

    def answer(asked: Asked) -> object:
        return {"reason": "r", "rating": 2 if told[asked.data["answer"]] else 0}

    async with JudgeServer(answer) as server:
        judge = {"url": server.url, "redact": False, "budget_usd_per_hour": None, "budget_usd_per_day": None}
        found = await measure_file(path, config.build({"judge": judge}, receive=UNUSED), from_judge=True)
    assert found.found is not None
    # An answer that is right of one question may be given to another.
    assert found.found.grounded + found.found.hallucinated + found.without_verdict == 64
    assert found.without_verdict <= 1
    assert abs(found.found.grounded - 32) <= 2
    assert found.found.sensitivity > 0.6
    with pytest.raises(ConfigError, match=r"judge\.url: is not set"):
        await measure_file(path, config.load(None, kafka=False), from_judge=True)
