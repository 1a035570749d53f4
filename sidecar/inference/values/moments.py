"""Days and times that lie before or after others: an hour before closing at six, twelve months from a day, and how long it is between two days."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Sequence

from sidecar.inference.values.units import UNITS
from sidecar.inference.values.value import Date, Kind, Value

_A_DAY = 24.0
_CALENDAR = 0.04  # by how much months differ from their mean
MONTHS = {"month": 1, "year": 12}
DAYS = {"day": 1, "week": 7, "fortnight": 14}


def is_moved(claim: Value, evidence: Sequence[Value]) -> bool:
    """Whether a time lies as long before or after one of the evidence as it says, or a day as long behind one as something lasts."""
    if claim.kind is Kind.TIME:
        times = [one for one in evidence if one.kind is Kind.TIME]
        return any(
            abs((one.amount + by - claim.amount + _A_DAY / 2) % _A_DAY - _A_DAY / 2) < 1 / 120
            for one, by in itertools.product(times, _shifts(evidence))
        )
    if any(date.year and date.month is None for date in claim.dates):
        return any(date == own for own in claim.dates for date in _years_beside(evidence))
    days = [day for one in evidence for day in _days(one, claim)]
    return any(day in (own, own + ONE_DAY) for own in _days(claim, claim) for day in _behind(days, evidence))


_A_MOMENT = 1 / 120  # hours
ONE_DAY = datetime.timedelta(days=1)


def between_days(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    """How long it is between two days, as seconds; whole months as the claim counts them."""
    if claim.kind is not Kind.QUANTITY or claim.unit not in (*DAYS, *MONTHS):
        return
    own = claim.amount * UNITS[claim.unit].factor
    days = sorted({day for one in evidence for day in _days(one, *evidence)})
    for one, other in itertools.combinations(days, 2):
        between = (other - one).total_seconds()
        near = claim.unit in MONTHS and abs(between - own) <= _CALENDAR * own
        yield own if near else between
        yield between + ONE_DAY.total_seconds()


def _years_beside(evidence: Sequence[Value]) -> Iterator[Date]:
    """The years that lie so many years before or behind one of the evidence as something lasts or is old."""
    years = {date.year for one in evidence for date in one.dates if date.year}
    lasts = {
        sign * int(one.amount)
        for one in evidence
        if one.unit == "year" and not one.per and one.amount % 1 == 0
        for sign in ((one.shift,) if one.shift else (-1, 1))
    }
    return (Date(year=year + by) for year, by in itertools.product(years, lasts))


def _shifts(evidence: Sequence[Value]) -> Iterator[float]:
    """Hours that are said to be before or after something."""
    for one in evidence:
        if one.shift and one.unit in ("min", "h"):
            yield one.shift * one.amount * UNITS[one.unit].factor / UNITS["h"].factor


def _days(value: Value, *beside: Value) -> Iterator[datetime.date]:
    """The days that a value may say; its year is that of another where it says none."""
    years = {date.year for one in beside for date in one.dates if date.year}
    for date in value.dates:
        for year in [date.year] if date.year else years or {_ANY_YEAR}:
            found = _day(date, year)
            if found:
                yield found


_ANY_YEAR = 2023
_COUNTED_YEARS = range(1000, 2200)


def _day(date: Date, year: int) -> datetime.date | None:
    """The day; None of what is none, and of years that stand for always ("valid until 9999-12-31")."""
    if date.month is None or date.day is None or year not in _COUNTED_YEARS:
        return None
    try:
        return datetime.date(year, date.month, date.day)
    except ValueError:
        return None


def _behind(days: Sequence[datetime.date], evidence: Sequence[Value]) -> Iterator[datetime.date]:
    """The days that lie so long behind others as something of the evidence lasts, and before them where it says so."""
    for day, one in itertools.product(days, evidence):
        sign = -1 if one.shift < 0 else 1
        if one.kind is not Kind.QUANTITY or one.amount % 1 or abs(one.amount) > 1000:
            continue
        if one.unit in DAYS:
            yield day + datetime.timedelta(days=sign * int(one.amount) * DAYS[one.unit])
        elif one.unit in MONTHS:
            months = day.year * 12 + day.month - 1 + sign * int(one.amount) * MONTHS[one.unit]
            found = _day(Date(month=months % 12 + 1, day=day.day), months // 12)
            if found:
                yield found


def apart_as_it_takes(own: Sequence[Value], asked: Sequence[Value], there: Sequence[Value]) -> frozenset[Value]:
    """The times of a claim that are as far from one of the evidence, which claim or question name, as something of the evidence takes: the 12:15 ferry arrives at
    12:50 where the crossing takes 35 minutes."""
    hours = {one.amount for one in there if one.kind is Kind.TIME}
    lasts = [
        one.amount * UNITS[one.unit].factor / UNITS["h"].factor
        for one in there
        if one.unit in ("min", "h") and one.kind is Kind.QUANTITY
    ]
    times = [one for one in own if one.kind is Kind.TIME]
    named = [one.amount for one in (*times, *asked) if one.kind is Kind.TIME and one.amount in hours]
    return frozenset(
        one for one in times for start in named for length in lasts if abs(abs(one.amount - start) - length) < _A_MOMENT
    )
