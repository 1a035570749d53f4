"""Tables of an answer, as Markdown and terminals draw them: each cell with the name of its column and the first cell of its row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from sidecar.evaluate.text.marked import Marked, joined

_ROW = re.compile(r"^\s*+\|(?P<cells>.+)\|\s*+")
_OPEN_ROW = re.compile(r"^\s*+\|?+(?P<cells>.+)")
_RULE = re.compile(r"^\s*+(?:[-*_=]{3,}+|(?=[^-=]*+[-=])[-:|+][\s:|+=-]{2,}+)\s*+")
_IN_ITEM = re.compile(r"^\s*+(?:[-*+•]|\d{1,3}[.)])\s++(?=\|)")
_BAR = re.compile(r"(?<!\\)\|")
_ESCAPED_BAR = re.compile(r"\\(?=\|)")
_POINT = re.compile(r"^[•‣◦▪●]\s++")
_BLANK_CELLS = frozenset(("", "-", "–", "—", "--", "n/a", "na"))
_YES = frozenset("✓✔✅☑")
_NO = frozenset("✗✘❌✖✕🚫")
_AN_X = re.compile("[xX×]")
_X = frozenset("x×")  # a "no" beside "yes", else hardly to be told from a tick or a value
_ENGLISH, _CHINESE = ("yes", "no"), ("是", "否")
_HAN = re.compile(r"[\u3400-\u9fff]")
_AROUND_MARK = "*_` \ufe0f"
_OF_FEATURES = frozenset("feature features capability capabilities function functions 功能 特性".split())
_MOST_LINES = 50  # of one row
_LEAST_NOTE = 4  # words
_ENDS_SENTENCE = (".", "!", "。", "！")
_NO_NAMES = frozenset(
    "attribute property field feature item key name parameter spec specification aspect detail details value info information description "
    "category 项目 名称 属性 参数 内容 说明 值 #".split()
)
_NOTHING = Marked("", ())


def is_rule(line: str) -> bool:
    """Whether a line is drawn only: between sections, or between rows of a table."""
    return _RULE.fullmatch(line) is not None


def row_of(line: Marked, after: str, *, going: bool) -> Marked | None:
    """The cells of a row with the bars between them; of one without bars at its ends only where a table is `going` on or a rule of one comes
    `after`."""
    if "|" not in line.text:
        return None
    row = _ROW.fullmatch(line.text)
    if row is None:
        if item := _IN_ITEM.match(line.text):
            line = line.cut(item.end())
            row = _ROW.fullmatch(line.text)
        if row is None and (going or ("|" in after and is_rule(after))):
            row = _OPEN_ROW.fullmatch(line.text)
    return line.cut(*row.span("cells")) if row else None


def is_table(text: str) -> bool:
    """Whether a text is rows with bars, and nothing else but rules."""
    rows = [line for line in text.splitlines() if line.strip() and not is_rule(line)]
    return len(rows) > 1 and all(map(_ROW.fullmatch, rows))


@dataclass(slots=True)
class Table:
    """The rows of a table as they are read, the first of which names its columns; cut into cells where they are said."""

    rows: list[list[Marked]] = field(default_factory=list)  # each with the lines that it stands on
    apart: bool = False  # an empty line came after the last row
    _grid: bool = False
    _ruled: bool = False  # below the last row

    @property
    def begun(self) -> bool:
        """Whether a row or a rule was read, or an empty line in their place."""
        return bool(self.rows) or self._grid or self._ruled or self.apart

    def add(self, row: Marked) -> None:
        """One more row; in a grid one without a first cell goes on with the row that stands on it."""
        goes_on = self._grid and bool(self.rows) and not self._ruled and len(self.rows[-1]) < _MOST_LINES
        if goes_on and not row.text.partition("|")[0].strip():
            self.rows[-1].append(row)
        else:
            self.rows.append([row])
        self.apart = self._ruled = False

    def rule(self, line: str) -> None:
        """A rule below a row, or above the first."""
        self._grid = self._grid or "+" in line
        self._ruled = True

    def ends_before(self, line: str, after: str) -> bool:
        """Whether another table, or what is no table, begins with a line behind an empty one."""
        return self.apart and (is_rule(after) or (is_rule(line) and "|" not in line and "+" not in line))

    def said(self) -> Iterator[Marked]:
        """What its cells state, row by row."""
        if not self.rows:
            return
        names, body = _cells(self.rows[0]), self.rows[1:]
        x_denies = any(_AN_X.search(line.text) for row in body for line in row) and _x_denies(names, map(_cells, body))
        words = _CHINESE if any(_HAN.search(cell.text) for cell in names) else _ENGLISH
        for row in map(_cells, body):
            first = row[0] if _mark(row[0]) in _X else _read(row[0], words, x_denies=False)
            yield from _row(names, [first, *(_read(cell, words, x_denies=x_denies) for cell in row[1:])])


def _cells(row: Sequence[Marked]) -> list[Marked]:
    """The cells of a row, each out of all lines that it stands on."""
    if len(row) > 1:
        return [joined(parts) for parts in zip_longest(*(_cells([line]) for line in row), fillvalue=_NOTHING)]
    (line,) = row
    ends = [bar.start() for bar in _BAR.finditer(line.text)]
    bounds = zip([0, *(n + 1 for n in ends)], [*ends, len(line.text)], strict=True)
    cells = [line.cut(start, end) for start, end in bounds]
    if "\\" in line.text:
        cells = [cell.replaced(_ESCAPED_BAR) for cell in cells]
    return [cell.cut(point.end()) if (point := _POINT.match(cell.text)) else cell for cell in cells]


def _mark(cell: Marked) -> str:
    return cell.text.strip(_AROUND_MARK).lower()


def _x_denies(header: Sequence[Marked], body: Iterable[Sequence[Marked]]) -> bool:
    """Whether "x" is a "no": beside a "yes", or of features of which none is left empty, as it were where "x" is the tick."""
    marks = {_mark(cell) for row in body for cell in row[1:]}
    return not marks.isdisjoint(_YES | {"yes", "是"}) or (
        _mark(header[0]) in _OF_FEATURES and marks.isdisjoint(_BLANK_CELLS)
    )


def _read(cell: Marked, words: tuple[str, str], *, x_denies: bool) -> Marked:
    """A tick as "yes", a cross as "no", which are the `words`, and nothing of what stands for nothing."""
    mark = _mark(cell)
    if mark in _BLANK_CELLS or (mark in _X and not x_denies):
        return _NOTHING
    yes, no = words
    word = yes if mark in _YES else no if mark in _NO or mark in _X else ""
    start, end = cell.span
    return Marked(word, [*[start] * (len(word) - 1), end - 1]) if word else cell


def _row(header: Sequence[Marked], cells: Sequence[Marked]) -> Iterator[Marked]:
    """The cells of a row beside their names, each with the first, which says of what it speaks; that alone only of a list, or as a note."""
    names = [*header, *[_NOTHING] * (len(cells) - len(header))]
    named = [_named(name, cell) for name, cell in zip(names, cells, strict=False)]
    first, *rest = named
    if first.text and not any(cell.text for cell in rest):
        if len(header) == 1 or _is_note(cells[0].text):
            yield first if len(header) == 1 else cells[0]
        return
    for cell, own in zip(rest, cells[1:], strict=False):
        if cell.text:
            nameless = cell is own and first is cells[0]
            yield _with_mark(first, ":" if nameless else ";", cell) if first.text else cell


def _is_note(text: str) -> bool:
    return text.endswith(_ENDS_SENTENCE) and (len(text.split()) >= _LEAST_NOTE or not text.isascii())


def _named(name: Marked, cell: Marked) -> Marked:
    """A cell after the name of its column."""
    title = name.text.strip("*_ ")
    if not title or title.lower() in _NO_NAMES or not cell.text:
        return cell
    return Marked(f"{title}: {cell.text}", [cell.places[0]] * (len(title) + 2) + list(cell.places))


def _with_mark(one: Marked, mark: str, other: Marked) -> Marked:
    """Two cells of a row with a mark between them."""
    return Marked(f"{one.text}{mark} {other.text}", [*one.places, other.places[0], other.places[0], *other.places])
