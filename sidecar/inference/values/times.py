"""How many times another amount one is: "doubled" of what rose from 20 to 60, "twice as much" of 50 and 200, 45 of "90 litres, twice the capacity of ..."."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.numbers import SMALL
from sidecar.inference.values.stated import Stated, Stem
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Hedge, Kind, Value

_LONGEST = 400  # characters
_MANY = {word: float(n) for word, n in SMALL.items() if n > 1}
_FACTORS = {
    **dict.fromkeys("doubled double doubles doubling twice twofold".split(), 2.0),
    **dict.fromkeys("tripled triple triples tripling trebled treble threefold".split(), 3.0),
    **dict.fromkeys("quadrupled quadruple quadruples fourfold".split(), 4.0),
    **dict.fromkeys("halved halves halve half".split(), 0.5),
}
_OF_TWO = r"(?:as (?:much|many|high|long|large|big|heavy|expensive|far|fast|old|tall)\b|(?:what|that of|the (?:size|number|price|amount|capacity|power|rate|length|weight))\b)"
_TIMES = re.compile(
    rf"\b(?:(?P<verb>doubled|tripled|trebled|quadrupled|halved|(?:two|three|four)fold)\b"
    rf"|(?P<word>twice|double|triple|half)\s(?:of\s)?{_OF_TWO}|(?P<many>{'|'.join(_MANY)}|\d{{1,3}})\stimes\s{_OF_TWO})",
    re.IGNORECASE,
)
_BENDS = re.compile(
    r"\b(?:not|no|never|if|unless|more than|less than|over|nearly|almost|about|around|roughly|approximately|at least|up to|would|could|may|might|than)\b|n['’]t\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w'’-]{0,60}")
_MEASURES = frozenset({Kind.MONEY, Kind.QUANTITY, Kind.PERCENT, Kind.NUMBER})
_NEAR, _APART, _ITS_OWN = 0.001, 0.1, 0.9
_BOTH, _BEST = 2, 4  # amounts; best sentences
_FAR = 1000  # times: 10 of "from 10 to 20 million" lacks what the other counts in


@dataclass(frozen=True, slots=True)
class Times:
    """claim[start:end] says how many times another amount one is, and `other`, of the text number `piece`, is one of two of which it is not so."""

    start: int
    end: int
    piece: int
    other: Stated


def says_times(claim: str) -> bool:
    """Whether a claim says how many times another amount one is."""
    return _TIMES.search(claim[:_LONGEST]) is not None


def wrong_times(
    claim: str, own: Sequence[Stated], texts: Sequence[str], pieces: Sequence[Sequence[Stated]], stem: Stem
) -> Times | None:
    """Where the best of the texts, no row of a table, states two amounts of one kind, and no two of its are so many times each other; of a change the one that it
    comes to of the other. None where one of them says as many times as the claim. `own` are the values of the claim: one of another kind speaks of something else."""
    found = _TIMES.search(claim[:_LONGEST])
    if found is None or _BENDS.search(claim) or not pieces:
        return None
    factor = _factor(found)
    if any(_factor(each) == factor for text in texts[:_BEST] for each in _TIMES.finditer(text[:_LONGEST])):
        return None
    plain = [
        one
        for one in pieces[0]
        if one.value.kind in _MEASURES and one.value.hedge is Hedge.NONE and one.value.amount > 0
    ]
    alike = [one for one in plain if sum(dimension(other.value) == dimension(one.value) for other in plain) == _BOTH]
    alike = alike if len(alike) == _BOTH else _of_noun(claim[found.end() :], pieces, stem)
    if (
        len(alike) != _BOTH
        or any(one.row or one.head for one in alike)
        or (alike[0].value.kind is Kind.MONEY and alike[0].value.unit != alike[1].value.unit)
    ):
        return None
    said = {dimension(one.value) for one in own if not found.start() <= one.value.start < found.end()} - {Kind.DATE}
    about = {one for word in _WORD.findall(claim.lower()) if (one := stem(word)) is not None}
    if said - {dimension(alike[0].value)} or all(about.isdisjoint(one.words) for one in alike):
        return None
    first, last = sorted(alike, key=lambda one: one.value.side)
    ratio = _base(last.value) / _base(first.value)
    if not 1 / _FAR < ratio < _FAR:
        return None
    ratios = [ratio] if first.value.side < last.value.side else [ratio, 1 / ratio]
    if any(math.isclose(each, factor, rel_tol=_APART) for each in ratios):
        return None
    return Times(found.start(), found.end(), 0, last)


def _of_noun(behind: str, pieces: Sequence[Sequence[Stated]], stem: Stem) -> list[Stated]:
    """The two amounts of what a claim counts, "five times as much storage", where sentences state just two."""
    word = _WORD.search(behind)
    noun = stem(word.group().lower()) if word else None
    every = [one for piece in pieces for one in piece if noun is not None and one.words.get(noun, 0.0) > _ITS_OWN]
    found = [one for one in every if one.value.kind in _MEASURES and one.value.hedge is Hedge.NONE and one.value.amount]
    kinds = {dimension(one.value) for one in found}
    return found if len(kinds) == 1 and len({_base(one.value) for one in found}) == len(found) == _BOTH else []


def by_times(own: Sequence[Value], pieces: Sequence[str], there: Sequence[Sequence[Value]]) -> frozenset[Value]:
    """The amounts of a claim that are so many times one of one of the best sentences that says how many times another one it is, or the other way round."""
    amounts = [one for one in own if one.kind in (Kind.MONEY, Kind.QUANTITY)]
    found = set[Value]()
    for piece, values in zip(pieces[:_BEST] if amounts else (), there, strict=False):
        factors = [_factor(each) for each in _TIMES.finditer(piece[:_LONGEST])]
        found |= {
            one
            for one in amounts
            for other in values
            if other.kind is one.kind
            and dimension(other) == dimension(one)
            and (one.kind is not Kind.MONEY or one.unit == other.unit)
            for factor in factors
            if any(math.isclose(_base(one), by * _base(other), rel_tol=_NEAR) for by in (factor, 1 / factor))
        }
    return frozenset(found)


def _factor(found: re.Match[str]) -> float:
    many = (found["many"] or "").lower()
    if many:
        return float(many) if many.isdecimal() and int(many) else _MANY.get(many, 1.0)
    return _FACTORS[(found["verb"] or found["word"]).lower()]


def _base(one: Value) -> float:
    return in_base(one.amount, one.unit)
