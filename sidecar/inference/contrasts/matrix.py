"""What a claim says that several things have or lack of which a table has a mark for each: "SSO is part of Pro and Business" of a row "SSO | ✗ | ✗ | ✓", "only
Business has it", "all plans do"; and what one of them has in words: "Pro has phone support" where Business has it. Things may be columns or rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sidecar.inference.contrasts.cells import words_of_cell
from sidecar.inference.contrasts.lacking import EMPTY, FULL, Field, Lacking
from sidecar.inference.contrasts.reading import Reading

_LEAST_MARKS, _MOST_MORE = 2, 1  # of a row; words
_DENY = frozenset("not no without never lack lacks neither nor cannot missing excludes exclude n't none".split())
_EVERY = frozenset("all every each any both".split())
_EXCEPT = frozenset("except apart excluding".split())
_ONLY = frozenset("only just alone exclusively exclusive solely".split())
_SETS_APART = frozenset(
    "if unless than unlike instead upgrade upgrading need needs require requires or while whereas but add extra besides until from up starting "
    "starts higher lower above below other others rest most some".split()
)
_JOINS, _ENDS = frozenset(", and & both the as well plan plans".split()), frozenset(".;:!?\n")
_SAYS_LITTLE = frozenset(  # stems
    "plan tier package edition version model includ com come part available support featur get offer contain hav own option customer user product everyone work provid".split()
)


def marked(claim: Reading, cells: Sequence[Field]) -> Lacking | None:
    """Whether the cells say what a claim says of the row, and the columns, that it names, or of the column and its rows; None where that is not told. `right`
    says so, `cell` is one that tells it."""
    said = frozenset(stem for stem in claim.stems if stem is not None)
    words = frozenset(claim.words)
    words -= {"from"} if "apart" in words else frozenset()
    if not _SETS_APART.isdisjoint(words) or not _ENDS.isdisjoint(claim.words[:-1]):
        return None  # several statements
    turned = [replace(cell, row=cell.column, column=cell.row) for cell in cells]
    for fields in (cells, turned):
        found = _of_marks(claim, words, said, fields)
        if found is not None:
            return found
    return _in_words(claim, words, said, cells)


def _of_marks(claim: Reading, words: frozenset[str], said: frozenset[str], cells: Sequence[Field]) -> Lacking | None:
    row = _only(one.row for one in cells if one.row and one.row <= said)
    marks = [(one, state) for one in cells if one.row == row and (state := _state(one)) is not None]
    if row is None or len(marks) < _LEAST_MARKS or len(marks) != sum(one.row == row for one in cells):
        return None
    named = _maximal({one.column for one, _ in marks if one.column and one.column <= said - row})
    denied = sum(word in _DENY or word.endswith(("n't", "n’t")) for word in words)
    every, only = not words.isdisjoint(_EVERY), not words.isdisjoint(_ONLY)
    but = not words.isdisjoint(_EXCEPT)
    told = named or every
    if not told or not _stand_together(claim, named) or denied + every + only > 1 or but is not bool(every and named):
        return None
    expected = {one.column: not denied for one, _ in marks if one.column in named}
    if every or only:
        expected = {one.column: (one.column in named) is only for one, _ in marks}
    more = said - row - frozenset().union(*named) - _SAYS_LITTLE - _EVERY - _ONLY - _EXCEPT
    amiss = [one for one, state in marks if expected.get(one.column, state) is not state]
    if len(more) > (_MOST_MORE if amiss else 0):
        return None  # it says more, of which the table tells nothing
    return Lacking(*_span(claim), (amiss or [one for one, _ in marks])[0], not amiss)


def _stand_together(claim: Reading, names: set[frozenset[str]]) -> bool:
    """Whether nothing is said between the names, as in "Pro and Business"."""
    every = frozenset().union(*names)
    at = [k for k, stem in enumerate(claim.stems) if stem in every]
    between = range(at[0], at[-1]) if at else range(0)
    return all(claim.stems[k] in every or claim.words[k] in _JOINS for k in between)


def _in_words(claim: Reading, words: frozenset[str], said: frozenset[str], cells: Sequence[Field]) -> Lacking | None:
    """Where a claim says of one column what the row that it names has in another one alone."""
    row = _only(one.row for one in cells if one.row and one.row <= said)
    own = [one for one in cells if one.row == row and one.column and one.column <= said]
    if row is None or len(own) != 1 or not words.isdisjoint(_DENY | _EVERY | _ONLY) or claim.denied:
        return None
    mine, rest = words_of_cell(own[0].words), said - row - own[0].column
    if not mine or mine & rest or _state(own[0]) is not None:
        return None
    others = [one for one in cells if one.row == row and (words_of_cell(one.words) - mine) & rest]
    return Lacking(*_span(claim), own[0], False) if others else None


def _state(cell: Field) -> bool | None:
    """Whether a cell is a mark for what is there, or for what is not; None of any other."""
    low = cell.words.strip(" .*_`").lower()
    return True if low in FULL else False if low in EMPTY else None


def _only(rows: Iterator[frozenset[str]]) -> frozenset[str] | None:
    """The one row that is named, of several that one has all words of."""
    found = _maximal(set(rows))
    return next(iter(found)) if len(found) == 1 else None


def _maximal(names: set[frozenset[str]]) -> set[frozenset[str]]:
    return {one for one in names if not any(one < other for other in names)}


def _span(claim: Reading) -> tuple[int, int]:
    return claim.spans[0][0], claim.spans[-1][1]
