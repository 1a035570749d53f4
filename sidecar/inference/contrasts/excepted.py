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
_TOLD_APART = tuple(
    frozenset(words.split())
    for words in (
        "small smaller medium large larger big bigger", "new existing old former returning", "domestic national international foreign european",
        "public private", "heavy heavier light lighter", "short shorter long longer", "urgent standard express normal regular premium basic",
        "permanent temporary", "frozen fresh", "young younger older adult", "internal external", "local remote",
    )
)  # fmt: skip
_EVERY, _REPLIES = frozenset({("all",), ("every",)}), frozenset({"yes", "no", ","})
_TO_WHOM, _KIND, _MOST_OF_THEM, _HALF = frozenset({("to",), ("by",), ("for",), ("with",)}), 2, 3, 0.5
_ENDS_THOSE = frozenset(", . ; : ( and or".split())
_AUXILIARIES = frozenset("are is may can could have has will must need needs get gets".split())
_PREPOSITIONS = frozenset("if when after until before in on at to by for with from".split())
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


def of_some(claim: Reading, pieces: Sequence[Reading], weight: Weight) -> Told | None:
    """The piece that says of some what a claim says of all, where another piece speaks of others: "all dogs travel free" of "small dogs travel free; larger dogs need
    a ticket"."""
    first = next((k for k, word in enumerate(claim.words) if word not in _REPLIES), 0)
    if claim.words[first : first + 1] not in _EVERY or claim.denied or first + 1 >= len(claim.words):
        return None
    thing, said = claim.stems[first + 1], [one for one in claim.stems[first + 2 :] if one is not None]
    kinds = [(n, piece) for n, piece in enumerate(pieces) if thing and piece.stems[1:2] == (thing,) and piece.stems[0]]
    total, first_words = sum(map(weight, said)), {piece.words[0] for _, piece in kinds}
    if not total or not any(len(first_words & alike) > 1 for alike in _TOLD_APART):
        return None
    held = [
        (sum(weight(one) for one in said if one in piece.stems), n, piece) for n, piece in kinds if not piece.denied
    ]
    best = max(held, key=lambda one: one[0], default=(0.0, 0, claim))
    return Told(False, *claim.spans[first], best[1], *best[2].spans[0]) if best[0] >= _MOSTLY * total else None


def of_those_only(claim: Reading, pieces: Sequence[Reading], weight: Weight) -> Told | None:
    """The piece that says of some of a kind only what a claim says of others: "dogs on a lead may enter the dining car" of "in the dining car only assistance
    dogs are admitted"."""
    if claim.denied or claim.partly or not EXCEPTIONS.isdisjoint(claim.words):
        return None
    said = {one for one in claim.stems if one is not None}
    for number, piece in enumerate(pieces):
        at = piece.words.index("only") if "only" in piece.words else None
        if at is None or piece.denied or not EXCEPTIONS.isdisjoint(piece.words):
            continue
        to_whom = piece.words[at + 1 : at + 2] in _TO_WHOM  # "only to members", "only assistance dogs are"
        first, marks = at + 1 + to_whom, _ENDS_THOSE if to_whom else _AUXILIARIES
        ends = next((k for k in range(first, len(piece.words)) if piece.words[k] in marks), None)
        if ends is None or not _PREPOSITIONS.isdisjoint(piece.words[first:ends]):
            continue
        those = [one for one in piece.stems[first:ends] if one is not None]
        held = len(said.intersection(those))  # more than the kind: they are those themselves
        if not _KIND <= len(those) <= _MOST_OF_THEM or those[-1] not in said or 2 * held > len(those):
            continue
        rest = {one for one in piece.stems if one is not None and one not in those} - {"only"}
        of_it = sum(map(weight, rest & said)) >= _HALF * sum(map(weight, rest)) > 0
        others = said - rest - set(those)
        elsewhere = any(
            others & set(each.stems) and rest & said & set(each.stems) for each in pieces if each is not piece
        )
        if of_it and not elsewhere:
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
