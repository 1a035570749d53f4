"""How a row of a table goes on from column to column, where a claim says it: "profit fell from Q1 to Q2", "revenue rose in the third quarter", "profit was highest
in Q2" of a row that has it otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.stated import Stated, Stem
from sidecar.inference.values.stems import stems_of
from sidecar.inference.values.value import Hedge, Kind

_MOST_CHARACTERS = 300
_QUARTER = re.compile(r"\b(first|second|third|fourth)\squarter\b", re.IGNORECASE)
_QUARTERS = {"first": "Q1", "second": "Q2", "third": "Q3", "fourth": "Q4"}
_UP = "rose|rises|grew|grows|increased|increases|climbed|improved|went up|was up"
_DOWN = "fell|falls|dropped|drops|declined|declines|decreased|decreases|shrank|sank|went down|was down"
_MOVED = re.compile(
    rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\s(?:slightly\s|sharply\s|again\s)?(?:from\s(?P<from>[\w-]{{1,12}})\sto\s(?P<to>[\w-]{{1,12}})|in\s(?:the\s)?(?P<in>[\w-]{{1,12}}))\b",
    re.IGNORECASE,
)
_PEAK = re.compile(
    r"\b(?:is|was|were|are)\s(?:the\s)?(?P<word>highest|largest|lowest|smallest)\sin\s(?:the\s)?(?P<in>[\w-]{1,12})\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|no|never|neither|nor|than|except|apart|compared|year-on-year|last year|if)\b|n['’]t\b|\?", re.IGNORECASE
)
_TOTAL = frozenset("year total sum fy average mean all overall change".split())
_MEASURES = frozenset({Kind.MONEY, Kind.QUANTITY, Kind.PERCENT, Kind.NUMBER})
_LEAST_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class Trend:
    """claim[start:end] says how a row goes on; `other`, in the text number `piece`, tells otherwise."""

    start: int
    end: int
    piece: int
    other: Stated


def says_trend(claim: str) -> bool:
    """Whether a claim may say how something goes on from one column to the next."""
    text = _with_quarters(claim[:_MOST_CHARACTERS])
    return _MOVED.search(text) is not None or _PEAK.search(text) is not None


def wrong_trend(claim: str, pieces: Sequence[Sequence[Stated]], stem: Stem) -> Trend | None:
    """Where the row of a table that a claim names goes on otherwise, or has more in another column. None where it names no row, or no column, alone."""
    text = _with_quarters(claim)
    moved, peak = _MOVED.search(text), _PEAK.search(text)
    if len(claim) > _MOST_CHARACTERS or _DENIES.search(claim) or (moved is None) is (peak is None):
        return None
    said = stems_of(text, stem)
    rows = [(n, row) for n, piece in enumerate(pieces) if (row := _columns(piece)) and row[0].row <= said]
    if len(rows) != 1:
        return None
    [(piece, row)] = rows
    if moved is not None:
        return _against(moved, row, piece, stem)
    assert peak is not None
    own = _column(peak["in"], row, stem)
    sign = 1 if peak["word"].lower() in ("highest", "largest") else -1
    if own is None:
        return None
    most = max(row, key=lambda one: sign * one.value.amount)
    return (
        Trend(peak.start("word"), peak.end("word"), piece, most)
        if sign * (most.value.amount - own.value.amount) > 0
        else None
    )


def _against(moved: re.Match[str], row: Sequence[Stated], piece: int, stem: Stem) -> Trend | None:
    if moved["in"]:
        to = _column(moved["in"], row, stem)
        at = row.index(to) if to is not None else 0
        begin = row[at - 1] if at > 0 else None
    else:
        begin, to = _column(moved["from"], row, stem), _column(moved["to"], row, stem)
    if begin is None or to is None:
        return None
    change = to.value.amount - begin.value.amount
    wrong = change <= 0 if moved["up"] else change >= 0
    return Trend(moved.start(), moved.start() + len(moved["up"] or moved["down"]), piece, to) if wrong else None


def _columns(piece: Sequence[Stated]) -> list[Stated]:
    """The values of a row that names something, one in each column, all of a kind; none where that is not so."""
    cells = [
        one
        for one in piece
        if one.row and one.head and one.head.isdisjoint(_TOTAL)
        if one.value.kind in _MEASURES and one.value.hedge is Hedge.NONE
    ]
    kinds = {(dimension(one.value), one.value.unit) for one in cells}
    heads = {one.head for one in cells}
    whole = len(kinds) == 1 and len(heads) == len(cells) >= _LEAST_COLUMNS
    return cells if whole and not any(one.row.isdisjoint(cells[0].row) for one in cells) else []


def _column(name: str, row: Sequence[Stated], stem: Stem) -> Stated | None:
    """The one value of the column with that name."""
    words = stems_of(name, stem)
    found = [one for one in row if words and one.head == words]
    return found[0] if len(found) == 1 else None


def _with_quarters(text: str) -> str:
    """A text with "Q2" for "second quarter"; only what stands behind it moves."""
    return _QUARTER.sub(lambda found: _QUARTERS[found[1].lower()], text)
