"""Times of the day as people say them: "half past nine", "a quarter to ten in the evening", "nine o'clock"."""

from __future__ import annotations

import re

from sidecar.inference.values.dates import DAY_NAMES, part_of_day, with_part
from sidecar.inference.values.numbers import SMALL, TENS, Tokens, number_at
from sidecar.inference.values.value import Kind, Value

_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "5": 5, "10": 10, "20": 20, "25": 25}
_TIME = re.compile(r"(?P<hours>[01]?\d|2[0-4])\.(?P<minutes>[0-5]\d)")
_HOUR, _NOON, _DAY = re.compile(r"\d{1,2}"), 12, 25
_JOINS = frozenset("- to until till".split())
_OF_DAYS = frozenset(DAY_NAMES) | frozenset(
    "open opens opening close closes closed hours daily weekend weekends".split()
)
_FAR = 7  # tokens


def clock_at(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """The time that is said from token n on, and the token after it."""
    at = n + 1 if tokens[n].low == "a" and tokens[n + 1].low == "quarter" else n
    if tokens[at].low in _MINUTES and tokens[at + 1].low in ("past", "to"):
        return _past(tokens, n, at)
    if tokens[n].low in SMALL or tokens[n].kind == "number":
        return _dotted(tokens, n) or _of_a_day(tokens, n) or _hour(tokens, n)
    return None


def _of_a_day(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """Either hour of "Friday 9-20": right behind a day."""
    if tokens.lows.isdisjoint(DAY_NAMES):
        return None
    for first, last in ((n, n + 2), (n - 2, n)):
        before = tokens[first - 2] if tokens[first - 1].text in (":", "|") else tokens[first - 1]
        if before.low in DAY_NAMES and tokens[first + 1].text == "-" and before.text[:1].isupper():
            hours = [int(tokens[k].text) if _HOUR.fullmatch(tokens[k].text) else _DAY for k in (first, last)]
            if hours[0] < hours[1] and _NOON < hours[1] < _DAY and tokens[last + 1].kind in ("sign", "end"):
                value = Value(
                    kind=Kind.TIME, start=tokens[n].start, end=tokens[n].end, amount=float(hours[n == last]), unit="h"
                )
                return value, n + 1
    return None


def _dotted(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """Either time of "Sat 8.00-14.00": of two that are joined, beside a day or a word that opens or closes."""
    time = _TIME.fullmatch(tokens[n].text)
    if not time:
        return None
    joined = any(
        tokens[k].low in _JOINS and _TIME.fullmatch(tokens[j].text) for k, j in ((n + 1, n + 2), (n - 1, n - 2))
    )
    if not joined or all(tokens[k].low not in _OF_DAYS for k in range(max(0, n - _FAR), n + _FAR)):
        return None
    hours = int(time["hours"]) + int(time["minutes"]) / 60
    return Value(kind=Kind.TIME, start=tokens[n].start, end=tokens[n].end, amount=hours, unit="h"), n + 1


def _past(tokens: Tokens, n: int, at: int) -> tuple[Value, int] | None:
    """Half past nine; quarter to ten; "ten to nine" only where it is at that time, since numbers too go from ten to nineteen."""
    past, hour = tokens[at + 1].low == "past", _hour_of(tokens, at + 2)
    plain = tokens[at].low not in ("half", "quarter")
    if not hour or (not past and (tokens[at].low == "half" or (plain and tokens[n - 1].low != "at"))):
        return None
    minutes = _MINUTES[tokens[at].low] / 60
    return _said(tokens, n, at + 3, hour + minutes if past else hour - minutes)


def _hour(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """Nine o'clock, 9 o'clock."""
    o_clock = (tokens[n + 1].low, tokens[n + 2].text, tokens[n + 3].low) == ("o", "'", "clock")
    hour = _hour_of(tokens, n) if o_clock else 0
    return _said(tokens, n, n + 4, float(hour)) if hour else None


def _hour_of(tokens: Tokens, n: int) -> int:
    """The hour that token n names, 1 to 12, else 0."""
    if tokens[n].low in TENS or tokens[n].kind not in ("word", "number"):
        return 0
    number = number_at(tokens, n)
    return int(number.amount) if number and number.end == n + 1 and number.amount in range(1, 13) else 0


def _said(tokens: Tokens, n: int, end: int, hours: float) -> tuple[Value, int]:
    half, after = part_of_day(tokens, end, hours)
    hours = with_part(hours, half)
    value = Value(kind=Kind.TIME, start=tokens[n].start, end=tokens[after - 1].end, amount=hours, unit="h", dial=not half)  # fmt: skip
    return value, after
