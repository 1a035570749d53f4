"""Where an answer tells steps in another order than a text: "restart the nodes, then clear the cache" of a list that has it the other way round."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading, Weight

_THEN = frozenset("then finally afterwards lastly subsequently".split())
_AT_AN_END = frozenset({"next", "last"})  # of a clause; else it is "last summer"
_ORDERED = _THEN | frozenset("first step steps".split())
_TURNS = frozenset("before after until once when if".split())  # what stands behind may come first
_OF_IT = 0.6  # share of a step's words from which on a clause of a text is that step
_CLEARLY = 0.3  # by how much more than any other clause
_LEAST = 4.0  # of idf: what a step says


@dataclass(frozen=True, slots=True)
class Step:
    """A clause as a step: its stems, the number of the text that it is of, where it stands there, whether "then" or the like opens it."""

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


def tells_steps(parts: Sequence[Reading]) -> bool:
    """Whether an answer tells what comes after what."""
    return any(step.follows for step in _steps(parts))


def turned_steps(parts: Sequence[Reading], pieces: Sequence[Reading], weight: Weight) -> list[Turned]:
    """Steps that the answer's parts tell behind "then" and the like of which one text, by its pieces in their order, tells the later first."""
    if not any(_ordered(piece) for piece in pieces):
        return []
    own, others = list(_steps(parts)), list(_steps(pieces))
    places = [_place(step, others, weight) for step in own]
    return [
        Turned(two, others[second])
        for (_, first), (two, second) in itertools.pairwise(zip(own, places, strict=True))
        if two.follows and first is not None and second is not None and second < first
    ]


def _ordered(piece: Reading) -> bool:
    return piece.words != () and (piece.words[0].isdecimal() or not _ORDERED.isdisjoint(piece.words))


def _place(step: Step, others: Sequence[Step], weight: Weight) -> int | None:
    """The number of the one clause that is this step."""
    total = sum(map(weight, step.stems))
    if total < _LEAST:
        return None
    shares = [sum(map(weight, step.stems & other.stems)) / total for other in others]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    if best is None or shares[best] < _OF_IT:
        return None
    rest = max((share for n, share in enumerate(shares) if n != best), default=0.0)
    return best if shares[best] >= rest + _CLEARLY else None


def _steps(texts: Sequence[Reading]) -> Iterator[Step]:
    for number, text in enumerate(texts):
        for at in text.by_clause():
            words = [text.words[k] for k in at]
            stems = frozenset(
                one for k in at if text.words[k] not in _ORDERED | _AT_AN_END and (one := text.stems[k]) is not None
            )
            if stems and _TURNS.isdisjoint(words):
                follows = not _THEN.isdisjoint(words) or not _AT_AN_END.isdisjoint((words[0], words[-1]))
                yield Step(stems, number, text.spans[at[0]][0], text.spans[at[-1]][1], follows)
