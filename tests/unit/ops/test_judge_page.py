"""docs/judge.md: every example is one that the sidecar takes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sidecar import config
from sidecar.evaluate.registry import EVALUATORS, judged_name
from sidecar.judging import judge_of
from sidecar.observe.telemetry import Telemetry

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/judge.md").read_text(encoding="utf-8")
RUNBOOK = (ROOT / "docs/runbooks/RagSidecarEvaluationsFailing.md").read_text(encoding="utf-8")
EXAMPLES: list[dict[str, Any]] = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
UNUSED = {"bootstrap_servers": "unused:9092", "topics": ["unused"]}


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_is_taken_and_gives_a_judge(number: int) -> None:
    built = config.build(EXAMPLES[number], receive=UNUSED)
    assert judge_of(built.judge, built.price, Telemetry(), redactor=lambda: None) is not None


def test_there_is_an_example_of_each_kind_of_own_metric() -> None:
    kinds = {one["kind"] for example in EXAMPLES for one in example.get("evaluate", {}).get("metrics", {}).values()}
    assert kinds == {"aspect", "criteria", "rubric"}


def test_every_judged_evaluator_is_on_the_page() -> None:
    assert [one.name for one in EVALUATORS if one.judged and f"| `{judged_name(one)}` |" not in PAGE] == []


def test_the_runbook_says_what_each_reason_of_the_judge_wants() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "sidecar/inference/judge").glob("*.py")]
    reasons = {found for text in sources for found in re.findall(r'"(judge_[a-z]+)"', text)}
    assert len(reasons) >= 8
    assert [one for one in sorted(reasons) if f"`{one}`" not in RUNBOOK] == []
