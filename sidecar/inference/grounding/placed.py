"""Values where they stand: below a heading or behind a label, beside the sentence that goes on, and what is made of others."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sidecar.inference.contrasts.cells import Item, words_of_cell
from sidecar.inference.embedding.minilm import EncodedDocument
from sidecar.inference.values.compare import dimension
from sidecar.inference.values.labelled import SECTIONS, Label
from sidecar.inference.values.made import Scaled
from sidecar.inference.values.match import Finding, Outcome
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import Hedge, Kind, Value
from sidecar.inference.values.worked import Worked

FOLLOWS = 0.5  # how clearly a value follows that nothing states
_PRONOUN = re.compile(r"(?:it|its|it's|they|their|that|this)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:the|an?)\b", re.IGNORECASE)
_VALUE_FIRST = re.compile(r"[$€£]?\d(?:[^,;]|,(?=\d))*+")  # as far as the first clause goes
_MOST_LEFT_OUT = 8  # words of a claim
_ITEM = re.compile(r"[^,;\n]{2,80}")
_MOST_COUNTED = 31  # of days, nights, pieces
_NEARLY = 0.005
_APART, _BOTH = frozenset({Kind.MONEY, Kind.QUANTITY}), 2
_MOST_ITEMS, _LONGEST_LEAD = 20, 200  # of a list, characters
_OF_ITS_HEADING = 0.9  # how much the words of a heading are those of a value below it


def with_next(text: str, document: EncodedDocument, n: int) -> str:
    """A sentence with the one behind it, which may go on with "others" or "heavier bags"."""
    spans = document.spans
    return text[spans[n].start : spans[min(n + 1, len(spans) - 1)].end]


def leaves_out(claim: str) -> bool:
    """Whether a claim leaves out what its question names, or has a pronoun for it: "It leaves at 9", "Two at once, six registered"."""
    first = _VALUE_FIRST.match(claim)
    short = len((first.group() if first else claim).split()) <= _MOST_LEFT_OUT and not _ARTICLE.match(claim)
    return short or _PRONOUN.match(claim) is not None


def lead_in(text: str, document: EncodedDocument, n: int) -> str:
    """What leads in an item behind others, "three months after eight years;" of "the notice period is: two months after five years; ...", "" of any other sentence."""
    first = n
    while first > 0 and n - first < _MOST_ITEMS and text.endswith(";", 0, document.spans[first - 1].end):
        first -= 1
    head, colon, _ = text[document.spans[first].start : document.spans[first].end].partition(": ")
    return head if first < n and colon and len(head) <= _LONGEST_LEAD else ""


def led_in(values: tuple[Stated, ...], stems: frozenset[str]) -> tuple[Stated, ...]:
    """The values of an item with the stems of what leads it in."""
    about = dict.fromkeys(stems, _OF_ITS_HEADING)
    return tuple(replace(one, words={**about, **one.words}) for one in values) if stems else values


def items_of(
    labels: Mapping[tuple[int, int], Label], texts: Sequence[str], documents: Sequence[EncodedDocument]
) -> tuple[list[Item], list[frozenset[str]]]:
    """What labelled lines have, and the stems of the sentences without a label."""
    items = []
    for (number, n), label in labels.items():
        span = documents[number].spans[n]
        text = texts[number][span.start : span.end]
        for part in _ITEM.finditer(text, label.begins):
            figures = any(char.isdecimal() for char in part.group())
            items.append(Item(label.row, label.group, words_of_cell(part.group()), figures, (number, n), *part.span()))
    others = [
        frozenset(one.stems)
        for number, document in enumerate(documents)
        for n, one in enumerate(document.words)
        if (number, n) not in labels
    ]
    return items, others


def labelled_as(values: tuple[Stated, ...], label: Label | None) -> tuple[Stated, ...]:
    """The values of a line that is labelled, as of a row of a table; those within its label are of its section alone."""
    if label is None:
        return values
    about = dict.fromkeys(label.row | label.head, _OF_ITS_HEADING)
    within = label.row if label.group == SECTIONS else frozenset[str]()
    return tuple(
        replace(one, words={**about, **one.words}, row=label.row, head=label.head)
        if one.value.start >= label.begins
        else replace(one, words={**dict.fromkeys(within, _OF_ITS_HEADING), **one.words}, row=within)
        for one in values
    )


def as_made(one: Finding, known: frozenset[Value], amounts: Scaled, there: Sequence[Sequence[Stated]] = ()) -> Finding:
    """What became of a value that the asker said or that is made of others, or that would be another one for so many people, or that says how far two are apart
    and is not how far the only two are that the best sentence, or all, state."""
    if one.value in known:
        return Finding(Outcome.FOLLOWS, one.value, FOLLOWS)
    if one.value in amounts.right:
        return Finding(Outcome.FOLLOWS, one.value, FOLLOWS, *amounts.right[one.value])
    if one.value in amounts.wrong:
        return Finding(Outcome.DISAGREES, one.value, 1.0, *amounts.wrong[one.value])
    apart = one.value.difference and one.value.kind in _APART and dimension(one.value) != UNITS["day"].dimension
    if not apart or one.outcome is not Outcome.ABSENT or one.value.hedge is not Hedge.NONE:
        return one
    for group in (there[:1], there):
        alike = [(each.value, n) for n, piece in enumerate(group) for each in piece if _is_alike(each.value, one.value)]
        if len(alike) == len({each.amount for each, _ in alike}) == _BOTH:
            apart_by = abs(
                in_base(alike[0][0].amount, alike[0][0].unit) - in_base(alike[1][0].amount, alike[1][0].unit)
            )
            if math.isclose(apart_by, in_base(one.value.amount, one.value.unit), rel_tol=_NEARLY):
                return Finding(Outcome.FOLLOWS, one.value, FOLLOWS)
            return Finding(Outcome.DISAGREES, one.value, 1.0, *alike[-1])
    return one


def _is_alike(one: Value, other: Value) -> bool:
    return dimension(one) == dimension(other) and not one.difference


def as_shown(found: Sequence[Finding], shown: Sequence[Worked]) -> list[Finding]:
    """The findings, where a claim shows how it came to a value: of what the evidence has, and of small counts beside it, the value follows; such
    counts are none that the evidence would have to state. One that does not come out, and that the evidence lacks, is wrong."""
    there = {one.value for one in found if one.outcome in (Outcome.AGREES, Outcome.FOLLOWS)}
    told: set[Value] = set()
    counts: set[Value] = set()
    for way in shown:
        lacking = set(way.operands) - there
        if way.right and len(lacking) < len(way.operands) and all(map(_may_count, lacking)):
            told.add(way.told)
            counts |= lacking
    follows = told - there
    wrong = {way.told for way in shown if not way.right} - told - there
    become = {**dict.fromkeys(wrong, (Outcome.DISAGREES, 1.0)), **dict.fromkeys(follows, (Outcome.FOLLOWS, FOLLOWS))}
    return [
        replace(one, outcome=become[one.value][0], strength=become[one.value][1]) if one.value in become else one
        for one in found
        if one.value in follows or one.value not in counts
    ]


def _may_count(one: Value) -> bool:
    return one.kind is Kind.NUMBER and one.amount <= _MOST_COUNTED
