"""Where a claim says that a row of a table lacks something: "Family has no joining fee" of a cell "none", or of one with "£25"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.cells import words_of_cell
from sidecar.inference.contrasts.reading import Reading
from sidecar.inference.values.tables import cells_of

EMPTY = frozenset("none no nil free waived ✗ ✘ ❌ ✖".split()) | {
    "",
    "-",
    "–",
    "—",
    "n/a",
    "not included",
    "not available",
}
FULL = frozenset("yes included ✓ ✔ ✅ ☑".split())
_FIGURE = re.compile(r"\d[\d.,]{0,20}")
_MOST_CELL = 40  # characters
_BETWEEN = 1  # other words at most between those of a column


@dataclass(frozen=True, slots=True)
class Field:
    """A cell of a table at start:end of the text number `text`: its words, and the stems of the row's name and of the column's."""

    words: str
    row: frozenset[str]
    column: frozenset[str]
    text: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lacking:
    """claim[start:end] is denied of a row; `right` says whether the cell holds nothing of it."""

    start: int
    end: int
    cell: Field
    right: bool


def fields_of_row(number: int, text: str, head: str) -> list[Field]:
    """The cells of a row, the text number `number`, behind the one that names it."""
    cells, heads = cells_of(text, head)
    if not cells:
        return []
    row = words_of_cell(cells[0][1])
    return [
        Field(cell, row, words_of_cell(name), number, start, start + len(cell))
        for (start, cell), name in zip(cells[1:], heads[1:], strict=False)
    ]


def lacking(claim: Reading, cells: Sequence[Field]) -> Lacking | None:
    """What the claim denies of the row that it names, where it denies all words of a column; None where it does not, where the cell does not tell, or cells tell
    otherwise."""
    found = list(_denied(claim, cells))
    return found[0] if len({one.right for one in found}) == 1 else None


def _denied(claim: Reading, cells: Sequence[Field]) -> Iterator[Lacking]:
    places = {stem: k for k, stem in enumerate(claim.stems) if stem is not None}
    for cell in cells:
        if not cell.column or not cell.column <= places.keys() or not cell.row.isdisjoint(cell.column):
            continue
        at = sorted(places[stem] for stem in cell.column)
        first, last = at[0], at[-1]
        denied = any(claim.negated[max(0, first - 1) : first + 1]) and last - first < len(cell.column) + _BETWEEN
        empty = _is_empty(cell.words) if denied else None
        if empty is not None and cell.row == _named(claim, first, cells):
            yield Lacking(claim.spans[first][0], claim.spans[last][1], cell, empty)


def _named(claim: Reading, at: int, cells: Sequence[Field]) -> frozenset[str] | None:
    """The row that the claim names last before a token, or the only one that it names behind it."""
    rows = {cell.row for cell in cells if cell.row}
    last = {stem: k for k, stem in enumerate(claim.stems[:at]) if stem is not None}
    before = {row for row in rows if row <= last.keys()}
    if before:
        return max(before, key=lambda row: (max(last[stem] for stem in row), len(row)))
    behind = [row for row in rows if row <= set(claim.stems[at:])]
    return behind[0] if len(behind) == 1 else None


def _is_empty(words: str) -> bool | None:
    low = words.strip(" .*_`").lower()
    if low in EMPTY:
        return True
    figures = _FIGURE.findall(low)
    if len(low) <= _MOST_CELL and figures:
        return all(figure.strip("0.,") == "" for figure in figures)
    return False if low in FULL else None
