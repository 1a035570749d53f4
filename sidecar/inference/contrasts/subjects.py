"""Claims that say of one thing what a passage about another one of its kind says: the excess of the Comfort policy, in an answer to a question about the Compact one.

Passages are told apart by their titles and headings (values/labelled.py). A claim that says nothing of its own subject is of the thing that the question names. It is
read beside both: only where the passage about its own thing says something else of the same matter does it count."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from exporters.result import Evidence
from sidecar.inference.contrasts.sections import REFERS, named
from sidecar.inference.embedding.text import content_stem, read_words, sentences
from sidecar.inference.values.labelled import SECTIONS, labelled, sentences_with_headings

_OF_BOTH = re.compile(
    r"\b(?:other|another|else|elsewhere|instead|unlike|than|both|either|compared?|upgrad\w{1,4}|downgrad\w{1,4}|differen\w{1,4}|switch\w{0,4})\b",
    re.IGNORECASE,
)
_LEAST_SECTIONS, _A_TITLE = 2, 8  # words
_BESIDE, _OF_ITS_OWN = 0.4, 0.5  # shares of a claim, by weight: of a figure's sentence, and of its own passage's
_COPIED, _ALIKE, _NEARER = 0.6, 0.3, 0.1  # of the other sentence, of its own, by how much less
_MOSTLY, _CLEARLY = 0.7, 0.35  # of all that is said of the other thing, and by how much more than of its own
_DENIES = re.compile(r"\b(?:no|not|never|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Line:
    row: frozenset[str]
    stems: frozenset[str]
    there: Evidence


def of_another(
    claims: Sequence[str], question: str, texts: Sequence[str], weight: Callable[[str], float]
) -> dict[int, Evidence]:
    """The claims, by number, that say of their thing what a sentence about another one says, and that sentence."""
    lines, others = _lines(texts)
    rows = {one.row for one in lines}
    if not rows or _OF_BOTH.search(question):
        return {}
    said = [_said(claim) for claim in claims]
    names = [{row for row in rows if row <= one} for one in said]
    asked = _said(question)
    best = [_best(own, lines, weight) for own in said]
    found = {}
    for n, own in enumerate(said):
        mine = named(rows, own) if names[n] else _of_the_answer(rows, names[:n], asked, best[:n] + best[n + 1 :])
        if mine is None or any((row - mine) & (own | asked) for row in rows) or _OF_BOTH.search(claims[n]):
            continue
        there = _of_another(own - mine, mine, lines, others, weight)
        if there is None:
            there = _mostly_of_another(own - mine, mine, lines, others, weight)
            if there is not None and _denies(claims[n]) and not _denies(texts[there.document][there.start : there.end]):
                there = None
        if there is not None:
            found[n] = there
    return found


def _denies(text: str) -> bool:
    return _DENIES.search(text) is not None


def _of_the_answer(
    rows: set[frozenset[str]],
    names: Sequence[set[frozenset[str]]],
    asked: frozenset[str],
    beside: Sequence[frozenset[str] | None],
) -> frozenset[str] | None:
    """What a claim that names none of some things is about: the one that question and claims before it name, if it is one, or, where they name none either, the
    one that the passage is about which says all the claims beside it."""
    every = {row for row in rows if row <= asked}.union(*names)
    every = {row for row in every if not any(row < other for other in every)}
    found: set[frozenset[str] | None] = {*every} or {*beside}
    return next(iter(found)) if len(found) == 1 else None


def _of_another(
    said: frozenset[str],
    mine: frozenset[str],
    lines: Sequence[_Line],
    others: frozenset[str],
    weight: Callable[[str], float],
) -> Evidence | None:
    own = [one for one in lines if one.row == mine]
    known = others.union(*(one.stems for one in own))
    if not REFERS.isdisjoint(known):
        return None
    total = sum(map(weight, said))

    def share(stems: frozenset[str]) -> float:
        return sum(map(weight, said & stems)) / total if total else 0.0

    there = max((one for one in lines if one.row != mine), key=lambda one: share(one.stems))
    here = max(own, key=lambda one: share(one.stems))
    figures = {one for one in said - known if one[0].isdecimal()}
    beside = next(
        (one for one in lines if one.row != mine and figures & one.stems and share(one.stems) >= _BESIDE), None
    )
    if beside is not None and share(here.stems) >= _OF_ITS_OWN:
        return beside.there
    foreign = (said & there.stems) - known
    alike = _ALIKE <= share(here.stems) <= share(there.stems) - _NEARER
    return there.there if foreign and alike and share(there.stems) >= _COPIED else None


def _mostly_of_another(
    said: frozenset[str],
    mine: frozenset[str],
    lines: Sequence[_Line],
    others: frozenset[str],
    weight: Callable[[str], float],
) -> Evidence | None:
    """The nearest sentence of a passage that says, as a whole, nearly all that a claim does, where the passage about the claim's own thing says little of it."""
    total, known = sum(map(weight, said)), others.union(*(one.stems for one in lines if one.row == mine))
    theirs = [one for one in lines if one.row != mine and not mine <= one.stems]  # a line that names both is of both
    every = {
        row: frozenset[str]().union(*(one.stems for one in theirs if one.row == row))
        for row in {one.row for one in theirs}
    }

    def share(stems: frozenset[str]) -> float:
        return sum(map(weight, said & stems)) / total if total else 0.0

    row = max(every, key=lambda one: share(every[one]), default=None)
    if row is None or share(every[row]) < max(_MOSTLY, share(known) + _CLEARLY) or not REFERS.isdisjoint(known):
        return None
    return max((one for one in theirs if one.row == row), key=lambda one: share(one.stems)).there


def _best(said: frozenset[str], lines: Sequence[_Line], weight: Callable[[str], float]) -> frozenset[str] | None:
    """What the passage is about that says what a claim does, None where none says it."""
    total = sum(map(weight, said))
    line = max(lines, key=lambda one: sum(map(weight, said & one.stems)))
    return line.row if sum(map(weight, said & line.stems)) >= _COPIED * total > 0 else None


def _lines(texts: Sequence[str]) -> tuple[list[_Line], frozenset[str]]:
    """The sentences of sections that are told apart, and the stems of all others; none where there are not two."""
    spans = [sentences(text) for text in texts]
    pieces = [sentences_with_headings(text, own) for text, own in zip(texts, spans, strict=True)]
    labels = labelled(pieces, content_stem)
    if len({label.row for label in labels.values() if label.group == SECTIONS}) < _LEAST_SECTIONS:
        return [], frozenset()
    lines, others = [], set[str]()
    for number, own in enumerate(pieces):
        for n, piece in enumerate(own):
            label, span = labels.get((number, n)), spans[number][n]
            if label is not None and label.group == SECTIONS:
                lines.append(_Line(label.row, _said(piece), Evidence(number, span.start, span.end)))
            elif label is not None or n or len(piece.split()) > _A_TITLE:
                others |= _said(piece)
    return lines, frozenset(others)


def _said(text: str) -> frozenset[str]:
    words = read_words(text)
    return frozenset(words.stems) | words.numbers
