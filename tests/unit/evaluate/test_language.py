"""Long texts of sixteen languages and English that looks like none: tests/golden/evaluate/language.jsonl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidecar.evaluate.text.language import language_of

GOLDEN = Path(__file__).parents[2] / "golden" / "evaluate" / "language.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['language']} {row['text'][:20]}" for row in ROWS])
def test_english_is_told_from_other_languages(row: dict[str, str]) -> None:
    assert (language_of(row["text"]) == "en") is (row["language"] == "en")


@pytest.mark.parametrize(
    ("text", "language"), [("Müller & Söhne GmbH", "en"), ("保修两年", "zh"), ("Да, два года.", "ru"), ("42", None)]
)
def test_short_texts_go_by_their_script(text: str, language: str | None) -> None:
    assert language_of(text) == language
