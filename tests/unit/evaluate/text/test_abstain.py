"""Answers that decline and answers that do not: tests/golden/evaluate/abstain.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.evaluate.text.abstain import abstains

GOLDEN = Path(__file__).parents[3] / "golden" / "evaluate" / "abstain.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["answer"][:40] for row in ROWS])
def test_refusals_are_told_from_answers(row: dict[str, Any]) -> None:
    assert abstains(row["answer"]) is row["abstains"]
