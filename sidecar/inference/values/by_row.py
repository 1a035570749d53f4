"""A claim that tells rows, or columns, of a table one after the other: "Basic is £19 with £25 to join, Plus £29 with £15"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import agree, dimension
from sidecar.inference.values.match import Finding, Outcome
from sidecar.inference.values.rows import OF_ITS_CLAUSE, cell_instead
from sidecar.inference.values.stated import Stated, Stem
from sidecar.inference.values.tokens import Token, tokenise
from sidecar.inference.values.value import Value

_LONGEST, _MOST_NAMES = 600, 80  # characters of a claim
_BETWEEN = 2  # other words at most between those that name a row
_LEAST = 2  # values
_IN_ITS_ROW = 0.8  # of the words about a value, as good as said
_RESPECTIVELY = re.compile(r"\brespectively\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:than|unlike|instead|not|rather|compared|against|versus|vs|but|from)\b|n['’]t\b", re.IGNORECASE
)
_WORKDAYS = frozenset({"monday", "friday"})
_OF_WORKDAYS = ("weekday", "weekdays")

Name = frozenset[str]
Evidence = Sequence[tuple[Stated, int]]
InPlace = Callable[[Stated, Name, Sequence[Stated], Evidence], Sequence[int]]


@dataclass(frozen=True, slots=True)
class _Mention:
    """claim[start:end] names a row or a column, whose stems are `name`."""

    name: Name
    start: int
    end: int


def without_names(
    claim: str, own: Sequence[Stated], pieces: Sequence[Sequence[Stated]], stem: Stem
) -> tuple[Stated, ...]:
    """The values of a claim but for figures of names that a table has: 13 of "the Air 13"."""
    cells = [one for piece in pieces for one in piece if any(map(str.isdecimal, one.row | one.head))]
    if not own or not cells or len(claim) > _LONGEST:
        return tuple(own)
    tokens = tokenise(claim)
    mentions = [*_mentions(tokens, _rows(cells), stem), *_mentions(tokens, _columns(cells), stem)]
    names = {
        one.value
        for one in own
        for each in mentions
        if each.start < one.value.start < each.end and not claim[each.start : one.value.start].isspace()
    }
    return tuple(one for one in own if one.value not in names)


def told_by_row(
    claim: str, own: Sequence[Stated], pieces: Sequence[Sequence[Stated]], stem: Stem
) -> Mapping[Value, tuple[Value, int]]:
    """All values of a claim, where each stands in the row, or each in the column, of a table that the claim names last before it, or each in the one that it names
    next behind it, or "respectively", and not beside what the claim names of the other one; with the cell and the number of its text. Else none."""
    evidence = [(one, number) for number, piece in enumerate(pieces) for one in piece if one.row]
    if len(own) < _LEAST or not evidence or len(claim) > _LONGEST:
        return {}
    tokens, cells = tokenise(claim), [one for one, _ in evidence]
    rows = _mentions(tokens, _rows(cells), stem)
    if told := _told(claim, own, evidence, rows, _in_its_row):
        return told
    named = {one.name for one in rows} or {one.row for one in cells}
    of_them = [(one, number) for one, number in evidence if one.row in named]
    return _told(claim, own, of_them, _mentions(tokens, _columns(cells), stem), _in_its_column)


def _told(
    claim: str, own: Sequence[Stated], evidence: Evidence, mentions: Sequence[_Mention], in_place: InPlace
) -> dict[Value, tuple[Value, int]]:
    names = {one.value for one in own if any(each.start <= one.value.start < each.end for each in mentions)}
    values = [one for one in own if one.value not in names]
    if not mentions or len(values) < _LEAST:
        return {}
    ways = [[_named_beside(one.value, mentions, behind=behind) for one in values] for behind in (False, True)]
    apart = values[-1].value.end <= mentions[0].start or mentions[-1].end <= values[0].value.start
    if _RESPECTIVELY.search(claim) or (apart and len(values) == len(mentions)):
        ways = [[mentions[n % len(mentions)].name for n in range(len(values))]]
    return next((told for names in ways if (told := _each_in_place(values, names, evidence, in_place))), {})


def swapped(
    claim: str, own: Sequence[Stated], pieces: Sequence[Sequence[Stated]], stem: Stem
) -> Mapping[Value, tuple[Value, int]]:
    """Values of a claim that have changed places, each with the cell that it should be and the number of its text: "Basic is £29, Plus £19", where the claim names one
    thing for each value, and the values are those that a table has of these things in one column, or row, in another order."""
    evidence = [(one, number) for number, piece in enumerate(pieces) for one in piece if one.row and one.head]
    if len(own) < _LEAST or not evidence or len(claim) > _LONGEST or _COMPARES.search(claim):
        return {}
    tokens, cells = tokenise(claim), [one for one, _ in evidence]
    return _changed(own, evidence, _mentions(tokens, _rows(cells), stem), lambda one: (one.row, one.head)) or _changed(
        own, evidence, _mentions(tokens, _columns(cells), stem), lambda one: (one.head, one.row)
    )


def _changed(
    own: Sequence[Stated],
    evidence: Evidence,
    mentions: Sequence[_Mention],
    name_and_line: Callable[[Stated], tuple[Name, Name]],
) -> dict[Value, tuple[Value, int]]:
    names = [one.name for one in mentions]
    values = [one for one in own if not any(each.start <= one.value.start < each.end for each in mentions)]
    if not len(values) == len(names) == len(set(names)) >= _LEAST:
        return {}
    apart = values[-1].value.end <= mentions[0].start or mentions[-1].end <= values[0].value.start
    beside = [[_named_beside(one.value, mentions, behind=behind) for one in values] for behind in (False, True)]
    order = names if apart else next((one for one in beside if len(set(one)) == len(names)), [])
    lines: dict[Name, dict[Name, tuple[Value, int]]] = {}
    for cell, number in evidence:
        name, own_line = name_and_line(cell)
        lines.setdefault(own_line, {}).setdefault(name, (cell.value, number))
    held = [line for line in lines.values() if line.keys() >= set(names)]
    there = [line for line in held if _is_permuted(values, [line[name][0] for name in names])]
    if not order or len(there) != 1:
        return {}
    should = [there[0][name] for name in order]
    return {one.value: cell for one, cell in zip(values, should, strict=True) if not _is_it(one.value, cell[0])}


def _is_permuted(values: Sequence[Stated], cells: Sequence[Value]) -> bool:
    """Whether each value is one of the cells, and each cell another one of the values."""
    ways = [[n for n, cell in enumerate(cells) if _is_it(one.value, cell)] for one in values]
    return sorted(one[0] for one in ways if len(one) == 1) == list(range(len(cells)))


def in_its_row(
    one: Finding, there: Mapping[Value, tuple[Value, int]], elsewhere: Mapping[Value, tuple[Value, int]]
) -> Finding:
    """What became of a value that stands in the row that is named beside it, whatever others say, or that has changed places with another one."""
    if one.value in elsewhere and one.value not in there:
        return Finding(Outcome.DISAGREES, one.value, 1.0, *elsewhere[one.value], certain=True)
    if one.value not in there or one.outcome in (Outcome.AGREES, Outcome.FOLLOWS):
        return one
    return Finding(Outcome.AGREES, one.value, _IN_ITS_ROW, *there[one.value])


def _named_beside(value: Value, mentions: Sequence[_Mention], *, behind: bool) -> Name:
    """What is named next to a value on one side of it; on its other side where it is the first or the last."""
    if behind:
        return next((one.name for one in mentions if one.start >= value.end), mentions[-1].name)
    return next((one.name for one in reversed(mentions) if one.end <= value.start), mentions[0].name)


def _each_in_place(
    values: Sequence[Stated], names: Sequence[Name], evidence: Evidence, in_place: InPlace
) -> dict[Value, tuple[Value, int]]:
    """For each value the cell of its row or column, another one for each, where all have one; else nothing."""
    taken: set[int] = set()
    found: dict[Value, tuple[Value, int]] = {}
    for one, name in zip(values, names, strict=True):
        cell = next((n for n in in_place(one, name, values, evidence) if n not in taken), None)
        if cell is None:
            return {}
        taken.add(cell)
        found[one.value] = evidence[cell][0].value, evidence[cell][1]
    return found


def _in_its_row(own: Stated, row: Name, values: Sequence[Stated], evidence: Evidence) -> list[int]:
    """The cells of a row that a value is of, unless it is in another column than the claim names."""
    if cell_instead(own, values, evidence, frozenset({row}), frozenset(), _is_it):
        return []
    return [n for n, (cell, _) in enumerate(evidence) if cell.row == row and _is_it(own.value, cell.value)]


def _in_its_column(own: Stated, column: Name, values: Sequence[Stated], evidence: Evidence) -> list[int]:
    """The cells of a column that a value is of, of those whose row the claim names beside it, if it names any."""
    words = {stem for stem, share in own.words.items() if share > OF_ITS_CLAUSE}
    held = [len(cell.row & words) if cell.head == column else 0 for cell, _ in evidence]
    return [
        n
        for n, (cell, _) in enumerate(evidence)
        if cell.head == column and held[n] == max(held) and _is_it(own.value, cell.value)
    ]


def _rows(cells: Sequence[Stated]) -> list[tuple[Name, Name]]:
    """What rows are named by, with all words of the name."""
    return list(dict.fromkeys((name, one.row) for one in cells for name in (one.row, *one.parts)))[:_MOST_NAMES]


def _columns(cells: Sequence[Stated]) -> list[tuple[Name, Name]]:
    return list(dict.fromkeys((one.head, one.head) for one in cells if one.head))[:_MOST_NAMES]


def _is_it(own: Value, other: Value) -> bool:
    return dimension(own) == dimension(other) and agree(own, other)


def _mentions(tokens: Sequence[Token], names: Sequence[tuple[Name, Name]], stem: Stem) -> list[_Mention]:
    """Where a claim has names, in its order; of those that share words the one of more."""
    stems = [stem(token.low) if token.kind != "sign" else None for token in tokens]
    found = [one for words, name in names for one in _named(words, name, tokens, stems)]
    return sorted(
        (one for one in found if not any(_is_within(one, other) for other in found)), key=lambda one: one.start
    )


def _is_within(one: _Mention, other: _Mention) -> bool:
    longer = other.end - other.start > one.end - one.start
    return longer and other.start <= one.start and one.end <= other.end


def _named(words: Name, name: Name, tokens: Sequence[Token], stems: Sequence[str | None]) -> Iterator[_Mention]:
    first, seen = 0, set[str]()
    for n, (token, one) in enumerate(zip(tokens, stems, strict=True)):
        if words == _WORKDAYS and token.low in _OF_WORKDAYS:
            yield _Mention(name, token.start, token.end)
        if one not in words:
            continue
        if one in seen or n - first >= len(words) + _BETWEEN:
            seen = set()
        first = n if not seen else first
        seen.add(one)
        if seen == words:
            yield _Mention(name, tokens[first].start, token.end)
            seen = set()
