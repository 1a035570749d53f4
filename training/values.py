"""Claims with one value changed so that it is no longer the same fact, and with one value written in another way.

Both are checked by reading the new text: a changed value is equal to the old one in no reading, one in another format is.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from sidecar.inference.values.compare import equal
from sidecar.inference.values.read import read_values
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Kind, Value
from training.value_changes import CHANGES
from training.value_formats import FORMATS
from training.value_words import Way

_TRIES = 10


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
    return _edited(text, rng, CHANGES, same=False)


def same_value(text: str, rng: random.Random) -> Change | None:
    """The text with one value written in another way, without a change of fact; None where there is no value."""
    return _edited(text, rng, FORMATS, same=True)


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
