"""Finds the values that a text states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.values.chinese import chinese_at
from sidecar.inference.values.clock import clock_at
from sidecar.inference.values.dates import moment_at
from sidecar.inference.values.frequency import frequency_at, recurring
from sidecar.inference.values.grouping import with_digits, with_groups, with_wholes
from sidecar.inference.values.hedges import hedged
from sidecar.inference.values.joined import compounds, same_unit
from sidecar.inference.values.numbers import PARTS, SHORT_SCALES, Number, Tokens, number_at
from sidecar.inference.values.tokens import Token, tokenise
from sidecar.inference.values.units import (
    AFTER_FIGURES,
    BETWEEN,
    CENTS,
    CURRENCIES,
    RAISED,
    WORKING,
    Unit,
    unit_named,
)
from sidecar.inference.values.value import Kind, Value

# A number behind one of these words is a label, compared as it is written.
_LABELS = frozenset(
    "version v release section chapter article figure fig table port room flight page clause appendix paragraph gate platform isbn".split()
)
_COST = frozenset("cost costs price prices priced fee fees pay pays paid salary worth spend spent charge charges charged rent budget pence".split())  # fmt: skip
_PER = frozenset({"per", "a", "an", "each", "every"})
_NO_NOUN = frozenset({"m", "k"})
_LONGEST = 20_000


def read_values(text: str) -> list[Value]:
    """The values of a text in their order; of a text over 20,000 characters those of its beginning."""
    return read_tokens(text)[1]


def read_tokens(text: str) -> tuple[list[Token], list[Value]]:
    """The tokens of a text, and its values."""
    text = text[:_LONGEST]
    tokens = tokenise(text)
    listed, in_doubt = with_groups(text, tokens), with_groups(text, tokens, in_doubt=True)
    found = _read(text, listed)
    if len(in_doubt) < len(listed):
        found = with_wholes(found, _read(text, in_doubt))
    return listed, with_digits(text, found)


def _read(text: str, listed: Sequence[Token]) -> list[Value]:
    tokens = Tokens(text, listed)
    found: list[tuple[Value, int, int]] = []
    n = 0
    while n < len(tokens):
        read = _value_at(tokens, n)
        if read is None:
            n += 1
            continue
        found.append((read[0], n, read[1]))
        n = max(n + 1, read[1])
    return hedged(tokens, compounds(tokens, same_unit(tokens, found)))


def _value_at(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    token = tokens[n]
    if token.kind in ("name", "version"):
        return Value(kind=Kind.NAME, start=token.start, end=token.end, name=token.low), n + 1
    if token.kind == "phone":
        digits = "".join(char for char in token.text.replace("(0)", "") if char.isdecimal())
        return Value(kind=Kind.NAME, start=token.start, end=token.end, name=digits), n + 1
    if token.kind in ("word", "sign", "code") and token.low in CURRENCIES:
        return _money_first(tokens, n)
    if token.kind == "han" or (token.kind == "number" and tokens[n + 1].kind == "han"):
        return chinese_at(tokens, n)
    said = clock_at(tokens, n) or frequency_at(tokens, n)
    if said:
        return said
    if token.kind in ("sign", "code") or _is_ignored(tokens, n) or _numbers_a_line(tokens, n):
        return None
    return moment_at(tokens, n) or recurring(tokens, n, _rated(tokens, n, _counted(tokens, n)))


def _rated(tokens: Tokens, n: int, found: tuple[Value, int] | None) -> tuple[Value, int] | None:
    """ "Per 100 g" is what a value is of, and none of its own kind."""
    if found and tokens[n - 1].low == "per" and found[0].kind in (Kind.NUMBER, Kind.QUANTITY):
        return replace(found[0], per="per"), found[1]
    return found


def _numbers_a_line(tokens: Tokens, n: int) -> bool:
    """Whether it is the number of a list's item: "1." or "2)" where a line begins."""
    mark = tokens[n + 1]
    if tokens[n].kind != "number" or mark.text not in (".", ")") or not tokens.joined(n + 1):
        return False
    before = tokens.text[max(0, tokens[n].start - 3) : tokens[n].start].rstrip(" ")
    return before[-1:] in ("", "\n") and tokens[n + 2].kind == "word"


def _placed(tokens: Tokens, n: int) -> bool:
    """Whether an ordinal says who came where: "finished third", "came in second"."""
    return tokens[n - 2 if tokens[n - 1].low == "in" else n - 1].low in _PLACED


_PLACED = frozenset("finish finished finishes came comes come placed ranked ranks".split())


def _is_ignored(tokens: Tokens, n: int) -> bool:
    """Whether a word is more often a unit than a number; "the second half" is none."""
    if tokens[n].low == "second" and _placed(tokens, n):
        return False
    if tokens[n].low == "second" and tokens[n - 1].low in _OF_ONE and tokens[n + 1].kind == "word":
        return False
    return tokens[n].low in _IGNORED


_OF_ONE = frozenset("the his her its their our my your".split())
_IGNORED = frozenset({"second", "seconds", "quarter", "k", "m"})


def _money_first(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """$4.2bn, USD 4,200 million, US$ 5."""
    at, code = n + 1, CURRENCIES[tokens[n].low]
    if tokens[n].low in ("us", "usd") and tokens[at].text == "$":
        at += 1
    if tokens[n].kind == "word" and not tokens[n].text.isupper():
        return None
    number = _figures_after(tokens, at)
    if number is None:
        return None
    amount, step, end = number.amount, number.step, number.end
    if _THOUSANDS.fullmatch(tokens[at].text) and end == at + 1:
        amount, step = amount * 1000, 0.5
    if tokens[end].low == "m" and tokens.joined(end):
        amount, step, end = amount * 1e6, step * 1e6, end + 1
    if CURRENCIES.get(tokens[end].low) == code and tokens[end].kind == "word":
        end += 1
    return _per(tokens, Value(kind=Kind.MONEY, start=tokens[n].start, end=tokens[end - 1].end, amount=amount, step=step, unit=code), end)  # fmt: skip


def _figures_after(tokens: Tokens, n: int) -> Number | None:
    return number_at(tokens, n) if tokens[n].kind == "number" else None


def _counted(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """A number with what stands behind it: percent, currency, unit, or nothing."""
    number = number_at(tokens, n)
    if number is None:
        return _one_of(tokens, n)
    if number.ordinal:
        if not number.figures and tokens[n - 1].low not in _DETERMINERS and not _placed(tokens, n):
            return None
        return _of(tokens, n, number.end, Kind.ORDINAL, number)
    return (
        _label(tokens, n, number)
        or _share(tokens, n, number)
        or _money_last(tokens, n, number)
        or _quantity(tokens, n, number)
        or _bare(tokens, n, number)
    )


def _one_of(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """An hour and a half; a half hour; a fortnight, but not "once a fortnight"."""
    if tokens[n].low == "half":
        at = n + 2 if tokens[n + 1].text == "-" else n + 1
        half_hour = tokens[at].low == "hour"
        return (
            _of(tokens, n, at + 1, Kind.QUANTITY, Number(0.5, 0.0, at + 1, figures=False), "h") if half_hour else None
        )
    unit = unit_named(tokens[n + 1].low) if tokens[n].low in ("a", "an") else None
    if unit is None or unit.dimension != "time":
        return None
    part = _AND_A.get(tokens[n + 4].low) if (tokens[n + 2].low, tokens[n + 3].low) == ("and", "a") else None
    if not part and (unit.code != "fortnight" or tokens[n - 1].low in ("once", "twice", "times")):
        return None
    number = Number(1.0 + (part or 0.0), 0.0, n + 5 if part else n + 2, figures=False)
    return _of(tokens, n, number.end, Kind.QUANTITY, number, unit.code)


_AND_A = {"half": 0.5, "quarter": 0.25}


def _of(tokens: Tokens, n: int, end: int, kind: Kind, number: Number, unit: str = "", by: float = 1.0) -> tuple[Value, int]:  # fmt: skip
    start, sign = _signed(tokens, n)
    amount = sign * number.amount * by
    value = Value(kind=kind, start=start, end=tokens[end - 1].end, amount=amount, step=number.step * by, unit=unit)
    if kind is Kind.MONEY and number.end == n + 1 and _THOUSANDS.fullmatch(tokens[n].text):
        value = replace(value, amount=amount * 1000, step=0.5)
    return value, end


# Nobody writes one euro with three decimals.
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.000")
_DETERMINERS = frozenset("the this that a an his her its their our my your every each".split())


def _signed(tokens: Tokens, n: int) -> tuple[int, float]:
    """Where the number begins, with a minus that belongs to it, and its sign."""
    minus = tokens[n - 1]
    own = minus.text == "-" and tokens.joined(n) and tokens[n].kind == "number"
    if own and (n == 1 or not tokens.joined(n - 1) or tokens[n - 2].text in ("(", "[", "|", ":")):
        return minus.start, -1.0
    if minus.low == "minus" and tokens[n].kind == "number":
        return minus.start, -1.0
    return tokens[n].start, 1.0


def _label(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """Section 4.2, Python 3.10, 5G, 1:4: compared as written."""
    token = tokens[n]
    if token.kind != "number" or number.end != n + 1:
        return None
    before = tokens[n - 1]
    end = n + 1
    if _is_ratio(tokens, n):
        name = f"{token.text}:{tokens[n + 2].text}"
        return Value(kind=Kind.NAME, start=token.start, end=tokens[n + 2].end, name=name), n + 3
    if tokens.joined(end) and tokens[end].kind in ("word", "name"):
        if tokens[end].kind == "name" or (not _is_unit(tokens[end].text) and tokens[end].low not in SHORT_SCALES and tokens[end].low != "m"):  # fmt: skip
            return Value(kind=Kind.NAME, start=token.start, end=tokens[end].end, name=token.low + tokens[end].low), end + 1  # fmt: skip
        return None
    if tokens[end].text == "-" and tokens.joined(end) and tokens[end + 1].text[:1].isupper() and tokens.joined(end + 1):
        return Value(
            kind=Kind.NAME, start=token.start, end=tokens[end + 1].end, name=token.low + "-" + tokens[end + 1].low
        ), end + 2
    decimal = "." in token.text and before.kind == "word" and before.text[:1].isupper()
    if not ((before.kind == "word" and before.low in _LABELS) or decimal) or _is_unit(tokens[end].text):
        return None
    return Value(kind=Kind.NAME, start=token.start, end=token.end, name=token.low), end


def _is_ratio(tokens: Tokens, n: int) -> bool:
    one, colon, other = tokens[n], tokens[n + 1], tokens[n + 2]
    whole = one.text.isdecimal() and other.text.isdecimal() and colon.text == ":"
    return (
        whole
        and tokens.joined(n + 1)
        and tokens.joined(n + 2)
        and not (tokens[n + 3].text == ":" and tokens.joined(n + 3))
    )


def _is_unit(text: str) -> bool:
    return (
        unit_named(text) is not None
        or text in ("%", "€", "$", "£", "¥", "°")
        or text.lower() in CURRENCIES
        or text in _UNITS_TOO
    )


_UNITS_TOO = frozenset({"in", "x", "M", "B", "C", "F", "pct", "pp", "bps", "percent"})


def _share(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """12 %, 12 percent, 3 percentage points, 25 basis points."""
    end = number.end
    one, other = tokens[end].low, tokens[end + 1].low
    if one == "-" and tokens.joined(end) and other in ("percent", "percentage"):
        end, one, other = end + 1, other, tokens[end + 2].low
    if one == "percentage" and other in ("point", "points"):
        return _of(tokens, n, end + 2, Kind.POINTS, number)
    if one == "basis" and other in ("point", "points"):
        return _of(tokens, n, end + 2, Kind.POINTS, number, by=0.01)
    if one in ("bps", "pp"):
        return _of(tokens, n, end + 1, Kind.POINTS, number, by=0.01 if one == "bps" else 1.0)
    if one in ("%", "percent", "pct"):
        return _per(tokens, *_of(tokens, n, end + 1, Kind.PERCENT, number))
    if one == "per" and other == "cent":
        return _per(tokens, *_of(tokens, n, end + 2, Kind.PERCENT, number))
    return None


def _money_last(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """4.50 euros, 20 €, 50 cents, 95 pounds (where it speaks of costs)."""
    end = number.end
    at = end + 1 if tokens[end].low in ("us", "hong", "canadian", "australian") else end
    token = tokens[at]
    if token.low in CENTS:
        found = _of(tokens, n, at + 1, Kind.MONEY, number, CENTS[token.low], 0.01)
    elif token.low in CURRENCIES and (token.kind == "word" or token.text in "€$£¥₹") and not _begins_money(tokens, at):
        found = _of(tokens, n, at + 1, Kind.MONEY, number, CURRENCIES[token.low])
    elif token.low in ("pound", "pounds") and _of_costs(tokens):
        found = _of(tokens, n, at + 1, Kind.MONEY, number, "GBP")
    else:
        return None
    return _per(tokens, *found)


def _begins_money(tokens: Tokens, n: int) -> bool:
    """Whether a currency belongs to the number behind it: "2023 $4.2bn"."""
    return tokens[n + 1].kind == "number" and tokens[n].kind == "sign" and tokens.joined(n + 1)


def _of_costs(tokens: Tokens) -> bool:
    return any(tokens[n].low in _COST or tokens[n].text == "£" for n in range(min(len(tokens), 400)))


def _quantity(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """14 days, 5 mg, two-year, 12 km/h, 20 degrees Celsius, 28 paid vacation days, three quarters of an hour."""
    end = number.end
    if 0 < number.amount < 1 and tokens[end].low == "of" and tokens[end + 1].low in ("a", "an"):
        end += 2
    if tokens[end].text == "-" and tokens.joined(end):
        end += 1
    if tokens[end].text == "°" or tokens[end].low in ("degree", "degrees"):
        return _degrees(tokens, n, number, end)
    if tokens[end].text in ("C", "F") and tokens.joined(end):
        return _of(tokens, n, end + 1, Kind.QUANTITY, number, f"°{tokens[end].text}")
    working = ""
    for at in range(end, end + 3):
        unit, after = _unit_at(tokens, at, beside=at == end and number.figures)
        raised = RAISED.get((tokens[at - 1].low, unit.code)) if unit and at > end else None
        if unit and (at == end or raised or unit.dimension in ("time", "area")):
            code = f"business_{unit.code}" if working and unit.code in ("day", "hour") else unit.code
            return _per(tokens, *_of(tokens, n, after, Kind.QUANTITY, number, raised or code))
        if tokens[at].low not in BETWEEN:
            return None
        working = working or (tokens[at].low if tokens[at].low in WORKING else "")
    return None


def _unit_at(tokens: Tokens, n: int, *, beside: bool) -> tuple[Unit | None, int]:
    """The unit at token n and the token after it; compounds with a stroke first."""
    token = tokens[n]
    if token.kind not in ("word", "name"):
        return None, n
    if tokens[n + 1].text == "/" and tokens.joined(n + 1) and tokens.joined(n + 2):
        compound = unit_named(f"{token.text}/{tokens[n + 2].text}")
        if compound:
            return compound, n + 3
    if token.low in ("pound", "pounds"):
        return unit_named("lb"), n + 1
    unit = unit_named(token.text)
    if unit is None and token.low == "in" and beside and tokens.joined(n):
        unit = unit_named("inch")
    if unit is None or (token.text in AFTER_FIGURES and not beside):
        return None, n
    return unit, n + 1


def _degrees(tokens: Tokens, n: int, number: Number, end: int) -> tuple[Value, int] | None:
    scale = tokens[end + 1].low
    code = {"c": "°C", "celsius": "°C", "centigrade": "°C", "f": "°F", "fahrenheit": "°F"}.get(scale, "")
    return _of(tokens, n, end + 2 if code else end + 1, Kind.QUANTITY, number, code or "degree")


def _per(tokens: Tokens, value: Value, end: int) -> tuple[Value, int]:
    """With the unit of a rate, which is no part of the value's span: "2 euros a day", "2 litres of water a day"."""
    at = end + 2 if tokens[end].low == "of" and tokens[end + 1].kind == "word" else end
    sign = tokens[at]
    rate = sign.text == "/" or sign.low in _PER
    after = tokens[at + 1]
    if not rate or after.kind != "word" or after.low in _NO_NOUN:
        return value, end
    unit = unit_named(after.text)
    if sign.low in ("a", "an") and not unit and after.low not in ("night", "head", "person", "piece"):
        return value, end
    return replace(value, per=unit.code if unit else after.low), end


def _bare(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """A plain number. "One" is a pronoun as often as a number, and is none without a noun that it counts."""
    token = tokens[n]
    if token.low in ("one", "zero") and number.end == n + 1 and not _counts_one(tokens, n):
        return None
    if token.low in PARTS and number.end == n + 1 and token.low != "half":
        return None
    if _is_fraction(tokens, n, number):
        return _of(tokens, n, number.end, Kind.PERCENT, number, by=100.0)
    value, end = _of(tokens, n, number.end, Kind.NUMBER, number)
    for at in (end + 1, end + 2):
        unit = unit_named(tokens[at + 1].low) if tokens[at].low in _PER or tokens[at].text == "/" else None
        if unit and all(tokens[between].kind in ("word", "name") for between in range(end, at)):
            return replace(value, per=unit.code), end
    return value, end


def _counts_one(tokens: Tokens, n: int) -> bool:
    """Whether "one" counts what stands behind it, "take one tablet"; "one vote per 50 members" is a rate."""
    before, after, then = tokens[n - 1], tokens[n + 1], tokens[n + 2]
    counts = tokens[n].low == "one" and before.low in _COUNTING and after.kind == "word"
    return counts and after.low not in _BEHIND_PRONOUN and then.low not in ("per", "for")


_COUNTING = frozenset(
    "take takes need needs needed have has had get gets use uses used add adds is are to with includes include contains exactly".split()
)
_BEHIND_PRONOUN = frozenset(
    "of another or and is was to that who more thing day time way at in on by for can may must should has will the a an person".split()
)


def _is_fraction(tokens: Tokens, n: int, number: Number) -> bool:
    """Half, three quarters, ¾ and 3/4 are shares; 0.12 is a number."""
    return 0 < number.amount < 1 and "." not in tokens[n].text and "," not in tokens[n].text
