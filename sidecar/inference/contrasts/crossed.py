"""Where two clauses of an answer have changed the places of two clauses of a text: "payroll approves it, the team lead is told" of "approved by
the team lead, payroll is told".

Whose words are few but all there is not told by any share of words. So two clauses are laid beside two of a text: where each of the answer's
takes something of its own from both of the text's, what belongs to what has been exchanged. A name that merely stands with another's words is
no sign of it (docs/models/embedded-tries.md): both must have moved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading, Weight

_APART = 2  # clauses from one to the other, at most
_LEAST_MOVED = 2.5  # of idf: what each clause takes from each
_LEAST_HELD = 0.85  # share of what tells the two clauses apart that the text's two have
_MOSTLY = 0.75  # share of what tells it apart that a clause has of one of the text's two
_IN_ORDER = 0.9  # share of a clause's own words that stand in one clause of a text, from which on it is said there
_WORKINGS = frozenset("×*+÷=")  # signs of arithmetic, which is in no order of the text's
_BEING = frozenset("is are was were include includes".split())
_PREPOSITIONS = frozenset(
    "of to in for from by with at on as into than per through over under after before during between about".split()
)


@dataclass(frozen=True, slots=True)
class Clause:
    """The stems of a clause, its words with theirs in order, the number of the text that it is of, and where it stands there."""

    stems: frozenset[str]
    words: tuple[tuple[str, str | None], ...]
    text: int
    start: int
    end: int

    def begins_with(self, stems: Set[str]) -> bool:
        """Whether these stand before all others, and a preposition behind them if anything does."""
        led = itertools.takewhile(lambda one: one[1] is None or one[1] in stems, self.words)
        n = max((k for k, (_, stem) in enumerate(self.words) if stem in stems), default=-1) + 1
        return {stem for _, stem in led if stem} == stems and (
            n == len(self.words) or self.words[n][0] in _PREPOSITIONS
        )

    def ends_with(self, stems: Set[str]) -> bool:
        """Whether these stand behind all others."""
        told = [stem for _, stem in self.words if stem]
        return set(told[len(told) - len(stems) :]) == stems


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two clauses of an answer and the two of a piece that they have changed places of. `strength` (0..1) is the share of what tells the
    answer's apart that the piece's have."""

    strength: float
    own: tuple[Clause, Clause]
    other: tuple[Clause, Clause]


def crossings(parts: Sequence[Reading], pieces: Sequence[Reading], weight: Weight) -> list[Crossing]:
    """The clauses of an answer's parts, in order, that have changed the places of those of the pieces."""
    own = _clauses(parts, rows=False)
    others = _clauses(pieces) if len(own) > 1 else []
    takes = [
        {n for n, other in enumerate(others) if _weight(one.stems & other.stems, weight) >= _LEAST_MOVED} for one in own
    ]
    found: list[Crossing] = []
    for k, j in _near(range(len(own))):
        both = [(n, m) for n, m in _near(sorted(takes[k] & takes[j])) if m - n <= _APART]
        pair = own[k], own[j]
        crossed = (
            Crossing(_crossed(pair, (others[n], others[m]), weight), pair, (others[n], others[m])) for n, m in both
        )
        best = max(crossed, key=lambda one: one.strength, default=None)
        if best and best.strength >= _LEAST_HELD and not _said(pair, others, weight):
            found.append(best)
    return found


def _apart(pair: tuple[Clause, Clause]) -> tuple[Set[str], Set[str]]:
    """What each of two clauses says that the other does not."""
    return pair[0].stems - pair[1].stems, pair[1].stems - pair[0].stems


def _crossed(mine: tuple[Clause, Clause], theirs: tuple[Clause, Clause], weight: Weight) -> float:
    sides = _apart(mine)
    moved = [_weight(one & other, weight) for one in sides for other in _apart(theirs)]
    if min(moved) < _LEAST_MOVED or _of_one(moved) or _only_coordinated(mine, theirs):
        return 0.0
    if _enumerate(mine) and _enumerate(theirs):
        return 0.0
    return sum(moved) / sum(_weight(side, weight) for side in sides)


def _enumerate(pair: tuple[Clause, Clause]) -> bool:
    """Whether two clauses say one thing of what they list: "name, email and country are mandatory" of "mandatory are name, email and country"."""
    if pair[0].text != pair[1].text:
        return False
    says = [sum(word in _BEING for word, _ in one.words) for one in pair]
    listed = pair[says.index(0)] if 0 in says else None
    return sum(says) == 1 and listed is not None and all(stem is not None for _, stem in listed.words)


def _of_one(moved: Sequence[float]) -> bool:
    """Whether both clauses say nearly all that one of the text's says and a little of the other: it was told in two, and nothing exchanged."""
    shares = moved[0] / (moved[0] + moved[1]), moved[2] / (moved[2] + moved[3])
    return min(shares) >= _MOSTLY or max(shares) <= 1 - _MOSTLY


def _only_coordinated(mine: tuple[Clause, Clause], theirs: tuple[Clause, Clause]) -> bool:
    """Whether all that has changed places are two things at either side of an "and": "organs and tissues" of "tissues and organs"."""
    (one, two), (there, next_there) = _apart(mine), _apart(theirs)
    left, right = one & next_there, two & there
    return (
        mine[0].ends_with(left)
        and mine[1].begins_with(right)
        and theirs[0].ends_with(right)
        and theirs[1].begins_with(left)
    )


def _said(mine: tuple[Clause, Clause], others: Sequence[Clause], weight: Weight) -> bool:
    """Whether a clause of a text says what one of the two says that the other does not."""
    return any(
        _weight(side & clause.stems, weight) >= _IN_ORDER * _weight(side, weight)
        for side in _apart(mine)
        for clause in others
    )


def _weight(stems: Set[str], weight: Weight) -> float:
    return sum(weight(one) for one in stems)


def _near(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each number with the next few behind it."""
    for n, one in enumerate(numbers):
        for other in numbers[n + 1 : n + 1 + _APART]:
            yield one, other


def _clauses(texts: Sequence[Reading], *, rows: bool = True) -> list[Clause]:
    """The clauses of texts; of rows of a table ("Plan: Team; Price: $39"), whose heads come again with each, only where these are wanted."""
    found: list[Clause] = []
    for number, text in enumerate(texts):
        for at in text.by_clause() if rows or not _is_row(text) else ():
            stems = frozenset(stem for k in at if (stem := text.stems[k]) is not None)
            if stems and _WORKINGS.isdisjoint(text.words[at[0] : at[-1]]):
                words = tuple((text.words[k], text.stems[k]) for k in at)
                found.append(Clause(stems, words, number, text.spans[at[0]][0], text.spans[at[-1]][1]))
    return found


def _is_row(text: Reading) -> bool:
    """Whether a part of an answer is rows as claims have them, "head: cell; head: cell": one after the other, or more."""
    return text.words.count(":") > text.words.count(";") > 0
