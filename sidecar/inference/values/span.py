"""A value with the text that it stands on and the rate it is of."""

from __future__ import annotations

import re
from dataclasses import replace

from sidecar.inference.values.numbers import Number, Tokens
from sidecar.inference.values.units import unit_named
from sidecar.inference.values.value import Kind, Value

PER = frozenset({"per", "a", "an", "each", "every"})
ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year",
}  # fmt: skip
_NO_NOUN = frozenset("m k and or but plus with for in on at to from of is are if when while which that".split())
_APART = frozenset("ago earlier later before after previously prior ahead".split())


def value_of(tokens: Tokens, n: int, end: int, kind: Kind, number: Number, unit: str = "", by: float = 1.0) -> tuple[Value, int]:  # fmt: skip
    """The value of a number that begins at token n and ends before token end, in units of by times the number."""
    start, sign = _signed(tokens, n)
    amount = sign * number.amount * by
    return Value(kind=kind, start=start, end=tokens[end - 1].end, amount=amount, step=number.step * by, unit=unit), end


def _signed(tokens: Tokens, n: int) -> tuple[int, float]:
    """Where the number begins, with a minus that belongs to it, and its sign."""
    minus = tokens[n - 1]
    own = minus.text == "-" and tokens.joined(n) and tokens[n].kind == "number"
    if own and (n == 1 or not tokens.joined(n - 1) or tokens[n - 2].text in ("(", "[", "|", ":")):
        return minus.start, -1.0
    if minus.low == "minus" and tokens[n].kind == "number":
        return minus.start, -1.0
    return tokens[n].start, 1.0


def with_rate(tokens: Tokens, value: Value, end: int) -> tuple[Value, int]:
    """With the unit of a rate, which is no part of the value's span: "2 euros a day", "2 litres of water daily", "3 % p.a."; but $5 "a year ago"."""
    at = end + 2 if tokens[end].low == "of" and tokens[end + 1].kind == "word" else end
    sign = tokens[at]
    if sign.low in ADVERBS:
        return replace(value, per=ADVERBS[sign.low]), end
    if [tokens[k].low for k in (at, at + 1, at + 2)] == ["p", ".", "a"]:
        return replace(value, per="year"), at + 3
    rate = sign.text == "/" or sign.low in PER
    after = tokens[at + 1]
    if not rate or after.kind != "word" or after.low in _NO_NOUN:
        return value, end
    of_hours = tokens[at + 2].text == "-" and tokens[at + 3].low in ("hour", "hours")
    unit = unit_named(f"{after.low}-hour" if of_hours else after.text) or unit_named(after.text)
    if sign.low in ("a", "an") and tokens[at + 2].low in _APART:
        return value, end
    if sign.low in ("a", "an") and not unit and after.low not in ("night", "head", "person", "piece"):
        return value, end
    return replace(value, per=unit.code if unit else _PEOPLE.get(after.low, after.low)), end


_PEOPLE = {"head": "person", "guest": "person", "capita": "person"}


_BEFORE, _QUOTE = 200, re.compile(r'(?<!\d)"')


def is_inch(tokens: Tokens, n: int) -> bool:
    """Whether a sign right behind figures is that of inches, 6.1", and closes no quotation."""
    if tokens[n].text not in ('"', "″") or not tokens.joined(n):
        return False
    at = tokens[n].start
    return len(_QUOTE.findall(tokens.text, max(0, at - _BEFORE), at)) % 2 == 0
