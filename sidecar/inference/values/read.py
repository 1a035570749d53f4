"""Finds the values that a text states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.values.changes import with_sides
from sidecar.inference.values.chinese import chinese_at, of_daytime
from sidecar.inference.values.clock import clock_at
from sidecar.inference.values.dates import moment_at
from sidecar.inference.values.frequency import frequency_at, recurring
from sidecar.inference.values.grouping import with_digits, with_groups, with_wholes
from sidecar.inference.values.han_numerals import letter_of_money
from sidecar.inference.values.hedges import hedged
from sidecar.inference.values.hours import hour_at
from sidecar.inference.values.joined import compounds, same_unit
from sidecar.inference.values.labels import is_release, label_at
from sidecar.inference.values.money import money_first, money_last, pence_at
from sidecar.inference.values.numbers import PARTS, SMALL, Number, Tokens, number_at
from sidecar.inference.values.span import PER, is_inch, value_of, with_rate
from sidecar.inference.values.tokens import Token, tokenise
from sidecar.inference.values.units import (
    AFTER_FIGURES,
    BETWEEN,
    CURRENCIES,
    RAISED,
    WORKING,
    Unit,
    unit_named,
)
from sidecar.inference.values.value import Kind, Value

_LONGEST, _MOST = 20_000, 1000  # characters; values, of which nobody looks at more than 200
_HAN, _JAPANESE = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[\u3040-\u30ff]|日[元圆圓]|円")


def read_values(text: str) -> list[Value]:
    """The values of a text in their order; of a text over 20,000 characters, or of more than 1,000 values, those of its beginning."""
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
    while n < tokens.size and len(found) < _MOST:
        read = _value_at(tokens, n)
        if read is None:
            n += 1
            continue
        found.append((read[0], n, read[1]))
        n = max(n + 1, read[1])
    values = hedged(tokens, with_sides(tokens, compounds(tokens, same_unit(tokens, found))))
    return [replace(one, unit="CNY") if _is_yuan(text, one) else one for one in values]


def _is_yuan(text: str, value: Value) -> bool:
    """Whether ¥ is the sign of the yuan: in Chinese that says nothing of Japan's."""
    if value.unit != "JPY" or text[value.start] not in "¥￥":
        return False
    return _HAN.search(text) is not None and _JAPANESE.search(text) is None


def _value_at(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    token = tokens[n]
    if token.kind in ("name", "version"):
        return Value(kind=Kind.NAME, start=token.start, end=token.end, name=token.low), n + 1
    if is_release(tokens, n):
        return Value(kind=Kind.NAME, start=token.start, end=token.end, name=token.low), n + 1
    if token.kind == "phone":
        digits = "".join(char for char in token.text.replace("(0)", "") if char.isdecimal())
        return Value(kind=Kind.NAME, start=token.start, end=token.end, name=digits), n + 1
    if token.kind in ("word", "sign", "code") and token.low in CURRENCIES:
        return money_first(tokens, n)
    if token.kind == "han" or (
        token.kind == "number" and (tokens[n + 1].kind == "han" or letter_of_money(tokens, n + 1))
    ):
        return chinese_at(tokens, n)
    if token.kind in ("sign", "code"):
        return None
    said = clock_at(tokens, n) or hour_at(tokens, n) or frequency_at(tokens, n)
    if said:
        return said
    if _is_ignored(tokens, n) or _numbers_a_line(tokens, n) or _cites(tokens, n):
        return None
    if token.kind == "clock" and (found := moment_at(tokens, n)):
        return of_daytime(tokens, n, found[0]), found[1]
    return moment_at(tokens, n) or recurring(tokens, n, _rated(tokens, n, _counted(tokens, n)))


def _rated(tokens: Tokens, n: int, found: tuple[Value, int] | None) -> tuple[Value, int] | None:
    """ "Per 100 g" is what a value is of, and none of its own kind; so is "mg/5 ml"."""
    stroke = tokens[n - 1].text == "/" and tokens.joined(n) and unit_named(tokens[n - 2].text) is not None
    if found and (stroke or tokens[n - 1].low == "per") and found[0].kind in (Kind.NUMBER, Kind.QUANTITY):
        return replace(found[0], per="per"), found[1]
    return found


def _numbers_a_line(tokens: Tokens, n: int) -> bool:
    """Whether it is the number of a list's item: "1." or "2)" where a line begins."""
    mark = tokens[n + 1]
    if tokens[n].kind != "number" or mark.text not in (".", ")") or not tokens.joined(n + 1):
        return False
    before = tokens.text[max(0, tokens[n].start - 3) : tokens[n].start].rstrip(" ")
    return before[-1:] in ("", "\n") and tokens[n + 2].kind == "word"


def _cites(tokens: Tokens, n: int) -> bool:
    """Whether it is the mark of a footnote or source behind what it is of: "crystalline rock.[1]"."""
    one, opens, closes = tokens[n], tokens[n - 1], tokens[n + 1]
    mark = opens.text == "[" and closes.text == "]" and one.text.isdecimal() and len(one.text) <= _LONGEST_MARK
    return mark and (tokens[n - 2].kind == "word" or tokens[n - 2].text in tuple('.,;)"]'))


_LONGEST_MARK = 3  # digits


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
    return tokens[n].low in _IGNORED or _refers(tokens, n)


def _refers(tokens: Tokens, n: int) -> bool:
    """Whether a number word stands for things that were named, and counts none: "the longer of the two is", "between the two"."""
    if tokens[n].kind != "word" or tokens[n - 1].low != "the":
        return False
    chosen = tokens[n - 2].low == "of" and tokens[n - 3].low.endswith(_CHOOSES)
    if not chosen and tokens[n - 2].low != "between":
        return False
    return tokens[n + 1].kind in ("sign", "end") or tokens[n + 1].low in _VERBS


_CHOOSES = ("er", "est", "both", "one", "each", "either")
_VERBS = frozenset("is are was were has have had costs takes lasts can may will".split())


_OF_ONE = frozenset("the his her its their our my your".split())
_IGNORED = frozenset({"second", "seconds", "quarter", "k", "m"})


def _counted(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """A number with what stands behind it: percent, currency, unit, or nothing."""
    number = number_at(tokens, n)
    if number is None:
        return _one_of(tokens, n)
    if _is_of_people(tokens, n, number):
        return value_of(tokens, n, number.end + 1, Kind.QUANTITY, number, "year")
    if number.ordinal:
        if not number.figures and tokens[n - 1].low not in _DETERMINERS and not _placed(tokens, n):
            return None
        return value_of(tokens, n, number.end, Kind.ORDINAL, number)
    return (
        pence_at(tokens, n, number)
        or label_at(tokens, n, number)
        or _share(tokens, n, number)
        or money_last(tokens, n, number)
        or _quantity(tokens, n, number)
        or _bare(tokens, n, number)
    )


def _is_of_people(tokens: Tokens, n: int, number: Number) -> bool:
    """Whether an age is said of people: "under 18s", "the over-65s"; not "in under 30s"."""
    at = n - 2 if tokens[n - 1].text == "-" else n - 1
    bound = tokens[at].low in ("under", "over") and tokens[at - 1].low not in _SECONDS_BEHIND
    return bound and tokens[number.end].text == "s" and tokens.joined(number.end) and 1 < number.amount < 100


_SECONDS_BEHIND = frozenset("in of is are was takes take took within for to at just well loads load runs run".split())


def _one_of(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """An hour and a half; a half hour; a fortnight, but not "once a fortnight"."""
    if tokens[n].low == "half":
        at = n + 2 if tokens[n + 1].text == "-" else n + 1
        half_hour = tokens[at].low == "hour"
        return (
            value_of(tokens, n, at + 1, Kind.QUANTITY, Number(0.5, 0.0, at + 1, figures=False), "h")
            if half_hour
            else None
        )
    unit = unit_named(tokens[n + 1].low) if tokens[n].low in ("a", "an") else None
    if unit is None or unit.dimension != "time":
        return None
    part = _AND_A.get(tokens[n + 4].low) if (tokens[n + 2].low, tokens[n + 3].low) == ("and", "a") else None
    fortnight = unit.code == "fortnight" and tokens[n - 1].low not in ("once", "twice", "times")
    if not part and not fortnight and not (unit.factor >= _HOUR and _lasts(tokens, n)):
        return None
    number = Number(1.0 + (part or 0.0), 0.0, n + 5 if part else n + 2, figures=False)
    return value_of(tokens, n, number.end, Kind.QUANTITY, number, unit.code)


def _lasts(tokens: Tokens, n: int) -> bool:
    """Whether "a week" at token n is a length of time, "for a week", and no part of a name, "for a week ticket"."""
    after = tokens[n + 2]
    return tokens[n - 1].low in _LASTS and (after.kind != "word" or after.low in _BEHIND_LENGTH)


_HOUR = 3600.0
# "A week" is a length of time behind these; behind others it is how often something is, or a day of any.
_LASTS = frozenset(
    "for within about around nearly almost roughly last lasts lasted take takes took than least under another".split()
)
_BEHIND_LENGTH = frozenset(
    "after and as at before by during each from if in is long of old on once or so than the then to until when with without".split()
)
_AND_A = {"half": 0.5, "quarter": 0.25}


_DETERMINERS = frozenset("the this that a an his her its their our my your every each".split())


def _share(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """12 %, 12 percent, 3 percentage points, 25 basis points."""
    end = number.end
    one, other = tokens[end].low, tokens[end + 1].low
    if one == "-" and tokens.joined(end) and other in ("percent", "percentage"):
        end, one, other = end + 1, other, tokens[end + 2].low
    if one == "percentage" and other in ("point", "points"):
        return value_of(tokens, n, end + 2, Kind.POINTS, number)
    if one == "basis" and other in ("point", "points"):
        return value_of(tokens, n, end + 2, Kind.POINTS, number, by=0.01)
    if one in ("bps", "pp"):
        return value_of(tokens, n, end + 1, Kind.POINTS, number, by=0.01 if one == "bps" else 1.0)
    if one in ("%", "percent", "pct"):
        return with_rate(tokens, *value_of(tokens, n, end + 1, Kind.PERCENT, number))
    if one == "per" and other == "cent":
        return with_rate(tokens, *value_of(tokens, n, end + 2, Kind.PERCENT, number))
    return None


def _quantity(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """14 days, 5 mg, two-year, 12 km/h, 20 degrees Celsius, 28 paid vacation days, three quarters of an hour."""
    end = number.end
    if 0 < number.amount < 1 and tokens[end].low == "of" and tokens[end + 1].low in ("a", "an"):
        end += 2
    if tokens[end].text == "-" and (tokens.joined(end) or tokens[end + 2].text == "-"):
        end += 1  # "two-year", and "23 - year - old" of a text that was taken apart
    if tokens[end].text == "°" or tokens[end].low in ("degree", "degrees"):
        return _degrees(tokens, n, number, end)
    if tokens[end].text in ("C", "F") and tokens.joined(end):
        return value_of(tokens, n, end + 1, Kind.QUANTITY, number, f"°{tokens[end].text}")
    working = ""
    for at in range(end, end + 3):
        unit, after = _unit_at(tokens, at, beside=at == end and number.figures)
        raised = RAISED.get((tokens[at - 1].low, unit.code)) if unit and at > end else None
        if unit and (at == end or raised or unit.dimension in ("time", "area")):
            code = _OF_WORK.get(unit.code, unit.code) if working else unit.code
            return with_rate(tokens, *value_of(tokens, n, after, Kind.QUANTITY, number, raised or code))
        if tokens[at].low not in BETWEEN:
            return None
        working = working or (tokens[at].low if tokens[at].low in WORKING else "")
    return None


_OF_WORK = {"day": "business_day", "h": "business_hour"}


def _unit_at(tokens: Tokens, n: int, *, beside: bool) -> tuple[Unit | None, int]:
    """The unit at token n and the token after it; compounds with a stroke first."""
    token = tokens[n]
    if token.kind not in ("word", "name"):
        return (unit_named("inch"), n + 1) if is_inch(tokens, n) else (None, n)
    if tokens[n + 1].text == "/" and tokens.joined(n + 1) and tokens.joined(n + 2):
        compound = unit_named(f"{token.text}/{tokens[n + 2].text}")
        if compound:
            return compound, n + 3
    if token.low in ("pound", "pounds"):
        return unit_named("lb"), n + 1
    if token.text in ("m", "km") and tokens[n + 1].text in ("2", "3") and tokens.joined(n + 1):
        return unit_named(f"{token.text}{tokens[n + 1].text}"), n + 2
    unit = unit_named(token.text)
    if unit is None and token.low == "in" and beside and tokens.joined(n):
        unit = unit_named("inch")
    if unit is None or (token.text in AFTER_FIGURES and not beside):
        return None, n
    return unit, n + 1


def _degrees(tokens: Tokens, n: int, number: Number, end: int) -> tuple[Value, int] | None:
    scale = tokens[end + 1].low
    code = {"c": "°C", "celsius": "°C", "centigrade": "°C", "f": "°F", "fahrenheit": "°F"}.get(scale, "")
    return value_of(tokens, n, end + 2 if code else end + 1, Kind.QUANTITY, number, code or "degree")


def _bare(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """A plain number. "One" is a pronoun as often as a number, and is none without a noun that it counts."""
    token = tokens[n]
    if token.low in ("one", "zero") and number.end == n + 1 and not _counts_one(tokens, n):
        return None
    if token.low in PARTS and number.end == n + 1 and token.low != "half":
        return None
    if _is_fraction(tokens, n, number):
        return value_of(tokens, n, number.end, Kind.PERCENT, number, by=100.0)
    value, end = value_of(tokens, n, number.end, Kind.NUMBER, number)
    for at in (end + 1, end + 2):
        unit = unit_named(tokens[at + 1].low) if tokens[at].low in PER or tokens[at].text == "/" else None
        if unit and all(tokens[between].kind in ("word", "name") for between in range(end, at)):
            return replace(value, per=unit.code), end
    return value, end


def _counts_one(tokens: Tokens, n: int) -> bool:
    """Whether "one" counts what stands behind it, "take one tablet"; "one vote per 50 members" is a rate."""
    before, after, then = tokens[n - 1], tokens[n + 1], tokens[n + 2]
    counts = tokens[n].low == "one" and before.low in _COUNTING and after.kind == "word"
    if after.low in ("or", "to") and then.low in SMALL:
        return tokens[n].low == "one"
    return counts and after.low not in _BEHIND_PRONOUN and then.low not in ("per", "for")


_COUNTING = frozenset(
    "take takes need needs needed have has had get gets use uses used add adds is are to with includes include contains exactly on".split()
)
_BEHIND_PRONOUN = frozenset(
    "hand side condition occasion page level line of another or and is was to that who more thing day time way at in on by for can may must should has will the a an person".split()
)


def _is_fraction(tokens: Tokens, n: int, number: Number) -> bool:
    """Half, three quarters, ¾ and 3/4 are shares; 0.12 is a number."""
    return 0 < number.amount < 1 and "." not in tokens[n].text and "," not in tokens[n].text
