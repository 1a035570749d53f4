"""Where a claim tells of one thing what a section about another of its kind says: why shipment 88213 was held, of a text about shipment 88231.

Sections are told apart by their headings (values/labelled.py), so that both are known to be of a kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading

REFERS = frozenset("same like as see above below previous ditto".split())
OF_ANOTHER = re.compile(
    r"\b(?:other|another|else|elsewhere|next|previous|earlier|instead|upgrade|downgrade|cheaper|before|after|missed|different|switch)\b",
    re.IGNORECASE,
)
# Of what a claim says that stands in the other section alone: so many words of half of it, or fewer of more.
_LEAST = ((3, 0.5), (2, 0.65))


@dataclass(frozen=True, slots=True)
class Line:
    """The stems of a sentence in a section that `row` tells from others of its kind, and where it stands: (document, sentence)."""

    row: frozenset[str]
    stems: frozenset[str]
    place: tuple[int, int]


def misattributed(
    claim: Reading,
    question: frozenset[str],
    lines: Sequence[Line],
    others: Sequence[frozenset[str]],
    weight: Callable[[str], float],
) -> Line | None:
    """The line of another section that says what the claim says of the one that it names, or its question where it names none. `others` are the stems of
    sentences in no section; what they say may be of any. A claim that denies is not looked at."""
    if claim.denied or claim.partly or claim.denying or not REFERS.isdisjoint(claim.words):
        return None
    said = frozenset(stem for stem in claim.stems if stem is not None)
    rows = {one.row for one in lines}
    name, told = named(rows, said), said
    if name is None and not any(row & said for row in rows):
        name, told = named(rows, question), said | question
    if name is None or any((row - name) & told for row in rows):
        return None
    own = frozenset[str]().union(*(one.stems for one in lines if one.row == name))
    if not REFERS.isdisjoint(own):
        return None  # "cleaned like standard rooms"
    known = name.union(own, *others)
    rest = said - name
    foreign = rest - known
    total = sum(map(weight, rest))
    by_row = {
        row: frozenset().union(*(one.stems for one in lines if one.row == row)) & foreign for row in rows - {name}
    }
    words = max(by_row.values(), key=lambda found: sum(map(weight, found)), default=frozenset[str]())
    share = sum(map(weight, words)) / total if total else 0.0
    if not any(len(words) >= least and share >= part for least, part in _LEAST):
        return None
    return max((one for one in lines if one.row != name), key=lambda one: len(one.stems & words))


def named(rows: set[frozenset[str]], words: frozenset[str]) -> frozenset[str] | None:
    """The one row that words name; of two of which one has all words of the other that one."""
    found = [row for row in rows if row <= words]
    found = [row for row in found if not any(row < other for other in found)]
    return found[0] if len(found) == 1 else None
