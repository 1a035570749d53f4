"""Worked examples of every evaluator, one file each: tests/golden/evaluate/NAME.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.evaluate.engine import Engine
from sidecar.evaluate.registry import EVALUATORS
from sidecar.evaluate.settings import EvaluateConfig
from tests.unit.evaluate.fakes import FakeEmbedder, FakeGrounder, FakeRelevance, case_of, models

FOLDER = Path(__file__).parents[2] / "golden" / "evaluate"
CASES = [
    pytest.param(name, json.loads(line), id=f"{name}: {json.loads(line)['why']}")
    for name in (entry.name for entry in EVALUATORS if entry.local)
    for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(("name", "case"), CASES)
async def test_a_worked_example_comes_out_as_worked(name: str, case: dict[str, Any]) -> None:
    grounder = FakeGrounder(whole=case.get("whole", 0.8), doubt=0.0)
    relevance = FakeRelevance(of_documents=tuple(case.get("relevance", [0.9])), of_answer=case.get("similarity", 0.9))
    trace = case_of(case)
    settings = {"evaluators": [name], "references": "off", name: case.get("settings", {})}
    engine = Engine(
        EvaluateConfig.model_validate(settings),
        models(grounder, relevance, FakeEmbedder(cosine=case.get("cosine", 1.0))),
    )
    [one] = (await engine.evaluate(trace)).evaluations
    assert one.score == pytest.approx(case.get("score"), abs=1e-6) if "score" in case else one.score is None
    assert (one.reason, one.label) == (case.get("reason"), case.get("label"))
