"""Days, months and years that a text tells by others: "ends the next day", "brought forward by a week", "closed four years later", New Year's Eve."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence

from sidecar.inference.values.ends import BEGINS, ENDS
from sidecar.inference.values.moments import DAYS
from sidecar.inference.values.numbers import SMALL
from sidecar.inference.values.value import Date, Kind, Value

_LONGEST, _PIECES = 1000, 4  # characters of a sentence; best sentences
_ANY_YEAR, _WEEK, _YEAR, _DECADE = 2023, 7, 12, 10
_NUMBER = rf"(?P<many>an?|{'|'.join(SMALL)}|\d{{1,3}})"
_UNIT = r"(?P<unit>day|week|fortnight|month|year|decade)"
_SHIFTS = (
    re.compile(rf"\bthe\s{{1,2}}(?P<way>next|following|previous|preceding)\s{{1,2}}{_UNIT}\b", re.IGNORECASE),
    re.compile(rf"\bthe\s{{1,2}}{_UNIT}\s{{1,2}}(?P<way>after|before)\b", re.IGNORECASE),
    re.compile(
        rf"\b{_NUMBER}\s{{1,2}}{_UNIT}s?\s{{1,2}}(?P<way>later|after|afterwards|earlier|before)\b", re.IGNORECASE
    ),
    re.compile(
        r"\b(?P<way>(?:brought|moved|put)\s{1,2}forward|postponed|delayed|deferred|extended|(?:put|pushed|moved)\s{1,2}back)"
        rf"\s{{1,2}}(?:by\s{{1,2}})?{_NUMBER}\s{{1,2}}{_UNIT}s?\b",
        re.IGNORECASE,
    ),
)
_JOINT = re.compile(r"[,;:.]|\b(?:and|but|while)\b", re.IGNORECASE)
_BACK = re.compile(r"previous|preceding|before|earlier|.{1,20}forward", re.IGNORECASE)
_NAMED = {
    "new year's eve": (12, 31), "new year's day": (1, 1), "christmas eve": (12, 24), "christmas day": (12, 25), "boxing day": (12, 26),
    "valentine's day": (2, 14), "halloween": (10, 31),
}  # fmt: skip


def shifted_days(
    claim: str, own: Sequence[Value], pieces: Sequence[str], there: Sequence[Sequence[Value]]
) -> list[Value]:
    """The days, months and years of a claim that a text counts from one that it states (else that any text does), and no text states; not of when something
    begins where the text says so when it ends. `own` and `there` are the values of the claim and of each text."""
    dates = [one for one in own if one.kind is Kind.DATE and not one.through]
    texts = (
        [(piece[:_LONGEST], _dates(values)) for piece, values in zip(pieces[:_PIECES], there, strict=False)]
        if dates
        else []
    )
    every = [date for _, stated in texts for date in stated]
    moved = [
        _moved(first, *shift) for piece, stated in texts for shift in _shifts(claim, piece) for first in stated or every
    ]
    return [one for one in dates if _is_among(one, moved) and not _is_among(one, every)]


def named_days(own: Sequence[Value], pieces: Sequence[str]) -> frozenset[Value]:
    """The days of a claim that a text names, 31 December of New Year's Eve."""
    dates = [one for one in own if one.kind is Kind.DATE and not one.through]
    lows = [piece[:_LONGEST].lower().replace("’", "'") for piece in pieces[:_PIECES]] if dates else []
    days = [Date(month=month, day=day) for name, (month, day) in _NAMED.items() if any(name in low for low in lows)]
    return frozenset(one for one in dates if _is_among(one, days))


def _is_among(own: Value, there: Sequence[Date | None]) -> bool:
    return any(_is_same(date, other) for date in own.dates for other in there)


def _dates(values: Sequence[Value]) -> list[Date]:
    return [date for one in values for date in one.dates]


def _shifts(claim: str, piece: str) -> Iterator[tuple[str, int]]:
    """By how many of which unit a text counts from a day on, or back."""
    for pattern in _SHIFTS:
        for found in pattern.finditer(piece):
            clause = _JOINT.split(piece[: found.start()])[-1]
            if _is_of(BEGINS, ENDS, claim, clause) or _is_of(ENDS, BEGINS, claim, clause):
                continue
            many = found.groupdict().get("many", "a").lower()
            amount = int(many) if many.isdecimal() else SMALL.get(many, 1)
            yield found["unit"].lower(), -amount if _BACK.match(found["way"]) else amount


def _is_of(one: re.Pattern[str], other: re.Pattern[str], claim: str, clause: str) -> bool:
    """Whether a claim says the one alone and a clause the other alone: it starts, and it ends."""
    return bool(one.search(claim) and not other.search(claim) and other.search(clause) and not one.search(clause))


def _moved(first: Date, unit: str, amount: int) -> Date | None:
    """What lies so long after; of a weekday a weekday, of a month without a day a month."""
    if unit in DAYS:
        days = amount * DAYS[unit]
        if first.weekday is not None:
            return Date(weekday=(first.weekday + days) % _WEEK)
        return _day(first, first.year or _ANY_YEAR, first.month or 0, datetime.timedelta(days))
    months = amount * {"month": 1, "year": _YEAR, "decade": _DECADE * _YEAR}[unit]
    if first.month is None:
        years, rest = divmod(months, _YEAR)
        return Date(year=first.year + years) if first.year and not rest else None
    counted = (first.year or _ANY_YEAR) * _YEAR + first.month - 1 + months
    year, month = counted // _YEAR, counted % _YEAR + 1
    if first.day is None:
        return Date(year=year if first.year else None, month=month)
    return _day(first, year, month, datetime.timedelta())


def _day(first: Date, year: int, month: int, by: datetime.timedelta) -> Date | None:
    try:
        day = datetime.date(year, month, first.day or 0) + by
    except (ValueError, OverflowError):
        return None
    return Date(year=day.year if first.year else None, month=day.month, day=day.day)


def _is_same(own: Date, there: Date | None) -> bool:
    """Whether a date says nothing else than another one that has all that it says, but for its year."""
    if there is None or own.quarter or own.decade or (own.year and there.year and own.year != there.year):
        return False
    if own.month is None and own.weekday is None:
        return own.year is not None and own.year == there.year
    return (own.month, own.day, own.weekday) == (there.month, there.day, there.weekday)
