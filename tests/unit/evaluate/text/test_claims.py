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
def test_claims_are_those_expected_and_know_their_places(row: dict[str, Any]) -> None:
    """`place` is what the answer says at a claim's place, where that is not the claim's own text."""
    answer = row["answer"]
    expected = [(one["text"], one.get("context", ""), one.get("place", one["text"])) for one in row["claims"]]
    claims = split_claims(answer)
    assert [(claim.text, claim.context, answer[claim.start : claim.end]) for claim in claims] == expected


def test_a_long_answer_has_a_bounded_number_of_claims() -> None:
    assert len(split_claims("The sky is blue today. " * 1000)) == MOST_CLAIMS
