"""Which values of the evidence speak of what one of a claim does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sidecar.inference.values.compare import (
    digits_of,
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
from sidecar.inference.values.stems import LABELS
from sidecar.inference.values.value import Date, Hedge, Kind, Value

_RATHER = 0.3  # by how much a label is rather one value's than the other's
_AS_IT_IS = frozenset({Hedge.NONE, Hedge.ABOUT})
_MEASURES = frozenset({Kind.MONEY, Kind.QUANTITY, Kind.PERCENT})
_FIGURE, _MOST_FIGURES = 5.0, 3.0  # of idf, for each of so many digits
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


def led_crosswise(one: Stated, other: Stated, of_one: Stated, of_other: Stated) -> bool:
    """Whether what leads to each of two values of a claim leads to what the other one is in the text, "payable on 15 December to holders of record on
    28 November", or one alone is a bound, and there the other one: "200 by default and 50 at most"."""
    leads, hedges = (one.lead, other.lead), (one.value.hedge, other.value.hedge)
    led = leads == (of_other.lead, of_one.lead) and one.lead != other.lead and all(leads)
    bounded = Hedge.NONE in hedges and hedges[0] is not hedges[1] and Hedge.ABOUT not in hedges
    return led or (bounded and hedges == (of_other.value.hedge, of_one.value.hedge))


def stand_exchanged(one: Stated, other: Stated, of_one: Stated, of_other: Stated) -> bool:
    """Whether a claim has two values of one list, `of_one` and `of_other`, behind each other's labels: "rent of €180 and a service charge of €1,150"."""
    mine, theirs = of_one.row - of_other.row, of_other.row - of_one.row
    if not mine or not theirs or of_one.head != of_other.head or one.lead in mine or other.lead in theirs:
        return False
    pairs = [(_is_of(one, theirs), _is_of(one, mine)), (_is_of(other, mine), _is_of(other, theirs))]
    return all(across == 1.0 and across - label >= _RATHER for across, label in pairs)


def _is_of(one: Stated, label: frozenset[str]) -> float:
    """How much a label is a value's own: by the word of it that is most so."""
    return max((share for stem, share in one.words.items() if stem in label or LABELS.get(stem) in label), default=0.0)


def of_figures(own: Value, other: Value) -> float:
    """How clearly, at least, a value is another one by its figures alone: where it has the very same, two at least, in another currency."""
    of_money = own.kind is other.kind is Kind.MONEY and not equal(own, other)
    same = of_money and own.amount == other.amount and own.amount >= _LEAST_FIGURES
    return _OF_FIGURES if same else 0.0


def same_figures(own: Value, other: Value) -> float:
    """What the very same figures weigh beside words where they are of another unit or rate: "$1,899" of 1,899 euros. Of two bounds both may
    be true: over $50 delivery is free, up to $50 it is not."""
    opposed = {own.hedge, other.hedge} == {Hedge.LEAST, Hedge.MOST}
    same = own.kind is other.kind and own.kind in _MEASURES and own.amount == other.amount and not opposed
    return _FIGURE * min(digits_of(own.amount), _MOST_FIGURES) if same else 0.0


def spans_of(evidence: Sequence[tuple[Stated, int]]) -> frozenset[int]:
    """The texts that state two times of the day, and so how long it is between them."""
    times = Counter(piece for one, piece in evidence if one.value.kind is Kind.TIME)
    return frozenset(piece for piece, number in times.items() if number == 2)


def lasts_between(own: Value, other: Value) -> bool:
    """Whether a claim says how long something lasts of which the other says when it begins or ends."""
    return own.kind is Kind.QUANTITY and own.hedge in _AS_IT_IS and other.kind is Kind.TIME
