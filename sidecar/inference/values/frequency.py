"""How often something is: "twice a week", "three times daily", "every other day", "fortnightly", read as how long it is from one time to the next."""

from __future__ import annotations

from dataclasses import replace

from sidecar.inference.values.dates import WEEKDAY
from sidecar.inference.values.numbers import Tokens, number_at
from sidecar.inference.values.span import ADVERBS
from sidecar.inference.values.units import Unit, unit_named
from sidecar.inference.values.value import EVERY, Kind, Value

_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
TWICE = frozenset({"twice", "thrice"})
_BEHIND = frozenset(
    "and or but by as if unless before after until within in by with without for at on when per".split()
)
_PER = frozenset("a an per each every".split())
_OF_AN_HOUR = frozenset("of hour hours hourly - ‑".split())
_ALONE = {"fortnightly": (2, "week"), "biweekly": (2, "week"), "quarterly": (3, "month"), "biennially": (2, "year")}


def frequency_at(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """The frequency that begins at token n, and the token after it; "weekly" is none before what it may describe, "the weekly report"."""
    low = tokens[n].low
    if low in _ALONE:
        amount, unit = _ALONE[low]
        return _value(tokens, n, n + 1, amount, unit)
    if low in ("every", "each"):
        return _every(tokens, n)
    ends = tokens[n + 1].kind != "word" or tokens[n + 1].low in _BEHIND
    if low in ADVERBS and _time(ADVERBS[low]) and ends and tokens[n - 1].text != "-":
        return _value(tokens, n, n + 1, 1.0, ADVERBS[low])
    if low in _TIMES:
        return _rate(tokens, n, n + 1, _TIMES[low]) or _so_often(tokens, n)
    number = number_at(tokens, n)
    if number is None or number.ordinal or not number.amount or tokens[number.end].low != "times":
        return None
    return _rate(tokens, n, number.end + 1, number.amount)


def _every(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """Every week, every other week, each quarter, each Tuesday, every second Tuesday: what it says of the day is a value of its own."""
    at = n + 1 + (tokens[n].low == "every" and tokens[n + 1].low in ("other", "second"))
    unit = tokens[at].low
    if unit == "quarter" and at == n + 1 and tokens[at + 1].low not in _OF_AN_HOUR:
        return _value(tokens, n, at + 1, 3.0, "month")
    if unit in WEEKDAY:
        return _value(tokens, n, at, float(at - n), "week")
    if _time(unit):
        return _value(tokens, n, at + 1, float(at - n), unit)
    return _value(tokens, n, n + 2, 1.0, tokens[n + 1].low) if _time(tokens[n + 1].low) else None


def recurring(tokens: Tokens, n: int, found: tuple[Value, int] | None) -> tuple[Value, int] | None:
    """Every eight hours, but not "every 8 to 12 hours"."""
    if found and tokens[n - 1].low == "every" and not found[0].per and _time(found[0].unit):
        return replace(found[0], per=EVERY), found[1]
    return found


def _rate(tokens: Tokens, n: int, at: int, times: float) -> tuple[Value, int] | None:
    adverb = ADVERBS.get(tokens[at].low, "")
    if _time(adverb):
        return _value(tokens, n, at + 1, 1 / times, adverb)
    unit = tokens[at + 1].low
    return _value(tokens, n, at + 2, 1 / times, unit) if tokens[at].low in _PER and _time(unit) else None


def _so_often(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """ "Renewed twice", so many times; not "twice as much", "twice the price"."""
    token, after = tokens[n], tokens[n + 1]
    if token.low == "once" or not (after.kind in ("sign", "end") or after.low in _BEHIND):
        return None
    return Value(kind=Kind.NUMBER, start=token.start, end=token.end, amount=_TIMES[token.low], step=0.5), n + 1


def _time(name: str) -> Unit | None:
    unit = unit_named(name)
    return unit if unit and unit.dimension == "time" else None


def _value(tokens: Tokens, n: int, end: int, amount: float, name: str) -> tuple[Value, int]:
    unit = _time(name)
    assert unit is not None
    start, stop = tokens[n].start, tokens[end - 1].end
    return Value(kind=Kind.QUANTITY, start=start, end=stop, amount=amount, unit=unit.code, per=EVERY), end
