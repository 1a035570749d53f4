"""Values that an answer makes of those that it has: amounts for another number of people, hours begun, what its other claims add up to."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.compare import dimension
from sidecar.inference.values.often import as_often
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import Hedge, Kind, Value

MOST_CLAIMS = 24  # of an answer, beside one
_LONGEST = 4000  # characters of a text
_SMALL = {word: n for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)}
_NUMBER = rf"(?P<n>\d{{1,3}}|{'|'.join(_SMALL)})"
_PORTIONS = rf"{_NUMBER.replace('<n>', '<m>')}\s{{1,2}}(?:servings|portions)\b"
_SERVES = re.compile(
    rf"\b(?:(?:serv(?:es|ing)|feeds|(?:recipe|ingredients) for)\s{{1,2}}{_NUMBER}\b|{_PORTIONS})", re.IGNORECASE
)
_FOR = re.compile(
    rf"\b(?:(?:for|serves?|feed)\s{{1,2}}{_NUMBER}\s{{1,2}}(?:people|persons?|guests|of us)\b|{_PORTIONS})",
    re.IGNORECASE,
)
_NAME, _BEFORE = re.compile(r"[^\W\d_]{4,30}"), 40  # characters
_FACTOR = content_stem("times")
_COUNTED = frozenset({Kind.NUMBER, Kind.QUANTITY})
_OF_RECIPES = frozenset({Kind.NUMBER, UNITS["g"].dimension, UNITS["ml"].dimension})
_BEGUN = re.compile(r"[ -](?:\w{3,9} )?(?:begun|begins?|started|commenced)\b", re.IGNORECASE)


_TIMES, _TIMES_BEHIND = re.compile(r"[×✕·*] {0,2}\Z"), re.compile(r" {0,2}[×✕·*]")
_PRODUCT = re.compile(r"\s{0,3}(?:[A-Za-z'-]{1,20}\s{1,3}){0,2}[×✕·*]\s{0,3}")
_AT = re.compile(r"\s(?:[A-Za-z'-]{1,20}\s){0,2}(?:at|à|@)\s", re.IGNORECASE)  # "three hours at €2.20"
_PLUS = re.compile(r"\b(?:plus|additional(?:ly)?|in addition|on top|another)\b", re.IGNORECASE)
_BY_BOTH = re.compile(
    r"\s?(?:per|an?|each) [\w-]{2,20}(?:,? and (?:per |each )?|,? per |,? an? )[\w-]{2,20}", re.IGNORECASE
)


Spoken = tuple[str, Sequence[Value]]  # a claim with its values


@dataclass(frozen=True, slots=True)
class Scaled:
    """Values of a claim that are right for another number of people, and those that are neither that nor what the evidence has; each with the one of the evidence and
    the number of its text."""

    right: Mapping[Value, tuple[Value, int]]
    wrong: Mapping[Value, tuple[Value, int]]

    def and_wrong(self, others: Mapping[Value, tuple[Value, int]]) -> Scaled:
        """These, and others that are wrong too."""
        return replace(self, wrong={**self.wrong, **others}) if others else self


@dataclass(frozen=True, slots=True)
class Scale:
    """By what amounts are multiplied, and the number of the text that alone has them, None of all."""

    by: float
    text: int | None = None


def scale(question: str, texts: Sequence[str]) -> Scale | None:
    """By what the amounts of the texts, which are for one number of people, are multiplied for that of the question; None where either does not say. Of
    several dishes it is the one that the question names."""
    wanted = {n for n, _ in _numbers(_FOR, question[:_LONGEST])}
    if len(wanted) != 1:
        return None
    found = [(n, text, before) for text, one in enumerate(texts) for n, before in _numbers(_SERVES, one[:_LONGEST])]
    dishes = len({n for n, _, _ in found}) > 1
    if dishes:
        asked = set(_NAME.findall(question.lower()))
        found = [one for one in found if not asked.isdisjoint(_NAME.findall(one[2].lower()))]
    there = {n for n, _, _ in found}
    if len(there) != 1:
        return None
    [mine], [theirs] = wanted, there
    return Scale(mine / theirs, found[0][1] if dishes else None) if theirs and mine != theirs else None


def _numbers(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    """Each number of people, with the little that stands before it."""
    for found in pattern.finditer(text):
        told = next(one for one in found.groups() if one).lower()
        yield _SMALL.get(told) or int(told), text[max(0, found.start() - _BEFORE) : found.start()]


def scaled(own: Sequence[Stated], pieces: Sequence[Sequence[Stated]], texts: Sequence[int], to: Scale | None) -> Scaled:
    """The amounts of a claim beside those of the evidence, said of the same, so many times; and what it says of how often something is. `texts` are the
    numbers of the texts that the pieces are of."""
    right, wrong = as_often(own, pieces)
    if to is None:
        return Scaled(right, wrong)
    by = to.by
    there = [(one, n) for n, piece in enumerate(pieces) if to.text in (None, texts[n]) for one in piece]
    for one in own:
        of_it = [(other.value, number) for other, number in there if _is_of_the_same(one, other)]
        multiplied = [place for place in of_it if _is_times(one.value, place[0], by)]
        if multiplied:
            right[one.value] = multiplied[0]
        elif of_it and one.noun != _FACTOR and not any(_is_times(one.value, other, 1.0) for other, _ in of_it):
            wrong[one.value] = of_it[0]
    return Scaled(right, wrong)


def _is_of_the_same(own: Stated, other: Stated) -> bool:
    """Whether both are plain amounts of the same ingredient."""
    plain = all(dimension(one.value) in _OF_RECIPES and not one.value.per for one in (own, other))
    mine, theirs = (one.words.keys() | ({one.noun} - {""}) for one in (own, other))
    return plain and dimension(own.value) == dimension(other.value) and not mine.isdisjoint(theirs)


def _is_times(own: Value, other: Value, by: float) -> bool:
    return math.isclose(in_base(own.amount, own.unit), by * in_base(other.amount, other.unit), rel_tol=1e-6)


def begun(claim: str, own: Sequence[Value]) -> frozenset[Value]:
    """Those of a claim's values that are another one of it, each part begun counted in full: "3 hours 15 minutes count as four hours begun"."""
    return frozenset(
        one
        for one in own
        if _BEGUN.match(claim, one.end)
        and any(
            other is not one
            and dimension(other) == dimension(one)
            and math.ceil(in_base(other.amount, other.unit) / in_base(1.0, one.unit)) == one.amount
            for other in own
        )
    )


def amounts_of(beside: Sequence[Spoken]) -> list[Value]:
    """The amounts of money of an answer's other claims, of which one of the claim may be made ("bringing you to €99"): first those that are no factors."""
    exact = [
        (text, one)
        for text, values in beside
        for one in values
        if one.kind is Kind.MONEY and one.hedge in (Hedge.NONE, Hedge.ABOUT)
    ]
    return [one for factor in (False, True) for text, one in exact if _is_factor(text, one) is factor]


def _is_factor(text: str, one: Value) -> bool:
    return _TIMES.search(text, 0, one.start) is not None or _TIMES_BEHIND.match(text, one.end) is not None


def factors(claim: str, own: Sequence[Value]) -> list[Value]:
    """Numbers that a claim multiplies: six of "2 adults × 3 nights"."""
    return [
        replace(one, amount=one.amount * other.amount)
        for one, other in itertools.pairwise(own)
        if one.kind is other.kind is Kind.NUMBER and _PRODUCT.fullmatch(claim, one.end, other.start)
    ]


def multiplied(own: Sequence[Value], beside: Sequence[Spoken]) -> frozenset[Value]:
    """Those of a claim's amounts of money that another claim of the answer has as a product, 102 × €2.60, without saying what it comes to."""
    products = [
        (one.amount * other.amount, (one if one.kind is Kind.MONEY else other).unit)
        for text, values in beside
        for one, other in itertools.pairwise(values)
        if (_PRODUCT.fullmatch(text, one.end, other.start) and {one.kind, other.kind} == {Kind.MONEY, Kind.NUMBER})
        or (_AT.fullmatch(text, one.end, other.start) and one.kind in _COUNTED and other.kind is Kind.MONEY)
    ]
    return frozenset(
        one
        for one in own
        if one.kind is Kind.MONEY
        and any(unit == one.unit and math.isclose(one.amount, made) for made, unit in products)
    )


def for_two(
    own: Sequence[Value], pieces: Sequence[str], there: Sequence[Sequence[Value]]
) -> tuple[frozenset[Value], Mapping[Value, tuple[Value, int]]]:
    """The amount of a claim with two counts, "two dogs for three nights come to £60", beside the one rate by both, "£10 per dog and night": one that is their
    product, or one that is not, with the rate and the number of its text."""
    counts = [one.amount for one in own if one.kind in _COUNTED and one.amount % 1 == 0 and not one.per]
    amounts = [one for one in own if one.kind is Kind.MONEY and not one.per]
    rates = [
        (one, n)
        for n, (piece, values) in enumerate(zip(pieces, there, strict=True))
        for one in values
        if one.kind is Kind.MONEY and _BY_BOTH.match(piece, one.end)
    ]
    if (len(counts), len(amounts), len(rates)) != (2, 1, 1):
        return frozenset(), {}
    if any(one.kind is Kind.MONEY and one.amount == amounts[0].amount for values in there for one in values):
        return frozenset(), {}  # it is stated
    right = math.isclose(amounts[0].amount, math.prod(counts) * rates[0][0].amount)
    return (frozenset(amounts), {}) if right else (frozenset(), {amounts[0]: rates[0]})


def with_more(own: Sequence[Value], pieces: Sequence[str], there: Sequence[Sequence[Value]]) -> frozenset[Value]:
    """The bounds of a claim that are one value of a sentence and what may come on top of it: "at most 12 %" of "8 %, plus up to 4 %"."""
    most = {
        (one.amount + other.amount, one.unit, one.kind)
        for piece, values in zip(pieces, there, strict=True)
        for one, other in itertools.pairwise(values)
        if one.kind is other.kind and one.unit == other.unit and one.hedge is Hedge.NONE and other.hedge is Hedge.MOST
        if _PLUS.search(piece, one.end, other.start)
    }
    return frozenset(one for one in own if one.hedge is Hedge.MOST and (one.amount, one.unit, one.kind) in most)
