"""Which of two things has more, where a claim says it and a text states how much each has: "the bus takes less time than the train" beside
25 minutes by train and 50 by bus."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import Stated, Stem
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Hedge, Kind, Value

COMPARES = " than "
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|\d(?:[\d.,]*\d)?|[^\w\s]")
_MOST_CHARACTERS = 400
_LEAD = 4  # characters before a value: " a ", " $"
_BETWEEN = 4  # tokens of what is compared, before "than"
_OF_IT = 0.6  # share of a thing's words from which on a value is of it
_RATHER = 0.4  # by how much rather than of the other
_STANDS_WITH = 0.5  # how much a word must be a value's own
_APART = 1.02
_MONEY, _TIME, _LENGTH, _MASS, _SPEED = Kind.MONEY.value, "time", "length", "mass", "speed"
# Of each word which way it points (1: more) along which dimensions.
_WORDS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    **dict.fromkeys("cheaper".split(), (-1, (_MONEY,))),
    **dict.fromkeys("dearer costlier pricier".split(), (1, (_MONEY,))),
    **dict.fromkeys("quicker".split(), (-1, (_TIME,))),
    **dict.fromkeys("longer".split(), (1, (_TIME, _LENGTH))),
    **dict.fromkeys("shorter".split(), (-1, (_TIME, _LENGTH))),
    **dict.fromkeys("taller".split(), (1, (_LENGTH,))),
    **dict.fromkeys("heavier".split(), (1, (_MASS,))),
    **dict.fromkeys("lighter".split(), (-1, (_MASS,))),
}
_OF_ANY = {
    **dict.fromkeys("more higher larger greater bigger".split(), 1),
    **dict.fromkeys("less fewer lower smaller".split(), -1),
}
_NAMED: Mapping[str, str] = {
    **dict.fromkeys("pay pays paying cost costs costing expensive costly money price prices fee fees".split(), _MONEY),
    **dict.fromkeys("weigh weighs weight heavy".split(), _MASS),
    **dict.fromkeys("time take takes last lasts".split(), _TIME),
}
_MOVING = {"faster": 1, "slower": -1}  # more of a speed, less of a time
_IS = frozenset("is are was were".split())
_ENDS = frozenset(",;:.!?()|")
_PREPOSITIONS = frozenset("at in on by for from with during to via through over".split())
_JOINS = frozenset("and but while whereas because although though since".split())
_NOT_SAID = frozenset("not no never nor neither cannot hardly if whether".split())
_MEASURES = frozenset({Kind.MONEY, Kind.QUANTITY, Kind.PERCENT, Kind.NUMBER})
_EXACT = frozenset({Hedge.NONE, Hedge.ABOUT})

Weight = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Order:
    """What a claim[start:end] says to the contrary of two values of texts: `other` of what it speaks of first, in the text number `piece`."""

    start: int
    end: int
    piece: int
    other: Stated
    theirs: Stated


@dataclass(frozen=True, slots=True)
class _Compared:
    """One thing has more (`sign` 1) than the other, by dimension; of a `noun` where the claim says of what."""

    sign: int
    signs: Mapping[str, int]
    one: frozenset[str]
    other: frozenset[str]
    noun: frozenset[str]
    start: int
    end: int


def wrong_order(claim: str, pieces: Sequence[Sequence[Stated]], weight: Weight, stem: Stem) -> Order | None:
    """Where all values that the texts state of both things stand the other way round. None where the claim compares nothing."""
    compared = _compared(claim[:_MOST_CHARACTERS], stem) if COMPARES in claim[:_MOST_CHARACTERS] else None
    if compared is None:
        return None
    there = [(number, one) for number, piece in enumerate(pieces) for one in piece if _counts(one, compared)]
    known = frozenset(word for _, one in there for word in one.words)
    one, other = compared.one & known, compared.other & known
    if not one or not other:
        return None
    mine = [(n, value) for n, value in there if _is_of(value, one, other, weight)]
    theirs = [value for _, value in there if _is_of(value, other, one, weight)]
    pairs = [(n, a, b) for n, a in mine for b in theirs if _comparable(a.value, b.value)]
    if not pairs or len({dimension(one.value) for _, one, _ in pairs}) > 1:
        return None
    if not all(_turned(a, b, compared) for _, a, b in pairs):
        return None
    number, a, b = pairs[0]
    return Order(compared.start, compared.end, number, a, b)


def _comparable(one: Value, other: Value) -> bool:
    """Whether one of both is more: of one dimension, currency and rate."""
    alike = dimension(one) == dimension(other) and one.per == other.per
    return alike and (one.kind is not Kind.MONEY or one.unit == other.unit)


def _turned(mine: Stated, theirs: Stated, compared: _Compared) -> bool:
    one, two = (in_base(of.value.amount, of.value.unit) for of in (mine, theirs))
    if compared.signs.get(dimension(mine.value), compared.sign) < 0:
        one, two = two, one
    return one > 0 and two > one * _APART


def _counts(one: Stated, compared: _Compared) -> bool:
    value = one.value
    if value.kind not in _MEASURES or value.hedge not in _EXACT or value.difference or value.side < 0:
        return False
    if compared.signs and dimension(value) not in compared.signs:
        return False
    return compared.noun <= {*one.words, one.noun}


def _is_of(one: Stated, own: frozenset[str], other: frozenset[str], weight: Weight) -> bool:
    def held(stems: frozenset[str]) -> float:
        return sum(weight(stem) for stem in stems if one.words.get(stem, 0.0) > _STANDS_WITH) / sum(map(weight, stems))

    return held(own) >= max(_OF_IT, held(other) + _RATHER)


def _compared(claim: str, stem: Stem) -> _Compared | None:
    found = list(_TOKEN.finditer(claim))
    words = [one.group().lower().replace("’", "'") for one in found]
    than = words.index("than") if "than" in words else 0
    at = next((k for k in range(than - 1, max(-1, than - 2 - _BETWEEN), -1) if _points(words[k])), None)
    begins = next((k + 1 for k in range((at or 0) - 1, -1, -1) if words[k] in _ENDS | _JOINS), 0)
    ends = next((k for k in range(than + 1, len(words)) if words[k] in _ENDS | _JOINS), len(words))
    if at is None or any(word in _NOT_SAID or word.endswith("n't") for word in words[begins:ends]):
        return None

    def stems(start: int, end: int) -> frozenset[str]:
        return frozenset(
            one
            for word in words[start:end]
            if word[0].isalnum() and word not in _NAMED and (one := stem(word)) is not None
        )

    where = _where(words, at, than)
    one, other, between = (
        stems(*((where, than) if where else (begins, at))),
        stems(than + 1, ends),
        words[at + 1 : than],
    )
    if not one - other or not other - one or _is_amount(claim[found[than].end() : found[ends - 1].end()]):
        return None
    of = next((_NAMED[word] for word in [*between, *words[max(begins, at - 2) : at]] if word in _NAMED), None)
    noun = frozenset[str]()
    if words[at] in _MOVING:
        signs: dict[str, int] = {_SPEED: _MOVING[words[at]], _TIME: -_MOVING[words[at]]}
    elif words[at] in _WORDS:
        sign, dimensions = _WORDS[words[at]]
        signs = dict.fromkeys(dimensions, sign)
    elif of is not None:
        signs = {of: _OF_ANY[words[at]]}
    else:
        signs, noun = {}, stems(at + 1, where or than)
        if not noun and words[at - 1] not in _IS:
            return None
    sign = _OF_ANY.get(words[at], 1)
    return _Compared(sign, signs, one - other, other - one, noun, found[at].start(), found[than].end())


def _where(words: Sequence[str], at: int, than: int) -> int | None:
    """Where the first of two circumstances begins that are compared, instead of two things: "cheaper at the airport than online"."""
    placed = next((k for k in range(at + 1, than) if words[k] in _PREPOSITIONS), None)
    if placed is None and words[than + 1 : than + 2] and words[than + 1] in _PREPOSITIONS:
        placed = next((k for k in range(at + 1, than) if words[k] not in _NAMED), None)
    return placed


def _is_amount(text: str) -> bool:
    """Whether what stands behind "than" begins with a value: "more than a quarter of those"."""
    return any(one.kind in _MEASURES and one.start <= _LEAD for one in read_values(text))


def _points(word: str) -> bool:
    return word in _WORDS or word in _OF_ANY or word in _MOVING
