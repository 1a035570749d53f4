"""When something ends of which a text says when it begins and how long it lasts: "starts at 10:00 and lasts three hours", "runs for two years from June 2024"."""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterator, Sequence

from sidecar.inference.values.match import Finding, Outcome
from sidecar.inference.values.moments import DAYS, MONTHS, ONE_DAY
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import Date, Hedge, Kind, Value

ENDS = re.compile(
    r"\b(?:end(?:s|ed|ing)?|finish(?:es|ed)?|clos(?:es|ed|ing)|expir(?:es|ed|y)|until|over|arriv(?:es?|ed|al|ing)|lands?|back|completed?|(?:be|get|are|is) out)\b",
    re.IGNORECASE,
)
BEGINS = re.compile(
    r"\b(?:start(?:s|ed|ing)?|beg(?:ins?|an|inning)|commenc(?:es|ed)|from|leav(?:es|ing)|left|depart(?:s|ed|ure)?|open(?:s|ed|ing)?|since|as of)\b",
    re.IGNORECASE,
)
_LASTS = re.compile(r"\b(?:last(?:s|ing)?|tak(?:es?|ing)|runs?|for|long|duration|period|term|valid)\b", re.IGNORECASE)
_PIECES = 4  # best sentences that may say either
_A_DAY, _A_MINUTE = 24.0, 1 / 60  # hours


def is_end(claim: str, finding: Finding, pieces: Sequence[str], stated_there: Sequence[Sequence[Stated]]) -> bool:
    """Whether a time or a day, of a claim that speaks of an end and that no text has, is when it ends by what the texts say."""
    own = finding.value
    if finding.outcome is Outcome.AGREES or own.kind not in (Kind.TIME, Kind.DATE) or not ENDS.search(claim):
        return False
    there = [
        (piece, [one.value for one in values]) for piece, values in zip(pieces[:_PIECES], stated_there, strict=False)
    ]
    begins = [one for piece, values in there if BEGINS.search(piece) for one in values if one.kind is own.kind]
    lasts = [one for piece, values in there if _LASTS.search(piece) for one in values if _is_length(one)]
    pairs = itertools.product(begins, lasts)
    return any(_is_at(own, one, length) for one, length in pairs)


def _is_length(one: Value) -> bool:
    timed = one.unit in DAYS or one.unit in MONTHS or one.unit in ("h", "min")
    return one.kind is Kind.QUANTITY and timed and not one.per and one.hedge is Hedge.NONE and one.amount % 1 == 0


def _is_at(own: Value, begin: Value, length: Value) -> bool:
    if own.kind is Kind.TIME:
        hours = in_base(length.amount, length.unit) / UNITS["h"].factor
        apart = abs(begin.amount + hours - own.amount) % _A_DAY
        return length.unit in ("h", "min") and min(apart, _A_DAY - apart) < _A_MINUTE
    return any(_is_same(date, end) for first in begin.dates for end in _after(first, length) for date in own.dates)


def _is_same(own: Date, end: Date) -> bool:
    """Whether a day, or a month, is that of an end; a year says no more than that it is that one."""
    if own.month is None or (own.year and end.year and own.year != end.year):
        return False
    return own.month == end.month and (own.day is None or own.day == end.day)


def _after(first: Date, length: Value) -> Iterator[Date]:
    """The day, or the month, so long after another, and the last day before it."""
    if first.month is None or length.unit in ("h", "min"):
        return
    year = first.year or datetime.date.min.year
    if length.unit in MONTHS:
        months = year * 12 + first.month - 1 + int(length.amount) * MONTHS[length.unit]
        year, month = months // 12, months % 12 + 1
        if first.day is None:
            yield Date(year=year if first.year else None, month=month)
            return
        days = 0
    else:
        month, days = first.month, int(length.amount) * DAYS[length.unit]
    if first.day is None:
        return
    try:
        end = datetime.date(year, month, first.day) + datetime.timedelta(days=days)
        both = (end, end - ONE_DAY)
    except (ValueError, OverflowError):
        return
    for day in both:
        yield Date(year=day.year if first.year else None, month=day.month, day=day.day)
