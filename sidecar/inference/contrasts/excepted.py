"""Where a claim takes in what a text leaves out: "not even water" of "nothing except water", "Settings > Account > Reset" where the documents name no such menu."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.before import Told
from sidecar.inference.contrasts.reading import Reading, Stem, Weight
from sidecar.inference.contrasts.words import EXCEPTIONS

_LONGEST = 20_000
_THE = r"(?:(?:in|on|for|at|of|the|your|a|an|plain|still) ){0,2}"
_TAKEN_IN = re.compile(
    rf"\b(?:not even|even|including) {_THE}(?P<thing>[^\W\d_]{{3,30}})|\b(?P<before>[^\W\d_]{{3,30}}) included\b",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    rf"\b(?:except(?: for| from)?|excepting|excluding|other than|apart from|with the exception of) {_THE}(?P<thing>[^\W\d_]{{3,30}})",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"(?P<first>[A-Z][\w&-]{1,20}(?: [\w&-]{1,20}){0,2})(?P<rest>(?: ?(?:>|→|›|») ?[\w&*-]{1,20}(?: [\w&*-]{1,20}){0,2}){1,6})"
)
_ARROW = re.compile(r" ?(?:>|→|›|») ?")
_WORD, _ENDS = re.compile(r"[^\W\d_]{2,30}"), ".!?\n"
_ALL, _AT_FIRST, _MOSTLY = frozenset("both all every each either".split()), 2, 0.8  # words, share of what is said
_LEAST_KNOWN = 2  # elements of a path that the documents have


@dataclass(frozen=True, slots=True)
class Included:
    """claim[start:end] stands against text[other_start:other_end] of the text number `text`."""

    start: int
    end: int
    text: int
    other_start: int
    other_end: int


def taken_in(claim: str, texts: Sequence[str], stem: Stem) -> Included | None:
    """What a claim takes in with "even" or "including", and a text leaves out with "except" and the like."""
    own = list(_things(_TAKEN_IN, claim, stem))
    for number, text in enumerate(texts if own else ()):
        for thing, start, end in _things(_LEFT_OUT, text[:_LONGEST], stem):
            mine = next((one for one in own if one[0] == thing), None)
            if mine is not None and _LEFT_OUT.search(claim) is None and _is_of_it(claim, text, start, thing, stem):
                return Included(mine[1], mine[2], number, start, end)
    return None


def _is_of_it(claim: str, text: str, at: int, thing: str | None, stem: Stem) -> bool:
    """Whether the sentence that an exception stands in has another word of the claim's."""
    start = max(text.rfind(mark, 0, at) for mark in _ENDS) + 1
    end = min((k for mark in _ENDS if (k := text.find(mark, at)) >= 0), default=len(text))
    said, there = (
        {stem(word) for word in _WORD.findall(part.lower())} - {None, thing} for part in (claim, text[start:end])
    )
    return not said.isdisjoint(there)


def of_all(claim: Reading, pieces: Sequence[Reading], weight: Weight) -> Told | None:
    """The piece that says of all what a claim says of one thing only: "both plans can be cancelled monthly"."""
    if claim.words[:1] != ("only",) or claim.denied:
        return None
    said = [one for one in claim.stems[1:] if one is not None]
    total = sum(weight(one) for one in said[1:])  # but for the thing
    for number, piece in enumerate(pieces):
        at = next((k for k, word in enumerate(piece.words[:_AT_FIRST]) if word in _ALL), None)
        if at is None or piece.denied or not EXCEPTIONS.isdisjoint(piece.words):
            continue
        if total and sum(weight(one) for one in said[1:] if one in piece.stems) >= _MOSTLY * total:
            return Told(False, *claim.spans[0], number, *piece.spans[at])
    return None


def of_no_menu(claim: str, texts: Sequence[str]) -> Included | None:
    """The element of a path of menus that no text has, where they have the others; beside where the first of these stands."""
    lower = [text.lower() for text in texts]
    for path in _PATH.finditer(claim):
        elements = list(_elements(claim, path))
        places = [_place(_ways(name.lower(), n, len(elements)), lower) for n, (name, _, _) in enumerate(elements)]
        known = [place for place in places if place is not None]
        if len(known) >= _LEAST_KNOWN and len(known) == len(places) - 1:
            _, start, end = elements[places.index(None)]
            return Included(start, end, *known[0])
    return None


def _ways(name: str, n: int, of: int) -> list[str]:
    """How an element may stand in a text: the first one behind "go to", the last one before what goes on."""
    words = name.split()
    if n == 0:
        return [" ".join(words[k:]) for k in range(len(words))]
    return [" ".join(words[:k]) for k in range(len(words), 0, -1)] if n == of - 1 else [name]


def _place(ways: Sequence[str], texts: Sequence[str]) -> tuple[int, int, int] | None:
    found = ((n, text.find(way), way) for way in ways for n, text in enumerate(texts) if way in text)
    return next(((n, at, at + len(way)) for n, at, way in found), None)


def _things(pattern: re.Pattern[str], text: str, stem: Stem) -> Iterator[tuple[str | None, int, int]]:
    for found in pattern.finditer(text):
        thing = found["thing"] or found.groupdict().get("before") or ""
        if (one := stem(thing.lower())) is not None:
            yield one, *found.span()


def _elements(claim: str, path: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    start = path.start()
    for cut in [*_ARROW.finditer(claim, path.start(), path.end()), None]:
        end = cut.start() if cut else path.end()
        yield claim[start:end].strip(" *"), start, end
        start = cut.end() if cut else end
