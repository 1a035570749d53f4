"""What a claim says that a row of a table lacks."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.lacking import Field, lacking
from sidecar.inference.contrasts.reading import read
from sidecar.inference.embedding.text import content_stem, read_words

HEADS = ("Monthly fee", "Joining fee", "Guest visits", "Towels")
ROWS = {
    "Basic": ("£19.00", "£25", "0", "on request"),
    "Plus": ("£29.00", "£15", "2", "included"),
    "Family": ("£49.50", "none", "4", "–"),
}


def _stems(text: str) -> frozenset[str]:
    return frozenset(read_words(text).stems)


CELLS = [
    Field(cell, _stems(name), _stems(head), n, 10 * k, 10 * k + len(cell))
    for n, (name, row) in enumerate(ROWS.items())
    for k, (head, cell) in enumerate(zip(HEADS, row, strict=True), 1)
]


@pytest.mark.parametrize(
    ("claim", "right", "words", "cell"),
    [
        ("Family has no joining fee.", True, "joining fee", "none"),
        ("There is no joining fee on Family.", True, "joining fee", "none"),
        ("Basic is £19 with a £25 joining fee, and Family £49.50 with no joining fee.", True, "joining fee", "none"),
        ("Family comes without towels.", True, "towels", "–"),
        ("Basic does not include guest visits, Plus two.", True, "guest visits", "0"),
        ("Plus comes without a joining fee.", False, "joining fee", "£15"),
        ("No guest visits are included in Plus.", False, "guest visits", "2"),
        ("Plus has no towels.", False, "towels", "included"),
    ],
)
def test_what_is_denied_of_a_row_is_looked_up_in_its_cell(claim: str, right: bool, words: str, cell: str) -> None:
    found = lacking(read(claim, content_stem), CELLS)
    assert found is not None
    assert (found.right, claim[found.start : found.end], found.cell.words) == (right, words, cell)


@pytest.mark.parametrize(
    "claim",
    [
        "Basic has no towels.",  # the cell does not tell
        "Family has no fee.",  # of which column?
        "Family has a joining fee.",
        "There is no joining fee.",  # of which row?
        "There is no joining fee on one of Basic and Plus.",
        "Plus is not cheaper than Basic, whose joining fee is £25.",
    ],
)
def test_nothing_is_said_of_anything_else(claim: str) -> None:
    assert lacking(read(claim, content_stem), CELLS) is None
