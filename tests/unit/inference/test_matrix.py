"""What several things have, or lack, by the marks of a table."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.cells import words_of_cell
from sidecar.inference.contrasts.lacking import Field
from sidecar.inference.contrasts.matrix import marked
from sidecar.inference.contrasts.reading import read
from sidecar.inference.embedding.text import content_stem

HEADS = ("Free", "Pro", "Business")
ROWS = {
    "Custom domain": ("✗", "✓", "✓"),
    "SSO": ("no", "no", "yes"),
    "Export to PDF": ("✓", "✓", "✓"),
    "Support": ("forum", "e-mail", "phone and e-mail"),
    "Projects": ("3", "25", "unlimited"),
}
CELLS = [
    Field(cell, words_of_cell(name), words_of_cell(head), n, 0, len(cell))
    for n, (name, row) in enumerate(ROWS.items())
    for head, cell in zip(HEADS, row, strict=True)
]
TURNED = [Field(one.words, one.column, one.row, one.text, one.start, one.end) for one in CELLS]


@pytest.mark.parametrize("cells", [CELLS, TURNED], ids=["plans are columns", "plans are rows"])
@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("Pro and Business have a custom domain.", True),
        ("Free has a custom domain.", False),
        ("Free has no custom domain.", True),
        ("Business has no custom domain.", False),
        ("SSO is only part of Business.", True),
        ("Only Pro comes with SSO.", False),
        ("Only Business can export to PDF.", False),
        ("All plans can export to PDF.", True),
        ("All plans include SSO.", False),
        ("SSO is part of Pro and Business.", False),
        ("All of them apart from Free have a custom domain.", True),
        ("All plans except Pro have a custom domain.", False),
    ],
)
def test_marks_tell_what_each_has(claim: str, right: bool, cells: list[Field]) -> None:
    found = marked(read(claim, content_stem), cells)
    assert found is not None
    assert found.right is right


@pytest.mark.parametrize(
    "claim",
    [
        "Business has it.",  # of which row?
        "A custom domain is a nice thing.",
        "Not all plans include SSO.",
        "Only some have a custom domain.",
        "A custom domain, SSO apart, is part of Pro.",
        "For SSO you need Business, Pro is not enough.",
        "Pro has SSO if you upgrade to Business.",
        "Pro has a custom domain, set up within a day.",  # more than the table tells
        "Free has no custom domain; Pro and Business have one.",
        "Pro has a custom domain, Free a forum.",
        "Pro has e-mail support.",
        "Business has phone support.",
        "Pro allows 25 projects.",
    ],
)
def test_nothing_is_said_of_anything_else(claim: str) -> None:
    assert marked(read(claim, content_stem), CELLS) is None


def test_what_another_column_alone_has_in_words() -> None:
    found = marked(read("Pro has phone support.", content_stem), CELLS)
    assert found is not None
    assert (found.right, found.cell.words) == (False, "e-mail")
