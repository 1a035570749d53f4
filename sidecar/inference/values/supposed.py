"""Values that an answer takes over from its question: "For a $35 order" where the question says that the order was $35. Documents need not state them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidecar.inference.values.compare import equal
from sidecar.inference.values.value import Hedge, Kind, Value, around

_BEFORE = 48  # characters
_CASE = re.compile(
    r"\b(?:(?:for|with|if|when|given|your|my)\b[^,.;:!?\n]{0,30}|you(?:'re|’re| are) at )$", re.IGNORECASE
)
_ONE = re.compile(r"\b(?:an?|my|your|any|you(?:'re|’re| are) at) $", re.IGNORECASE)
_OF_ASKERS = re.compile(r"\b(?:i|we|my|our)\b", re.IGNORECASE)
_ON = re.compile(r"on\s", re.IGNORECASE)
_OF_THEM = re.compile(r"\byou(?:['’]ve)?\b[^,.;:!?\n]{0,40}$", re.IGNORECASE)
_WANTED = re.compile(
    r"\b(?:ask|call|look|pay|charg|bill|requir|appl)\w{0,3} (?:\w+ )?for [^,.;:!?\n]{0,12}$", re.IGNORECASE
)
_IF_YOU_HAVE = re.compile(r"\b(?:if|with|when) you(?:['’]ve| have| had| already have| own) \Z", re.IGNORECASE)
_COUNTED = re.compile(r" [^\W\d_]{3,30}")
_MAY_BE_SO = re.compile(
    r"(?:is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)\b", re.IGNORECASE
)


def supposed(claim: str, own: Sequence[Value], question: str, asked: Sequence[Value]) -> frozenset[Value]:
    """Those of a claim's values that it states as the asker's own case. `asked` are the values of the question. Of a question for yes or no, which may
    ask for the value itself ("Does it last for 3 years?"), only "a $35 order" is a case, and the day that a claim begins with where askers speak of themselves:
    "On 6 May the early fee is over" of "if I register on 6 May"; and the day that they state of themselves: "You bought it on 3 May" of "I bought it on 3 May. ..."."""
    if not asked:
        return frozenset()
    mine = _OF_ASKERS.search(question) is not None
    says = _ONE if _MAY_BE_SO.match(question.strip()) else _CASE
    return frozenset(
        one
        for one in own
        if (
            any(case.search(claim[max(0, one.start - _BEFORE) : one.start]) for case in (says, _ONE))
            or (mine and _begins(claim, one, own))
            or (says is _CASE and _is_count_asked(claim, one, question, asked))
            or (
                (one.kind is Kind.DATE or claim[one.end :].lstrip().startswith("ago"))
                and _OF_THEM.search(claim[max(0, one.start - _BEFORE) : one.start])
                and any(equal(one, other) and _is_stated(question, other) for other in asked)
            )
        )
        and not _WANTED.search(claim[max(0, one.start - _BEFORE) : one.start])
        and any(_is_same(one, other) for other in asked)
    )


def set_up(claim: str, own: Sequence[Value]) -> frozenset[Value]:
    """The counts that a claim itself supposes of the asker: "if you have 14 boards, four of them"."""
    return frozenset(
        one
        for one in own
        if one.kind is Kind.NUMBER and one.hedge is Hedge.NONE and _IF_YOU_HAVE.search(claim, 0, one.start) is not None
    )


def _begins(claim: str, one: Value, own: Sequence[Value]) -> bool:
    """Whether a claim begins with a day, and has no other; of a weekday, which may be the row of a timetable, no other value either."""
    others = [other for other in own if other is not one]
    alone = not others or (
        bool(one.dates) and one.dates[0].weekday is None and all(other.kind is not Kind.DATE for other in others)
    )
    return one.kind is Kind.DATE and _ON.fullmatch(claim[: one.start]) is not None and alone


def _is_count_asked(claim: str, one: Value, question: str, asked: Sequence[Value]) -> bool:
    """Whether a claim begins with a count of things that its question supposes: "80 users are in the second band" of "What does it cost for 80 users?"."""
    counted = _COUNTED.match(claim, one.end) if one.kind is Kind.NUMBER and not claim[: one.start].strip() else None
    return counted is not None and any(
        other.amount == one.amount
        and _CASE.search(question[max(0, other.start - _BEFORE) : other.start])
        and question[other.end :].lower().startswith(counted[0].lower())
        for other in asked
    )


def _is_stated(question: str, value: Value) -> bool:
    """Whether the sentence of a question that has a value is no question itself, and is about the asker."""
    start, end = around(question, value, ".?!\n")
    return question[end : end + 1] != "?" and _OF_ASKERS.search(question[start:end]) is not None


def _is_same(own: Value, asked: Value) -> bool:
    """Whether a value is one of the question's, with its unit or, "you're at 30", without."""
    if own.kind is Kind.NUMBER and not own.per and asked.kind in (Kind.NUMBER, Kind.QUANTITY):
        return own.amount == asked.amount
    return equal(own, asked) and equal(asked, own)
