"""Arithmetic that a text shows: "2 × €24.90 + €4.90 = €54.70", "€54.70 (2 × €24.90 + €4.90 shipping)", "fell by 12 %, from 50 to 44"."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import Hedge, Kind, Value

_AMOUNTS = frozenset({Kind.NUMBER, Kind.PERCENT, Kind.MONEY, Kind.QUANTITY})
_SHARES = frozenset({Kind.PERCENT, Kind.POINTS})
_SIGNS = {sign: of for of, signs in {"*": "×✕·*x", "+": "+", "-": "-−–", "/": "÷/", "=": "="}.items() for sign in signs}
# Between two values stand a sign and at most three words, "3 nights × 90 euros + 20 euros cleaning fee".
_BETWEEN = re.compile(r"\s{0,3}(?:[A-Za-z'-]{1,20}\s{1,3}){0,3}([×✕·*x+−–÷/=-])\s{0,3}")
_SIGN_IN_WORDS = re.compile(
    r"\s{1,3}(?:(?P<plus>plus)|(?P<minus>minus)|(?P<times>times)|(?P<of>of)|(?:which |that )?(?:is|are|makes?|gives?|equals?|totals|comes? to|amounts? to))\s{1,3}"
)
_IN_WORDS = {"plus": "+", "minus": "-", "times": "*", "of": "*"}
_OPENED = re.compile(r"\s{0,3}(?:[A-Za-z'-]{1,20}\s{1,3}){0,3}\(")
_CLOSED = re.compile(r"(?:\s{1,3}[A-Za-z'-]{1,20}){0,3}\s{0,3}\)")
_MOST_VALUES = 6
_MONTHS, _WEEKS = frozenset({"month", "year"}), frozenset({"day", "week", "fortnight"})
_MADE_OF_SIDES = {2: "m²", 3: "m³"}
_SLACK = 1.5  # steps of what is stated
_ABOUT = 0.1
_ALMOST = r"\s{1,3}(?:about\s{1,3}|around\s{1,3}|roughly\s{1,3}|nearly\s{1,3}|almost\s{1,3}|just\s{1,3}|only\s{1,3})?[$€£¥~]?\s?$"
_SIDES = re.compile(r"\b(?P<side>from|to)" + _ALMOST, re.IGNORECASE)
_LONGEST_BEFORE, _FARTHEST = 24, 40  # characters: of a word before a value, between the sides of a change
_VERB = (
    r"up|down|(?:in|de)creas(?:es?|ed|ing)|r(?:ises?|ose|isen|ising)|f(?:alls?|ell|allen|alling)|gr(?:ows?|ew|own|owing)|drop(?:s|ped)?"
    r"|declin(?:es?|ed)|jump(?:s|ed)?|climb(?:s|ed)?|reduced|cut|raised|lowered"
)
_AGAIN = re.compile(
    r",?\s{0,3}(?:\(|=|or\b|i\.e\.,?|that is,?)\s{0,3}(?:about\s{1,3}|around\s{1,3}|roughly\s{1,3}|nearly\s{1,3}|some\s{1,3})?",
    re.IGNORECASE,
)
_BY = re.compile(rf"\b(?:by|{_VERB})" + _ALMOST, re.IGNORECASE)
_LEADS_TO_SIDES = re.compile(
    r",?+\s{0,3}+(?:year[- ]on[- ]year|over the year|overall|in total)?,?\s{0,3}+(?:from|to)" + _ALMOST, re.IGNORECASE
)
_BEHIND_SIDES = re.compile(r"\A,?\s{0,3}(?:(?:by|" + _VERB + ")" + _ALMOST.removesuffix("$") + ")", re.IGNORECASE)
_A = re.compile(r",?\s{0,3}(?:an?|which is an?)\s{1,3}(?:[$€£¥]\s?)?", re.IGNORECASE)
_ENDS = re.compile(r"\s{0,3}(?:[.,;)]|$)")
_CHANGE = re.compile(r"\s(?:(?:in|de)crease|rise|fall|drop|decline|gain|reduction)\b", re.IGNORECASE)
_FAR = 20  # times


@dataclass(frozen=True, slots=True)
class Worked:
    """A value, those that the text makes it of, and whether they come to it."""

    told: Value
    operands: tuple[Value, ...]
    right: bool = True


def worked(text: str, values: Sequence[Value]) -> list[Worked]:
    """The values of a text that the arithmetic beside them, as the text shows it, is said to come to."""
    found = []
    for first in range(len(values)):
        signs, last = _run(text, values, first)
        run = values[first : last + 1]
        if "=" in signs:
            at = signs.index("=")
            sides = (run[: at + 1], signs[:at]), (run[at + 1 :], signs[at + 1 :])
            shown = [(own, of, other[0]) for (own, of), (other, _) in (sides, sides[::-1]) if len(other) == 1]
        else:
            shown = [(run, signs, values[first - 1])] if first and _in_brackets(text, values[first - 1], run) else []
        for own, of, told in shown:
            right = _comes_to(own, of, told) if of and "=" not in of else None
            if right or (right is False and _is_all("=" in signs, first, own, of, told)):
                found.append(Worked(told, tuple(own), right))
    return [*found, *_changed(text, values), *_said_twice(text, values)]


def _is_all(equation: bool, first: int, run: Sequence[Value], signs: Sequence[str], told: Value) -> bool:
    """Whether arithmetic that does not come out is wrong, and not a part of more ("12 months at $29 + $49 = $397"), of rates or bounds, or no arithmetic
    at all ("5 people (2 + 3 children)", "20 (10-12)"): an equation of which all values of the text are, or an amount of money before brackets."""
    plain = all(one.kind in (Kind.NUMBER, Kind.PERCENT) or _is_like(one, told) for one in run) or _is_of_sides(
        run, told
    )
    exact = all(not one.per and one.hedge is Hedge.NONE for one in (*run, told))
    of_money = told.kind is Kind.MONEY and any(one.kind is Kind.MONEY for one in run)
    counted = of_money or _is_of_sides(run, told)
    return plain and exact and not {"*", "+"}.isdisjoint(signs) and (first == 0 if equation else counted)


def _said_twice(text: str, values: Sequence[Value]) -> Iterator[Worked]:
    """Months and years that a text says again in weeks or days: "four months, or 16 weeks"."""
    for one, other in itertools.pairwise(values):
        calendar = {one.unit, other.unit} & _MONTHS and {one.unit, other.unit} & _WEEKS
        if calendar and _AGAIN.fullmatch(text[one.end : other.start]):
            first, last = _base_of(one, 0), _base_of(other, 0)
            if abs(first - last) <= _ABOUT * max(abs(first), abs(last)):
                yield from (Worked(one, (other,)), Worked(other, (one,)))


def _changed(text: str, values: Sequence[Value]) -> list[Worked]:
    """By how much something is said to have changed, where the text says from what to what."""
    sides: dict[str, list[Value]] = {"from": [], "to": []}
    others = []
    for value in values:
        before = _SIDES.search(text[max(0, value.start - _LONGEST_BEFORE) : value.start])
        if value.kind in _AMOUNTS and before:
            sides[before["side"].lower()].append(value)
        elif value.kind in _AMOUNTS | {Kind.POINTS} and not value.per:
            others.append(value)
    if [len(of) for of in sides.values()] != [1, 1]:
        return []
    (first,), (last,) = sides.values()
    between = text[min(first.end, last.end) : max(first.start, last.start)]
    if not _is_like(first, last) or not _close(between):
        return []
    return [
        Worked(one, (first, last), _is_change(one, first, last))
        for one in others
        if (one.kind in _SHARES or _is_like(one, first)) and _says_change(text, one, first, last)
    ]


def _says_change(text: str, told: Value, first: Value, last: Value) -> bool:
    """Whether a value is what something changed by, right beside what it changed from and to: "by 5 %, from", "to 12, up 5 %", "to 12, a 5 % increase"."""
    before, behind = min(first.start, last.start), max(first.end, last.end)
    if told.kind is Kind.NUMBER or told.hedge in (Hedge.LEAST, Hedge.MOST) or _far_apart(first, last):
        return False
    if told.end <= before:
        said = _BY.search(text[max(0, told.start - _LONGEST_BEFORE) : told.start])
        return said is not None and _LEADS_TO_SIDES.fullmatch(text[told.end : before]) is not None
    between, after = text[behind : told.start], text[told.end :]
    by = _BEHIND_SIDES.fullmatch(between) is not None and _ENDS.match(after) is not None
    return by or (_A.fullmatch(between) is not None and _CHANGE.match(after) is not None)


def _far_apart(first: Value, last: Value) -> bool:
    """Whether one is so many times the other that it may lack what the other counts in: "from 3.2 to 2.9 million"."""
    low, high = sorted((abs(_base_of(first, 0)), abs(_base_of(last, 0))))
    return high > _FAR * low


def _close(between: str) -> bool:
    return len(between) <= _FARTHEST and " and " not in between and not any(mark in between for mark in ".;:!?\n")


def _is_change(told: Value, first: Value, last: Value) -> bool:
    """Whether a value is how far two others are apart, or that in percent of the first; all as far as they are stated."""
    low, high = (_base_of(last, sign) - _base_of(first, -sign) for sign in (-1, 1))
    bounds = [(low, high)]
    if told.kind is Kind.PERCENT:
        least, most = sorted(abs(_base_of(first, sign)) for sign in (-1, 1))
        shares = [100 * end / of for end in (low, high) for of in (least, most) if of]
        bounds = [
            *([(low, high)] if first.kind is Kind.PERCENT else []),
            *([(min(shares), max(shares))] if shares else []),
        ]
    own = _base_of(told, 0)
    step = _base_of(told, 1) - own
    slack = max(_SLACK * step, (_ABOUT if told.hedge is Hedge.ABOUT else 1e-6) * abs(own))
    return any(start - slack <= sign * own <= end + slack for start, end in bounds for sign in (-1, 1))


def _base_of(value: Value, steps: int) -> float:
    """A value in base units, with so many steps of what is stated added."""
    return in_base(value.amount + steps * value.step, value.unit)


def _in_brackets(text: str, told: Value, run: Sequence[Value]) -> bool:
    """Whether they stand in brackets behind a value, all that the brackets hold."""
    opened = _OPENED.fullmatch(text[told.end : run[0].start])
    return opened is not None and _CLOSED.match(text[run[-1].end :]) is not None


def _run(text: str, values: Sequence[Value], first: int) -> tuple[list[str], int]:
    """The signs between a value and those that follow it, as far as signs go, and the number of the last; none where one stands before it."""
    if first and _sign(text, values[first - 1], values[first]):
        return [], first
    signs: list[str] = []
    last = first
    while last + 1 < len(values) and len(signs) < _MOST_VALUES and values[last].kind in _AMOUNTS:
        sign = _sign(text, values[last], values[last + 1])
        if not sign or values[last + 1].kind not in _AMOUNTS:
            break
        signs.append(sign)
        last += 1
    return signs, last


def _sign(text: str, one: Value, other: Value) -> str:
    """The sign between two values, or what stands for one in words; "" where there is none."""
    between = text[one.end : other.start]
    if sign := _BETWEEN.fullmatch(between):
        return _SIGNS[sign[1]]
    words = _SIGN_IN_WORDS.fullmatch(between)
    if words is None or (words["of"] and one.kind is not Kind.PERCENT):
        return ""
    return _IN_WORDS.get(words.lastgroup or "", "=")


def _comes_to(run: Sequence[Value], signs: Sequence[str], told: Value) -> bool | None:
    """Whether products first, then sums, come to the value; None where they make nothing of its kind."""
    if {*signs} == {"*"} and _is_of_sides(run, told):
        return _of_sides(run, told)
    terms: list[tuple[str, float, Value]] = [("+", in_base(run[0].amount, run[0].unit), run[0])]
    for sign, value in zip(signs, run[1:], strict=True):
        amount = in_base(value.amount, value.unit)
        if sign in "+-":
            terms.append((sign, amount, value))
        elif (made := _times(terms[-1][1:], (amount, value), sign)) is None:
            return None
        else:
            terms[-1] = (terms[-1][0], *made)
    if told.kind not in _AMOUNTS or not (_are_plain(terms) or all(_is_like(one, told) for _, _, one in terms)):
        return None
    unit = "" if _are_plain(terms) else told.unit
    total = sum(-amount if sign == "-" else amount for sign, amount, _ in terms)
    said = in_base(told.amount, unit)
    step = in_base(told.amount + told.step, unit) - said
    about = _ABOUT if told.hedge is Hedge.ABOUT else 1e-6
    return abs(total - said) <= max(_SLACK * step, about * abs(total))


def _is_of_sides(run: Sequence[Value], told: Value) -> bool:
    """Whether two or three lengths, or numbers beside one, stand beside an area or a volume: "24 m³ (4 × 3 × 2 m)"."""
    made = _MADE_OF_SIDES.get(len(run))
    sides = [one for one in run if one.kind is Kind.NUMBER or dimension(one) == UNITS["m"].dimension]
    lengths = any(one.kind is Kind.QUANTITY for one in sides)
    return lengths and made is not None and len(sides) == len(run) and dimension(told) == UNITS[made].dimension


def _of_sides(run: Sequence[Value], told: Value) -> bool:
    """Whether lengths make an area or a volume. Bare numbers have the unit of the last one that has any."""
    unit = next(one.unit for one in reversed(run) if one.kind is Kind.QUANTITY)
    size = math.prod(in_base(one.amount, one.unit or unit) for one in run) * in_base(1.0, _MADE_OF_SIDES[len(run)])
    said, step = in_base(told.amount, told.unit), in_base(told.step, told.unit)
    return abs(size - said) <= max(_SLACK * step, (_ABOUT if told.hedge is Hedge.ABOUT else 1e-6) * size)


def _times(one: tuple[float, Value], other: tuple[float, Value], sign: str) -> tuple[float, Value] | None:
    """A product or a quotient, and the value whose kind it has; None where that has none."""
    (a, first), (b, second) = one, other
    if sign == "/":
        if not b or second.kind is not Kind.NUMBER:
            return None
        return a / b, first
    for (_, factor), (amount, value) in ((one, other), (other, one)):
        if factor.kind is Kind.PERCENT and value.kind is not Kind.PERCENT:
            return (a if factor is first else b) / 100 * amount, value
        if factor.kind is Kind.NUMBER:
            return a * b, value
        if factor.kind is Kind.QUANTITY and value.kind is Kind.MONEY:
            return factor.amount * amount, value
    return None


def _are_plain(terms: Sequence[tuple[str, float, Value]]) -> bool:
    """Whether all are bare numbers, whose unit the result alone states: "30 ÷ 12 = 2.5 days"."""
    return all(one.kind is Kind.NUMBER for _, _, one in terms)


def _is_like(one: Value, told: Value) -> bool:
    """Whether both can be added: degrees of a scale cannot."""
    if dimension(one) == UNITS["°C"].dimension:
        return False
    return dimension(one) == dimension(told) and (one.kind is not Kind.MONEY or one.unit == told.unit)
