"""Values of a table's row, with the words that they are about: those of the row's first cell and of the column's head (Markdown pipe tables)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sidecar.inference.values.stated import Stated, Stem, stated

_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?)?\s*")
_UNIT = re.compile(r"\(([^()|]{1,20})\)\s*$")
_MOST_ROWS = 200  # looked back over
_MOST_CELLS = 40


def header_of(text: str, start: int) -> str:
    """The head of the table that the line at `start` is a row of; "" where it is none."""
    if not text.startswith("|", start):
        return ""
    above: list[str] = []
    for line in reversed(text[:start].rstrip("\n").rsplit("\n", _MOST_ROWS)):
        if not line.lstrip().startswith("|"):
            break
        above.append(line)
    return above[-1] if len(above) > 1 and _RULE.fullmatch(above[-2]) else ""


def row_stated(row: str, header: str, stem: Stem) -> tuple[Stated, ...]:
    """The values of all cells but the first. A unit in brackets behind a column's name ("Rate (ct/kWh)") is each value's own."""
    cells, heads = list(_cells(row)), [text for _, text in _cells(header)]
    if not cells or _RULE.fullmatch(row):
        return ()
    row_words = re.findall(r"\w+", cells[0][1].lower())
    names = frozenset(root for word in row_words if (root := stem(word)) is not None)
    found: list[Stated] = []
    for (start, cell), head in zip(cells[1:_MOST_CELLS], heads[1:], strict=False):
        unit = _UNIT.search(head)
        before = f"{cells[0][1]} {head[: unit.start()].rstrip() if unit else head} "
        of_cell = stated(f"{before}{cell} {unit.group(1)}" if unit else f"{before}{cell}", stem)
        for one in of_cell:
            if len(before) <= one.value.start < len(before) + len(cell):
                at = start + one.value.start - len(before)
                end = min(start + len(cell), at + one.value.end - one.value.start)
                found.append(replace(one, value=replace(one.value, start=at, end=end), row=names))
    return tuple(found)


def _cells(row: str) -> Iterator[tuple[int, str]]:
    """Where each cell's text begins, and the text."""
    at = row.find("|") + 1
    for part in row.strip().strip("|").split("|"):
        yield at + len(part) - len(part.lstrip()), part.strip()
        at += len(part) + 1
