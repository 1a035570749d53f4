"""Yes or no to a day that a sentence makes an exception of: "Yes." to "Is the museum open on 24 December?" of "On 24, 25 and 31 December the museum stays closed."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sidecar.inference.answers.reading import NEGATED, Asked, told_apart, values_of
from sidecar.inference.answers.yes_or_no import REPLY
from sidecar.inference.values.value import Kind

_ASKS = re.compile(
    r"\A(?:and |so |but )?(?:is|are|will|can|could|do|does|may)\b[^?]*\b(?:open|visit|come|shop|swim|park|deliver\w{0,3}|runs?|operates?|go|eat"
    r"|available|collect\w{0,2}|class\w{0,2})\b",
    re.IGNORECASE,
)
_SHUT = re.compile(
    r"\b(?:closed|shut|closes? all day|no (?:service|trains?|buses|deliver(?:y|ies)|class(?:es)?|collections?|tours?)|suspended|unavailable)\b"
    r"|\b(?:not|n['’]t) (?:open|run|deliver|operate)\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?<![\w.,:])(?:\d{1,2}(?:st|nd|rd|th)?(?:,? and|,? or|,| &) ){1,12}")
_FIGURES = re.compile(r"\d{1,2}")
_SAYS_LITTLE = told_apart(
    "open closed shut visit come go run runs day today tomorrow week year available monday tuesday wednesday thursday friday saturday sunday"
)

_Day = tuple[int, int]


def asks_on_date(asked: Asked) -> bool:
    """Whether a question asks for yes or no to something on a day of a month."""
    plain = _ASKS.match(asked.question) and not NEGATED.search(asked.question)
    return bool(plain) and REPLY.match(asked.answer) is not None and bool(_days(asked.question))


def on_date(asked: Asked, sentences: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """The sentence of a document that is about what is asked about which says that nothing is open on that day, and whether the answer is no."""
    days, reply = _days(asked.question), REPLY.match(asked.answer)
    asks = told_apart(asked.question) - _SAYS_LITTLE - _months(asked.question)
    about = frozenset(one for one in asks if not one[0].isdecimal())
    said = frozenset[str]().union(*map(told_apart, sentences))
    if reply is None or not about <= said:
        return
    for n, one in enumerate(sentences):
        if _SHUT.search(one) and days <= _days(one):
            yield n, n, reply["yes"] is None


def _days(text: str) -> frozenset[_Day]:
    """The days of months that a text names, "24, 25 and 31 December" one by one."""
    found = set[_Day]()
    dates = [one for one in values_of(text)[1] if one.kind is Kind.DATE and not one.through]
    listed = {one.end(): one[0] for one in _LISTED.finditer(text)}
    for value in dates:
        for date in value.dates:
            if date.month and date.day:
                days = map(int, _FIGURES.findall(listed.get(value.start, "")))
                found.update((date.month, day) for day in (date.day, *days))
    return frozenset(found)


def _months(text: str) -> frozenset[str]:
    return frozenset[str]().union(
        *(told_apart(text[one.start : one.end]) for one in values_of(text)[1] if one.kind is Kind.DATE)
    )
