"""How many times in a while something is, and how long it is from one time to the next: "four issues a year" of what appears quarterly."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sidecar.inference.values.compare import equal
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.units import UNITS
from sidecar.inference.values.value import EVERY, Hedge, Kind, Value

_NEAR = 0.03  # months are not of one length
_BEST = 2  # sentences of which one without other numbers says how often


def as_often(
    own: Sequence[Stated], there: Sequence[Sequence[Stated]]
) -> tuple[dict[Value, tuple[Value, int]], dict[Value, tuple[Value, int]]]:
    """The values of a claim that say as often as one of the evidence does, in the other way, and those that say how often of which a best sentence, without
    any other number, says another of the same; each with the one of the evidence and the number of its sentence. What the evidence has as it is is neither."""
    right, wrong = dict[Value, tuple[Value, int]](), dict[Value, tuple[Value, int]]()
    for mine in own:
        lasts = _lasts(mine.value)
        if lasts is None or any(equal(mine.value, one.value) for piece in there for one in piece):
            continue
        others = [
            (one, number, other)
            for number, piece in enumerate(there)
            for one in piece
            if (one.value.per == EVERY) is not (mine.value.per == EVERY) and (other := _lasts(one.value)) is not None
        ]
        same = [(one.value, number) for one, number, other in others if math.isclose(lasts, other, rel_tol=_NEAR)]
        alone = [(one.value, number) for one, number, _ in others if _tells_alone(mine, one, there[number], number)]
        if same:
            right[mine.value] = same[0]
        elif alone and mine.value.hedge is Hedge.NONE:
            wrong[mine.value] = alone[0]
    return right, wrong


def _lasts(one: Value) -> float | None:
    """Seconds from one time to the next, of what is so many times a while or every so often; None of what says neither."""
    per = UNITS.get(one.per)
    if one.kind is Kind.NUMBER and per is not None and per.dimension == "time" and one.amount > 0:
        return per.factor / one.amount
    if one.per == EVERY and one.kind is Kind.QUANTITY and one.unit in UNITS and one.hedge is Hedge.NONE:
        return one.amount * UNITS[one.unit].factor
    return None


def _tells_alone(mine: Stated, other: Stated, piece: Sequence[Stated], number: int) -> bool:
    """Whether one of the best sentences says of the same how often it is, with one number alone: how many tablets are taken every six hours is another."""
    counted = [one for one in piece if one.value.kind in (Kind.NUMBER, Kind.QUANTITY)]
    return number < _BEST and len(counted) == 1 and not {mine.noun, *mine.words}.isdisjoint(other.words)
