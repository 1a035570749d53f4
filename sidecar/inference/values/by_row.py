"""A claim that tells rows of a table one after the other: "Basic is £19 with £25 to join, Plus £29 with £15"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import agree, dimension
from sidecar.inference.values.rows import cell_instead
from sidecar.inference.values.stated import Stated, Stem
from sidecar.inference.values.tokens import Token, tokenise
from sidecar.inference.values.value import Value

_LONGEST, _MOST_ROWS = 600, 40  # characters of a claim
_BETWEEN = 2  # other words at most between those that name a row
_LEAST = 2  # values
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_WORKDAYS = frozenset({"monday", "friday"})
_OF_WORKDAYS = ("weekday", "weekdays")

Row = frozenset[str]


@dataclass(frozen=True, slots=True)
class _Mention:
    """claim[start:end] names a row."""

    row: Row
    start: int
    end: int


def told_by_row(claim: str, own: Sequence[Stated], pieces: Sequence[Sequence[Stated]], stem: Stem) -> frozenset[Value]:
    """All values of a claim, where each stands in the row of a table that the claim names last before it, or each in the one that it names next behind it, or
    "respectively", and in no other column than the claim names; else none."""
    evidence = [(one, number) for number, piece in enumerate(pieces) for one in piece if one.row]
    if len(own) < _LEAST or not evidence or len(claim) > _LONGEST:
        return frozenset()
    mentions = _mentions(tokenise(claim), [one for one, _ in evidence], stem)
    names = {one.value for one in own if any(each.start <= one.value.start < each.end for each in mentions)}
    values = [one for one in own if one.value not in names]
    if not mentions or len(values) < _LEAST:
        return frozenset()
    ways = [[_row_of(one.value, mentions, behind=behind) for one in values] for behind in (False, True)]
    if _RESPECTIVELY.search(claim):
        ways = [[mentions[n % len(mentions)].row for n in range(len(values))]]
    told = any(_each_in_its_row(values, rows, evidence) for rows in ways)
    return frozenset(one.value for one in own) if told else frozenset()


def _row_of(value: Value, mentions: Sequence[_Mention], *, behind: bool) -> Row:
    """The row that is named next to a value on one side of it; on its other side where it is the first or the last."""
    if behind:
        return next((one.row for one in mentions if one.start >= value.end), mentions[-1].row)
    return next((one.row for one in reversed(mentions) if one.end <= value.start), mentions[0].row)


def _each_in_its_row(values: Sequence[Stated], rows: Sequence[Row], evidence: Sequence[tuple[Stated, int]]) -> bool:
    """Whether each value is that of a cell of its row, each of another one, that is in no other column than the claim names."""
    taken: set[int] = set()
    for one, row in zip(values, rows, strict=True):
        cells = [n for n, (cell, _) in enumerate(evidence) if cell.row == row and n not in taken]
        cells = [n for n in cells if _is_it(one.value, evidence[n][0].value)]
        if not cells or cell_instead(one, values, evidence, frozenset({row}), frozenset(), _is_it):
            return False
        taken.add(cells[0])
    return True


def _is_it(own: Value, other: Value) -> bool:
    return dimension(own) == dimension(other) and agree(own, other)


def _mentions(tokens: Sequence[Token], cells: Sequence[Stated], stem: Stem) -> list[_Mention]:
    """Where a claim names rows, in its order; of rows that are named by the same words the one of more."""
    names = dict.fromkeys((name, one.row) for one in cells for name in (one.row, *one.parts))
    stems = [stem(token.low) if token.kind != "sign" else None for token in tokens]
    found = [one for name, row in list(names)[:_MOST_ROWS] for one in _named(name, row, tokens, stems)]
    return sorted(
        (one for one in found if not any(_is_within(one, other) for other in found)), key=lambda one: one.start
    )


def _is_within(one: _Mention, other: _Mention) -> bool:
    longer = other.end - other.start > one.end - one.start
    return longer and other.start <= one.start and one.end <= other.end


def _named(name: Row, row: Row, tokens: Sequence[Token], stems: Sequence[str | None]) -> Iterator[_Mention]:
    first, seen = 0, set[str]()
    for n, (token, one) in enumerate(zip(tokens, stems, strict=True)):
        if name == _WORKDAYS and token.low in _OF_WORKDAYS:
            yield _Mention(row, token.start, token.end)
        if one not in name:
            continue
        if seen and n - first >= len(name) + _BETWEEN:
            seen = set()
        first = n if not seen else first
        seen.add(one)
        if seen == name:
            yield _Mention(row, tokens[first].start, token.end)
            seen = set()
