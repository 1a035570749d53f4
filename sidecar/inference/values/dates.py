"""Days, months, quarters, years, decades, weekdays and times of day."""

from __future__ import annotations

from dataclasses import replace

from sidecar.inference.values.numbers import ORDINALS, SMALL, Number, Tokens, number_at
from sidecar.inference.values.tokens import Token
from sidecar.inference.values.units import unit_named
from sidecar.inference.values.value import Date, Kind, Value

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTH = {name.lower(): n for n, name in enumerate(MONTHS, 1)} | {name[:3].lower(): n for n, name in enumerate(MONTHS, 1)} | {"sept": 9}  # fmt: skip
WEEKDAY = {name.lower(): n for n, name in enumerate(WEEKDAYS)} | {f"{name.lower()}s": n for n, name in enumerate(WEEKDAYS)}  # fmt: skip
WEEKDAY |= {"tue": 1, "tues": 1, "wed": 2, "thu": 3, "thurs": 3, "fri": 4}
_SHORT_WEEKDAY = {"mon": 0, "sat": 5, "sun": 6}
DAY_NAMES = {name: WEEKDAYS[n].lower() for name, n in (WEEKDAY | _SHORT_WEEKDAY).items()}
_DAYS_OF = dict.fromkeys(("weekday", "weekdays"), range(5)) | dict.fromkeys(("weekend", "weekends"), range(5, 7))
_BETWEEN_DAYS = frozenset("- / , & to and".split())
# "May" and "March" begin sentences as other words; a month stands alone only after these.
_BEFORE_MONTH = frozenset(
    "in on of until till by from since early late mid during through to before after and last next this each every between or the via end".split()
)
_YEAR_BEFORE = frozenset(
    "in since until till by from of during year between and to before after for through around late early fiscal fy spring summer autumn fall winter".split()
)
DAYS_OF = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def moment_at(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """The date or time that begins at token n, and the token after it."""
    token = tokens[n]
    if token.kind in ("ymd", "dmy"):
        return _figures(tokens, n)
    if token.kind == "clock":
        return _clock(tokens, n)
    if token.kind == "quarter":
        return _quarter(tokens, n)
    if token.kind == "word":
        return _of_word(tokens, n)
    if token.kind == "number":
        return _of_number(tokens, n)
    return None


def month_at(tokens: Tokens, n: int) -> int | None:
    """The month that token n names."""
    token = tokens[n]
    found = _MONTH.get(token.low)
    if not found or token.text[:1].isupper():
        return found
    beside = token.low != "may" and (tokens[n - 1].kind == "number" or tokens[n + 1].kind == "number")
    return found if beside else None


def year_at(tokens: Tokens, n: int) -> int | None:
    """The year that token n states in four figures, 1000 to 2199."""
    token = tokens[n]
    if token.kind != "number" or not token.text.isdecimal() or len(token.text) != 4:
        return None
    year = int(token.text)
    return year if 1000 <= year < 2200 and not (tokens.joined(n + 1) and tokens[n + 1].kind == "word") else None


def _value(tokens: Tokens, n: int, end: int, *dates: Date) -> tuple[Value, int]:
    return Value(kind=Kind.DATE, start=tokens[n].start, end=tokens[end - 1].end, dates=dates), end


def _time(tokens: Tokens, n: int, end: int, hours: float) -> tuple[Value, int]:
    return Value(kind=Kind.TIME, start=tokens[n].start, end=tokens[end - 1].end, amount=hours, unit="h"), end


def _day(year: int | None, month: int, day: int) -> Date | None:
    return Date(year, month, day) if 1 <= month <= 12 and 1 <= day <= DAYS_OF[month - 1] else None


def _figures(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """2024-03-05, 05/03/2024 (day or month first), 05.03.2024 (day first)."""
    token = tokens[n]
    separator = next(char for char in token.text if not char.isdecimal())
    first, second, third = (int(part) for part in token.text.split(separator))
    if token.kind == "ymd":
        readings = [_day(first, second, third)]
    else:
        year = third if third > 99 else third + (2000 if third < 70 else 1900)
        readings = [_day(year, second, first)]
        if separator != "." and first != second:
            readings.append(_day(year, first, second))
    dates = tuple(one for one in readings if one)
    return _value(tokens, n, n + 1, *dates) if dates else None


def _clock(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    hours, minutes, *_ = (int(part) for part in tokens[n].text.split(":"))
    if hours > 24 or minutes > 59:
        return None
    half, end = part_of_day(tokens, n + 1, hours)
    return _time(tokens, n, end, with_part(hours + minutes / 60, half))


def part_of_day(tokens: Tokens, n: int, hours: float) -> tuple[str, int]:
    """am or pm as token n and those behind it say it of so many hours, "a.m.", "in the evening", "at night", and the token after them."""
    one, other, third = tokens[n].low, tokens[n + 1].low, tokens[n + 2].low
    if (one, other) == ("in", "the") and third in _PARTS_OF_DAY:
        return _PARTS_OF_DAY[third], n + 3
    if (one, other) == ("at", "night"):
        return "pm" if _NIGHT_FALLS <= hours < _NOON else "am", n + 2
    return _half_of_day(tokens, n)


def _half_of_day(tokens: Tokens, n: int) -> tuple[str, int]:
    """am or pm, and the token after it."""
    one = tokens[n].low
    if one in ("am", "pm"):
        return one, n + 1
    if one in ("a", "p") and tokens[n + 1].text == "." and tokens[n + 2].low == "m" and tokens.joined(n + 2):
        dotted = tokens[n + 3].text == "." and tokens.joined(n + 3)
        return f"{one}m", n + 4 if dotted else n + 3
    return "", n


def with_part(hours: float, half: str) -> float:
    """Hours since midnight, of those of a clock face with am or pm."""
    return hours % _NOON + _NOON * (half == "pm") if half and hours < _NOON + 1 else hours


_PARTS_OF_DAY = {"morning": "am", "afternoon": "pm", "evening": "pm"}
_NOON, _NIGHT_FALLS = 12, 6


def _quarter(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    token = tokens[n]
    year = year_at(tokens, n + 1)
    if token.text == "FY":
        return _value(tokens, n, n + 2, Date(year)) if year else None
    if token.text.startswith("H"):
        return None
    return _value(tokens, n, n + 2 if year else n + 1, Date(year, quarter=int(token.text[1])))


def _at_the(tokens: Tokens, n: int) -> bool:
    """Whether a weekend is when something is, "at the weekend": "the weekend loan" says nothing of days."""
    return tokens[n - 1].low == "the" and tokens[n - 2].low in ("at", "on", "over", "during")


def _of_word(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    low = tokens[n].low
    if low in ("noon", "midday", "midnight"):
        return _time(tokens, n, n + 1, 12.0 if low != "midnight" else 0.0)
    if low in ("first", "second", "third", "fourth") and tokens[n + 1].low == "quarter":
        return _named_quarter(tokens, n)
    if low in _DAYS_OF and (low.endswith("s") or _at_the(tokens, n)):
        days = tuple(Date(weekday=day) for day in _DAYS_OF[low])
        value, end = _value(tokens, n, n + 1, days[0])
        return replace(value, through=days), end
    weekday = _SHORT_WEEKDAY.get(low) if low in _SHORT_WEEKDAY and _among_days(tokens, n) else WEEKDAY.get(low)
    if weekday is not None and tokens[n].text[:1].isupper():
        return _value(tokens, n, n + 1, Date(weekday=weekday))
    month = month_at(tokens, n)
    if month:
        return _of_month(tokens, n, month)
    hour = SMALL.get(low)
    if hour and 1 <= hour <= 12:
        return _hour(tokens, n, hour, n + 1)
    return None


def _among_days(tokens: Tokens, n: int) -> bool:
    """Whether "Mon", "Sat" or "Sun" stands beside another day or before a time: "Mon-Fri", "Sat 10:00", "| Sat | 10:00"."""
    before, after = tokens[n - 1], tokens[n + 1]
    if after.text in ("|", ":"):
        after = tokens[n + 2]
    beside = [at for at, one in ((n - 2, before), (n + 2, after)) if one.low in _BETWEEN_DAYS]
    days = WEEKDAY.keys() | _SHORT_WEEKDAY.keys()
    return after.kind in ("clock", "number") or any(
        tokens[at].low in days and tokens[at].text[:1].isupper() for at in beside
    )


def _named_quarter(tokens: Tokens, n: int) -> tuple[Value, int]:
    quarter, end, year = ORDINALS[tokens[n].low], n + 2, None
    at = end + 1 if tokens[end].low == "of" else end
    year = year_at(tokens, at)
    return _value(tokens, n, at + 1 if year else end, Date(year, quarter=quarter))


def _of_month(tokens: Tokens, n: int, month: int) -> tuple[Value, int] | None:
    """March; March 2024; March 5; March 5th, 2024."""
    at = n + 1
    if tokens[at].text == "." and len(tokens[n].text) <= 4 and tokens.joined(at):
        at += 1
    year = year_at(tokens, at + (tokens[at].text == ","))
    if year:
        return _value(tokens, n, at + (tokens[at].text == ",") + 1, Date(year, month))
    if tokens[at].low == "the":
        at += 1
    day = _day_number(tokens, at)
    if day is None or not _day(None, month, int(day.amount)):
        short = len(tokens[n].text) == 3 and tokens[n].text.isupper()  # "APR" is a rate as often
        alone = not short and (tokens[n - 1].low in _BEFORE_MONTH or tokens[n].low not in ("may", "march", "mar", "jan", "dec", "sep", "jun"))  # fmt: skip
        return _value(tokens, n, n + 1, Date(month=month)) if alone else None
    comma = tokens[day.end].text == ","
    year = year_at(tokens, day.end + comma)
    return _value(tokens, n, day.end + comma + 1 if year else day.end, Date(year, month, int(day.amount)))


def _day_number(tokens: Tokens, n: int) -> Number | None:
    """A day of the month in figures, "5", "5th"; or an ordinal word, "fifth"."""
    if tokens[n].kind == "number" and (len(tokens[n].text) > 2 or not tokens[n].text.isdecimal()):
        return None
    if tokens[n].kind == "word" and tokens[n].low not in ORDINALS:
        return None
    number = number_at(tokens, n)
    return number if number and number.end <= n + 2 and 1 <= number.amount <= 31 and number.amount % 1 == 0 else None


def _of_number(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """5 March 2024; 5th of March; 1990s; 5 pm; a year."""
    decade = _decade(tokens, n)
    if decade:
        return decade
    day = _day_number(tokens, n)
    if day:
        found = _day_first(tokens, n, day) or _hour(tokens, n, int(day.amount), n + 1)
        if found:
            return found
    year, of_month = year_at(tokens, n), _month_and_year(tokens, n)
    if of_month:
        return of_month
    return _dotted(tokens, n) or (_year(tokens, n, year) if year else None)


def _month_and_year(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """03/2019."""
    month, year = tokens[n].text, year_at(tokens, n + 2) if tokens[n + 1].text == "/" else None
    whole = len(month) <= 2 and month.isdecimal() and tokens.joined(n + 1) and tokens.joined(n + 2)
    if not year or not whole or not 1 <= int(month) <= 12 or tokens[n - 1].text == "/":
        return None
    return _value(tokens, n, n + 3, Date(year, int(month)))


def _dotted(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """1.25 pm."""
    hours, point, minutes = tokens[n].text.partition(".")
    half, end = _half_of_day(tokens, n + 1)
    if not half or not point or len(minutes) != 2 or not minutes.isdecimal() or not hours.isdecimal() or len(hours) > 2:
        return None
    return _time(tokens, n, end, with_part(int(hours) + int(minutes) / 60, half))


def _day_first(tokens: Tokens, n: int, day: Number) -> tuple[Value, int] | None:
    at = day.end + 1 if tokens[day.end].low == "of" else day.end
    if tokens[at].text == "." and tokens.joined(at) and tokens[at + 1].low in _MONTH:
        at += 1
    month = month_at(tokens, at)
    if not month or not _day(None, month, int(day.amount)):
        return None
    after = at + 1
    if tokens[after].text == "." and len(tokens[at].text) <= 4 and tokens.joined(after) and year_at(tokens, after + 1):
        after += 1
    comma = tokens[after].text == ","
    year = year_at(tokens, after + comma)
    return _value(tokens, n, after + comma + 1 if year else after, Date(year, month, int(day.amount)))


def _hour(tokens: Tokens, n: int, hour: int, at: int) -> tuple[Value, int] | None:
    if not 1 <= hour <= 12:
        return None
    half, end = _half_of_day(tokens, at)
    return _time(tokens, n, end, with_part(float(hour), half)) if half else None


def _decade(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    text = tokens[n].text
    after = tokens[n + 1]
    at = n + 1
    if after.text == "'" and tokens.joined(at) and tokens.joined(at + 1):
        at, after = at + 1, tokens[at + 1]
    if after.low != "s" or not tokens.joined(at) or not text.isdecimal() or not text.endswith("0"):
        return None
    decade = int(text) if len(text) == 4 else 1900 + int(text) if len(text) == 2 else None
    return _value(tokens, n, at + 1, Date(decade=decade)) if decade else None


def _year(tokens: Tokens, n: int, year: int) -> tuple[Value, int] | None:
    """Four figures are a year unless they count something: "in 2019", "the 2016 elections", "2020." are, "2400 households" are none."""
    after, before = tokens[n + 1], tokens[n - 1]
    if (
        before.text in ("$", "€", "£", "¥", ".")
        or after.text in ("%", "$", "€", "£", "¥", "°", "/")
        or unit_named(after.text)
    ):
        return None
    if before.low in _YEAR_BEFORE or before.kind == "quarter" or (1500 <= year < 2100 and _names(before.low, after)):
        return _value(tokens, n, n + 1, Date(year))
    return None


def _names(before: str, after: Token) -> bool:
    """Whether a year names what stands behind it, or stands for itself."""
    counts = after.kind == "word" and after.text.islower() and after.text.endswith("s") and after.low not in _VERBS
    return before in _ARTICLES or not counts


_ARTICLES = frozenset("the this that its his her their our 's".split())
_VERBS = frozenset("was is has as this his".split())
