"""Claims with one value changed so that it is no longer the same fact, and with one value written in another way.

Both are checked by reading the new text: a changed value is equal to the old one in no reading, one in another format is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sidecar.inference.values.compare import dimension, equal
from sidecar.inference.values.dates import MONTHS, WEEKDAYS
from sidecar.inference.values.numbers import Tokens, amount_of, number_at
from sidecar.inference.values.read import read_values
from sidecar.inference.values.tokens import tokenise
from sidecar.inference.values.units import UNITS, in_base, unit_named
from sidecar.inference.values.value import Date, Hedge, Kind, Value

_TRIES = 10
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_SHORT = [month[:3] for month in MONTHS]
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SCALE_SIGNS = {
    "k": ("m", "bn"),
    "m": ("bn", "k"),
    "bn": ("m", "tn"),
    "mn": ("bn", "k"),
    "M": ("B", "K"),
    "B": ("M", "K"),
}
_MONEY = {
    "USD": ("$", "dollars"),
    "EUR": ("€", "euros"),
    "GBP": ("£", "pounds sterling"),
    "JPY": ("¥", "yen"),
    "INR": ("₹", "rupees"),
}
_WORD_OF = {  # symbol: one, several
    "mg": ("milligram", "milligrams"), "mcg": ("microgram", "micrograms"), "g": ("gram", "grams"), "kg": ("kilogram", "kilograms"), "t": ("tonne", "tonnes"),
    "mm": ("millimetre", "millimetres"), "cm": ("centimetre", "centimetres"), "m": ("metre", "metres"), "km": ("kilometre", "kilometres"),
    "mi": ("mile", "miles"), "ft": ("foot", "feet"), "ml": ("millilitre", "millilitres"), "l": ("litre", "litres"), "s": ("second", "seconds"),
    "ms": ("millisecond", "milliseconds"), "min": ("minute", "minutes"), "h": ("hour", "hours"), "day": ("day", "days"), "week": ("week", "weeks"),
    "month": ("month", "months"), "year": ("year", "years"), "kB": ("kilobyte", "kilobytes"), "MB": ("megabyte", "megabytes"),
    "GB": ("gigabyte", "gigabytes"), "TB": ("terabyte", "terabytes"), "W": ("watt", "watts"), "kW": ("kilowatt", "kilowatts"),
    "MW": ("megawatt", "megawatts"), "GW": ("gigawatt", "gigawatts"), "Hz": ("hertz", "hertz"), "MHz": ("megahertz", "megahertz"),
    "GHz": ("gigahertz", "gigahertz"), "V": ("volt", "volts"), "lb": ("pound", "pounds"), "oz": ("ounce", "ounces"), "ha": ("hectare", "hectares"),
    "decade": ("decade", "decades"), "century": ("century", "centuries"),
}  # fmt: skip
_NEAR = {  # what a unit is mistaken for
    "mg": ("g", "mcg"), "mcg": ("mg",), "g": ("mg", "kg"), "kg": ("g", "t", "lb"), "t": ("kg",), "mm": ("cm", "m"), "cm": ("mm", "m"), "m": ("km", "cm", "ft"),
    "km": ("m", "mi"), "mi": ("km",), "ft": ("m",), "ml": ("l",), "l": ("ml",), "s": ("min", "ms", "h"), "ms": ("s",), "min": ("h", "s"), "h": ("min", "day"),
    "day": ("week", "month", "h"), "week": ("day", "month"), "month": ("week", "year", "day"), "year": ("month", "decade"), "decade": ("year", "century"),
    "century": ("decade",), "kB": ("MB",), "MB": ("GB", "kB"), "GB": ("MB", "TB"), "TB": ("GB",), "W": ("kW",), "kW": ("W", "MW"), "MW": ("kW", "GW"),
    "GW": ("MW",), "Hz": ("MHz",), "MHz": ("GHz",), "GHz": ("MHz",), "V": ("W",), "lb": ("kg", "oz"), "oz": ("lb", "g"), "ha": ("km²",), "°C": ("°F",),
    "°F": ("°C",), "km/h": ("mph", "m/s"), "mph": ("km/h",), "kWh": ("MWh", "Wh"), "MWh": ("kWh", "GWh"), "mAh": ("Ah",),
}  # fmt: skip
_CONVERTED = {  # unit: (other unit, how many of it make one)
    "week": (("day", 7),), "day": (("week", 1 / 7), ("h", 24)), "h": (("min", 60), ("day", 1 / 24)), "min": (("h", 1 / 60), ("s", 60)), "s": (("min", 1 / 60),),
    "year": (("month", 12),), "month": (("year", 1 / 12),), "km": (("m", 1000),), "m": (("km", 1e-3), ("cm", 100)), "cm": (("m", 0.01), ("mm", 10)),
    "mm": (("cm", 0.1),), "kg": (("g", 1000),), "g": (("kg", 1e-3), ("mg", 1000)), "mg": (("g", 1e-3),), "l": (("ml", 1000),), "ml": (("l", 1e-3),),
    "kW": (("W", 1000),), "MW": (("kW", 1000),), "W": (("kW", 1e-3),), "GW": (("MW", 1000),), "t": (("kg", 1000),), "decade": (("year", 10),),
}  # fmt: skip
_PLAIN = frozenset({"day", "week", "month", "year", "decade", "century"})
_REVERSED = {
    "at least": "at most", "at most": "at least", "up to": "at least", "no more than": "no less than", "no less than": "no more than",
    "not more than": "not less than", "not less than": "not more than", "more than": "less than", "less than": "more than", "fewer than": "more than",
    "over": "under", "under": "over", "above": "below", "below": "above", "a minimum of": "a maximum of", "a maximum of": "a minimum of",
    "minimum": "maximum", "maximum": "minimum", "within": "only after", "greater than": "less than",
}  # fmt: skip
_ALIKE = {
    "at least": ("no less than", "a minimum of"), "at most": ("up to", "no more than"), "up to": ("at most", "no more than"), "about": ("around", "roughly"),
    "around": ("about", "approximately"), "approximately": ("about", "roughly"), "roughly": ("about", "around"), "more than": ("over", "above"),
    "over": ("more than",), "less than": ("under", "below"), "under": ("less than",), "no more than": ("at most", "up to"),
}  # fmt: skip
_HEDGE = re.compile(
    rf"\b({'|'.join(sorted(_REVERSED | _ALIKE, key=len, reverse=True))})((?: \w+)?(?: (?:is|of))?) [$€£¥]?$",
    re.IGNORECASE,
)
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}


@dataclass(frozen=True, slots=True)
class Change:
    """A text with one value changed: text[start:end] is what is new in it, `kind` says what was done."""

    text: str
    start: int
    end: int
    kind: str


def changed_value(text: str, rng: random.Random) -> Change | None:
    """The text with one value changed (number, unit, currency, scale, month, day, year, percentage, ordinal, time, bound), so that
    it is no longer the same fact; None where there is no value to change."""
    return _edited(text, rng, _CHANGES, same=False)


def same_value(text: str, rng: random.Random) -> Change | None:
    """The text with one value written in another way, without a change of fact; None where there is no value."""
    return _edited(text, rng, _FORMATS, same=True)


Way = Callable[[str, Value, random.Random], "tuple[int, int, str, str] | None"]


def _edited(text: str, rng: random.Random, ways: dict[Kind, tuple[Way, ...]], *, same: bool) -> Change | None:
    values = [one for one in read_values(text) if one.kind in ways and not _cited(text, one)]
    for _ in range(_TRIES if values else 0):
        value = rng.choice(values)
        edit = rng.choice(ways[value.kind])(text, value, rng)
        if edit is None:
            continue
        start, end, new, _ = edit
        if new != text[start:end] and (change := _checked(text, value, edit, same=same)):
            return change
    return None


def _checked(text: str, value: Value, edit: tuple[int, int, str, str], *, same: bool) -> Change | None:
    """The change, where reading the new text finds the same value (or another one) in its place."""
    start, end, new, kind = edit
    if text[start : start + 1].isupper() and (not start or text[:start].rstrip()[-1:] in ".!?\n"):
        new = new[:1].upper() + new[1:]
    changed = Change(text[:start] + new + text[end:], start, start + len(new), kind)
    if re.search(r"\b(an?) $", text[:start], re.IGNORECASE) and _vowel(text[start:]) != _vowel(new):
        return None
    if kind in ("bound", "swap"):
        return changed
    moved = len(new) - (end - start)
    there = [
        one
        for one in read_values(changed.text)
        if one.start < max(value.end + moved, start + len(new)) and one.end > min(value.start, start)
    ]
    if len(there) != 1 or there[0].kind is not value.kind or there[0].hedge is not value.hedge:
        return None
    alike = _alike(value, there[0])
    return changed if alike == same else None


def _vowel(words: str) -> bool:
    """Whether "an" stands before it."""
    return re.match(r"(?:8|11\b|18\b|[aeiu]|o(?!ne)|hour)", words, re.IGNORECASE) is not None


def _alike(one: Value, other: Value) -> bool:
    if one.kind in (Kind.DATE, Kind.NAME):
        return equal(one, other) and equal(other, one)
    if one.kind is Kind.MONEY and one.unit != other.unit:
        return False
    a, b = in_base(one.amount, one.unit), in_base(other.amount, other.unit)
    return abs(a - b) <= 1e-3 * max(abs(a), abs(b)) and (
        one.unit == other.unit or equal(one, other) or equal(other, one)
    )


def _cited(text: str, value: Value) -> bool:
    return text[max(0, value.start - 1) : value.start] in ("[", "#", "^", "/", "_")


# What is in figures or words within a value


def _numeral(text: str, value: Value) -> tuple[int, int, bool] | None:
    """Where the number itself stands, without its scale and unit, and whether it is in figures."""
    found = _FIGURES.search(text, value.start, value.end)
    if found:
        return found.start(), found.end(), True
    tokens = Tokens(text, tokenise(text[value.start : value.end]))
    number = number_at(tokens, 0)
    return (value.start, value.start + tokens[number.end - 1].end, False) if number else None


def in_words(n: int) -> str:
    """An integer from 0 to 999,999 in English words."""
    if n < 20:
        return _SMALL[n]
    if n < 100:
        return _TENS[n // 10 - 2] + (f"-{_SMALL[n % 10]}" if n % 10 else "")
    over, scale = (100, "hundred") if n < 1000 else (1000, "thousand")
    rest = f" {'and ' if n % over < 100 and n < 1000 else ''}{in_words(n % over)}" if n % over else ""
    return f"{in_words(n // over)} {scale}{rest}"


def _ordinal(n: int) -> str:
    return f"{n}{'th' if 10 <= n % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def _figures(amount: float, like: str = "") -> str:
    """An amount in figures, with the grouping and the decimals of `like`."""
    decimals = len(like) - like.index(".") - 1 if "." in like else 0
    if not like and amount % 1:
        return f"{amount:,.3f}".rstrip("0").rstrip(".")
    grouped = "," in like or (len(like.split(".")[0]) < 5 and amount >= 10_000)
    return f"{amount:,.{decimals}f}" if grouped else f"{amount:.{decimals}f}"


# Changes


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
    return None if new <= 0 or new > most or new == amount or new == 1 else _figures(new, figures)


def _number_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    place = _numeral(text, value)
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
    place, near = _unit_place(text, value), _NEAR.get(value.unit)
    if place is None or not near:
        return None
    start, written = place
    other = rng.choice(near)
    several = written.lower().endswith("s") or value.amount != 1
    if text[start - 1 : start] == "-":
        several = False
    if len(written) > 3 or written in ("day", "days", "year"):
        words = _WORD_OF.get(other)
        if words is None or written.lower() in ("celsius", "fahrenheit"):
            return None
        return start, start + len(written), words[several], "unit"
    if other in _WORD_OF and other in ("day", "week", "month", "year"):
        other = _WORD_OF[other][several]
        return (start, start + len(written), f" {other}" if text[start - 1].isdigit() else other, "unit")
    return start, start + len(written), other, "unit"


def _unit_place(text: str, value: Value) -> tuple[int, str] | None:
    """Where the unit stands, and as what: the last word of the value."""
    found = re.search(r"(?:[^\W\d]|[°µ])+(?:/[a-z]+)?$", text[value.start : value.end])
    if not found or (unit_named(found.group()) is None and not found.group().startswith("°")):
        return None
    return value.start + found.start(), found.group()


def _currency_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    signs = _MONEY.get(value.unit)
    if signs is None:
        return None
    other = rng.choice([one for one in ("USD", "EUR", "GBP") if one != value.unit])
    span = text[value.start : value.end]
    for old, new in (
        (value.unit, other),
        (signs[0], _MONEY[other][0]),
        (signs[1], _MONEY[other][1]),
        (signs[1][:-1], _MONEY[other][1].rstrip("s")),
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
    found = _HEDGE.search(text[: value.start][-60:])
    if found is None or value.hedge not in (Hedge.LEAST, Hedge.MOST):
        return None
    old = found.group(1)
    new = _REVERSED.get(old.lower())
    if new is None or (found.group(2).strip() and old.lower() not in ("minimum", "maximum")):
        return None
    if new == "less than" and value.kind is Kind.NUMBER:
        new = "fewer than"
    start = max(0, value.start - 60) + found.start(1)
    return start, start + len(old), new.capitalize() if old[0].isupper() else new, "bound"


def _date_changed(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    span = text[value.start : value.end]
    ways: list[tuple[int, int, str, str]] = []
    for names in (MONTHS, _SHORT, ("Sept",), WEEKDAYS):
        found = re.search(rf"\b(?:{'|'.join(names)})\b", span)
        if found and not (names is _SHORT and found.group() == "May"):
            known = WEEKDAYS if names is WEEKDAYS else MONTHS if names is MONTHS else _SHORT
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
        ways.append((day.start(), day.end() + (2 if suffix else 0), _ordinal(new) if suffix else str(new), "day"))
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
    place = _numeral(text, value)
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
        return value.start, value.end, _ordinal(other), "ordinal"
    return (value.start, value.end, _ORDINALS[other - 1], "ordinal") if other <= 12 and amount <= 12 else None


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


# Formats


def _numeral_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    """The number in figures or words, with commas or without, 1.5k, 1.5 million."""
    place = _numeral(text, value)
    if place is None:
        return None
    start, end, figures = place
    numeral = text[start:end]
    if not figures:
        whole = value.amount % 1 == 0 and value.amount < 1e6 and "half" not in numeral
        return (
            (start, end, _figures(value.amount, "1,000" if value.amount >= 1e4 else ""), "words")
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
        or (unit in _WORD_OF and unit not in _PLAIN)
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
    place = _numeral(text, value)
    if place is None or text[place[1] : place[1] + 1] == "-":
        return None
    end = value.end
    sign = rng.choice(("%", " %", " percent", " per cent"))
    if not place[2] and "%" in sign:
        sign = " percent"
    return place[1], end, sign, "percent"


def _money_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    """$4.2bn, $4,200 million, USD 4.2 billion, 4.2 billion dollars."""
    signs = _MONEY.get(value.unit)
    span = text[value.start : value.end]
    if (
        signs is None
        or "cent" in span
        or text[value.end : value.end + 1] in ("-", "–")
        or text[value.start - 1 : value.start] in ("-", "–")
    ):
        return None
    cents = value.step < 0.5
    ways = [_figures(value.amount, "1,000.00" if cents else "1,000")] if value.amount < 1e9 else []
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
    place, number = _unit_place(text, value), _numeral(text, value)
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
    words = _WORD_OF.get(value.unit)
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
    shown = in_words(int(amount)) if small and rng.random() < 0.6 else _figures(amount)
    word = _WORD_OF[unit][amount != 1]
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
    month, short = MONTHS[date.month - 1], _SHORT[date.month - 1]
    if date.day is None:
        return [f"{month} {date.year}", f"{short} {date.year}"] if date.year else [month]
    if date.year is None:
        return [
            f"{date.day} {month}",
            f"{month} {date.day}",
            f"{month} {_ordinal(date.day)}",
            f"{short} {date.day}",
            f"{date.day} {short}",
        ]
    return [
        f"{date.day} {month} {date.year}", f"{month} {date.day}, {date.year}", f"{month} {_ordinal(date.day)}, {date.year}",
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
        return (value.start, value.end, _ORDINALS[amount - 1], "ordinal") if 1 <= amount <= 12 else None
    if not text[: value.start].lower().endswith("the "):
        return None
    return value.start, value.end, _ordinal(amount), "ordinal"


def _bound_formatted(text: str, value: Value, rng: random.Random) -> tuple[int, int, str, str] | None:
    found = _HEDGE.search(text[: value.start][-60:])
    if found is None or value.hedge is Hedge.NONE or found.group(2).strip():
        return None
    old = found.group(1)
    new = _ALIKE.get(old.lower())
    start = max(0, value.start - 60) + found.start(1)
    if new is None:
        return None
    other = rng.choice(new)
    return start, start + len(old), other.capitalize() if old[0].isupper() else other, "bound"


_CHANGES: dict[Kind, tuple[Way, ...]] = {
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
_FORMATS: dict[Kind, tuple[Way, ...]] = {
    Kind.NUMBER: (_numeral_formatted, _numeral_formatted, _bound_formatted),
    Kind.ORDINAL: (_ordinal_formatted,),
    Kind.PERCENT: (_percent_formatted, _numeral_formatted, _bound_formatted),
    Kind.MONEY: (_money_formatted, _money_formatted, _bound_formatted),
    Kind.QUANTITY: (_quantity_formatted, _quantity_formatted, _numeral_formatted, _bound_formatted),
    Kind.DATE: (_date_formatted,),
    Kind.TIME: (_time_formatted,),
}
