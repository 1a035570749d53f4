"""A value of a text written in another way, without a change of fact; see training.values."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from sidecar.inference.values.dates import MONTHS
from sidecar.inference.values.numbers import amount_of
from sidecar.inference.values.units import UNITS
from sidecar.inference.values.value import Date, Hedge, Kind, Value
from training.value_words import (
    ALIKE,
    HEDGE,
    MONEY,
    ORDINALS,
    SHORT_MONTHS,
    WORD_OF,
    Way,
    figures_of,
    in_words,
    numeral_of,
    ordinal_of,
    unit_place,
)

_CONVERTED = {  # unit: (other unit, how many of it make one)
    "week": (("day", 7),), "day": (("week", 1 / 7), ("h", 24)), "h": (("min", 60), ("day", 1 / 24)), "min": (("h", 1 / 60), ("s", 60)), "s": (("min", 1 / 60),),
    "year": (("month", 12),), "month": (("year", 1 / 12),), "km": (("m", 1000),), "m": (("km", 1e-3), ("cm", 100)), "cm": (("m", 0.01), ("mm", 10)),
    "mm": (("cm", 0.1),), "kg": (("g", 1000),), "g": (("kg", 1e-3), ("mg", 1000)), "mg": (("g", 1e-3),), "l": (("ml", 1000),), "ml": (("l", 1e-3),),
    "kW": (("W", 1000),), "MW": (("kW", 1000),), "W": (("kW", 1e-3),), "GW": (("MW", 1000),), "t": (("kg", 1000),), "decade": (("year", 10),),
}  # fmt: skip
_PLAIN = frozenset({"day", "week", "month", "year", "decade", "century"})


def _numeral_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    """The number in figures or words, with commas or without, 1.5k, 1.5 million."""
    place = numeral_of(text, value)
    if place is None:
        return None
    start, end, figures = place
    numeral = text[start:end]
    if not figures:
        whole = value.amount % 1 == 0 and value.amount < 1e6 and "half" not in numeral
        return (
            (start, end, figures_of(value.amount, "1,000" if value.amount >= 1e4 else ""), "words")
            if whole and numeral.lower() not in ("a", "an")
            else None
        )
    read = amount_of(numeral)
    if read is None or read[0] % 1 or "." in numeral:
        return None
    amount = int(read[0])
    ways = []
    if re.search(r"\b[A-Z]\w*\.? $", text[1:start]) or _in_a_row(text, value):
        pass
    elif (
        1 < amount <= 20
        or (amount < 100 and amount % 10 == 0)
        or (amount < 100 and rng.random() < 0.5)
        or (amount < 1_000_000 and amount % (100 if amount < 10_000 else 1000) == 0 and rng.random() < 0.5)
    ):
        ways.append(in_words(amount))
    if amount >= 1000:
        ways.append(numeral.replace(",", "") if "," in numeral and amount < 1e6 else f"{amount:,}")
    if amount >= 1000 and amount % 100 == 0 and value.amount == amount and value.kind is Kind.NUMBER and amount < 1e6:
        ways.append(f"{amount / 1000:g}k")
    if amount >= 1e6 and amount % 1e4 == 0 and value.amount == amount and amount < 1e12:
        ways.append(f"{amount / 1e6:g} million" if amount < 1e9 else f"{amount / 1e9:g} billion")
    unit = text[end : value.end].strip()
    if (
        value.kind is Kind.MONEY
        or text[end : end + 1].isalpha()
        or (unit in WORD_OF and unit not in _PLAIN)
        or (unit[:1] in "%°" and unit)
        or text[:start].endswith('": ')
    ):
        ways = [one for one in ways if one[0].isdigit()]
    if text[start - 1 : start] in ("-", "−") or (
        text[end : end + 1] in ("-", "/", ":") and text[end + 1 : end + 2].isdigit()
    ):
        return None
    return (start, end, rng.choice(ways), "words") if ways else None


def _in_a_row(text: str, value: Value) -> bool:
    """Whether it is one of several numbers side by side, which are written in one way."""
    behind = re.match(r"(?: to| or| and|,|-|–) ?\d", text[value.end : value.end + 6])
    return (
        behind is not None
        or re.search(r"\d(?: to| or| and|,|-|–) ?$", text[max(0, value.start - 6) : value.start]) is not None
    )


def _percent_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    place = numeral_of(text, value)
    if place is None or text[place[1] : place[1] + 1] == "-":
        return None
    end = value.end
    sign = rng.choice(("%", " %", " percent", " per cent"))
    if not place[2] and "%" in sign:
        sign = " percent"
    return place[1], end, sign, "percent"


def _money_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    """$4.2bn, $4,200 million, USD 4.2 billion, 4.2 billion dollars."""
    signs = MONEY.get(value.unit)
    span = text[value.start : value.end]
    if (
        signs is None
        or "cent" in span
        or text[value.end : value.end + 1] in ("-", "–")
        or text[value.start - 1 : value.start] in ("-", "–")
    ):
        return None
    cents = value.step < 0.5
    ways = [figures_of(value.amount, "1,000.00" if cents else "1,000")] if value.amount < 1e9 else []
    for scale, words in ((1e6, (" million", "m")), (1e9, (" billion", "bn"))):
        shown = round(value.amount / scale, 3)
        if 0.5 <= shown < 10_000 and abs(shown * scale - value.amount) < 1:
            ways += [f"{shown:,g}{word}" for word in words]
    if not ways:
        return None
    figures = rng.choice(ways)
    short = figures[-1].isalpha() and " " not in figures
    ways = [f"{signs[0]}{figures}", f"{value.unit} {figures}"]
    if not short and value.amount != 1:
        ways.append(f"{figures} {signs[1]}")
    return value.start, value.end, rng.choice(ways), "money"


def _quantity_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    """Another unit (14 days, two weeks), or the unit's symbol or word."""
    place, number = unit_place(text, value), numeral_of(text, value)
    if (
        place is None
        or number is None
        or text[place[0] - 1 : place[0]] == "-"
        or (value.hedge is not Hedge.NONE and rng.random() < 0.5)
    ):
        return None
    start, written = place
    between = text[number[1] : start].strip()
    if between or text[value.start - 1 : value.start] in ("-", "–") or _in_a_row(text, value):
        return None
    if rng.random() < 0.5:
        return _converted(value, rng)
    words = WORD_OF.get(value.unit)
    if words is None:
        return None
    if len(written) > 3 or written == "day":
        symbol = rng.choice(("min", "mins")) if value.unit == "min" else "hrs" if value.unit == "h" else value.unit
        if not number[2] or value.unit in (
            "day",
            "week",
            "month",
            "year",
            "decade",
            "century",
            "mi",
            "lb",
            "t",
            "s",
            "ha",
        ):
            return None
        return number[1], value.end, f" {symbol}", "unit"
    return number[1], value.end, f" {words[value.amount != 1]}", "unit"


def _converted(value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    options = []
    for unit, times in _CONVERTED.get(value.unit, ()):
        amount = round(value.amount * times, 6)
        if value.amount * times > 360 and unit in ("s", "h", "mg", "cm"):
            continue
        if (
            amount * (2 if UNITS[unit].dimension == "time" else 20) % 1 == 0
            and 0.1 <= amount < 100_000
            and (amount % 1 == 0 or value.unit in ("min", "month", "m", "g", "ml", "W", "cm"))
        ):
            options.append((unit, amount))
    if not options:
        return None
    unit, amount = rng.choice(options)
    small = amount % 1 == 0 and 1 <= amount <= 12
    shown = in_words(int(amount)) if small and rng.random() < 0.6 else figures_of(amount)
    word = WORD_OF[unit][amount != 1]
    symbol = unit if shown[0].isdigit() and UNITS[unit].dimension != "time" and rng.random() < 0.5 else word
    return value.start, value.end, f"{shown} {symbol}", "converted"


def _date_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    date = value.dates[0]
    if len(value.dates) != 1 or date.month is None or value.end - value.start < 5:
        return None
    article = text[: value.start].lower().endswith("the ")
    new = rng.choice(_dates(date))
    if article or (date.day is None and new == text[value.start : value.end]):
        return None
    return value.start, value.end, new, "date"


def _dates(date: Date) -> Sequence[str]:
    assert date.month is not None
    month, short = MONTHS[date.month - 1], SHORT_MONTHS[date.month - 1]
    if date.day is None:
        return [f"{month} {date.year}", f"{short} {date.year}"] if date.year else [month]
    if date.year is None:
        return [
            f"{date.day} {month}",
            f"{month} {date.day}",
            f"{month} {ordinal_of(date.day)}",
            f"{short} {date.day}",
            f"{date.day} {short}",
        ]
    return [
        f"{date.day} {month} {date.year}", f"{month} {date.day}, {date.year}", f"{month} {ordinal_of(date.day)}, {date.year}",
        f"{date.year}-{date.month:02}-{date.day:02}", f"{short} {date.day}, {date.year}", f"{date.day} {short} {date.year}",
    ]  # fmt: skip


def _time_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    minutes = round(value.amount * 60)
    hour, minute = divmod(minutes, 60)
    half = "am" if hour < 12 else "pm"
    shown = (hour + 11) % 12 + 1
    ways = [f"{hour:02}:{minute:02}", f"{shown}:{minute:02} {half}", f"{shown}:{minute:02} {half[0]}.m."]
    if minute == 0:
        ways += [f"{shown} {half}", f"{shown} {half[0]}.m."]
    if text[value.end : value.end + 1] == ".":
        ways = [one for one in ways if not one.endswith(".")]
    if text[value.start - 1 : value.start] in ("-", "–") or text[value.end : value.end + 1] in ("-", "–"):
        return None
    return value.start, value.end, rng.choice(ways), "time"


def _ordinal_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    amount, span = int(value.amount), text[value.start : value.end]
    if span[0].isdigit():
        return (value.start, value.end, ORDINALS[amount - 1], "ordinal") if 1 <= amount <= 12 else None
    if not text[: value.start].lower().endswith("the "):
        return None
    return value.start, value.end, ordinal_of(amount), "ordinal"


def _bound_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    found = HEDGE.search(text[: value.start][-60:])
    if found is None or value.hedge is Hedge.NONE or found.group(2).strip():
        return None
    old = found.group(1)
    new = ALIKE.get(old.lower())
    start = max(0, value.start - 60) + found.start(1)
    if new is None:
        return None
    other = rng.choice(new)
    return start, start + len(old), other.capitalize() if old[0].isupper() else other, "bound"


FORMATS: dict[Kind, tuple[Way, ...]] = {
    Kind.NUMBER: (_numeral_formatted, _numeral_formatted, _bound_formatted),
    Kind.ORDINAL: (_ordinal_formatted,),
    Kind.PERCENT: (_percent_formatted, _numeral_formatted, _bound_formatted),
    Kind.MONEY: (_money_formatted, _money_formatted, _bound_formatted),
    Kind.QUANTITY: (_quantity_formatted, _quantity_formatted, _numeral_formatted, _bound_formatted),
    Kind.DATE: (_date_formatted,),
    Kind.TIME: (_time_formatted,),
}
