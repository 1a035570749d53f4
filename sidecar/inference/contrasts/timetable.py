"""Lines of a timetable, days before what is on then: "Monday and Friday 9:00–11:30: toddlers and parents. Tuesday 9:00–11:30: aqua fitness."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from exporters.result import Evidence
from sidecar.inference.embedding.text import content_stem, read_words, sentences
from sidecar.inference.values.dates import DAY_NAMES
from sidecar.inference.values.opening import days_of
from sidecar.inference.values.read import read_values

_DAYS = "|".join(sorted(DAY_NAMES, key=len, reverse=True))
_LINE = re.compile(
    rf"(?:[-*•]\s)?(?P<days>(?:{_DAYS})\b[^:\n]{{0,60}}(?::\d\d[^:\n]{{0,20}}){{0,4}}):\s(?P<what>[^\n]{{3,160}})",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:not|no|never|cannot|none|nor|if|unless|except|other|instead|closed|before|after|or)\b|n['’]t\b",
    re.IGNORECASE,
)
_LEAST_LINES, _LONGEST = 2, 300
_NO_STEMS = frozenset(content_stem(day) for day in DAY_NAMES)


@dataclass(frozen=True, slots=True)
class _Line:
    days: frozenset[int]
    stems: frozenset[str]
    there: Evidence


def on_other_days(claim: str, texts: Sequence[str]) -> Evidence | None:
    """The line that has what a claim says of days that it is not on."""
    days = _days_of(claim) if len(claim) <= _LONGEST and not _ELSE.search(claim) else frozenset()
    said = frozenset(_words_in(claim)) - _NO_STEMS if days else frozenset()
    for number, text in enumerate(texts if said else ()):
        lines = _lines(number, text)
        if len(lines) < _LEAST_LINES:
            continue
        own = [
            one for one in lines if said & one.stems.difference(*(other.stems for other in lines if other is not one))
        ]
        if own and all(days.isdisjoint(one.days) for one in own):
            return own[0].there
    return None


def _lines(number: int, text: str) -> list[_Line]:
    found = []
    for span in sentences(text):
        line = _LINE.fullmatch(text, span.start, span.end)
        days = _days_of(line["days"]) if line else frozenset()
        if line and days:
            found.append(_Line(days, frozenset(_words_in(line["what"])), Evidence(number, span.start, span.end)))
    return found


def _words_in(text: str) -> list[str]:
    """The stems of a text but for figures: those of one hour are of another as well."""
    return [stem for stem in read_words(text).stems if not stem.isdecimal()]


def _days_of(text: str) -> frozenset[int]:
    return frozenset[int]().union(*map(days_of, read_values(text)))
