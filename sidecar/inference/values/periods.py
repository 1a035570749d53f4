"""What a rate is by where the words around an amount say it: "Monthly payment: $355.57", "Price per month: $29", a column "Yearly fee", "3 % interest a year"."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.values.span import ADVERBS, PER
from sidecar.inference.values.tokens import Token, tokenise
from sidecar.inference.values.units import unit_named
from sidecar.inference.values.value import Kind, Value

_ADJECTIVES = ADVERBS | {"annual": "year"}
_PAID = frozenset(
    "payment payments instalment instalments installment installments fee fees price prices cost costs charge charges rent rate rates premium "
    "premiums salary wage wages pay income budget allowance contribution contributions interest".split()
)
_MOST_BETWEEN = 6  # tokens
_MOST_NOUNS = 2  # between an amount and what it is by
_ENDS = frozenset(".;|\n")


def with_periods(values: Sequence[Value], tokens: Sequence[Token]) -> list[Value]:
    """The values, and with amounts of money, and shares, what they are by where the words before them, or a noun behind them, say it."""
    at = {token.start: n for n, token in enumerate(tokens)}
    taken = {at[value.start] for value in values}
    found = []
    for value in values:
        first = at[value.start]
        begin = max(0, first - _MOST_BETWEEN)
        begin = max([begin, *(n + 1 for n in range(begin, first) if n in taken or tokens[n].text in _ENDS)])
        per = "" if value.kind is not Kind.MONEY or value.per else _period(tokens[begin:first])
        if value.kind in (Kind.MONEY, Kind.PERCENT) and not value.per and not per:
            per = _behind_noun([token for token in tokens[first:] if token.start >= value.end][: _MOST_NOUNS + 2])
        found.append(replace(value, per=per) if per else value)
    return found


def period_of(head: str) -> str:
    """What the amounts of a column are by: month of "Price per month" and of "Monthly fee", "" where its head does not say."""
    return _period(tokenise(head))


def _behind_noun(tokens: Sequence[Token]) -> str:
    for n in range(1, len(tokens) - 1):
        if tokens[n].low in PER and tokens[n - 1].low in _PAID:
            unit = unit_named(tokens[n + 1].low)
            return unit.code if unit and unit.dimension == "time" else ""
    return ""


def _period(tokens: Sequence[Token]) -> str:
    for n, (one, other) in enumerate(itertools.pairwise(tokens)):
        unit = unit_named(other.low) if one.low in PER or one.text == "/" else None
        if unit and unit.dimension == "time" and any(before.low in _PAID for before in tokens[:n]):
            return unit.code
        if one.low in _ADJECTIVES and any(after.low in _PAID for after in tokens[n + 1 : n + 3]):
            return _ADJECTIVES[one.low]
    return ""
