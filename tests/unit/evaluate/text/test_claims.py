"""Answers and the claims that are expected of them: tests/golden/evaluate/claims.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.evaluate.text.claims import MOST_CLAIMS, split_claims

GOLDEN = Path(__file__).parents[3] / "golden" / "evaluate" / "claims.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[f"{n}-{row['kind']}" for n, row in enumerate(ROWS)])
def test_claims_are_those_expected(row: dict[str, Any]) -> None:
    expected = [(claim["text"], claim.get("context", "")) for claim in row["claims"]]
    assert [(claim.text, claim.context) for claim in split_claims(row["answer"])] == expected


def test_a_long_answer_has_a_bounded_number_of_claims() -> None:
    assert len(split_claims("The sky is blue today. " * 1000)) == MOST_CLAIMS
