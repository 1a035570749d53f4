"""A value of a text made another one: its number, unit, currency, scale, date, bound or place; see training.values."""

from __future__ import annotations

import random
import re

from sidecar.inference.values.compare import dimension, equal
from sidecar.inference.values.dates import MONTHS, WEEKDAYS
from sidecar.inference.values.numbers import amount_of
from sidecar.inference.values.read import read_values
from sidecar.inference.values.value import Hedge, Kind, Value
from training.value_words import (
    HEDGE,
    MONEY,
    ORDINALS,
    REVERSED,
    SHORT_MONTHS,
    WORD_OF,
    Way,
    figures_of,
    in_words,
    numeral_of,
    ordinal_of,
    unit_place,
)

_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SCALE_SIGNS = {
    "k": ("m", "bn"),
    "m": ("bn", "k"),
    "bn": ("m", "tn"),
    "mn": ("bn", "k"),
    "M": ("B", "K"),
    "B": ("M", "K"),
}
_NEAR = {  # what a unit is mistaken for
    "mg": ("g", "mcg"), "mcg": ("mg",), "g": ("mg", "kg"), "kg": ("g", "t", "lb"), "t": ("kg",), "mm": ("cm", "m"), "cm": ("mm", "m"), "m": ("km", "cm", "ft"),
    "km": ("m", "mi"), "mi": ("km",), "ft": ("m",), "ml": ("l",), "l": ("ml",), "s": ("min", "ms", "h"), "ms": ("s",), "min": ("h", "s"), "h": ("min", "day"),
    "day": ("week", "month", "h"), "week": ("day", "month"), "month": ("week", "year", "day"), "year": ("month", "decade"), "decade": ("year", "century"),
    "century": ("decade",), "kB": ("MB",), "MB": ("GB", "kB"), "GB": ("MB", "TB"), "TB": ("GB",), "W": ("kW",), "kW": ("W", "MW"), "MW": ("kW", "GW"),
    "GW": ("MW",), "Hz": ("MHz",), "MHz": ("GHz",), "GHz": ("MHz",), "V": ("W",), "lb": ("kg", "oz"), "oz": ("lb", "g"), "ha": ("km²",), "°C": ("°F",),
    "°F": ("°C",), "km/h": ("mph", "m/s"), "mph": ("km/h",), "kWh": ("MWh", "Wh"), "MWh": ("kWh", "GWh"), "mAh": ("Ah",),
}  # fmt: skip


def _other_amount(figures: str, most: float, rng: random.Random) -> str | None:
    """Other figures of the same make: a digit changed, ten times as much, some more or less."""
    read = amount_of(figures)
    if read is None or ("," in figures.rpartition(".")[2] and "." in figures):
        return None
    amount, unit = read[0], 2 * read[1]
    zeros = len(figures) - len(figures.rstrip("0")) if "." not in figures else 0
    grain = unit * 10 ** min(zeros, 6)
    way = rng.randrange(4)
    if way == 0 and amount * 10 <= most:
        new = amount * 10
    elif way == 1 and amount >= 20 and zeros:
        new = amount / 10
    elif amount / grain < 13:
        new = grain * rng.randint(2, 15)
    else:
        new = grain * round(
            amount / grain * rng.choice((0.5, 0.6, 0.75, 0.8, 0.9, 1.1, 1.2, 1.3, 1.5, 1.8, 2.0))
            + rng.choice((-1, 0, 1))
        )
    return None if new <= 0 or new > most or new == amount or new == 1 else figures_of(new, figures)


def _number_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    place = numeral_of(text, value)
    if place is None:
        return None
    start, end, figures = place
    numeral = text[start:end]
    if _is_one(numeral):
        return None
    if figures:
        most = 100.0 if value.kind is Kind.PERCENT and value.amount <= 100 else 1e15
        new = _other_amount(numeral, most, rng)
        return (start, end, new, "number") if new else None
    if (
        "half" in numeral.lower()
        or value.amount % 1
        or value.amount > 999_999
        or any(scale in numeral for scale in _SCALES)
    ):
        return None
    amount = int(value.amount)
    other = rng.randint(2, 12) if amount <= 12 else round(amount * rng.choice((0.5, 0.75, 1.5, 2)) + rng.choice((0, 1)))
    if numeral.lower().endswith("dozen"):
        return None
    return start, end, in_words(other), "number"


def _is_one(numeral: str) -> bool:
    return numeral.lower() in ("1", "one", "a", "an", "1.0")


def _unit_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    place, near = unit_place(text, value), _NEAR.get(value.unit)
    if place is None or not near:
        return None
    start, written = place
    other = rng.choice(near)
    several = written.lower().endswith("s") or value.amount != 1
    if text[start - 1 : start] == "-":
        several = False
    if len(written) > 3 or written in ("day", "days", "year"):
        words = WORD_OF.get(other)
        if words is None or written.lower() in ("celsius", "fahrenheit"):
            return None
        return start, start + len(written), words[several], "unit"
    if other in WORD_OF and other in ("day", "week", "month", "year"):
        other = WORD_OF[other][several]
        return (start, start + len(written), f" {other}" if text[start - 1].isdigit() else other, "unit")
    return start, start + len(written), other, "unit"


def _currency_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    signs = MONEY.get(value.unit)
    if signs is None:
        return None
    other = rng.choice([one for one in ("USD", "EUR", "GBP") if one != value.unit])
    span = text[value.start : value.end]
    for old, new in (
        (value.unit, other),
        (signs[0], MONEY[other][0]),
        (signs[1], MONEY[other][1]),
        (signs[1][:-1], MONEY[other][1].rstrip("s")),
    ):
        at = span.find(old)
        if at >= 0:
            if (old == signs[1] and other == "GBP") or (old == signs[1][:-1] and other == "GBP"):
                new = "pounds sterling"
            return value.start + at, value.start + at + len(old), new, "currency"
    return None


def _scale_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    span = text[value.start : value.end]
    found = re.search(r"\b(thousand|million|billion|trillion)\b", span)
    if found:
        other = rng.choice([scale for scale in _SCALES if scale != found.group() and scale != "trillion"])
        return value.start + found.start(), value.start + found.end(), other, "scale"
    sign = re.search(r"(?<=\d)(?:k|m|bn|mn|M|B)\b", span)
    if sign is None or value.kind not in (Kind.MONEY, Kind.NUMBER):
        return None
    return value.start + sign.start(), value.start + sign.end(), rng.choice(_SCALE_SIGNS[sign.group()]), "scale"


def _bound_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    found = HEDGE.search(text[: value.start][-60:])
    if found is None or value.hedge not in (Hedge.LEAST, Hedge.MOST):
        return None
    old = found.group(1)
    new = REVERSED.get(old.lower())
    if new is None or (found.group(2).strip() and old.lower() not in ("minimum", "maximum")):
        return None
    if new == "less than" and value.kind is Kind.NUMBER:
        new = "fewer than"
    start = max(0, value.start - 60) + found.start(1)
    return start, start + len(old), new.capitalize() if old[0].isupper() else new, "bound"


def _date_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    span = text[value.start : value.end]
    ways: list[tuple[int, int, str, str]] = []
    for names in (MONTHS, SHORT_MONTHS, ("Sept",), WEEKDAYS):
        found = re.search(rf"\b(?:{'|'.join(names)})\b", span)
        if found and not (names is SHORT_MONTHS and found.group() == "May"):
            known = WEEKDAYS if names is WEEKDAYS else MONTHS if names is MONTHS else SHORT_MONTHS
            other = rng.choice([one for one in known if one[:3] != found.group()[:3]])
            ways.append((found.start(), found.end(), other, "weekday" if names is WEEKDAYS else "month"))
    year = re.search(r"(?<!\d)(?:1\d|20|21)\d\d(?!\d)", span)
    if year:
        new = int(year.group()) + (
            rng.choice((-20, -10, 10, 20))
            if value.dates[0].decade
            else rng.choice((-10, -5, -3, -2, -1, 1, 2, 3, 5, 10))
        )
        ways.append((*year.span(), str(new), "year"))
    day = re.search(r"(?<![\d/-])\d{1,2}(?![\d/-])", span)
    if day and value.dates[0].day:
        new = rng.choice([n for n in range(2, 29) if n != int(day.group())])
        suffix = re.match(r"st|nd|rd|th", span[day.end() :])
        ways.append((day.start(), day.end() + (2 if suffix else 0), ordinal_of(new) if suffix else str(new), "day"))
    iso = re.fullmatch(r"(\d{4}-)(\d\d)(-)(\d\d)", span)
    if iso:
        part = rng.choice((2, 4))
        new = rng.choice([n for n in range(1, 13 if part == 2 else 29) if n != int(iso.group(part))])
        ways.append((*iso.span(part), f"{new:02}", "month" if part == 2 else "day"))
    quarter = re.match(r"Q([1-4])", span)
    if quarter:
        ways.append((1, 2, rng.choice([n for n in "1234" if n != quarter.group(1)]), "quarter"))
    if not ways:
        return None
    start, end, new_text, kind = rng.choice(ways)
    return value.start + start, value.start + end, new_text, kind


def _time_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    place = numeral_of(text, value)
    if place is None or not place[2]:
        return None
    start, end = place[:2]
    half = re.search(r"([ap])(\.?m)", text[start : value.end], re.IGNORECASE)
    if half and rng.random() < 0.3:
        other = {"a": "p", "p": "a", "A": "P", "P": "A"}[half.group(1)]
        return start + half.start(1), start + half.start(1) + 1, other, "time"
    hour = int(text[start:end].split(".")[0])
    new = rng.choice([n for n in (range(1, 13) if half else range(6, 23)) if n != hour])
    return start, end, f"{new:0{end - start}}" if text[start] == "0" else str(new), "time"


def _ordinal_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    span = text[value.start : value.end]
    if not re.search(
        r"\b(?:the|his|her|its|their|our|my|your)\s$", text[max(0, value.start - 8) : value.start], re.IGNORECASE
    ):
        return None
    amount = int(value.amount)
    other = rng.choice([n for n in range(max(1, amount - 3), amount + 6) if n != amount])
    if span[0].isdigit():
        return value.start, value.end, ordinal_of(other), "ordinal"
    return (value.start, value.end, ORDINALS[other - 1], "ordinal") if other <= 12 and amount <= 12 else None


def _name_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    """A version or label with one other digit."""
    digits = [n for n in range(value.start, value.end) if text[n].isdecimal()]
    at = rng.choice(digits)
    new = rng.choice([digit for digit in "123456789" if digit != text[at]])
    return at, at + 1, new, "name"


def _swapped(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    """Two values of one kind that change places, where there are words between them."""
    others = [
        one
        for one in read_values(text)
        if one.kind is value.kind and one.start >= value.end and dimension(one) == dimension(value)
    ]
    others = [
        one
        for one in others
        if not equal(one, value) and not equal(value, one) and text[value.end : one.start].count(" ") > 3
    ]
    if not others or value.hedge is not Hedge.NONE or value.kind in (Kind.ORDINAL, Kind.NAME):
        return None
    other = rng.choice(others)
    one, two = text[value.start : value.end], text[other.start : other.end]
    if one.lower().startswith(("a ", "an ", "one ", "1 ")) or two.lower().startswith(("a ", "an ", "one ", "1 ")):
        return None
    return value.start, other.end, f"{two}{text[value.end : other.start]}{one}", "swap"


CHANGES: dict[Kind, tuple[Way, ...]] = {
    Kind.NUMBER: (_number_changed, _number_changed, _swapped, _scale_changed, _bound_changed),
    Kind.ORDINAL: (_ordinal_changed,),
    Kind.PERCENT: (_number_changed, _number_changed, _swapped, _bound_changed),
    Kind.POINTS: (_number_changed,),
    Kind.MONEY: (_number_changed, _swapped, _currency_changed, _scale_changed, _bound_changed),
    Kind.QUANTITY: (_number_changed, _number_changed, _swapped, _unit_changed, _unit_changed, _bound_changed),
    Kind.DATE: (_date_changed, _date_changed, _date_changed, _swapped),
    Kind.TIME: (_time_changed, _time_changed, _swapped),
    Kind.NAME: (_name_changed,),
}
