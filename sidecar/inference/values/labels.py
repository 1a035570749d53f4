"""Numbers that are names, compared as they are written: section 4.2, Python 3.10, 5G, 1:4."""

from __future__ import annotations

import re

from sidecar.inference.values.numbers import SCALES, SHORT_SCALES, Number, Tokens
from sidecar.inference.values.span import is_inch
from sidecar.inference.values.units import CURRENCIES, unit_named
from sidecar.inference.values.value import Kind, Value

# A number behind one of these words is a label, compared as it is written.
_LABELS = frozenset(
    "version v release section chapter article figure fig table port room flight page clause appendix paragraph gate platform isbn".split()
)
# And behind one of these, a number with a letter: "ward 3B" has no three billions.
_LETTERED = _LABELS | frozenset(
    "ward flat apartment apt building block floor hall terminal bay track stand seat row suite unit zone level lane stop line bus route class form grade group "
    "model type door lot locker pier berth annex".split()
)


def label_at(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """Section 4.2, Python 3.10, 5G, 1:4: compared as written."""
    token, before, end = tokens[n], tokens[n - 1], n + 1
    lettered = (
        before.low in _LETTERED and tokens.joined(end) and len(tokens[end].text) == 1 and tokens[end].text.isupper()
    )
    if token.kind != "number" or (number.end != end and not lettered):
        return None
    if _is_ratio(tokens, n):
        name = f"{token.text}:{tokens[n + 2].text}"
        return Value(kind=Kind.NAME, start=token.start, end=tokens[n + 2].end, name=name), n + 3
    if tokens.joined(end) and tokens[end].kind in ("word", "name"):
        if lettered or tokens[end].kind == "name" or (not _is_unit(tokens[end].text) and tokens[end].low not in SHORT_SCALES and tokens[end].low != "m"):  # fmt: skip
            return Value(kind=Kind.NAME, start=token.start, end=tokens[end].end, name=token.low + tokens[end].low), end + 1  # fmt: skip
        return None
    if tokens[end].text == "-" and tokens.joined(end) and tokens[end + 1].text[:1].isupper() and tokens.joined(end + 1):
        return Value(
            kind=Kind.NAME, start=token.start, end=tokens[end + 1].end, name=token.low + "-" + tokens[end + 1].low
        ), end + 2
    decimal = (
        "." in token.text and before.kind == "word" and before.text[:1].isupper() and not _begins_measures(tokens, end)
    )
    if (
        not ((before.kind == "word" and before.low in _LABELS) or decimal)
        or _is_unit(tokens[end].text)
        or is_inch(tokens, end)
    ):
        return None
    return Value(kind=Kind.NAME, start=token.start, end=token.end, name=token.low), end


def _begins_measures(tokens: Tokens, n: int) -> bool:
    """Whether a range of measures goes on at token n: "Drink 1.5 to 2 litres"."""
    return tokens[n].low in ("to", "-", "or") and tokens[n + 1].kind == "number" and _is_unit(tokens[n + 2].text)


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


_RELEASE, _UNIT_SIGN = re.compile(r"\d\.0"), 3  # letters
_NO_RELEASE = frozenset(
    "out of to and or on in for per from by at with is are was were times points stars as than percent".split()
)


def is_release(tokens: Tokens, n: int) -> bool:
    """Whether a figure names a release, "4.0 retries idempotent calls": nothing is counted so."""
    after = tokens[n + 1]
    if tokens[n].kind != "number" or not _RELEASE.fullmatch(tokens[n].text) or after.kind != "word":
        return False
    counts = unit_named(after.text) or after.low in SCALES or after.low in SHORT_SCALES or after.low in CURRENCIES
    says_more = len(after.text) > _UNIT_SIGN or after.low in ("it", "the", "we")
    return says_more and not counts and after.low not in _NO_RELEASE and tokens[n - 1].low not in CURRENCIES
