"""What the values of a claim leave to be understood: which side of a change they are of, "the limit is 5 GB" says what is now, an answer to "What did it cost
before?" what was; and whose dollars they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.values.changes import SIDED
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.units import FAMILIES
from sidecar.inference.values.value import Kind

_IS = re.compile(r"\b(?:is|are|costs|has|have|pays?|lasts|takes|holds)\b|['’](?:s|re)\b", re.IGNORECASE)
_ASKS_PAST = re.compile(
    r"\b(?:before|originally|previously|formerly|(?:used to|(?:old|former|previous|original|initial) )[^?]{1,60})\s?\?",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|had|been|did|used|until|till|before|previously|formerly|originally|initially|(?:normal|usual|regular)(?:ly)?|old|former|from|since|ago|"
    r"no longer|not|if|would|instead|rather|than|compared)\b|n['’]t\b",
    re.IGNORECASE,
)
_NATIONAL = re.compile(r"\b(?:us|usd|nok|american|norwegian)\b|us\$", re.IGNORECASE)


def understood(
    claim: str, own: tuple[Stated, ...], there: Sequence[Sequence[Stated]], question: str = ""
) -> tuple[Stated, ...]:
    """The values of a claim with what it leaves unsaid, as the evidence, which is `there`, lets it be understood."""
    return _in_their_currency(claim, current(claim, own, there, question), there)


def current(
    claim: str, own: tuple[Stated, ...], there: Sequence[Sequence[Stated]], question: str = ""
) -> tuple[Stated, ...]:
    """The values of a claim that says what is now, as of that side of any change: "the limit is 5 GB" where it was raised from that; of one that answers what
    was before, which may stand before it, as of the other. As they are where none of those of the evidence, which is `there`, is of a side."""
    if not any(one.value.side for piece in there for one in piece):
        return own
    asked = _ASKS_PAST.search(claim) or (_ASKS_PAST.search(question) if "?" not in claim else None)
    if asked:
        begins = asked.end() if asked.string is claim else 0
        return tuple(_of_side(one, -1) if one.value.start >= begins and not one.value.side else one for one in own)
    if _IS.search(claim) is None or _PAST.search(claim) is not None:
        return own
    return tuple(_of_side(one, 1) for one in own)


def _in_their_currency(claim: str, own: tuple[Stated, ...], there: Sequence[Sequence[Stated]]) -> tuple[Stated, ...]:
    """The values of a claim with its "$" as the dollars that the evidence is in: of "CAD 40" a claim's "$40" is that."""
    told = {one.value.unit for piece in there for one in piece if one.value.kind is Kind.MONEY}
    found = []
    for one in own:
        value = one.value
        others = told & FAMILIES.get(value.unit, frozenset[str]())
        plain = value.kind is Kind.MONEY and others and value.unit not in told
        if plain and _NATIONAL.search(claim, value.start, value.end) is None:
            one = replace(one, value=replace(value, unit=min(others)))
        found.append(one)
    return tuple(found)


def _of_side(one: Stated, side: int) -> Stated:
    return replace(one, value=replace(one.value, side=side)) if one.value.kind in SIDED else one
