"""Which rows of tables and lists a claim speaks of, and what stands there in place of its value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set

from sidecar.inference.values.alike import is_nearer
from sidecar.inference.values.arithmetic import follows
from sidecar.inference.values.compare import agree, dimension
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.stems import LABELS
from sidecar.inference.values.units import unit_named
from sidecar.inference.values.value import Hedge, Kind, Value

Rows = frozenset[frozenset[str]]
OF_ITS_CLAUSE = 0.6  # a word's share, at least, of its own clause
_CLAUSE_OWN = 0.9
HARDLY = 0.2  # at most, of another value's clause
_TOLD_ALIKE = frozenset({"mass", "volume"})
_ON_TOP = "extra"  # "$39 extra"
_SAYS_LITTLE = frozenset(
    "come cost costs amount pay paid take get charg charge need extra add last have hav total set".split()
)
_BEGINNING = 6  # letters: "installed" of "Installation"
_MOST_OF_IT = 0.6  # of a row's words


def rows_named(claim: Sequence[Stated], cells: Sequence[Stated], about: frozenset[str]) -> Rows:
    """The rows of cells that a claim names, or one of several things that they are of, or that it does with `about`, what its pronouns stand for."""
    rows = [one.row for one in cells]
    counts = Counter(word for row in set(rows) for word in row)
    own = _with_labels(stem for one in claim for stem in (*one.words, one.value.name))
    counted = {f"{one.value.amount:g}" for one in claim if one.value.kind is not Kind.NUMBER}
    rows = [row for row in rows if not row <= counted]  # 2 of "2 days" is no "zone 2"
    return (
        frozenset(row for row in rows if row <= own)
        or frozenset(
            row for row in rows if about and row <= own | about and not _is_of_another_day(row, claim, cells, about)
        )
        or frozenset(one.row for one in cells if any(part <= own and _alone(part, counts) for part in one.parts))
        or _mostly_named(frozenset(rows), own | about)
    )


def _is_of_another_day(
    row: frozenset[str], claim: Sequence[Stated], cells: Sequence[Stated], about: frozenset[str]
) -> bool:
    """Whether a claim tells another day of what its pronoun stands for than the line of a list does: "It should reach you on 9 May" of "Shipped: 5 May"."""
    there = [one for one in cells if one.row == row]
    days = all(one.value.kind is Kind.DATE for one in (*claim, *there))
    words = frozenset().union(*(one.words for one in claim)) - about - row
    return days and not any(one.head for one in there) and any(not word.isdecimal() for word in words)


def _alone(part: frozenset[str], counts: Counter[str]) -> bool:
    """Whether no other row has a word of a thing that one row is of."""
    return all(counts[word] == 1 for word in part)


def _mostly_named(rows: Rows, words: frozenset[str]) -> Rows:
    """The one row most of whose words are there, where of no other row any is that tells it from the rest: "the luggage desk" of "Left luggage desk",
    "Data Science" of "MSc Data Science" beside "MSc Forestry"."""
    counts = Counter(word for row in rows for word in row)
    touched = [row for row in rows if any(counts[word] == 1 for word in row & words)]
    whole = len(touched) == 1 and len(touched[0] & words) >= max(2.0, _MOST_OF_IT * len(touched[0]))
    return frozenset(touched) if whole else frozenset()


def rows_of(
    own: Stated,
    claim: Sequence[Stated],
    cells: Sequence[Stated],
    named: Rows | None,
    question: frozenset[str],
    *,
    columns: bool,
) -> Rows | None:
    """Those of the rows that a claim names which it speaks of with this value, None where that is not known: where it has several of a kind, in the value's
    own clause, but for a list, which has no `columns`; of lines of a list one that is half named."""
    several = sum(dimension(one.value) == dimension(own.value) for one in claim) > 1
    if named and not several:
        return frozenset(row for row in named if not any(row < other for other in named))
    if named and columns:
        mine = question | _of_its_clause(own)
        every = question.union(*(one.words for one in claim))
        return frozenset(row for row in named if row & every <= mine)
    if named:
        return _half_named(own, cells)
    return named if named is None else _half_named(own, cells) or named


def _half_named(own: Stated, cells: Sequence[Stated]) -> Rows | None:
    """The one line of a list, of those with values of the claim's kind, half of whose words or more stand with the claim's value, and no others, which might
    be of the line that has it: "the interest comes to £13,629.12" of "Total interest: £1,629.12"."""
    lines = [one for one in cells if not one.head and dimension(one.value) == dimension(own.value)]
    mine = frozenset(stem for stem in _of_its_clause(own) if unit_named(stem) is None)
    begin = {stem[:_BEGINNING] for stem in mine}
    touched = {one.row: [stem for stem in one.row if stem[:_BEGINNING] in begin] for one in lines}
    touched = {row: words for row, words in touched.items() if words}
    equals = [one for one in lines if agree(own.value, one.value)]
    if len(touched) != 1 or not equals or any(one.row in touched or any(map(unit_named, one.row)) for one in equals):
        return None
    [(row, words)] = touched.items()
    foreign = {stem for stem in mine if stem[:_BEGINNING] not in {word[:_BEGINNING] for word in row}} - _SAYS_LITTLE
    return frozenset(touched) if 2 * len(words) >= len(row) and not foreign else None


def cell_instead(
    own: Stated,
    claim: Sequence[Stated],
    evidence: Sequence[tuple[Stated, int]],
    named: Rows,
    question: frozenset[str],
    may_be_it: Callable[[Value, Value], bool],
) -> tuple[Stated, int] | None:
    """Another value, with its text's number, that the rows `named` have in the column that a claim names, or its question where it names none, where
    others alone have the claim's. None where there is none, and in a list, which names no columns, where the claim speaks of several lines or values, or its
    value may be made of the line's."""
    if (own.value.difference and own.behind != _ON_TOP) or any(own.value.name in row for row in named):
        return None
    cells = [
        (one, piece)
        for one, piece in evidence
        if one.row in named
        and dimension(one.value) == dimension(own.value)
        and (not own.value.per or one.value.per in ("", own.value.per))
    ]
    own_words: Set[str] = {stem for stem, share in own.words.items() if share > HARDLY}
    for one_word in (own.lead, own.label):
        if any(one_word in one.head for one, _ in cells):
            own_words = {one_word}
    if all(one.head.isdisjoint(own_words) for one, _ in evidence):
        own_words = question
    most = max((len(one.head & own_words) for one, _ in cells), default=0)
    cells = [(one, piece) for one, piece in cells if len(one.head & own_words) == most]
    if any(agree(own.value, one.value) or may_be_it(own.value, one.value) for one, _ in cells):
        return None
    if own.value.kind is Kind.MONEY and any(is_multiple(own.value, claim, one.value) for one, _ in cells):
        return None
    if any(not one.head for one, _ in cells):
        if any(one.row <= own.words.keys() and not one.row & _of_its_own(own) for one, _ in cells):
            return None  # the line is named beside, "CHF 630, city tax not counted"
        others = [one.value for one in claim if one is not own]
        several = len({one.row for one, _ in cells}) > 1 or any(
            dimension(one) == dimension(own.value) for one in others
        )
        if several or follows(own.value, [*others, *(one.value for one, _ in evidence if one.row in named)]):
            return None
    equals = [one for one, _ in evidence if agree(own.value, one.value)]
    elsewhere = all(one.row and (one.row not in named or (most and one.head)) for one in equals)
    if any((one.row - frozenset().union(*named)) & _of_its_clause(own) for one in equals):
        return None  # its own row is spoken of as well
    if any(
        agree(one.value, cell.value) and is_nearer(one, own, cell, equal)
        for one in claim
        for cell, _ in cells
        for equal in equals
        if one is not own
    ):
        return None  # the claim has what that row has as well
    return cells[0] if cells and equals and elsewhere else None  # what no cell has may be made of several


def is_multiple(own: Value, claim: Sequence[Stated], cell: Value) -> bool:
    """Whether an amount is that of a cell so many times as a number of the claim says: "€420 for two 50-visit cards"."""
    counts = (one.value.amount for one in claim if one.value.kind is Kind.NUMBER and one.value.amount > 1)
    return cell.kind is Kind.MONEY and cell.unit == own.unit and any(own.amount == n * cell.amount for n in counts)


def other_measure(
    own: Stated,
    claim: Sequence[Stated],
    evidence: Sequence[tuple[Stated, int]],
    of_it: Callable[[Stated, Stated], bool],
) -> tuple[Stated, int] | None:
    """The very figure that the evidence has of a volume where the claim has it of a weight alone, 7.5 ml and 7.5 mg, or the other way round, with its text's
    number. `of_it` says whether it is of the same matter."""
    value = own.value
    if dimension(value) not in _TOLD_ALIKE or value.hedge is not Hedge.NONE:
        return None
    if {dimension(one.value) for one in claim if one.value.amount == value.amount} == _TOLD_ALIKE:
        return None  # "5 mg (5 ml)"
    for one, piece in evidence:
        other = one.value
        alike = {dimension(value), dimension(other)} == _TOLD_ALIKE and other.amount == value.amount and not other.per
        if alike and of_it(own, one):
            return one, piece
    return None


def _of_its_clause(own: Stated) -> frozenset[str]:
    return _with_labels(stem for stem, share in own.words.items() if share >= OF_ITS_CLAUSE)


def _of_its_own(own: Stated) -> frozenset[str]:
    """The stems of the very clause of a value, and those that it shares with others."""
    return _with_labels(stem for stem, share in own.words.items() if share >= _CLAUSE_OWN)


def _with_labels(stems: Iterable[str]) -> frozenset[str]:
    """Stems, and those that label a line which has such a value."""
    own = frozenset(stems)
    return own | {LABELS[stem] for stem in own & LABELS.keys()}
