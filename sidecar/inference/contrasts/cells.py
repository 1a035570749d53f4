"""Where a claim says of a row of a table what another row has: "Team has phone support" of a table in which Team has chat and Business phone.

Words alone; figures are values (values/match.py). Lists of what several things have are read so too: "Team: 20 users, chat support"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading
from sidecar.inference.embedding.text import content_stem, read_words
from sidecar.inference.values.tables import cells_of
from sidecar.inference.values.units import unit_named

_LEAST_CELLS = 2  # of a row
_LEAST_ITEMS, _MOST_STEMS = 2, 4  # of a label; of an item: more is a sentence
_OF_ALL = frozenset(
    stem
    for word in "all any every each everyone everybody everything both same common shared also plus add-on add-ons previous above below build builds".split()
    if (stem := content_stem(word)) is not None
)
_BEGINNING = 4  # letters
_DAILY = "daily"  # a label that is of all others
_SETS_APART = frozenset(
    "upgrade upgrading unlike than instead except besides only add extra additional need needs require requires or if while whereas but without lacks".split()
)


@dataclass(frozen=True, slots=True)
class Cell:
    """The stems of a cell without figures, and where it stands in the row."""

    stems: frozenset[str]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: the number of the text that it is, the head of its table with the stems of it, and its cells; the first names it."""

    text: int
    head: str
    of_head: frozenset[str]
    cells: Sequence[Cell]

    @property
    def stems(self) -> frozenset[str]:
        """Of all its cells."""
        return frozenset().union(*(cell.stems for cell in self.cells))


@dataclass(frozen=True, slots=True)
class Misplaced:
    """claim[start:end] names a row; what is said of it stands in another one, the text number `piece`, at other_start:other_end."""

    start: int
    end: int
    piece: int
    other_start: int
    other_end: int


def row_of(number: int, text: str, head: str) -> Row | None:
    """A row of a table, the text number `number`, None of one of a single cell."""
    cells, heads = cells_of(text, head)
    if len(cells) < _LEAST_CELLS:
        return None
    told = [Cell(words_of_cell(cell), start, start + len(cell)) for start, cell in cells]
    return Row(number, head, words_of_cell(" ".join(heads)), told)


def words_of_cell(text: str) -> frozenset[str]:
    """The stems of a cell but for figures and units, which are of values."""
    words = " ".join(word for word in text.split() if unit_named(word) is None)
    return frozenset(one for one in read_words(words).stems if not one[0].isdecimal())


def misplaced(claim: Reading, rows: Sequence[Row], others: Sequence[Reading]) -> Misplaced | None:
    """The first such cell. `others` are the texts that are no rows; what one of them says of the row is true of it. A claim that denies is not looked at."""
    if claim.denied or claim.partly or claim.denying:
        return None
    said = frozenset(stem for stem in claim.stems if stem is not None and not stem[0].isdecimal())
    named = [row for row in rows if row.cells[0].stems and row.cells[0].stems <= said]
    if len({row.cells[0].stems for row in named}) != 1:
        return None
    own, name = named[0], named[0].cells[0].stems
    rest = said - name - own.of_head
    told = [frozenset(stem for stem in text.stems if stem is not None) for text in others]
    for row in rows:
        if row.head == own.head and row.cells[0].stems != name:
            found = list(_said_of(rest, own, row))
            instead = [mine for mine, _ in found if mine and not mine <= rest]
            known = any(
                name <= text and not text.isdisjoint(cell.stems - own.stems) for _, cell in found for text in told
            )
            if len(found) == len(instead) == 1 and not known:  # who says more of a row speaks of it, by whatever name
                [(_, cell)] = found
                return Misplaced(*_place(claim, name), row.text, cell.start, cell.end)
    return None


@dataclass(frozen=True, slots=True)
class Item:
    """The stems of one thing that a labelled line has, or a line below a heading, those of its label, whether it has `figures`, which are values, and where
    it stands: (document, sentence), and characters of the sentence. `group` is the number of its list."""

    row: frozenset[str]
    group: int
    stems: frozenset[str]
    figures: bool
    place: tuple[int, int]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Astray:
    """claim[start:end] is said of one label and stands under another, as `item`."""

    start: int
    end: int
    item: Item


def astray(claim: Reading, items: Sequence[Item], others: Sequence[frozenset[str]]) -> Astray | None:
    """Where a claim says of one label what stands under another alone. `others` are the stems of sentences that have no label; what one of them says of
    the label is true of it. Only lists of which every label has two items at least, and both labels something alike ("chat support", "phone support"), are read so: others are what
    one thing is, "Name: ..., Licence: ..."."""
    if claim.denied or claim.partly or claim.denying or not _SETS_APART.isdisjoint(claim.words):
        return None
    said = frozenset(stem for stem in claim.stems if stem is not None and not stem[0].isdecimal())
    labels = {one.row for one in items}
    named = {row for row in labels if row <= said}
    named = {row for row in named if not any(row < other for other in named)}
    if len(named) != 1 or any(_touches(row, said) for row in labels - named if not row & next(iter(named))):
        return None
    [name] = named
    groups = {one.group for one in items if one.row == name}
    counts = Counter((one.group, one.row) for one in items)
    every = frozenset[str]().union(*labels, *(one.stems for one in items), *others)
    if (
        len(groups) != 1
        or every & _OF_ALL
        or any(_DAILY in row for row in labels)
        or any(n < _LEAST_ITEMS for (group, _), n in counts.items() if group in groups)
    ):
        return None
    own = frozenset[str]().union(*(one.stems for one in items if one.row == name))
    if own & frozenset[str]().union(*(labels - named)):
        return None  # "all that Basic has"
    rest = said - name
    for one in items:
        if one.figures or one.row == name or one.group not in groups or len(one.stems) > _MOST_STEMS:
            continue
        alike = frozenset[str]().union(*(other.stems for other in items if other.row == one.row)) & own
        foreign = one.stems - own
        words = foreign & rest
        whole = one.stems <= rest or (2 * len(words) >= len(foreign) and not rest & own - one.stems)
        if words and whole and alike and not any(words & text for text in others):
            at = [k for k, stem in enumerate(claim.stems) if stem in words]
            return Astray(claim.spans[at[0]][0], claim.spans[at[-1]][1], one)
    return None


def _touches(row: frozenset[str], words: frozenset[str]) -> bool:
    """Whether words have any of a row, be it in another form: "whales" of "Whale watching"."""
    begin = {word[:_BEGINNING] for word in words if len(word) >= _BEGINNING}
    return not row.isdisjoint(words) or not begin.isdisjoint(word[:_BEGINNING] for word in row)


def _said_of(rest: frozenset[str], own: Row, other: Row) -> Iterator[tuple[frozenset[str], Cell]]:
    """The cells of another row whose words a claim has, each behind the words that its own row has there instead."""
    for mine, cell in zip(own.cells[1:], other.cells[1:], strict=False):
        words = cell.stems - own.stems - own.of_head
        if words and words <= rest:
            yield mine.stems - cell.stems, cell


def _place(claim: Reading, name: frozenset[str]) -> tuple[int, int]:
    at = [k for k, stem in enumerate(claim.stems) if stem in name]
    return claim.spans[at[0]][0], claim.spans[at[-1]][1]
