"""Where a claim says under one label of a record what stands under another: "assigned to Priya Nair" of a ticket that was assigned to Tomas Beck and escalated
to her."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_FIELD = re.compile(
    r"^[ \t]{0,8}(?:[-*•][ \t])?(?:\*\*)?(?P<label>[A-Z][\w'’/-]{0,30}(?:[ \t][\w'’/-]{1,30}){0,3})(?:\*\*)?:(?:\*\*)?[ \t]{1,8}"
    r"(?P<value>[A-Z][\w.'’&-]{0,40}(?:[ \t][\w.'’&-]{1,40}){0,5})[ \t]{0,8}$",
    re.MULTILINE,
)
_MOST_FIELDS, _LONGEST_CLAIM = 200, 300
_WORD = re.compile(r"[\w'’-]+|[^\w\s]")
_SMALL = frozenset("to by is are was were has been the of a an with from as in at on for : it".split())
_BE = frozenset("is are was were been being be".split())
_DENIES = re.compile(
    r"\b(?:not|no|never|neither|nor|without|previously|formerly|before|until|instead|than|unlike|if|or)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_TO, _BY = "to", "by"
_MOST_SMALL = 3

Stem = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Field:
    """A line of a record: the stems of its label in order, "to" or "by" if it ends so, and its value, text[start:end]."""

    label: tuple[str, ...]
    leads: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Exchanged:
    """claim[start:end] stands under another label; under the one that the claim says stands the field `other` of the text number `text`."""

    start: int
    end: int
    text: int
    other: Field


def fields_of(text: str, stem: Stem) -> tuple[Field, ...]:
    """The lines of a text that have a label and a name, or a few words, behind it."""
    found = []
    for line, _ in zip(_FIELD.finditer(text), range(_MOST_FIELDS), strict=False):
        words = line["label"].lower().split()
        label = tuple(one for word in words if (one := stem(word)) is not None)
        if label:
            leads = words[-1] if words[-1] in (_TO, _BY) else ""
            found.append(Field(label, leads, line["value"], line.start("value"), line.end("value")))
    return tuple(found)


def exchanged(claim: str, records: Sequence[tuple[Field, ...]], stem: Stem) -> Exchanged | None:
    """The first value of a record that a claim has right beside the label of another line, of which it does not say what stands there. `records` are the
    fields of each text."""
    if len(claim) > _LONGEST_CLAIM or _DENIES.search(claim):
        return None
    tokens = [(one.group().lower(), one.start(), one.end()) for one in _WORD.finditer(claim)]
    said = frozenset(one for word, _, _ in tokens if (one := stem(word)) is not None)
    for number, fields in enumerate(records):
        for own in fields:
            at = claim.find(own.value)
            labels = [one.label for one in fields if one.value == own.value]
            if at < 0 or any(said.issuperset(label) for label in labels):
                continue
            before, behind = _beside(tokens, at, at + len(own.value))
            for other in fields:
                rest = set(other.value.lower().split()) - set(own.value.lower().split())
                told = any(word in said for word in map(stem, rest) if word is not None)
                if not told and (_leads(before, other, stem) or _follows(behind, other, stem)):
                    return Exchanged(at, at + len(own.value), number, other)
    return None


def _beside(tokens: Sequence[tuple[str, int, int]], start: int, end: int) -> tuple[list[str], list[str]]:
    """The words before a place in a claim, the nearest first, and those behind it."""
    before = [word for word, _, ends in tokens if ends <= start]
    return before[::-1], [word for word, begins, _ in tokens if begins >= end]


def _leads(before: Sequence[str], field: Field, stem: Stem) -> bool:
    """Whether a label leads to what stands behind it: "was assigned to", "the customer is"."""
    if field.leads and before[:1] != [field.leads]:
        return False
    return _first(before, len(field.label), stem) == frozenset(field.label)


def _follows(behind: Sequence[str], field: Field, stem: Stem) -> bool:
    """Whether a label says it of what stands before it: "is the customer", "opened it"."""
    if field.leads == _TO or (field.leads == _BY and not _BE.isdisjoint(behind[:1])):
        return False
    if not field.leads and _BE.isdisjoint(behind[:1]):
        return False
    return _first(behind, len(field.label), stem) == frozenset(field.label)


def _first(words: Sequence[str], number: int, stem: Stem) -> frozenset[str]:
    """The stems of the first words, but for small ones before them."""
    at = 0
    while at < min(_MOST_SMALL, len(words)) and words[at] in _SMALL:
        at += 1
    return frozenset(one for word in words[at : at + number] if (one := stem(word)) is not None)
