"""Days of the calendar as numbers with a bound, so that they are held to rules as other values are: "applies until 30 April", "from 1 May on"."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.values.tokens import Token
from sidecar.inference.values.value import Date, Hedge, Kind, Value

UNIT = "day of the calendar"  # of no table: nothing is converted to it
_YEAR = 2000  # of days without one; all of a text have one, or none has
_LIMITS = dict.fromkeys("until till by before through ending ends".split(), Hedge.MOST) | dict.fromkeys(
    "from after since starting begins beginning".split(), Hedge.LEAST
)
_FILLERS = frozenset("the including and on or of".split())
_BACK = 4  # tokens


def as_numbers(values: Sequence[Value], tokens: Sequence[Token]) -> list[Value]:
    """The values with each day as a number of days, bounded where the words before it say so. Others as they are, and all where some have years and some not, or
    where a text without years may go on beyond the year's end: it has days that something is from and none that it is until, or one until an earlier day."""
    days = {value.start: day for value in values if (day := _only(value)) is not None}
    if not days or len({day.year is None for day in days.values()}) > 1:
        return list(values)
    at = {token.start: n for n, token in enumerate(tokens)}
    found = [_bounded(one, days[one.start], tokens, at[one.start]) if one.start in days else one for one in values]
    of_days = [one for one in found if one.unit == UNIT]
    lows, highs = ([one for one in of_days if one.hedge is hedge] for hedge in (Hedge.LEAST, Hedge.MOST))
    turns = any(
        (one.hedge, other.hedge) == (Hedge.LEAST, Hedge.MOST) and other.amount < one.amount
        for one, other in itertools.pairwise(of_days)
    )
    yearless = any(day.year is None for day in days.values())
    return list(values) if yearless and (turns or (lows and not highs)) else found


def _only(value: Value) -> Date | None:
    """The one day that a value is."""
    exact = value.kind is Kind.DATE and len(value.dates) == 1 and not value.through
    return value.dates[0] if exact and value.dates[0].day and value.dates[0].month else None


def _bounded(value: Value, day: Date, tokens: Sequence[Token], n: int) -> Value:
    try:
        number = datetime.date(day.year or _YEAR, day.month or 1, day.day or 1).toordinal()
    except ValueError:
        return value
    before = [tokens[k].low for k in range(n - 1, max(-1, n - 1 - _BACK), -1)]
    told = next(itertools.dropwhile(_FILLERS.__contains__, before), "")
    hedge = _LIMITS.get(told, Hedge.NONE)
    if before[:1] == ["to"] or {"up", "to", "including"} <= set(before):
        hedge = Hedge.MOST
    return replace(value, kind=Kind.QUANTITY, unit=UNIT, amount=float(number), hedge=hedge, dates=())
