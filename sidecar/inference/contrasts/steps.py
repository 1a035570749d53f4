"""Where an answer tells steps in another order than a text: "restart the nodes, then clear the cache", or both by their numbers, of a list that has it the other way
round."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading, Weight

ASKED_FOR = re.compile(
    r"\bhow (?:do|does|should|to)\b|\bin (?:what|which) (?:order|sequence)\b|\b(?:steps|procedure)\b", re.IGNORECASE
)
_THEN = frozenset("then finally afterwards lastly subsequently".split())
_SAID_BEFORE = frozenset("that this which".split())  # "and only after that"
_AT_AN_END = frozenset({"next", "last"})  # of a clause; else it is "last summer"
_ORDERED = _THEN | frozenset("first step steps".split())
_TURNS = frozenset("before after until once when if".split())  # what stands behind may come first
_ARTICLES = frozenset({"the", "a", "an", "some"})
_NUMBER = 2  # tokens: "1."
_OF_IT = 0.6  # share of a step's words from which on a clause of a text is that step
_CLEARLY = 0.3  # by how much more than any other clause
_LEAST = 4.0  # of idf: what a step says


@dataclass(frozen=True, slots=True)
class Step:
    """A clause as a step: its stems, the number of the text that it is of, where it stands there, whether "then" or the like opens it, or a number behind
    another one."""

    stems: frozenset[str]
    text: int
    start: int
    end: int
    follows: bool


@dataclass(frozen=True, slots=True)
class Turned:
    """A step of an answer that is told behind another one, and where a text tells it, before that."""

    later: Step
    other: Step


def tells_steps(parts: Sequence[Reading], counted: Set[int]) -> bool:
    """Whether an answer tells what comes after what. `counted` are the parts that have a number."""
    return any(step.follows for step in _steps(parts, counted))


def turned_steps(
    parts: Sequence[Reading], pieces: Sequence[Reading], weight: Weight, counted: Set[int]
) -> list[Turned]:
    """Steps that the answer's parts tell behind "then" and the like, or by a number, of which one text, by its pieces in their order, tells the later first."""
    if not any(_ordered(piece) for piece in pieces):
        return []
    own, others = list(_steps(parts, counted)), list(_steps(pieces, _numbered(pieces)))
    places = [_place(step, others, weight) for step in own]
    return [
        Turned(two, others[second])
        for (_, first), (two, second) in itertools.pairwise(zip(own, places, strict=True))
        if two.follows and first is not None and second is not None and second < first
    ]


def _ordered(piece: Reading) -> bool:
    return piece.words != () and (piece.words[0].isdecimal() or not _ORDERED.isdisjoint(piece.words))


def _place(step: Step, others: Sequence[Step], weight: Weight) -> int | None:
    """The number of the one clause that is this step. A word tells the less of it the more clauses have it: the program's that every step calls."""
    if sum(map(weight, step.stems)) < _LEAST:
        return None
    telling = {stem: weight(stem) / max(1, sum(stem in other.stems for other in others)) for stem in step.stems}
    total = sum(telling.values())
    shares = [sum(telling[stem] for stem in step.stems & other.stems) / total for other in others]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    if best is None or shares[best] < _OF_IT:
        return None
    rest = max((share for n, share in enumerate(shares) if n != best), default=0.0)
    return best if shares[best] >= rest + _CLEARLY else None


def _numbered(pieces: Sequence[Reading]) -> frozenset[int]:
    """The pieces that are steps with a number, before them or in them."""
    numbers = [
        bool(piece.words) and piece.words[0].isdecimal() and piece.words[1:2] in ((".",), (")",)) for piece in pieces
    ]
    behind = (n + 1 for n, piece in enumerate(pieces) if numbers[n] and len(piece.words) == _NUMBER)
    return frozenset((*behind, *(n for n, piece in enumerate(pieces) if numbers[n] and len(piece.words) > _NUMBER)))


def _deeds(text: Reading) -> list[list[int]]:
    """The tokens of each clause, with what it does to a second thing too: "stir in the eggs and the feta"."""
    found: list[list[int]] = []
    for at in text.by_clause():
        goes_on = found and text.words[at[0]] in _ARTICLES and text.words[at[0] - 1] == "and"
        found[-1 if goes_on else len(found) :] = [[*found[-1], *at] if goes_on else at]
    return found


def _steps(texts: Sequence[Reading], counted: Set[int]) -> Iterator[Step]:
    """The clauses of each text; of one with a number all that it says, but for what comes before it, as one step."""
    for number, text in enumerate(texts):
        behind = {
            k for k in range(len(text.words) - 1) if text.words[k] == "after" and text.words[k + 1] in _SAID_BEFORE
        }
        clauses = [at for at in _deeds(text) if _TURNS.isdisjoint(text.words[k] for k in at if k not in behind)]
        whole = [[k for at in clauses for k in at]] if number in counted and clauses else clauses
        for at in whole:
            words = [text.words[k] for k in at]
            stems = frozenset(
                one for k in at if text.words[k] not in _ORDERED | _AT_AN_END and (one := text.stems[k]) is not None
            )
            if stems:
                then = (
                    not _THEN.isdisjoint(words)
                    or not behind.isdisjoint(at)
                    or not _AT_AN_END.isdisjoint((words[0], words[-1]))
                )
                follows = then or {number - 1, number} <= counted
                yield Step(stems, number, text.spans[at[0]][0], text.spans[at[-1]][1], follows)
