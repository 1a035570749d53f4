"""Values that stand together: the ends of a range, which share a unit, and the parts of one measure, "1 hour and 30 minutes"."""

from __future__ import annotations

from dataclasses import replace

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.han_numerals import scale_of
from sidecar.inference.values.numbers import Tokens
from sidecar.inference.values.units import CENT, UNITS
from sidecar.inference.values.value import Kind, Value


def compounds(tokens: Tokens, found: list[tuple[Value, int, int]]) -> list[tuple[Value, int, int]]:
    """1 hour and 30 minutes, 5 ft 6 inches, 5 euros and 50 cents: one value, in the first unit."""
    whole: list[tuple[Value, int, int]] = []
    for value, first, end in found:
        before = whole[-1] if whole else None
        if before and _goes_on(tokens, before, value, first):
            one, begin, _ = before
            share = UNITS[value.unit].factor / UNITS[one.unit].factor if value.kind is Kind.QUANTITY else 1.0
            whole[-1] = (
                replace(one, end=value.end, amount=one.amount + value.amount * share, step=value.step * share), begin, end
            )  # fmt: skip
        else:
            whole.append((value, first, end))
    return whole


def _goes_on(tokens: Tokens, before: tuple[Value, int, int], value: Value, first: int) -> bool:
    one, _, end = before
    if one.kind is value.kind is Kind.MONEY:
        return (
            value.unit == CENT != one.unit
            and one.amount % 1 == 0
            and value.amount < 1
            and first == end + 1
            and tokens[end].low == "and"
        )
    if one.kind is not Kind.QUANTITY or value.kind is not Kind.QUANTITY or one.per or value.per or one.amount % 1:
        return False
    larger, smaller = UNITS.get(one.unit), UNITS.get(value.unit)
    if larger is None or smaller is None or larger.dimension != smaller.dimension or smaller.factor >= larger.factor:
        return False
    fits = value.amount * smaller.factor < larger.factor and larger.dimension in ("time", "length", "mass")
    fits = fits and tokens[first - 1].low + tokens.text[value.end : value.end + 1] not in _OF_ANOTHER
    return fits and (first == end or (first == end + 1 and tokens[end].low in ("and", ",")))


_OF_ANOTHER = frozenset({",'", ",’"})  # "less than five years, six months' notice"


def same_unit(tokens: Tokens, found: list[tuple[Value, int, int]]) -> list[tuple[Value, int, int]]:
    """The unit of a range's end is that of its beginning too: "10-15 mg", "between two and three weeks", "$10-15 million", "25 x 10 m"."""
    for n in reversed(range(len(found) - 1)):
        (one, first, end), (other, begin, after) = found[n], found[n + 1]
        joined = tokens[end].low
        instead = (joined, tokens[end + 1].low) in _INSTEAD and begin == end + _BOTH  # "256 instead of 128 GB"
        if instead and one.kind is Kind.NUMBER and other.kind in _MEASURES:
            found[n] = replace(one, kind=other.kind, unit=other.unit, per=other.per), first, end
        if joined not in _JOINS_RANGES or begin - (other.amount < 0) != end + 1:
            continue
        if joined in _BY and (other.kind is not Kind.QUANTITY or dimension(other) != "length"):
            continue
        if (
            joined == "and"
            and other.kind is not Kind.DATE
            and "between" not in (tokens[first - 1].low, tokens[first - 2].low)
        ):
            continue
        if one.kind is Kind.NUMBER and other.kind in _MEASURES:
            scale = _scale_between(tokens.text, one, other)
            one = replace(
                one, kind=other.kind, unit=other.unit, per=other.per, amount=one.amount * scale, step=one.step * scale
            )
        elif one.kind is Kind.NUMBER and other.kind is Kind.TIME and 0 < one.amount <= 12:
            later = other.amount >= 12 and one.amount < 12 and one.amount + 12 < other.amount
            one = replace(one, kind=Kind.TIME, unit="h", amount=one.amount + 12 * later, step=0.0)
        elif joined != "or" and one.kind is Kind.TIME and other.kind is Kind.NUMBER and other.amount in _ON_A_DIAL:
            later = other.amount <= one.amount < _NOON  # "from half past seven to six"
            other = replace(other, kind=Kind.TIME, unit="h", amount=other.amount + _NOON * later, step=0.0)
        elif one.kind is Kind.NUMBER and other.kind is Kind.DATE:
            one = _day_before(one, other)
        elif one.kind is Kind.MONEY and other.kind is Kind.NUMBER:
            other = replace(other, kind=Kind.MONEY, unit=one.unit)
            one = replace(one, amount=one.amount * _scale_of(one, other), step=one.step * _scale_of(one, other))
        found[n], found[n + 1] = (one, first, end), (other, begin, after)
    return found


def _day_before(one: Value, other: Value) -> Value:
    """The first day of "3 to 17 May 2023"."""
    earlier = tuple(
        replace(date, day=int(one.amount)) for date in other.dates if date.day and 1 <= one.amount < date.day
    )
    return replace(one, kind=Kind.DATE, amount=0.0, step=0.0, dates=earlier) if earlier and one.step else one


_NOON, _ON_A_DIAL = 12, frozenset(map(float, range(1, 13)))
_INSTEAD, _BOTH = frozenset({("instead", "of"), ("rather", "than")}), 2
_BY = frozenset({"x", "×", "by"})
_JOINS_RANGES = frozenset({"-", "to", "and", "or", "~", "至", "到", "或"}) | _BY
_MEASURES = frozenset({Kind.PERCENT, Kind.POINTS, Kind.MONEY, Kind.QUANTITY})


def _scale_between(text: str, one: Value, other: Value) -> float:
    """What the beginning of a range takes from its end; 10到15万元 begins at a hundred thousand, 5000至1万元 at five thousand."""
    chinese = scale_of(text[other.start : other.end])
    if chinese == 1.0:
        return _scale_of(one, other)
    return chinese if one.step in (0.0, 0.5) and one.amount * chinese < other.amount else 1.0


def _scale_of(one: Value, other: Value) -> float:
    """The scale word of the end of a range: "10-15 million euros" begins at ten million, "100-2000 euros" at a hundred."""
    for scale in (1e12, 1e9, 1e6, 1e3):
        if (
            other.amount >= scale
            and (other.step >= max(scale * 1e-4, 1.0) or not other.step)
            and 0 < one.amount < 1000
            and one.amount * scale <= other.amount
        ):
            return scale
    return 1.0
