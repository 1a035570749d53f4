"""Values that an answer takes over from its question: "For a $35 order" where the question says that the order was $35. Documents need not state them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidecar.inference.values.compare import equal
from sidecar.inference.values.value import Kind, Value

_BEFORE = 48  # characters
_CASE = re.compile(
    r"\b(?:(?:for|with|if|when|given|your|my)\b[^,.;:!?\n]{0,30}|you(?:'re|’re| are) at )$", re.IGNORECASE
)
_ONE = re.compile(r"\b(?:an?|my|your|any|you(?:'re|’re| are) at) $", re.IGNORECASE)
_WANTED = re.compile(
    r"\b(?:ask|call|look|pay|charg|bill|requir|appl)\w{0,3} (?:\w+ )?for [^,.;:!?\n]{0,12}$", re.IGNORECASE
)
_MAY_BE_SO = re.compile(
    r"(?:is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)\b", re.IGNORECASE
)


def supposed(claim: str, own: Sequence[Value], question: str, asked: Sequence[Value]) -> frozenset[Value]:
    """Those of a claim's values that it states as the asker's own case. `asked` are the values of the question. Of a question for yes or no, which may
    ask for the value itself ("Does it last for 3 years?"), only "a $35 order" is a case."""
    if not asked:
        return frozenset()
    says = _ONE if _MAY_BE_SO.match(question.strip()) else _CASE
    return frozenset(
        one
        for one in own
        if says.search(claim[max(0, one.start - _BEFORE) : one.start])
        and not _WANTED.search(claim[max(0, one.start - _BEFORE) : one.start])
        and any(_is_same(one, other) for other in asked)
    )


def _is_same(own: Value, asked: Value) -> bool:
    """Whether a value is one of the question's, with its unit or, "you're at 30", without."""
    if own.kind is Kind.NUMBER and not own.per and asked.kind in (Kind.NUMBER, Kind.QUANTITY):
        return own.amount == asked.amount
    return equal(own, asked) and equal(asked, own)
