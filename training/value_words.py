"""How values are written: words, signs and units, and where in a text each part of a value stands."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from sidecar.inference.values.dates import MONTHS
from sidecar.inference.values.numbers import Tokens, number_at
from sidecar.inference.values.tokens import tokenise
from sidecar.inference.values.units import unit_named
from sidecar.inference.values.value import Value

_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
SHORT_MONTHS = [month[:3] for month in MONTHS]
MONEY = {
    "USD": ("$", "dollars"),
    "EUR": ("€", "euros"),
    "GBP": ("£", "pounds sterling"),
    "JPY": ("¥", "yen"),
    "INR": ("₹", "rupees"),
}
WORD_OF = {  # symbol: one, several
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
REVERSED = {
    "at least": "at most", "at most": "at least", "up to": "at least", "no more than": "no less than", "no less than": "no more than",
    "not more than": "not less than", "not less than": "not more than", "more than": "less than", "less than": "more than", "fewer than": "more than",
    "over": "under", "under": "over", "above": "below", "below": "above", "a minimum of": "a maximum of", "a maximum of": "a minimum of",
    "minimum": "maximum", "maximum": "minimum", "within": "only after", "greater than": "less than",
}  # fmt: skip
ALIKE = {
    "at least": ("no less than", "a minimum of"), "at most": ("up to", "no more than"), "up to": ("at most", "no more than"), "about": ("around", "roughly"),
    "around": ("about", "approximately"), "approximately": ("about", "roughly"), "roughly": ("about", "around"), "more than": ("over", "above"),
    "over": ("more than",), "less than": ("under", "below"), "under": ("less than",), "no more than": ("at most", "up to"),
}  # fmt: skip
HEDGE = re.compile(
    rf"\b({'|'.join(sorted(REVERSED | ALIKE, key=len, reverse=True))})((?: \w+)?(?: (?:is|of))?) [$€£¥]?$",
    re.IGNORECASE,
)
Way = Callable[[str, Value, random.Random], "tuple[int, int, str, str] | None"]


def numeral_of(text: str, value: Value) -> tuple[int, int, bool] | None:
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


def ordinal_of(n: int) -> str:
    return f"{n}{'th' if 10 <= n % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def figures_of(amount: float, like: str = "") -> str:
    """An amount in figures, with the grouping and the decimals of `like`."""
    decimals = len(like) - like.index(".") - 1 if "." in like else 0
    if not like and amount % 1:
        return f"{amount:,.3f}".rstrip("0").rstrip(".")
    grouped = "," in like or (len(like.split(".")[0]) < 5 and amount >= 10_000)
    return f"{amount:,.{decimals}f}" if grouped else f"{amount:.{decimals}f}"


def unit_place(text: str, value: Value) -> tuple[int, str] | None:
    """Where the unit stands, and as what: the last word of the value."""
    found = re.search(r"(?:[^\W\d]|[°µ])+(?:/[a-z]+)?$", text[value.start : value.end])
    if not found or (unit_named(found.group()) is None and not found.group().startswith("°")):
        return None
    return value.start + found.start(), found.group()
