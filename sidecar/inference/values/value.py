"""A value that a text states, and where."""

from __future__ import annotations

import enum
from dataclasses import dataclass

EVERY = "every"


class Kind(enum.StrEnum):
    """What sort of value. Values of different kinds are never compared, but for those that `compare` says."""

    NUMBER = "number"
    ORDINAL = "ordinal"
    PERCENT = "percent"
    POINTS = "points"
    MONEY = "money"
    QUANTITY = "quantity"
    DATE = "date"
    TIME = "time"
    NAME = "name"


class Hedge(enum.StrEnum):
    """How a text holds back: the value itself, about it, or a bound."""

    NONE = "none"
    ABOUT = "about"
    LEAST = "least"
    MOST = "most"


@dataclass(frozen=True, slots=True)
class Date:
    """A day, month, quarter (1..4), year, decade (its first year) or weekday (0 = Monday), as far as the text says it."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    decade: int | None = None
    weekday: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """text[start:end], without its hedge.

    amount   in `unit`, as the text counts: 4.2e9 of "$4.2bn", 14 of "14 days", 17 of "5 pm" (hours)
    step     half of the last digit stated, in `unit`: 0.05e9 of "$4.2bn", 0 of words and names
    unit     a code of units.UNITS, a currency's ISO code, or "" where there is none
    per      the unit of a rate ("18 euros a night": night), EVERY of what recurs ("twice a week": half a week), or ""
    dates    readings of a date, more than one where day and month may be swapped
    through  of "Tuesday" and "Sunday" in "Tuesday to Sunday" all days of the range, and so of months; else ()
    name     versions, part numbers and the like, compared as they are written
    whole    the one number that it is part of if spaces group digits there: 2500 mg of both values of "2 500 mg tablets", or None
    dial     whether a time may be of either half of the day: "half past nine"
    difference  whether it says how far two others are apart: "20 euros less", "by 5 %"
    side     -1 of what a change begins from, 1 of what it comes to: "rose from 14 % to 16 %", else 0
    shift    -1 of a duration "before" something, 1 of one "after" it, else 0
    digits   of the long number that it is, or is a group of, without what groups them: "48219934" of "4821-9934", or ""
    """

    kind: Kind
    start: int
    end: int
    amount: float = 0.0
    step: float = 0.0
    unit: str = ""
    per: str = ""
    hedge: Hedge = Hedge.NONE
    dates: tuple[Date, ...] = ()
    through: tuple[Date, ...] = ()
    name: str = ""
    whole: Value | None = None
    digits: str = ""
    dial: bool = False
    difference: bool = False
    shift: int = 0
    side: int = 0


def around(text: str, value: Value, marks: str) -> tuple[int, int]:
    """Where the part of a text between two of the marks lies that has the value, without them."""
    start = max(text.rfind(mark, 0, value.start) for mark in marks) + 1
    return start, min((at for mark in marks if (at := text.find(mark, value.end)) >= 0), default=len(text))
