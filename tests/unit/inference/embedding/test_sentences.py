"""Texts cut into sentences."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import sentences


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Touch dry: 2 hours   Recoat: after 6 hours", ["Touch dry: 2 hours", "Recoat: after 6 hours"]),
        ("Hours: 40   Pay per year: £33,400", ["Hours: 40", "Pay per year: £33,400"]),
        ("Touch dry: 2 hours, Recoat: 6", ["Touch dry: 2 hours, Recoat: 6"]),
        ("Monday   08:00   Lane swimming", ["Monday   08:00   Lane swimming"]),
        ("One     Two: three", ["One", "Two: three"]),
    ],
)
def test_labels_that_wide_gaps_set_apart_begin_a_sentence(text: str, cut: list[str]) -> None:
    assert [text[one.start : one.end] for one in sentences(text)] == cut
