"""Which row of a table has the most, where a claim says it: "February had the most visitors" of a table in which March had more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.stated import Stated, Stem
from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import Hedge, Kind

_SIGNS: Mapping[str, int] = {
    **dict.fromkeys("most highest largest biggest greatest longest".split(), 1),
    **dict.fromkeys("fewest lowest smallest least shortest".split(), -1),
}
# Of these what is measured is known without the name of a column: its dimension, and whether it is the most of it.
_OF_DIMENSION: Mapping[str, tuple[str, int]] = {
    **dict.fromkeys(("cheapest", "least expensive", "least costly"), (Kind.MONEY, -1)),
    **dict.fromkeys(("dearest", "priciest", "costliest", "most expensive", "most costly"), (Kind.MONEY, 1)),
    "lightest": (UNITS["g"].dimension, -1),
    "heaviest": (UNITS["g"].dimension, 1),
}
_EXTREME = re.compile(
    rf"\b(?:the|has|had|with)\s(?P<word>{'|'.join((*_OF_DIMENSION, *_SIGNS))})\b(?!\s(?:of|recent|likely|common))",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\w[\w'’-]{0,60}")
_DENIES = re.compile(
    r"\b(?:not|no|never|nor|neither|among|one of|second|third|except|apart|if|than)\b|n['’]t\b", re.IGNORECASE
)
_MOST_CHARACTERS = 300
_APART = 1.0001
_EXACT = frozenset({Hedge.NONE, Hedge.ABOUT})
_MEASURES = frozenset({Kind.MONEY, Kind.QUANTITY, Kind.PERCENT, Kind.NUMBER})


@dataclass(frozen=True, slots=True)
class Extreme:
    """claim[start:end] says that a row has the most, or least; `other`, in the text number `piece`, has more, or less."""

    start: int
    end: int
    piece: int
    other: Stated


def says_most(claim: str) -> bool:
    """Whether a claim says that something has the most, or least, of something."""
    return _EXTREME.search(claim[:_MOST_CHARACTERS]) is not None


def wrong_extreme(claim: str, pieces: Sequence[Sequence[Stated]], stem: Stem) -> Extreme | None:
    """Where a table has another row with more in the column that the claim names. None where it names no row alone, or no column alone."""
    found = _EXTREME.search(claim[:_MOST_CHARACTERS])
    if found is None or _DENIES.search(claim):
        return None
    word = found.group("word").lower()
    measured, sign = _OF_DIMENSION.get(word, ("", _SIGNS.get(word, 0)))
    stems = frozenset(one for each in _NAMED.findall(claim.lower()) if (one := stem(each)) is not None)
    cells = [
        (number, one)
        for number, piece in enumerate(pieces)
        for one in piece
        if one.row and one.value.kind in _MEASURES and one.value.hedge in _EXACT
        if (dimension(one.value) == measured if measured else one.head & stems)
    ]
    rows = {one.row for _, one in cells if one.row <= stems}
    columns = {
        (one.head, dimension(one.value), one.value.unit if one.value.kind is Kind.MONEY else "") for _, one in cells
    }
    if len(rows) != 1 or len(columns) != 1:
        return None
    [row] = rows

    def much(one: Stated) -> float:
        return sign * in_base(one.value.amount, one.value.unit)

    own = max(much(one) for _, one in cells if one.row == row)
    number, other = max(cells, key=lambda cell: much(cell[1]))
    if much(other) - own <= (_APART - 1) * abs(own):
        return None
    return Extreme(found.start("word"), found.end("word"), number, other)
