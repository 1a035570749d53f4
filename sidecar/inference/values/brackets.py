"""Whether the asker's own case falls into the row of a table whose values a claim tells: 3,400 kWh into "2,001-4,000 kWh", a girl of 9 into "7-9 years".

Tables are of Markdown; lines of a list that are labelled by ranges ("- Children 6-15: €5") are rows too."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sidecar.inference.values.cases import is_age
from sidecar.inference.values.compare import dimension, equal
from sidecar.inference.values.read import read_tokens
from sidecar.inference.values.rules import KINDS, SETS_ASIDE, beside, denies, intervals, is_of_ages, stems_in
from sidecar.inference.values.stated import Stem
from sidecar.inference.values.tables import cells_of, header_of, row_stated
from sidecar.inference.values.tokens import Token
from sidecar.inference.values.units import in_base, unit_named
from sidecar.inference.values.value import Hedge, Kind, Value

_LONGEST = 600  # characters of a claim and of a question
_MOST_ROWS = 40
_LABELLED = re.compile(r"^[ \t]{0,4}(?:[-*•][ \t]{1,3})?(?P<label>[^:|\n]{1,60}):[ \t]{1,3}(?P<rest>[^\n|]{1,200})$")
_COMPARES = re.compile(r"\b(?:than|instead|versus|vs|whereas|while|unlike|compared|until|if|when)\b", re.IGNORECASE)
_OF_ONE = re.compile(r"\b(?:you|your|yours|it|its|he|she|his|her)\b|^[^a-z]*\d", re.IGNORECASE)
_AGE = re.compile(r"\bages?\b|\baged\b|\byears? old\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_FIGURE = re.compile(r"\d[\d.,]*(?<=\d)")
_BY_THEIR_WORDS = frozenset({Kind.NUMBER, Kind.MONEY, Kind.PERCENT})


@dataclass(frozen=True, slots=True)
class Bracket:
    """A range of a column, in base units, with the value that says so, and the row that it is of."""

    low: float
    high: float
    bound: Value
    row: int


@dataclass(frozen=True, slots=True)
class Column:
    """The ranges of one dimension in a column; `stems` are those of its head and of its cells, `of_ages` whether they are of people's ages."""

    number: int
    brackets: tuple[Bracket, ...]
    stems: frozenset[str]
    of_ages: bool

    def rows_of(self, value: Value) -> frozenset[int]:
        """The rows into whose range a value falls, the narrowest where one lies in another: "up to 1 hour", "up to 2 hours". None of one that bounds
        a range and may be in another: "under 6", "6-15"."""
        amount = in_base(value.amount, value.unit)
        within = [one for one in self.brackets if one.low <= amount <= one.high]
        if len({(one.low, one.high) for one in within}) > 1 and any(amount in (one.low, one.high) for one in within):
            return frozenset()
        ups = min((one.high for one in within), default=math.inf)
        downs = max((one.low for one in within if one.high == ups), default=-math.inf)
        return frozenset(one.row for one in within if one.high == ups and one.low == downs)


@dataclass(frozen=True, slots=True)
class Table:
    """text[start:end], the columns of ranges, and of each row the values of each cell, as (column, value)."""

    start: int
    end: int
    columns: tuple[Column, ...]
    told: tuple[tuple[tuple[int, Value], ...], ...]


@dataclass(frozen=True, slots=True)
class OfAnotherRow:
    """`own`, a value of the claim, stands in other rows than the one that the case falls into, which has `other`, in the text number `text`."""

    own: Value
    other: Value
    text: int


def tables_of(text: str, stem: Stem) -> tuple[Table, ...]:
    """The tables of a text that have a column of ranges."""
    found = (_table(text, lines, stem) for lines in _runs(text))
    return tuple(one for one in found if one is not None and one.columns)


def of_another_row(
    claim: str, question: str, texts: Sequence[str], stem: Stem, tables: Callable[[str], tuple[Table, ...]]
) -> OfAnotherRow | None:
    """The first value of a claim that tables have for other cases than the asker's alone. Claims that compare, deny, set aside or say "if", and such as tell a rule
    of a table ("parcels of up to 5 kg cost $9") are not read so, nor values that a text has beside the table."""
    if len(claim) > _LONGEST or SETS_ASIDE.search(claim) or _COMPARES.search(claim):
        return None
    there = [(number, table) for number, text in enumerate(texts) for table in tables(text)]
    if not there:
        return None
    asked_in, asked = read_tokens(question[:_LONGEST])
    tokens, values = read_tokens(claim)
    of_one = _OF_ONE.search(claim) or any(equal(own, one) and equal(one, own) for own in values for one in asked)
    if not values or not of_one or denies(tokens):
        return None
    for number, table in there:
        rows = _rows_of_case(table, asked, asked_in, stem)
        found = _of_others(table, rows, values) if rows else None
        if found is not None and not _elsewhere(claim, found[0], texts, number, table):
            return OfAnotherRow(*found, number)
    return None


def _rows_of_case(table: Table, asked: Sequence[Value], tokens: Sequence[Token], stem: Stem) -> frozenset[int]:
    """The rows into which the asker's values fall; none where these do not agree, or two values of one kind are asked about."""
    rows: frozenset[int] | None = None
    for column in table.columns:
        cases = [one for one in (_case(value, column, tokens, stem) for value in asked) if one is not None]
        if len(cases) > 1:
            return frozenset()
        for one in cases:
            own = column.rows_of(one)
            rows = own if rows is None else rows & own
    return rows or frozenset()


def _case(value: Value, column: Column, tokens: Sequence[Token], stem: Stem) -> Value | None:
    """A value of the question as the ranges of a column have it; None where it is of something else."""
    bound = column.brackets[0].bound
    if value.hedge is not Hedge.NONE or value.kind not in KINDS or value.difference or value.per:
        return None
    if column.of_ages:
        if not is_age(value, tokens):
            return None
        in_years = bound.kind is not Kind.NUMBER
        return replace(value, kind=bound.kind, unit="year" if in_years else "")
    if value.kind is not bound.kind or dimension(value) != dimension(bound):
        return None
    if value.kind is Kind.MONEY and value.unit != bound.unit:
        return None
    if value.kind in _BY_THEIR_WORDS:
        asked = stems_in(tokens, [], stem) if value.kind is Kind.MONEY else []
        near = beside(tokens, value, stem).union(one for _, one in asked)
        return value if near & column.stems else None
    return value if dimension(value) != "time" or value.unit == bound.unit else None


def _of_others(table: Table, rows: frozenset[int], values: Sequence[Value]) -> tuple[Value, Value] | None:
    """A value of the claim that other rows alone have, and the one that the case's row has in its place; None where one of the claim's is the case's."""
    wrong = None
    for value in values:
        places = [
            (row, column, one) for row, told in enumerate(table.told) for column, one in told if _is_same(value, one)
        ]
        if any(row in rows for row, *_ in places):
            return None
        for _, column, there in places:
            other = next((one for row in rows for at, one in table.told[row] if at == column), None)
            if wrong is None and other is not None and dimension(other) == dimension(there):
                wrong = value, other
    return wrong


def _is_same(own: Value, there: Value) -> bool:
    """Whether both are the same but for what they are by, and a unit that the table leaves out."""
    bare = there.kind is Kind.NUMBER and own.kind is Kind.QUANTITY and own.amount == there.amount
    return own.hedge is Hedge.NONE and (bare or equal(replace(own, per=""), replace(there, per="")))


def _elsewhere(claim: str, own: Value, texts: Sequence[str], number: int, table: Table) -> bool:
    """Whether a text has the figures of a value beside the table; those in words are not looked for."""
    digits = _FIGURE.search(claim, own.start, own.end)
    if digits is None:
        return True
    return any(
        match.group() == digits.group() and not (n == number and table.start <= match.start() < table.end)
        for n, text in enumerate(texts)
        for match in _FIGURE.finditer(text)
    )


def _runs(text: str) -> Iterator[list[tuple[int, str]]]:
    """Lines that may be a table's, with where each begins, as far as they stand one below the other."""
    run: list[tuple[int, str]] = []
    kind, at = "", 0
    for line in text.split("\n"):
        own = "|" if line.lstrip().startswith("|") else ":" if _LABELLED.match(line) else ""
        if run and own != kind:
            yield run
            run = []
        if own:
            run.append((at, line))
        kind, at = own, at + len(line) + 1
    if run:
        yield run


def _table(text: str, lines: Sequence[tuple[int, str]], stem: Stem) -> Table | None:
    rows: list[list[tuple[int, str]]] = []
    told: list[tuple[tuple[int, Value], ...]] = []
    heads: list[str] = []
    for start, line in lines[:_MOST_ROWS]:
        labelled = None if line.lstrip().startswith("|") else _LABELLED.match(line)
        if labelled:
            cells = [(labelled.start(part), labelled[part]) for part in ("label", "rest")]
            values = read_tokens(labelled["rest"])[1]
            stated = [(1, _moved(one, start + labelled.start("rest"))) for one in values]
        else:
            header = header_of(text, start)
            cells, own = cells_of(line, header) if header else ([], [])
            heads = own or heads
            stated = [
                (_column(cells, one.value.start), _moved(one.value, start))
                for one in (row_stated(line, header, stem) if header else ())
            ]
        if cells:
            rows.append(cells)
            told.append(tuple(stated))
    if len(rows) < 2:
        return None
    title = text[: lines[0][0]].rstrip().rpartition("\n")[2]
    columns = (_ranges(n, rows, heads[n] if n < len(heads) else "", title, stem) for n in range(max(map(len, rows))))
    end = lines[-1][0] + len(lines[-1][1])
    return Table(lines[0][0], end, tuple(one for one in columns if one is not None), tuple(told))


def _moved(value: Value, by: int) -> Value:
    return replace(value, start=value.start + by, end=value.end + by)


def _column(cells: Sequence[tuple[int, str]], at: int) -> int:
    return max((n for n, (start, _) in enumerate(cells) if start <= at), default=0)


def _ranges(number: int, rows: Sequence[Sequence[tuple[int, str]]], head: str, title: str, stem: Stem) -> Column | None:
    """A column of ranges: two rows at least have one, and all are of one dimension. What the head says of the unit is each value's own."""
    brackets: list[Bracket] = []
    words, aged = [head, title], False
    unit = next((word for word in _WORD.findall(head) if len(word) > 1 and unit_named(word.lower())), "")
    for row, cells in enumerate(rows):
        if number >= len(cells):
            continue
        text = cells[number][1]
        tokens, values = read_tokens(text)
        if unit and all(one.kind is Kind.NUMBER for one in values):
            tokens, values = read_tokens(f"{text} {unit}")
        own = list(intervals(values, tokens)) or _from_to(text, values)
        words.append(text)
        if len(own) == 1:
            brackets.append(Bracket(*own[0][:3], row))
            aged = aged or is_of_ages(tokens, own[0][2])
    kinds = {(dimension(one.bound), one.bound.unit if one.bound.kind is Kind.MONEY else "") for one in brackets}
    if len(brackets) < 2 or len(kinds) != 1:
        return None
    stems = frozenset(one for text in words for _, one in stems_in(read_tokens(text)[0], [], stem))
    return Column(number, tuple(brackets), stems, aged or any(_AGE.search(text) for text in words))


def _from_to(text: str, values: Sequence[Value]) -> list[tuple[float, float, Value]]:
    """ "1 to 10", which is a range where it stands alone."""
    if (
        len(values) != 2
        or values[0].kind is not values[1].kind
        or text[values[0].end : values[1].start].strip() != "to"
    ):
        return []
    low, high = (in_base(one.amount, one.unit) for one in values)
    return [(low, high, values[0])]
