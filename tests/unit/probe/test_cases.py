"""The cases of a probe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.probe.cases import load_questions
from sidecar.record.errors import ConfigError


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    (path := folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_what_a_system_once_answered_is_left_behind(tmp_path: Path) -> None:
    row = {
        "id": "a", "question": "Q?", "reference": "R.", "reference_context_ids": ["d"], "kind": "simple", "answer": "old", "contexts": ["old"],
        "latency_ms": 5, "usage": {"prompt_tokens": 1}, "model": "old",
    }  # fmt: skip
    source, [one] = load_questions(written(tmp_path, row), DecodeConfig(), 50)
    assert one.row == {
        "id": "a", "question": "Q?", "reference": "R.", "reference_context_ids": ["d"], "kind": "simple", "request_id": "a"
    }  # fmt: skip
    assert one.told == {"question": "Q?", "id": "a", "reference": "R.", "kind": "simple"}
    assert source.name == "cases.jsonl"


def test_only_so_many_are_taken(tmp_path: Path) -> None:
    path = written(tmp_path, *({"id": n, "question": f"Q{n}?"} for n in range(9)))
    assert [one.told["id"] for one in load_questions(path, DecodeConfig(), 4)[1]] == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "holds no case"),
        ([{"id": 1, "answer": "A."}], "has no question"),
        ([{"question": "Q?"}, {"id": 2}], "line 2: missing_field"),
    ],
)
def test_a_case_that_asks_nothing_is_refused_before_anything_is_sent(
    tmp_path: Path, rows: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(ConfigError, match="cases") as raised:
        load_questions(written(tmp_path, *rows), DecodeConfig(), 50)
    assert said in str(raised.value)
