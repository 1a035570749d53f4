"""Where two clauses of an answer have changed the places of two clauses of a text: "payroll approves it, the team lead is told" of "approved by
the team lead, payroll is told".

Whose words are few but all there is not told by any share of words. So two clauses are laid beside two of a text: where each of the answer's
takes something of its own from both of the text's, what belongs to what has been exchanged. A name that merely stands with another's words is
no sign of it (docs/models/embedded.md): both must have moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading

_APART = 2  # clauses from one to the other, at most
_LEAST_MOVED = 2.5  # of idf: what each clause takes from each
_LEAST_HELD = 0.85  # share of what tells the two clauses apart that the text's two have
_IN_ORDER = 0.9  # share of a clause's own words that stand in one clause of a text, from which on it is said there

Weight = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Clause:
    """The stems of a clause, the number of the text that it is of, and where it stands there."""

    stems: frozenset[str]
    text: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two clauses of an answer and the two of a piece that they have changed places of. `strength` (0..1) is the share of what tells the
    answer's apart that the piece's have."""

    strength: float
    own: tuple[Clause, Clause]
    other: tuple[Clause, Clause]


def crossings(parts: Sequence[Reading], pieces: Sequence[Reading], weight: Weight) -> list[Crossing]:
    """The clauses of an answer's parts, in order, that have changed the places of those of the pieces."""
    own = _clauses(parts)
    others = _clauses(pieces) if len(own) > 1 else []
    found: list[Crossing] = []
    for pair in _near(own):
        mine = _apart(pair)
        if not any(_said(side, clause.stems, weight) for side in mine for clause in others):
            crossed = (Crossing(_crossed(mine, one, weight), pair, one) for one in _near(others))
            found.append(max(crossed, key=lambda one: one.strength, default=Crossing(0.0, pair, pair)))
    return [one for one in found if one.strength >= _LEAST_HELD]


def _apart(pair: tuple[Clause, Clause]) -> tuple[Set[str], Set[str]]:
    """What each of two clauses says that the other does not."""
    return pair[0].stems - pair[1].stems, pair[1].stems - pair[0].stems


def _crossed(mine: tuple[Set[str], Set[str]], pair: tuple[Clause, Clause], weight: Weight) -> float:
    moved = [_weight(one & other, weight) for one in mine for other in _apart(pair)]
    return sum(moved) / sum(_weight(side, weight) for side in mine) if min(moved) >= _LEAST_MOVED else 0.0


def _said(side: Set[str], clause: Set[str], weight: Weight) -> bool:
    """Whether a clause of a text says what a clause of the answer says."""
    return _weight(side & clause, weight) >= _IN_ORDER * _weight(side, weight)


def _weight(stems: Set[str], weight: Weight) -> float:
    return sum(weight(one) for one in stems)


def _near(clauses: Sequence[Clause]) -> Iterator[tuple[Clause, Clause]]:
    for n, one in enumerate(clauses):
        for other in clauses[n + 1 : n + 1 + _APART]:
            yield one, other


def _clauses(texts: Sequence[Reading]) -> list[Clause]:
    found: list[Clause] = []
    for number, text in enumerate(texts):
        for at in text.by_clause():
            stems = frozenset(stem for k in at if (stem := text.stems[k]) is not None)
            if stems:
                found.append(Clause(stems, number, text.spans[at[0]][0], text.spans[at[-1]][1]))
    return found
