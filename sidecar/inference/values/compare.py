"""Whether two values are the same one, written in whatever way."""

from __future__ import annotations

from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import Date, Hedge, Kind, Value

_ABOUT = 0.1  # of the amount
_CALENDAR = 0.025  # months and years beside days and weeks; 1000 beside 1024 bytes
_EXACT = 1e-6
_CALENDAR_UNITS = frozenset({"month", "year", "decade", "century"})


def dimension(value: Value) -> str:
    """What a value measures: values of different dimensions are never equal, and do not speak against each other."""
    if value.kind is Kind.QUANTITY:
        return UNITS[value.unit].dimension if value.unit in UNITS else value.unit
    return value.unit if value.kind is Kind.MONEY else value.kind


def equal(claim: Value, other: Value) -> bool:
    """Whether the claim's value is the other one, as exactly as the claim states it."""
    if claim.kind is Kind.DATE and other.kind is Kind.DATE:
        return any(_within(one, two) for one in claim.dates for two in other.dates)
    if claim.kind is Kind.NAME and other.kind is Kind.NAME:
        return claim.name.lstrip("v") == other.name.lstrip("v")
    if claim.kind is not other.kind or dimension(claim) != dimension(other):
        return False
    return near(
        claim,
        in_base(other.amount, other.unit),
        in_base(other.step, other.unit) if claim.unit != other.unit else other.step,
    )


def near(claim: Value, amount: float, step: float = 0.0) -> bool:
    """Whether an amount in base units is the claim's, rounded as the claim rounds; `step` is how exact the amount itself is."""
    own = in_base(claim.amount, claim.unit)
    known = UNITS.get(claim.unit)
    factor = known.factor if known else 1.0
    slack = _EXACT * max(abs(own), abs(amount))
    if claim.step * factor > step:
        slack = max(slack, claim.step * factor * (1 + _EXACT))
    if claim.hedge is Hedge.ABOUT:
        slack = max(slack, _ABOUT * abs(amount))
    return abs(own - amount) <= slack


def _within(claim: Date, other: Date) -> bool:
    """Whether all that the claim's date says is said by the other, and something is."""
    said = [(one, two) for one, two in zip(_parts(claim), _parts(other), strict=True) if one is not None]
    return all(two is not None and one == two for one, two in said)


def _parts(date: Date) -> tuple[int | None, ...]:
    quarter = date.quarter if date.month is None else (date.month + 2) // 3
    decade = date.decade if date.year is None else date.year // 10 * 10
    return date.year, date.month, date.day, quarter, decade, date.weekday
