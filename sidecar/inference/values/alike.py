"""Which values of the evidence speak of what one of a claim does."""

from __future__ import annotations

from sidecar.inference.values.compare import (
    dimension,
    equal,
    same_day,
    same_digits,
    same_interval,
    same_letters,
    same_whole,
    says_as_much,
)
from sidecar.inference.values.stated import AGE, Stated
from sidecar.inference.values.value import Date, Hedge, Kind, Value

_LARGE, _LEAST_FIGURES = 100, 10
_OF_FIGURES = 0.8


def stands_alike(own: Stated, same: Stated, other: Stated) -> bool:
    """Whether a value stands behind the very words that the claim's does, or a year before the very word ("the 2016 Olympics"), and another value does
    not: what else the claim says may be of both."""
    if own.before and own.before == same.before != other.before:
        return True
    return _is_year(own.value) and own.behind == same.behind not in ("", other.behind)


def _is_year(value: Value) -> bool:
    return bool(value.dates) and all(one == Date(year=one.year) for one in value.dates)


def is_its_amount(own: Stated, other: Stated) -> bool:
    """Whether a plain number that counts nothing, and is no age or time, is an amount of money whose currency is left out."""
    plain = own.value.kind is Kind.NUMBER and own.noun == "" and own.value.hedge is Hedge.NONE
    return plain and other.value.kind is Kind.MONEY and own.value.amount == other.value.amount >= _LARGE


def comparable(own: Stated, other: Stated) -> bool:
    """Whether two values are of one kind, so that one can be the other or speak against it."""
    if is_its_amount(own, other):
        return True
    if any(same(own.value, other.value) for same in (same_digits, same_whole, same_interval)):
        return True
    if same_day(own.value, other.value):
        return own.noun == other.noun == ""
    if Kind.NAME in (own.value.kind, other.value.kind):
        return own.value.kind is other.value.kind or equal(own.value, other.value)
    return dimension(own.value) == dimension(other.value)


def of_the_same(own: Stated, other: Stated) -> bool:
    """Whether an unequal value can speak against the claim's: it counts the same things, or is a date that says as much."""
    if own.value.difference is not other.value.difference:
        return False
    if own.value.kind is Kind.ORDINAL:
        return own.noun == other.noun
    if own.value.kind is Kind.NUMBER:
        return _same_noun(own, other)
    if own.value.kind is Kind.NAME:
        return same_letters(own.value, other.value)
    if own.value.kind is Kind.DATE:
        return says_as_much(own.value, other.value)
    return own.value.unit == other.value.unit or AGE not in (own.noun, other.noun) or own.noun == other.noun


def _same_noun(own: Stated, other: Stated) -> bool:
    """What is counted is the same, or stands among the words of the one that does not say what it counts."""
    if own.noun and other.noun:
        return own.noun == other.noun
    return own.noun in ("", *other.words) and other.noun in ("", *own.words)


def is_nearer(one: Stated, own: Stated, there: Stated, equal: Stated) -> bool:
    """Whether `one` amount of a claim has what stands `there`, in another row of a table than what its `own` is equal to, and what tells that row is as near to it:
    "38 dB, against 44 dB for the 2021 unit"."""
    measured = own.value.kind in (Kind.QUANTITY, Kind.MONEY) and bool(there.head & equal.head)
    tells = there.row - equal.row if measured else frozenset[str]()
    of_one, of_own = (sum(stated.words.get(word, 0.0) for word in tells) for stated in (one, own))
    return bool(tells) and of_one >= of_own


def of_figures(own: Value, other: Value) -> float:
    """How clearly, at least, a value is another one by its figures alone: where it has the very same, two at least, in another currency."""
    of_money = own.kind is other.kind is Kind.MONEY and not equal(own, other)
    same = of_money and own.amount == other.amount and own.amount >= _LEAST_FIGURES
    return _OF_FIGURES if same else 0.0
