"""Days on which something is open or happens: "closed on Sundays" and "open on Sunday" of texts that say so of Monday to Saturday alone, in a sentence, a list or a
table; "No, we don't deliver on Saturdays" of deliveries from Monday to Friday."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sidecar.inference.values.dates import DAY_NAMES
from sidecar.inference.values.read import read_values
from sidecar.inference.values.value import Kind, Value

_MOST_LINES, _LONGEST, _REMEMBERED = 40, 300, 16
_LEAST_DAYS = 3  # that are said one by one, and leave others out
_STEM = 5  # letters
WEEK = frozenset(range(7))
_NAMED = re.compile(
    rf"\b(?:{'|'.join(sorted(DAY_NAMES, key=len, reverse=True))}|weekdays?|weekends?|daily|every day)\b", re.IGNORECASE
)
_LINES = re.compile(r"\n|(?<=[.!?;])\s")
_PARTS = re.compile(r"[,;|]|\b(?:and|but)\b(?=[^,;|]{0,40}\b(?:closed|shut)\b)", re.IGNORECASE)
_SHUT = re.compile(r"\b(?:closed|shut|unavailable)\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:opens?|opening|hours|staffed|available)\b", re.IGNORECASE)
_HAPPENS = r"(?:open(?:s|ing)?|deliver(?:s|ed|y|ies)?|runs?|available|reach(?:ed|able)?|staffed|operat(?:es?|ing)|serv(?:es?|ed)|offered|possible|works?|held|trains?|buses)"
_THERE = r"\b(?:there(?:['’]s| is| are)|(?:is|are) there)\b"
_POSITIVE = re.compile(rf"\b{_HAPPENS}\b|{_THERE}", re.IGNORECASE)
_DENIED = re.compile(
    rf"(?:\b(?:not|no|never|cannot)|n['’]t)\b(?:\s\w+){{0,3}}?\s{_HAPPENS}\b|{_THERE} no\b|\bthere (?:is|are)n['’]t\b",
    re.IGNORECASE,
)
_IS_THERE = re.compile(_THERE, re.IGNORECASE)
_NEGATIONS = re.compile(r"\b(?:not|no|never|cannot|none|nor)\b|n['’]t\b", re.IGNORECASE)
_REPLY = re.compile(r"\A(?:no|yes|sorry|(?:unfortunately|i[’']m afraid)(?: not)?)\b[,.:]?\s", re.IGNORECASE)
_ASKED = re.compile(r"\A(?P<asked>[^?]{3,200})\?\s(?P<reply>yes|no)\b", re.IGNORECASE)
EVERY_DAY = re.compile(r"\b(?:daily|every day|seven days|7 days|24/7)\b|\ball week\b", re.IGNORECASE)
_ELSE = re.compile(
    r"\b(?:if|unless|except|only|last|first|next|this|every (?:other|second)|holidays?|before|after|or)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]{4,}", re.IGNORECASE)
_NO_STEMS = frozenset(
    word[:_STEM]
    for word in [*DAY_NAMES, "weekday", "weekend", "from", "with", "only", "also", "every", "daily", "your", "there"]
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that names weekdays (0 = Monday): those that it says something of, whether it says that they are closed, is of opening or gives hours, and
    whether it gives a range of them."""

    days: frozenset[int]
    closed: bool
    timed: bool
    ranges: bool
    stems: frozenset[str]


def told_open(claim: str, values: Sequence[Value], texts: Sequence[str]) -> Mapping[Value, bool]:
    """Weekdays of a claim of which it says that something is open or happens then, or does not, and whether that is so by what the texts say of other
    days; none where these say it of the day itself, or leave none out. What is closed on some days is open on the others."""
    days = [one for one in values if one.kind is Kind.DATE and days_of(one)]
    goes_on = happens(claim) if days else None
    if goes_on is None or any(date.month is not None for one in values for date in one.dates):
        return {}
    stems, every = stems_of(claim), _lines(tuple(texts))
    any_hours = _IS_THERE.search(claim) is None  # hours say nothing of what else there is
    lines = [one for one in every if (any_hours and one.timed) or not one.stems.isdisjoint(stems)]
    closed = frozenset().union(*(one.days for one in lines if one.closed))
    opened = frozenset().union(*(one.days for one in lines if not one.closed))
    if not any(one.ranges for one in lines if not one.closed) and len(opened) < _LEAST_DAYS:
        opened = frozenset()
    left = {one: days_of(one) for one in days}
    there = closed.union(*(one.days for one in every))  # a day of another matter may be of this one
    apart = [one for one, own in left.items() if own <= closed - opened or (opened and own.isdisjoint(there))]
    told = dict.fromkeys(apart, not goes_on)
    of_it = [one for one in every if not one.stems.isdisjoint(stems)]
    if goes_on and of_it and all(one.closed for one in of_it):  # it is open on all days but those
        told |= {one: own.isdisjoint(closed) for one, own in left.items()}
    return told


def happens(claim: str) -> bool | None:
    """Whether a claim says that something is open or happens, None where it is not plain; "Are you open on Sunday? Yes." says it."""
    asked = _ASKED.match(claim)
    text = asked["asked"] if asked else _REPLY.sub("", claim, count=1)
    if _ELSE.search(text):
        return None
    shut = _SHUT.search(text) is not None
    if asked:
        plain = shut or _POSITIVE.search(text) is None or _NEGATIONS.search(text) is not None
        return None if plain else asked["reply"].lower() == "yes"
    negations = len(_NEGATIONS.findall(text))
    if shut:
        return False if negations == 0 and not _POSITIVE.search(text) else None
    if _DENIED.search(text):
        return False if negations == 1 else None
    return True if negations == 0 and _POSITIVE.search(text) else None


def stems_of(text: str) -> frozenset[str]:
    """The words of a text by their first letters, but for days."""
    return frozenset(word[:_STEM].lower() for word in _WORD.findall(text)) - _NO_STEMS


def days_of(value: Value) -> frozenset[int]:
    """The weekdays that a value names, 0 is Monday."""
    return frozenset(date.weekday for date in value.through or value.dates if date.weekday is not None)


@functools.lru_cache(maxsize=_REMEMBERED)
def _lines(texts: tuple[str, ...]) -> tuple[_Line, ...]:
    """What texts say of weekdays, line by line; a line that says that some are closed in parts."""
    lines = [line for text in texts for line in _LINES.split(text) if len(line) <= _LONGEST and _NAMED.search(line)]
    found = []
    for line in lines[:_MOST_LINES]:
        stems, shut = stems_of(line), _SHUT.search(line) is not None
        for part in _PARTS.split(line) if shut else [line]:
            values = read_values(part)
            days = frozenset().union(*map(days_of, values))
            days |= WEEK if EVERY_DAY.search(part) and not shut else frozenset()
            timed = _OPEN.search(line) is not None or any(one.kind is Kind.TIME for one in values)
            if days:
                closed = _SHUT.search(part) is not None
                found.append(_Line(days, closed, timed or closed, len(days) > 1, stems))
    return tuple(found)
