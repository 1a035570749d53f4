"""Whether two values are the same one, written in whatever way."""

from __future__ import annotations

import math
import re
from dataclasses import fields, replace
from decimal import Decimal

from sidecar.inference.values.units import CENT, OF_CENTS, UNITS, in_base
from sidecar.inference.values.value import EVERY, Date, Hedge, Kind, Value

_ABOUT = 0.1  # of the amount
_MOST_DIGITS = 5  # of a number that was rounded
_ABOUT_ROUNDED, _ABOUT_LEAST = 1.5, 0.03  # of what it is rounded to, "about 2,900" to hundreds; and of the amount
_BOUND_NEAR = 1.5  # "over 4 billion" is said of up to so many times as much
_CALENDAR = 0.025  # months and years beside days and weeks, 1024 beside 1000 bytes
_CONVERTED = 0.04  # metres and feet, kg and lb: who converts rounds
_CONVERTED_DEGREES, _LEAST_DEGREES = 0.025, 0.6  # 180 °C and 350 °F are one oven; 37 °C and 100.4 °F are not one body
_TIME_OF_DAY = "time of day"  # not the dimension of durations, which is "time"
_DEGREE = "degree"  # of whichever scale the other is, or an angle
_ROUNDED = 0.2  # "2 km" of 1.8 km, not "1 TB" of 512 GB
_EXACT = 1e-6
_BOUNDS = frozenset({Hedge.LEAST, Hedge.MOST})
_HALF_A_DAY = 720  # minutes
_OTHER_SYSTEM = frozenset(
    "lb oz stone mi yd ft inch gal pint quart cup tbsp tsp barrel acre sqft mph hp psi kcal cal °F".split()
)
_CALENDAR_UNITS = frozenset({"month", "year", "decade", "century"})
_WORKING = frozenset({"business_day", "business_hour"})
_WEEK, _HOURS_OF_WORK = 7 / 5, 0.3
_IS_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9}){1,9}")
_LAST_ZEROS = re.compile(r"(?:\.0){1,9}$")
_PLAIN_TOO = frozenset({Kind.NUMBER, Kind.QUANTITY, Kind.NAME})


def dimension(value: Value) -> str:
    """What a value measures: values of different dimensions are never equal, and do not speak against each other."""
    if value.per == "per":
        return "per"
    if value.per == EVERY:
        return "frequency"
    if value.unit == _DEGREE:
        return UNITS["°C"].dimension
    if value.unit in _WORKING:
        return UNITS["day"].dimension
    if value.kind is Kind.QUANTITY:
        return UNITS[value.unit].dimension if value.unit in UNITS else value.unit
    return _TIME_OF_DAY if value.kind is Kind.TIME else value.kind


def agree(claim: Value, other: Value, *, within: bool = True) -> bool:
    """Whether the other value bears the claim's out: it is equal, or within the claim's bound, and no bound or rate is another one. `within`: whether a
    day within a range of days is."""
    other = other if within or not other.through else replace(other, through=())
    if claim.per and other.per and claim.per != other.per:
        return _same_rate(claim, other)
    if claim.side * other.side < 0:
        return False
    bounds = {claim.hedge, other.hedge}
    if {Hedge.LEAST, Hedge.MOST} <= bounds and claim.kind is not Kind.TIME:
        return False
    return equal(claim, other) or _within_bound(claim, other)


def is_a_case(own: Value, other: Value) -> bool:
    """Whether the claim may speak of a case under a rule: "a ship of 160 m" where pilots are compulsory "from 90 m"."""
    if own.hedge in _BOUNDS or other.hedge not in _BOUNDS:
        return False
    one, two = in_base(own.amount, own.unit), in_base(other.amount, other.unit)
    if own.dial or other.dial or own.per == EVERY:
        return True
    return one >= two if other.hedge is Hedge.LEAST else one <= two


def _same_rate(claim: Value, other: Value) -> bool:
    """100 a minute and 6,000 an hour; $12 a user and $12 a month may be of both."""
    if _of_time(claim.per) != _of_time(other.per):
        return equal(claim, other)
    one, two = UNITS.get(claim.per), UNITS.get(other.per)
    if one is None or two is None or not one.dimension == two.dimension == "time":
        return False
    return equal(replace(claim, amount=claim.amount * two.factor / one.factor), other)


def _of_time(per: str) -> bool:
    return per == "night" or (per in UNITS and UNITS[per].dimension == "time")


def equal(claim: Value, other: Value) -> bool:
    """Whether the claim's value is the other one, as exactly as the claim states it."""
    if same_digits(claim, other) or same_whole(claim, other) or same_interval(claim, other) or same_day(claim, other):
        return True
    if claim.kind is Kind.DATE and other.kind is Kind.DATE:
        if claim.through and set(claim.through) == set(other.through):
            return True
        those = other.dates if claim.through else (*other.dates, *other.through)
        return any(_within(one, two) for one in claim.dates for two in those)
    if Kind.NAME in (claim.kind, other.kind):
        return _same_name(claim, other)
    if claim.kind is not other.kind or dimension(claim) != dimension(other):
        return False
    if claim.kind is Kind.MONEY and not _same_currency(claim.unit, other.unit):
        return False
    if claim.dial or other.dial:
        return round(60 * abs(claim.amount - other.amount)) % _HALF_A_DAY == 0
    if (claim.unit in _WORKING) != (other.unit in _WORKING):
        return False
    if _DEGREE in (claim.unit, other.unit):
        return _near(replace(claim, unit=_DEGREE), replace(other, unit=_DEGREE))
    return _near(claim, other)


def may_be_working(claim: Value, other: Value) -> bool:
    """Whether one is of working days and may last as long as the other, which is of days: 5 working days are a week, and said as 5 days."""
    if (claim.unit in _WORKING) == (other.unit in _WORKING):
        return False
    working, plain = (claim, other) if claim.unit in _WORKING else (other, claim)
    if working is claim and plain.unit in UNITS and in_base(1.0, plain.unit) == UNITS[claim.unit].factor:
        return not math.isclose(claim.amount, plain.amount)  # "14 working days" of 14 days
    of_day = UNITS[working.unit].factor * working.amount
    days = in_base(plain.amount, plain.unit) / UNITS["day"].factor
    return of_day * _HOURS_OF_WORK <= days <= of_day * _WEEK * (1 + _ABOUT)


def same_digits(claim: Value, other: Value) -> bool:
    """Whether both are (groups of) one long number, however its digits are grouped."""
    return bool(claim.digits) and claim.digits == other.digits


def same_whole(claim: Value, other: Value) -> bool:
    """Whether one may be part of a number that is the other one: "2 500 mg tablets" and "2,500 mg"."""
    return (claim.whole is None) != (other.whole is None) and equal(claim.whole or claim, other.whole or other)


def same_interval(claim: Value, other: Value) -> bool:
    """Whether something recurs as often as the other value is long: "every 20 minutes" of "an interval of 20 minutes"."""
    if (claim.per == EVERY) == (other.per == EVERY) or {claim.per, other.per} != {"", EVERY}:
        return False
    return equal(replace(claim, per=""), replace(other, per=""))


def same_day(claim: Value, other: Value) -> bool:
    """Whether one is the day that the other says with its month: "on the 15th" of 15 November."""
    if {claim.kind, other.kind} != {Kind.ORDINAL, Kind.DATE}:
        return False
    ordinal, date = (claim, other) if claim.kind is Kind.ORDINAL else (other, claim)
    return any(one.day == ordinal.amount for one in date.dates)


def less_exact(claim: Value, other: Value) -> bool:
    """Whether the other value says less than the claim does, and nothing else: "March 2024" of "5 March 2024"."""
    return (
        claim.kind is Kind.DATE
        and other.kind is Kind.DATE
        and any(_within(two, one) for one in claim.dates for two in other.dates)
    )


def _near(claim: Value, other: Value) -> bool:
    own, there = in_base(claim.amount, claim.unit), in_base(other.amount, other.unit)
    step, of_other = claim.step * _factor(claim), other.step * _factor(other)
    slack = _EXACT * max(abs(own), abs(there))
    if step > of_other and claim.hedge in (Hedge.NONE, Hedge.ABOUT):
        slack = max(slack, min(step, _ROUNDED * abs(own)) * (1 + _EXACT))
    if claim.kind is Kind.PERCENT and not claim.step:
        slack = max(slack, of_other * (1 + _EXACT))
    if claim.unit != other.unit and _loosely_related(claim.unit, other.unit):
        slack = max(slack, _CALENDAR * abs(there))
    if (claim.unit in _OTHER_SYSTEM) != (other.unit in _OTHER_SYSTEM):
        degrees = "°F" in (claim.unit, other.unit)
        converted = max(_LEAST_DEGREES, _CONVERTED_DEGREES * abs(there)) if degrees else _CONVERTED * abs(there)
        slack = max(slack, converted)
    if claim.hedge is Hedge.ABOUT:
        rounded = in_base(claim.amount + _rounded_to(claim.amount), claim.unit) - own
        slack = max(slack, min(_ABOUT * abs(there), max(_ABOUT_ROUNDED * rounded, _ABOUT_LEAST * abs(there))))
    return abs(own - there) <= slack


def _within_bound(claim: Value, other: Value) -> bool:
    """Over 4 billion of 4.2 billion: a bound that an exact value keeps, and is near."""
    if (
        claim.kind is not other.kind
        or claim.kind is Kind.TIME
        or dimension(claim) != dimension(other)
        or other.hedge not in (Hedge.NONE, Hedge.ABOUT)
    ):
        return False
    if claim.kind is Kind.MONEY and not _same_currency(claim.unit, other.unit):
        return False
    own, there = in_base(claim.amount, claim.unit), in_base(other.amount, other.unit)
    near = _BOUND_NEAR if digits_of(claim.amount) < digits_of(other.amount) else 1 + _ABOUT
    if claim.hedge is Hedge.LEAST:
        return 0 < own <= there <= near * own
    return claim.hedge is Hedge.MOST and 0 < there <= own <= near * there


def _rounded_to(amount: float) -> float:
    """The unit that a number is a round number of: 100 of 2,900, 5 of 25; of a third, which no digits say, itself."""
    if digits_of(amount) > _MOST_DIGITS:
        return amount
    _, digits, exponent = Decimal(repr(amount)).normalize().as_tuple()
    unit = 10.0 ** int(exponent)
    return 5 * unit if digits[-1:] == (5,) else unit


def digits_of(amount: float) -> float:
    """How many digits say an amount; a last 5 is half a digit, since 15 is rounder than 14."""
    shown = f"{abs(amount):.5e}".partition("e")[0].replace(".", "").rstrip("0")
    return len(shown) - 0.5 * shown.endswith("5")


def _same_currency(one: str, other: str) -> bool:
    """Whether both may be of one currency: cents are those of many."""
    return one == other or (CENT in (one, other) and {one, other} <= OF_CENTS)


def _factor(value: Value) -> float:
    return UNITS[value.unit].factor if value.unit in UNITS else 1.0


def _loosely_related(one: str, other: str) -> bool:
    """Units whose ratio is not the same for everyone."""
    binary = one.endswith("B") and other.endswith("B")
    return binary or (one in _CALENDAR_UNITS) != (other in _CALENDAR_UNITS)


def _same_name(claim: Value, other: Value) -> bool:
    """A label beside a label, or beside a plain number that is written alike; a version beside one that says more of it: 2.1 and v2.1.3."""
    if not {claim.kind, other.kind} <= _PLAIN_TOO:
        return False
    one, two = _shown(claim), _shown(other)
    return one == two or (
        claim.kind is other.kind and _IS_VERSION.fullmatch(one) is not None and two.startswith(f"{one}.")
    )


def _shown(value: Value) -> str:
    if value.kind is not Kind.NAME:
        return f"{value.amount:g}"
    name = bare_name(value.name)
    return _LAST_ZEROS.sub("", name) if _IS_VERSION.fullmatch(name) else name


def bare_name(name: str) -> str:
    """A label without the v of a version."""
    return name.lstrip("v")


def same_letters(claim: Value, other: Value) -> bool:
    """Whether two labels differ in figures alone: "KX-200" and "KX-300"."""
    one, two = ("".join(char for char in bare_name(label.name) if char.isalpha()) for label in (claim, other))
    return one == two


def says_as_much(claim: Value, other: Value) -> bool:
    """Whether a date says all that the claim's does, a year where that says one, a day where it does, if not the same."""
    return any(_stated(one) <= _stated(two) for one in claim.dates for two in other.dates)


def _stated(date: Date) -> set[str]:
    return {field.name for field in fields(date) if getattr(date, field.name) is not None}


def _within(claim: Date, other: Date) -> bool:
    """Whether all that the claim's date says is said by the other."""
    return all(one is None or one == two for one, two in zip(_parts(claim), _parts(other), strict=True))


def _parts(date: Date) -> tuple[int | None, ...]:
    quarter = date.quarter if date.month is None else (date.month + 2) // 3
    decade = date.decade if date.year is None else date.year // 10 * 10
    return date.year, date.month, date.day, quarter, decade, date.weekday
