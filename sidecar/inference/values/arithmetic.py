"""Whether a value follows from two others by plain arithmetic: a sum, a difference, a product, a ratio, a change in percent."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.moments import between_days, is_moved
from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import EVERY, Hedge, Kind, Value

MOST_VALUES = 24
_ABOUT = 0.05
_AMOUNTS = frozenset({Kind.NUMBER, Kind.PERCENT, Kind.MONEY, Kind.QUANTITY})
OF_A_DAY = frozenset({"h", "min"})
_HELD = frozenset({UNITS["mg"].dimension, UNITS["ml"].dimension})
_MONTHS = 12
_NEAREST = 3
_MOST_SUMMED = 6
_LEAST_PLAIN = 4  # small whole numbers follow from any two others


def follows(claim: Value, evidence: Sequence[Value]) -> bool:
    """Whether two of the first few values of the evidence make the claim's value."""
    if claim.kind in (Kind.DATE, Kind.TIME):
        return is_moved(claim, evidence[:MOST_VALUES])
    if claim.hedge in (Hedge.LEAST, Hedge.MOST) or claim.kind not in _AMOUNTS | {Kind.POINTS} or claim.per == EVERY:
        return False
    if any(_rounds_to(claim, amount) for amount in _over_a_time(claim, evidence[:MOST_VALUES])):
        return True
    if claim.kind is Kind.NUMBER and abs(claim.amount) < _LEAST_PLAIN and claim.amount.is_integer():
        return False
    return any(_rounds_to(claim, amount) for amount in _made(claim, evidence[:MOST_VALUES]))


def _over_a_time(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    """What so much, so often, comes to: three tablets a day of "1 tablet every 8 hours"."""
    if claim.per not in UNITS:
        return
    often = [one for one in evidence if one.per == EVERY and one.amount]
    much = [one for one in evidence if dimension(one) == dimension(claim) and not one.per]
    for one, each in itertools.product(often, much):
        yield in_base(each.amount, each.unit) * UNITS[claim.per].factor / in_base(one.amount, one.unit)


def _rounds_to(claim: Value, amount: float) -> bool:
    own = in_base(claim.amount, claim.unit)
    factor = UNITS[claim.unit].factor if claim.unit in UNITS else 1.0
    slack = max(1e-6 * abs(own), claim.step * factor if claim.step >= 0.5 or claim.kind is Kind.PERCENT else 0.0)
    if claim.hedge is Hedge.ABOUT:
        slack = max(slack, _ABOUT * abs(own))
    elif claim.kind is not Kind.PERCENT:
        slack = 1e-6 * abs(own)
    return abs(own - amount) <= slack


def _made(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    amounts = [(one, in_base(one.amount, one.unit)) for one in evidence if _may_make(one)]
    for (one, a), (two, b) in itertools.combinations(amounts, 2):
        if dimension(one) == dimension(two) and (one.unit == two.unit or one.kind is Kind.QUANTITY):
            if dimension(one) == dimension(claim) and (claim.kind is not Kind.MONEY or claim.unit == one.unit):
                yield from (a + b, abs(a - b))
            if claim.kind in (Kind.PERCENT, Kind.NUMBER):
                yield from _ratios(a, b, 100.0 if claim.kind is Kind.PERCENT else 1.0)
        yield from _times(claim, one, two, b)
        yield from _times(claim, two, one, a)
    yield from _in_proportion(claim, evidence[:MOST_VALUES])
    yield from _over_a_year(claim, evidence)
    yield from _rests(claim, evidence)
    yield from _of_several(claim, evidence[:MOST_VALUES])
    yield from _between_years(claim, evidence)
    yield from _between_times(claim, evidence)
    yield from between_days(claim, evidence[:MOST_VALUES])


def _may_make(one: Value) -> bool:
    """Whether a value is an amount, and no plain 1, which makes any number the next one."""
    return one.kind in _AMOUNTS and not (one.kind is Kind.NUMBER and one.amount == 1.0)


def _times(claim: Value, one: Value, other: Value, amount: float) -> Iterator[float]:
    """One value so many times the other: 3 x 8 euros, three days at 20 euros, 5 % of 400 euros; money shared out, 60 euros for three."""
    if dimension(other) != dimension(claim) or (claim.kind is Kind.MONEY and other.unit != claim.unit):
        return
    if one.amount == 1.0 and one.per != EVERY:
        return
    if one.kind is Kind.NUMBER or (one.kind is Kind.QUANTITY and (claim.kind is Kind.MONEY or other.per == one.unit)):
        yield one.amount * amount
        if one.kind is Kind.NUMBER and (claim.kind is Kind.MONEY or claim.per) and one.amount > 1:
            yield amount / one.amount
    if one.kind is Kind.QUANTITY and claim.kind is Kind.MONEY and claim.per == one.unit and one.amount:
        yield amount / one.amount
    if one.kind is Kind.PERCENT and claim.kind is not Kind.PERCENT:
        part = one.amount * amount / 100
        yield from (part, amount + part, amount - part)


def _in_proportion(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    """What so much of something holds: 10 ml of "120 mg/5 ml" hold 240 mg, 5 ml 15 mg where "1 ml contains 3 mg"."""
    for base in evidence:
        one = base.amount == 1.0 and {dimension(base), dimension(claim)} == _HELD
        if (base.per != "per" and not one) or not base.amount:
            continue
        held = [one for one in evidence if dimension(one) == dimension(claim)]
        parts = [one for one in evidence if dimension(one) == dimension(replace(base, per=""))]
        for much, part in itertools.product(held, parts):
            yield in_base(much.amount, much.unit) * in_base(part.amount, part.unit) / in_base(base.amount, base.unit)


def _of_several(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    """What several that stand one after the other come to, and how many points lie between two shares."""
    if claim.kind is Kind.POINTS:
        shares = [one.amount for one in evidence if one.kind is Kind.PERCENT]
        yield from (abs(one - other) for one, other in itertools.combinations(shares, 2))
    alike = [one for one in evidence if dimension(one) == dimension(claim) and one.per != EVERY]
    if claim.kind is Kind.MONEY:
        alike = [one for one in alike if one.unit == claim.unit]
    amounts = [in_base(one.amount, one.unit) for one in alike]
    for first in range(len(amounts)):
        yield from itertools.islice(itertools.accumulate(amounts[first:]), 2, _MOST_SUMMED)


def _over_a_year(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    """What twelve months come to, and a month of a year."""
    if claim.kind is Kind.MONEY:
        for one in evidence:
            if one.kind is Kind.MONEY and one.unit == claim.unit:
                yield from (one.amount * _MONTHS, one.amount / _MONTHS)


def _ratios(a: float, b: float, hundred: float) -> Iterator[float]:
    for one, other in ((a, b), (b, a)):
        if other:
            yield hundred * one / other
            yield hundred * abs(one - other) / abs(other)


def _rests(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    """What a share leaves of a hundred percent."""
    if claim.kind is Kind.PERCENT:
        shares = [one.amount for one in evidence[:_NEAREST] if one.kind is Kind.PERCENT]
        yield from (100.0 - share for share in shares if 0 < share < 100)
        yield from (100.0 - one - other for one, other in itertools.combinations(shares, 2) if one + other < 100)


def _between_years(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    """Years between two dates: an age, how long something lasted."""
    if claim.kind is Kind.NUMBER or claim.unit == "year":
        years = {date.year for one in evidence for date in one.dates if date.year}
        factor = UNITS["year"].factor if claim.unit == "year" else 1.0
        yield from (abs(one - other) * factor for one, other in itertools.combinations(sorted(years), 2))


def _between_times(claim: Value, evidence: Sequence[Value]) -> Iterator[float]:
    """How long it is between two times of the day."""
    if claim.unit in OF_A_DAY:
        hours = sorted({one.amount for one in evidence if one.kind is Kind.TIME})
        for one, other in itertools.combinations(hours, 2):
            yield from ((other - one) * UNITS["h"].factor, (one + 24 - other) * UNITS["h"].factor)
