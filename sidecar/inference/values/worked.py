"""Arithmetic that a text shows: "2 × €24.90 + €4.90 = €54.70", "€54.70 (2 × €24.90 + €4.90 shipping)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Kind, Value

_AMOUNTS = frozenset({Kind.NUMBER, Kind.PERCENT, Kind.MONEY, Kind.QUANTITY})
_SIGNS = {sign: of for of, signs in {"*": "×✕·*x", "+": "+", "-": "-−–", "/": "÷/", "=": "="}.items() for sign in signs}
# Between two values stand a sign and at most three words, "3 nights × 90 euros + 20 euros cleaning fee".
_BETWEEN = re.compile(r"\s{0,3}(?:[A-Za-z'-]{1,20}\s{1,3}){0,3}([×✕·*x+−–÷/=-])\s{0,3}")
_OPENED = re.compile(r"\s{0,3}(?:[A-Za-z'-]{1,20}\s{1,3}){0,3}\(")
_CLOSED = re.compile(r"(?:\s{1,3}[A-Za-z'-]{1,20}){0,3}\s{0,3}\)")
_MOST_VALUES = 6
_SLACK = 1.5  # steps of what is stated


@dataclass(frozen=True, slots=True)
class Worked:
    """A value, and those that the text makes it of."""

    told: Value
    operands: tuple[Value, ...]


def worked(text: str, values: Sequence[Value]) -> list[Worked]:
    """The values of a text that are what the arithmetic beside them, as the text shows it, comes to."""
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
        found += [
            Worked(told, tuple(own)) for own, of, told in shown if of and "=" not in of and _comes_to(own, of, told)
        ]
    return found


def _in_brackets(text: str, told: Value, run: Sequence[Value]) -> bool:
    """Whether they stand in brackets behind a value, all that the brackets hold."""
    opened = _OPENED.fullmatch(text[told.end : run[0].start])
    return opened is not None and _CLOSED.match(text[run[-1].end :]) is not None


def _run(text: str, values: Sequence[Value], first: int) -> tuple[list[str], int]:
    """The signs between a value and those that follow it, as far as signs go, and the number of the last; none where one stands before it."""
    if first and _BETWEEN.fullmatch(text[values[first - 1].end : values[first].start]):
        return [], first
    signs: list[str] = []
    last = first
    while last + 1 < len(values) and len(signs) < _MOST_VALUES and values[last].kind in _AMOUNTS:
        between = _BETWEEN.fullmatch(text[values[last].end : values[last + 1].start])
        if between is None or values[last + 1].kind not in _AMOUNTS:
            break
        signs.append(_SIGNS[between[1]])
        last += 1
    return signs, last


def _comes_to(run: Sequence[Value], signs: Sequence[str], told: Value) -> bool:
    """Whether products first, then sums, come to the value, which is of the same kind."""
    terms: list[tuple[str, float, Value]] = [("+", in_base(run[0].amount, run[0].unit), run[0])]
    for sign, value in zip(signs, run[1:], strict=True):
        amount = in_base(value.amount, value.unit)
        if sign in "+-":
            terms.append((sign, amount, value))
        elif (made := _times(terms[-1][1:], (amount, value), sign)) is None:
            return False
        else:
            terms[-1] = (terms[-1][0], *made)
    if told.kind not in _AMOUNTS or not (_are_plain(terms) or all(_is_like(one, told) for _, _, one in terms)):
        return False
    unit = "" if _are_plain(terms) else told.unit
    total = sum(-amount if sign == "-" else amount for sign, amount, _ in terms)
    said = in_base(told.amount, unit)
    step = in_base(told.amount + told.step, unit) - said
    return abs(total - said) <= max(_SLACK * step, 1e-6 * abs(total))


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
    return dimension(one) == dimension(told) and (one.kind is not Kind.MONEY or one.unit == told.unit)
