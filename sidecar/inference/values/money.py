"""Amounts of money."""

from __future__ import annotations

import re
from dataclasses import replace

from sidecar.inference.values.numbers import Number, Tokens, number_at
from sidecar.inference.values.span import value_of, with_rate
from sidecar.inference.values.units import CENTS, CURRENCIES, FIRST_OF_NATIONS, OF_NATIONS
from sidecar.inference.values.value import Kind, Value

_COST = frozenset("cost costs price prices priced fee fees pay pays paid salary worth spend spent charge charges charged rent budget pence".split())  # fmt: skip


def money_first(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """$4.2bn, USD 4,200 million, US$ 5."""
    at, code = n + 1, CURRENCIES[tokens[n].low]
    if tokens[n].low in ("us", "usd") and tokens[at].text == "$":
        at += 1
    if tokens[n].kind == "word" and not tokens[n].text.isupper():
        return None
    number = _figures_after(tokens, at)
    if number is None:
        return None
    number = _whole(tokens, at, number)
    amount, step, end = number.amount, number.step, number.end
    if tokens[end].low == "m" and tokens.joined(end):
        amount, step, end = amount * 1e6, step * 1e6, end + 1
    if CURRENCIES.get(tokens[end].low) == code and tokens[end].kind == "word":
        end += 1
    return with_rate(tokens, Value(kind=Kind.MONEY, start=tokens[n].start, end=tokens[end - 1].end, amount=amount, step=step, unit=code), end)  # fmt: skip


def _figures_after(tokens: Tokens, n: int) -> Number | None:
    return number_at(tokens, n) if tokens[n].kind == "number" else None


_MOST_PENCE = 100  # 480p and more are lines of a screen


def pence_at(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """50p, 13.2p per kWh."""
    of_pence = (
        number.figures
        and tokens[number.end].text == "p"
        and tokens.joined(number.end)
        and tokens[n + 2].text != "-"
        and tokens[n - 1].text != "/"
    )
    if not of_pence or number.end != n + 1 or not 0 < number.amount < _MOST_PENCE:
        return None
    return with_rate(tokens, *value_of(tokens, n, number.end + 1, Kind.MONEY, number, "GBP", 0.01))


_OF_CENTS = frozenset({"us", "canadian", "australian"})


def money_last(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """4.50 euros, 20 €, 50 cents, 95 pounds (where it speaks of costs)."""
    number = _whole(tokens, n, number)
    at = number.end
    nation = at + 1 if tokens[at].low in FIRST_OF_NATIONS else at
    code = OF_NATIONS.get((tokens[nation].low, tokens[nation + 1].low))
    if code is not None:
        found = _and_cents(tokens, value_of(tokens, n, nation + 2, Kind.MONEY, number, code))
        return with_rate(tokens, *found)
    at = at + 1 if tokens[at].low in _OF_CENTS and tokens[at + 1].low in CENTS else at
    token = tokens[at]
    if token.low in CENTS:
        found = value_of(tokens, n, at + 1, Kind.MONEY, number, CENTS[token.low], 0.01)
    elif token.low in CURRENCIES and (token.kind == "word" or token.text in "€$£¥₹") and not _begins_money(tokens, at):
        found = _and_cents(tokens, value_of(tokens, n, at + 1, Kind.MONEY, number, CURRENCIES[token.low]))
    elif token.low in ("pound", "pounds") and _of_costs(tokens):
        found = _and_cents(tokens, value_of(tokens, n, at + 1, Kind.MONEY, number, "GBP"))
    else:
        return None
    return with_rate(tokens, *found)


def _and_cents(tokens: Tokens, found: tuple[Value, int]) -> tuple[Value, int]:
    """ "Two pounds fifty"."""
    value, end = found
    cents = number_at(tokens, end) if tokens[end].kind == "word" and tokens[end - 1].kind == "word" else None
    if cents is None or cents.ordinal or not _LEAST_CENTS <= cents.amount < _A_WHOLE or cents.amount % 1:
        return found
    if tokens[cents.end].kind not in ("sign", "end") and tokens[cents.end].low not in _AND_SO:
        return found
    amount = value.amount + cents.amount / _A_WHOLE
    return replace(value, amount=amount, end=tokens[cents.end - 1].end), cents.end


_LEAST_CENTS, _A_WHOLE = 5, 100
_AND_SO = frozenset("a an per each for".split())

# Nobody writes one euro with three decimals.
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.000")


def _whole(tokens: Tokens, n: int, number: Number) -> Number:
    """The number of an amount of money, where 1.000 are a thousand."""
    if number.end == n + 1 and _THOUSANDS.fullmatch(tokens[n].text):
        return replace(number, amount=number.amount * 1000, step=0.5)
    return number


def _begins_money(tokens: Tokens, n: int) -> bool:
    """Whether a currency belongs to the number behind it: "2023 $4.2bn"."""
    return tokens[n + 1].kind == "number" and tokens[n].kind == "sign" and tokens.joined(n + 1)


def _of_costs(tokens: Tokens) -> bool:
    return any(tokens[n].low in _COST or tokens[n].text == "£" for n in range(min(tokens.size, 400)))
