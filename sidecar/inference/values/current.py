"""Which side of a change what a claim says is of: "the limit is 5 GB" says what is now, an answer to "What did it cost before?" what was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.values.changes import SIDED
from sidecar.inference.values.stated import Stated

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


def _of_side(one: Stated, side: int) -> Stated:
    return replace(one, value=replace(one.value, side=side)) if one.value.kind in SIDED else one
