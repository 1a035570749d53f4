"""Values of a table's row, with the words that they are about: those of the row's first cell and of the column's head.

Tables are of Markdown, or lines of cells with pipes, tabs, semicolons or commas between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sidecar.inference.values.periods import period_of
from sidecar.inference.values.span import PER
from sidecar.inference.values.stated import Stated, Stem, stated
from sidecar.inference.values.tokens import tokenise
from sidecar.inference.values.units import CURRENCIES, WORKING, unit_named

_UNIT = re.compile(r"\(([^()|]{1,20})\)\s*$")
_SCALED = re.compile(r"(?:in )?([A-Za-z]{3}|[$€£¥]) ?('?\w{1,9})")
_PENCE = re.compile(r"p(?=(?:/| per )\w)")
_SCALES = {"m": "million", "k": "thousand", "b": "billion", "000": "thousand", "'000": "thousand"}
_SEVERAL = re.compile(r",\s*(?:and\s|or\s)?|\s/\s|\s(?:and|or|&)\s")
_FIGURE = re.compile(r"[-+~<>$€£]?\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_RULE = frozenset("|-: \t")
_PERIODS = frozenset("day week month year".split())  # a column of a period's totals, not of their number
_RANKS = frozenset({"", "#", "no", "nr", "pos", "position", "rank", "place", "row", "item"})
_MOST_ROWS = 200  # looked back over
_MOST_CELLS = 40


def header_of(text: str, start: int) -> str:
    """The head of the table that the line at `start` is a row of; "" where it is none. One without pipes at its sides needs no rule."""
    end = text.find("\n", start)
    row = text[start : end if end >= 0 else len(text)]
    framed = row.startswith("|")
    between = "|" if framed else _between(row)
    if not between or not (framed or text.endswith("\n", 0, start)):
        return ""
    above: list[str] = []
    for line in reversed(text[:start].rstrip("\n").rsplit("\n", _MOST_ROWS)):
        if not (line.lstrip().startswith("|") if framed else line.count(between) == row.count(between)):
            break
        above.append(line)
    if framed:
        return above[-1] if len(above) > 1 and _is_rule(above[-2]) else ""
    return above[-1] if above and _between(above[-1]) == between and _is_head(above[-1].split(between)) else ""


def _is_head(cells: Sequence[str]) -> bool:
    """Whether cells name columns: "Q1" and years do, figures do not."""
    return not any(_FIGURE.match(cell.strip()) and not _YEAR.fullmatch(cell.strip()) for cell in cells)


def _between(line: str) -> str:
    """What stands between the cells of a line; commas and semicolons only where no space follows any, as in no sentence."""
    if "|" in line or "\t" in line:
        return "|" if "|" in line else "\t"
    return next((mark for mark in ";," if line.count(mark) > 1 and f"{mark} " not in line), "")


def row_stated(row: str, header: str, stem: Stem) -> tuple[Stated, ...]:
    """The values of the cells. What a column's head says of its values' unit is each value's own."""
    between = "|" if row.startswith("|") else _between(row)
    row = row.replace(between, "|")
    cells, heads = list(_cells(row)), [text for _, text in _cells(header.replace(between, "|"))]
    if _is_rule(row):
        return ()
    first = stated(row, stem)
    whole, column = cells, _stems(heads[0], stem) if heads else frozenset[str]()
    cells, heads = _without_rank(cells, heads)
    if len(cells) < 2:
        return first
    names, parts = _stems(cells[0][1], stem), _parts(cells[0][1], stem)
    found = [one for one in first if one.value.start < cells[1][0]]
    if cells is not whole:
        found = [replace(one, row=names, head=column) if one.value.start < cells[0][0] else one for one in found]
    for (start, cell), head in zip(cells[1:_MOST_CELLS], heads[1:], strict=False):
        name, unit = _named(head)
        column = _stems(name, stem)
        about = dict.fromkeys(names | column, 1.0)
        for one in stated(f"{cell} {unit}" if unit else cell, stem):
            if one.value.start < len(cell):
                at, end = start + one.value.start, start + min(len(cell), one.value.end)
                value = replace(one.value, start=at, end=end)
                found.append(
                    replace(one, value=value, words={**one.words, **about}, row=names, head=column, parts=parts)
                )
    return tuple(found)


def cells_of(row: str, header: str) -> tuple[list[tuple[int, str]], list[str]]:
    """Where each cell of a row begins, and its text; and the texts of the head."""
    between = "|" if row.startswith("|") else _between(row)
    if _is_rule(row):
        return [], []
    heads = [text for _, text in _cells(header.replace(between, "|"))]
    return _without_rank(list(_cells(row.replace(between, "|")))[:_MOST_CELLS], heads)


def _without_rank(cells: list[tuple[int, str]], heads: list[str]) -> tuple[list[tuple[int, str]], list[str]]:
    """The cells and heads of a row without a first one that numbers it: "1 | Ashford | 42" below "Pos | Team | Points"."""
    numbered = (
        len(cells) > 2
        and bool(heads)
        and heads[0].lower().strip(" .*") in _RANKS
        and cells[0][1].strip(" .").isdecimal()
    )
    return (cells[1:], heads[1:]) if numbered and cells[1][1][:1].isalpha() else (cells, heads)


def _named(head: str) -> tuple[str, str]:
    """A column's name, and the unit of its values: "Rate (ct/kWh)", "Price per month", "Minutes", "Requests per minute"."""
    unit, period, words = _UNIT.search(head), period_of(head), head.split()
    if unit:
        return head[: unit.start()], _in_order(unit.group(1))
    if period:
        return head, f"per {period}"
    last = words[-1].lower() if words else ""
    if len(last) < 2 or not unit_named(last) or (len(words) == 1 and last in _PERIODS):
        return head, ""
    before = words[-2].lower() if len(words) > 1 else ""
    return head, " ".join(words[-3:]) if before in PER else f"{before} {last}" if before in WORKING else last


def _in_order(unit: str) -> str:
    """A column's unit as it stands behind a figure: "million EUR" of "EUR m"."""
    scaled = _SCALED.fullmatch(unit)
    if scaled and scaled.group(1).lower() in CURRENCIES:
        return f"{_SCALES.get(scaled.group(2).lower(), scaled.group(2))} {scaled.group(1)}"
    return f"pence{unit[1:]}" if _PENCE.match(unit) else unit


def _is_rule(line: str) -> bool:
    return "--" in line and _RULE.issuperset(line.strip())


def _stems(text: str, stem: Stem) -> frozenset[str]:
    return frozenset(one for token in tokenise(text) if token.kind != "sign" and (one := stem(token.low)) is not None)


def _parts(name: str, stem: Stem) -> tuple[frozenset[str], ...]:
    """The stems of each of several things that a row is of, where it says so: "Norway, Switzerland"."""
    parts = [_stems(one, stem) for one in _SEVERAL.split(name)]
    return tuple(parts) if len(parts) > 1 and all(parts) else ()


def _cells(row: str) -> Iterator[tuple[int, str]]:
    """Where each cell's text begins, and the text."""
    inner, at = row.strip(), len(row) - len(row.lstrip())
    if inner.startswith("|"):
        inner, at = inner[1:], at + 1
    for part in inner.removesuffix("|").split("|"):
        yield at + len(part) - len(part.lstrip()), part.strip()
        at += len(part) + 1
