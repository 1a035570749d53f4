"""Documents and their windows."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.offline.testset.documents import Text, read_documents, windows
from sidecar.record.errors import ConfigError


def test_a_folder_is_read_with_all_below_it_in_a_fixed_order(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "one.md").write_text("# One\n\nText.", encoding="utf-8")
    (tmp_path / "a.txt").write_text("﻿Plain.", encoding="utf-8")
    (tmp_path / "c.jsonl").write_text('{"id": 7, "text": "Seven."}\n\n{"content": "No id."}\n', encoding="utf-8")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "hidden.md").write_text("Hidden.", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    found, unread = read_documents([tmp_path])
    assert found == [
        Text("a.txt", "Plain."), Text("b/one.md", "# One\n\nText."), Text("7", "Seven."), Text("c.jsonl#3", "No id."),
    ]  # fmt: skip
    assert unread == []


def test_what_cannot_be_read_is_told_by_row_and_reason(tmp_path: Path) -> None:
    lines = ['{"id": 1, "text": "One."}', "{broken", '{"id": 2}', '{"id": "1", "text": "Again."}', "[]"]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    found, unread = read_documents([tmp_path])
    assert [one.id for one in found] == ["1"]
    assert [(one.row, one.reason) for one in unread] == [
        (1, "empty"), (1, "bad_encoding"), (2, "bad_json"), (3, "missing_field"), (4, "id_twice"), (5, "not_an_object"),
    ]  # fmt: skip
    assert next(one.detail for one in unread if one.reason == "bad_json") == "rows.jsonl: row 2: column 2"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none", "^documents: none has text"),
        ("nothing.txt", r"^/.*/nothing\.txt: there is no such file"),
        ("book.pdf", r"^/.*/book\.pdf: cannot be read as text"),
    ],
)
def test_a_path_that_gives_no_document_is_refused(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "book.pdf").write_bytes(b"%PDF")
    with pytest.raises(ConfigError, match=told):
        read_documents([tmp_path / name])


@given(st.text(alphabet="ab .!?\n。図é", max_size=2000), st.integers(200, 600))
def test_windows_hold_every_word_of_a_document_once(text: str, most: int) -> None:
    own = windows([Text("one", text)], most)
    assert all(one.text == text[one.start : one.end] for one in own)
    assert [one.start for one in own] == sorted(one.start for one in own)
    assert all(before.end <= after.start for before, after in itertools.pairwise(own))
    assert "".join("".join(one.text.split()) for one in own) == "".join(text.split())
    # The last may take in what is left over.
    assert all(len(one.text) <= 1.25 * most + 1 for one in own)


def test_no_window_ends_within_a_sentence() -> None:
    text = " ".join(f"Rule {n} says that doors close at {n % 24}:00." for n in range(200))
    assert all(one.text.endswith(":00.") for one in windows([Text("rules", text)], 500))
