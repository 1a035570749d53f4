"""Days on which something is open: "closed on Sundays" and "open on Sunday" of texts that say so of Monday to Saturday alone, in a sentence, a list or a table."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from sidecar.inference.values.dates import DAY_NAMES
from sidecar.inference.values.read import read_values
from sidecar.inference.values.value import Kind, Value

_MOST_LINES, _LONGEST = 40, 300
_REMEMBERED = 256
_LEAST_DAYS = 3  # that are said one by one, and leave others out
_WEEK = frozenset(range(7))
_NAMED = re.compile(
    rf"\b(?:{'|'.join(sorted(DAY_NAMES, key=len, reverse=True))}|weekdays?|weekends?|daily|every day)\b", re.IGNORECASE
)
_LINES = re.compile(r"\n|(?<=[.!?;])\s")
_PARTS = re.compile(r"[,;|]|\b(?:and|but)\b(?=[^,;|]{0,40}\b(?:closed|shut)\b)", re.IGNORECASE)
_SHUT = re.compile(r"\b(?:closed|shut)\b|\bnot (?:be )?open\b|n['’]t (?:be )?open\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:opens?|opening|hours|staffed|available)\b", re.IGNORECASE)
_OPENS = re.compile(
    r"\b(?:is|are|am|be|stays?)(?: also| still)? open\b|['’](?:s|re)(?: also)? open\b|\bopens on\b", re.IGNORECASE
)
_EVERY = re.compile(r"\b(?:daily|every day|seven days|7 days|24/7)\b|\ball week\b", re.IGNORECASE)
_GROUPS = (
    (re.compile(r"\bweekdays?\b", re.IGNORECASE), range(5)),
    (re.compile(r"\bweekends?\b", re.IGNORECASE), range(5, 7)),
)
_ELSE = re.compile(
    r"\b(?:if|unless|except|only|last|first|next|this|every (?:other|second)|holidays?|before|after)\b", re.IGNORECASE
)


def told_open(claim: str, values: Sequence[Value], texts: Sequence[str]) -> Mapping[Value, bool]:
    """Weekdays of a claim of which it says that something is open or closed then, and whether it is by what the texts say of other days; none
    where these say something of the day itself, or leave none out."""
    days = [one for one in values if one.kind is Kind.DATE and _days_of(one)]
    shut, opens = _SHUT.search(claim), _OPENS.search(claim)
    if not days or (shut is None) is (opens is None) or (opens and _ELSE.search(claim)):
        return {}
    if any(date.month is not None for one in values for date in one.dates):
        return {}
    opened, closed = _said_of_days(tuple(texts))
    left = {one: _days_of(one) for one in days}
    apart = {one for one, own in left.items() if own <= closed - opened or (opened and own.isdisjoint(opened | closed))}
    return dict.fromkeys(apart, shut is not None)


def _days_of(value: Value) -> frozenset[int]:
    return frozenset(date.weekday for date in value.through or value.dates if date.weekday is not None)


@functools.lru_cache(maxsize=_REMEMBERED)
def _said_of_days(texts: tuple[str, ...]) -> tuple[frozenset[int], frozenset[int]]:
    """The weekdays (0 = Monday) that texts say something is open on, none where they leave no other out, and those that they say it is closed on."""
    lines = [line for text in texts for line in _LINES.split(text) if len(line) <= _LONGEST and _NAMED.search(line)]
    opened: set[int] = set()
    closed: set[int] = set()
    ranges = False
    for line in lines[:_MOST_LINES]:
        timed = _OPEN.search(line) is not None
        for part in [line] if _SHUT.search(line) is None else _PARTS.split(line):
            values = read_values(part)
            days = set().union(*map(_days_of, values), *(days for name, days in _GROUPS if name.search(part)))
            days |= _WEEK if _EVERY.search(part) else set()
            if _SHUT.search(part):
                closed |= days
            elif timed or any(one.kind is Kind.TIME for one in values):
                opened |= days if not (_EVERY.search(part) and _SHUT.search(line)) else set()
                ranges = ranges or len(days) > 1
    return frozenset(opened if ranges or len(opened) >= _LEAST_DAYS else ()), frozenset(closed)
