"""Yes or no to a day or a time under what lasts until one, or from one on: "Yes." to "Is it still valid on 15 May?" of "The voucher is valid until 30 April."."""

from __future__ import annotations

import calendar
import datetime
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.answers.reading import NEGATED, Asked, told_apart, values_of
from sidecar.inference.answers.yes_or_no import BEYOND, CONTRARY, GOES_ON, REPLY, asks_yes_or_no, speaks_of, telling
from sidecar.inference.values.rules import SETS_ASIDE
from sidecar.inference.values.value import Kind, Value

_AT = re.compile(r"\b(?:at|on|in|is|it['’]s|around)\s(?:the\s)?\Z", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:from|since|as of|starting(?: on| at)?|effective|opens?(?: at| on)?)\s(?:the )?\Z", re.IGNORECASE
)
_UNTIL = re.compile(
    r"\b(?:until|till|through|up to|no later than|(?:ends?|expires?|closes?|shuts?|deadline is)(?: at| on)?|last [^.,;]{1,30} (?:is|leaves|departs|runs|goes) at)\s(?:the )?\Z",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:by|before)\s(?:the )?\Z", re.IGNORECASE)
_MUST = re.compile(r"\b(?:must|have to|has to|can|may|deadline|accepted|possible)\b", re.IGNORECASE)
_TO = re.compile(r"\s?(?:to|and|-|–|until|till|through)\s?(?:the )?", re.IGNORECASE)
_SHUT = re.compile(
    r"\b(?:closed|shut|unavailable|suspended|blocked|expired?|over|too late|too early|out of (?:service|order)|frozen|cancelled)\b",
    re.IGNORECASE,
)
_ON = re.compile(
    r"\b(?:open|opens|opened|close|closes|shuts?|ends?|last|available|valid|runs?|appl(?:y|ies)|accepted|offered|served|serves|possible|allowed|permitted|collected|operates?|free|can|may|held|lasts?|staffed|bookable|"
    r"redeemable|deadline|on (?:sale|show|display)|welcome)\b",
    re.IGNORECASE,
)
_DAY, _EARLY = 24.0, 6.0


@dataclass(frozen=True, slots=True)
class _Moment:
    """From `low` to `high`: hours of the day, or days of a year, or of the calendar where it has a year."""

    low: float
    high: float
    scale: str


def asks_moments(asked: Asked) -> bool:
    """Whether a question about one day or time is answered by yes or no."""
    return REPLY.match(asked.answer) is not None and _case(asked.question) is not None


def moments(asked: Asked, sentences: Sequence[str]) -> Iterator[tuple[int, bool]]:
    """The sentences by whose days or times yes or no is plainly right, or wrong, and whether it is right."""
    case, reply = _case(asked.question), REPLY.match(asked.answer)
    if case is None or reply is None:
        return
    own, value = case
    if sum(_has_one(own, one) for one in sentences) > 1 or telling(asked.question) > 0:
        return
    predicate = told_apart(asked.question[: value.start] + asked.question[value.end :])
    for n, one in enumerate(sentences):
        behind = " ".join(sentences[n + 1 : n + 2])
        if SETS_ASIDE.search(one) or NEGATED.search(one) or GOES_ON.match(behind) or BEYOND.match(behind):
            continue
        if not speaks_of(told_apart(one), predicate) or not (_ON.search(one) or _SHUT.search(one)):
            continue
        within = _within(own, one)
        if within is None or telling(asked.question) != telling(one):
            continue
        same = (_SHUT.search(asked.question) is None) == (_SHUT.search(one) is None)
        yield n, (within == same) == (reply["yes"] is not None)


def _has_one(own: _Moment, sentence: str) -> bool:
    """Whether a sentence gives a moment of the same scale."""
    return any((one := _moment(value)) is not None and one.scale == own.scale for value in values_of(sentence)[1])


def _case(question: str) -> tuple[_Moment, Value] | None:
    """The one day or time that a question brings."""
    if not asks_yes_or_no(question) or (CONTRARY.search(question) and not _SHUT.search(question)):
        return None
    values = values_of(question)[1]
    if len(values) != 1 or not _AT.search(question, 0, values[0].start) or values[0].dial:
        return None
    moment = _moment(values[0])
    return None if moment is None else (moment, values[0])


def _moment(value: Value) -> _Moment | None:
    if value.kind is Kind.TIME:
        return _Moment(value.amount, value.amount, "time")
    if value.kind is not Kind.DATE or len(value.dates) != 1 or value.dates[0].month is None:
        return None
    [date] = value.dates
    year, month = date.year or 2000, date.month or 1
    try:
        first = datetime.date(year, month, date.day or 1)
        last = datetime.date(year, month, date.day or calendar.monthrange(year, month)[1])
    except ValueError:
        return None
    return _Moment(first.toordinal(), last.toordinal(), "calendar" if date.year else "year")


def _within(own: _Moment, sentence: str) -> bool | None:
    """Whether a moment is within the one time that a sentence gives, None at its very ends."""
    alike = [
        (value, moment) for value in values_of(sentence)[1] if (moment := _moment(value)) and moment.scale == own.scale
    ]
    found = list(_spans(sentence, alike))
    if len(found) != 1 or sum(2 if two else 1 for _, _, two in found) != len(alike):
        return None
    [(low, high, _)] = found
    if own.scale == "time" and low == -math.inf and own.low < _EARLY:  # it may be of the next day
        return False if own.low == 0 and high > _EARLY else None
    if own.low <= low <= own.high or own.low <= high <= own.high:
        return True if own.scale != "time" and low < own.low == own.high == high else None
    if low > high:
        return own.low > low or own.high < high
    return low < own.low and own.high < high


def _spans(sentence: str, alike: Sequence[tuple[Value, _Moment]]) -> Iterator[tuple[float, float, bool]]:
    """(from, to, whether both are told)."""
    rest = list(alike)
    for (one, first), (other, last) in itertools.pairwise(alike):
        between = sentence[one.end : other.start]
        low = _FROM.search(sentence, 0, one.start) is not None
        high = _UNTIL.search(sentence, 0, other.start) is not None
        if _TO.fullmatch(between) or (low and high):
            yield first.low, last.high or _DAY, True  # midnight ends a day
            rest = [each for each in rest if each[0] not in (one, other)]
    for value, moment in rest:
        if _UNTIL.search(sentence, 0, value.start) or (_BY.search(sentence, 0, value.start) and _MUST.search(sentence)):
            yield -math.inf, moment.high or _DAY, False
        elif _FROM.search(sentence, 0, value.start):
            yield moment.low, math.inf, False
