"""Where a claim says the contrary of what a text says of the same matter: the other word of a group of opposites, or a word negated on one
side alone.

As with values (values/match.py), how much both speak of the same is the share of the words around the claim's word that stand around the
other one. A text that says the claim's own somewhere, as near, does not contradict it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sidecar.inference.contrasts.reading import Opposite, Reading, Sides, Stem, Weight, denies, share
from sidecar.inference.contrasts.words import (
    BEATS,
    CONVERSE,
    DENIED,
    EXCEPTIONS,
    FRONTS,
    NOTHING,
    OF_DEEDS,
    OF_PARTS,
    SCALES,
    TRADED,
)

_PRIOR = 4.0  # of idf
_SAME_MATTER = 0.3  # share of the claim's words from which on the text speaks of the same
_CLEARLY = 0.1  # of such shares
_MOST_ALIKE = 4  # times that a word is looked at in one text
_CASES = frozenset({("with",), ("if",), ("when",)})
_FRAGMENT = 3  # stems
_LEAST_BEHIND_FRONT = 4  # characters
_IF_NOT = frozenset({("by", "then"), ("before", "then"), ("until", "then"), ("if", "not")})

Numbered = tuple[int, Reading]


@dataclass(frozen=True, slots=True)
class Contrast:
    """claim[start:end] against text[other_start:other_end] of the text number `piece`. `strength` (0..1) is the share of the claim's words
    around it that stand with the other, as a part of those that do not stand with its like."""

    strength: float
    start: int
    end: int
    piece: int
    other_start: int
    other_end: int


@dataclass(frozen=True, slots=True)
class Contrasts:
    """The clearest opposite and the clearest word that is negated on one side alone, None where there is none."""

    opposed: Contrast | None = None
    negated: Contrast | None = None


@dataclass(frozen=True, slots=True)
class _Beside:
    """A word of the claim beside one of a text, with the stems about that one, and whether both say the contrary of each other."""

    there: Contrast
    about: Mapping[str, float]
    contrary: bool


@dataclass(frozen=True, slots=True)
class _Told:
    """An opposite with what its sentence says of it, read once for all that it is compared with. `sides` is None where none are told apart."""

    one: Opposite
    about: Mapping[str, float]
    sides: Sides | None
    denied: bool
    partly: bool
    timed: str
    compared: bool
    verbs: tuple[str, ...]
    left_out: frozenset[str]
    listed: frozenset[int]
    beats: bool


def contrasts(claim: Reading, pieces: Sequence[Reading], weight: Weight, stem: Stem) -> Contrasts:
    """What of the claim the texts say otherwise; of one with an exception, or of what is so if the matter is not, nothing is compared. `weight` is how telling
    a stem is."""
    if any(claim.words[k : k + 2] in _IF_NOT for k in range(len(claim.words))):
        return Contrasts()
    excepts = EXCEPTIONS - {"unless"} if "default" in claim.words else EXCEPTIONS
    whole = [
        (number, piece)
        for number, piece in enumerate(pieces)
        if excepts.isdisjoint(piece.words) and not _of_what_is_left_out(claim, piece)
    ]
    return Contrasts(_clearest(_opposed(claim, whole, weight)), _clearest(_negated(claim, whole, weight, stem)))


def _of_what_is_left_out(claim: Reading, piece: Reading) -> bool:
    """Whether a claim that denies speaks of what a text leaves out of what it says: "free of charge, but not within 48 hours"."""
    own = {stem for stem in claim.stems if stem is not None} if claim.denied else set[str]()
    return any(
        piece.words[k : k + 2] == ("but", "not")
        and any(
            piece.stems[j] in own for j in range(k + 2, len(piece.stems)) if piece.clauses[j] == piece.clauses[k + 1]
        )
        for k in range(len(piece.words) if own else 0)
    )


def _clearest(found: Iterator[Contrast]) -> Contrast | None:
    return max(found, key=lambda one: one.strength, default=None)


def _opposed(claim: Reading, pieces: Sequence[Numbered], weight: Weight) -> Iterator[Contrast]:
    groups = {one.group for one in claim.opposites}
    others = [(number, _told(piece, one)) for number, piece in pieces for one in piece.opposites if one.group in groups]
    mine = [_told(claim, one) for one in claim.opposites]
    for own in mine:
        found, subject = list[_Beside](), claim.subject(own.one.first)
        for number, other in others:
            if other.one.group != own.one.group or not _comparable(own, other):
                continue
            strength = share(own.about, other.about, weight, _PRIOR)
            same = other.one.pole == own.one.pole
            if not same and _is_anothers(other, own, mine, strength, weight):
                continue
            if own.sides and other.sides:
                sides = _of_whom(own.one.group, own.sides, other.sides, beats=own.beats or other.beats)
                left_out = own.beats or other.beats or (own.one.group in TRADED and not same)
                same ^= _crossed(*sides, weight, left_out=left_out)
            same ^= bool(subject) and subject <= other.left_out
            if not same and own.one.pole in other.listed:
                continue
            if _of_other_deeds(own.verbs, other.verbs) and not (same and own.verbs[0] in other.about):
                continue
            there = Contrast(strength, own.one.start, own.one.end, number, other.one.start, other.one.end)
            found.append(_Beside(there, other.about, not same))
        yield from _left(found, subject)


def _is_anothers(other: _Told, own: _Told, mine: Sequence[_Told], strength: float, weight: Weight) -> bool:
    """Whether a text's word is that of another of the claim's words, as near at least: "not necessary for 9 euros, since it is only required above 15"."""
    alike = (
        one for one in mine if one is not own and (one.one.group, one.one.pole) == (other.one.group, other.one.pole)
    )
    return any(share(one.about, other.about, weight, _PRIOR) >= strength for one in alike)


def _told(reading: Reading, one: Opposite) -> _Told:
    about = reading.about(one)
    sides = reading.sides(one, about) if one.group in CONVERSE else None
    denied = one.group in DENIED and reading.clauses[one.first] in reading.denied
    partly = one.group not in OF_PARTS and reading.clauses[one.first] in reading.partly
    timed = reading.words[one.first] if one.group == "open" and reading.counted(one.last) else ""
    compared = one.group in SCALES and reading.compared(one)
    verbs = reading.verbs(one) if one.group in OF_DEEDS else ()
    out, listed = reading.left_out(one.first), reading.listed(one)
    beats = reading.words[one.last] in BEATS
    return _Told(one, about, sides, denied, partly, timed, compared, verbs, out, listed, beats)


def _comparable(own: _Told, other: _Told) -> bool:
    """Whether both are said of the whole, both or neither is denied where that turns what follows, both or neither say what they are compared
    with, and not of the hours from and to."""
    alike = own.partly == other.partly and own.denied == other.denied and own.compared == other.compared
    return alike and not _of_hours(own, other)


def _of_other_deeds(own: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one thing must and another may be done."""
    return bool(own and other) and own[0] not in other and other[0] not in own


def _of_hours(own: _Told, other: _Told) -> bool:
    """Whether both say figures, one of how long something is open: what is open to six closes at six."""
    return bool(own.timed and other.timed) and "open" in (own.timed, other.timed)


def _of_whom(group: str, mine: Sides, theirs: Sides, *, beats: bool) -> tuple[Sides, Sides]:
    """The sides without what is handed over, or played for, which both have behind their word."""
    both = mine[0].keys() & theirs[0].keys() if group in TRADED or beats else frozenset()
    left = [({stem: much for stem, much in one[0].items() if stem not in both}, one[1]) for one in (mine, theirs)]
    return left[0], left[1]


def _crossed(mine: Sides, theirs: Sides, weight: Weight, *, left_out: bool) -> bool:
    """Whether the sides of the claim's word fit those of the other one better the other way round. With `left_out` nothing is known of a side
    without words: "he sold it to his sister", "Ashford lost"."""
    if any(
        ((one and side) or not left_out) and one.keys().isdisjoint(side)
        for one, side in zip(mine, theirs[::-1], strict=True)
    ):
        return False
    straight = [share(one, side, weight, _PRIOR) for one, side in zip(mine, theirs, strict=True)]
    across = [share(one, side, weight, _PRIOR) for one, side in zip(mine, theirs[::-1], strict=True)]
    worse = any(one < other for one, other in zip(across, straight, strict=True))
    return not worse and sum(across) > sum(straight) + _CLEARLY


def _negated(claim: Reading, pieces: Sequence[Numbered], weight: Weight, stem: Stem) -> Iterator[Contrast]:
    if claim.words[:1] in (("no",), ("yes",)) and sum(stem is not None for stem in claim.stems) <= _FRAGMENT:
        return  # "No, not on his own card" says what the question asks
    case = _case_of(claim)
    pieces = [(n, piece) for n, piece in pieces if not case or not case.isdisjoint(piece.stems)]
    seen: Counter[str] = Counter()
    for k, own in enumerate(claim.stems):
        if own is None or claim.clauses[k] in claim.partly or seen[own] >= _MOST_ALIKE or claim.within_opposite(k):
            continue
        seen[own] += 1
        same = list(_with_same_word(claim, k, own, pieces, stem))
        if not any(contrary for _, _, _, contrary in same):
            continue
        found, about = list[_Beside](), claim.around(k, k)
        for number, piece, j, contrary in same:
            there = piece.around(j, j)
            strength = share(about, there, weight, _PRIOR)
            found.append(_Beside(Contrast(strength, *claim.spans[k], number, *piece.spans[j]), there, contrary))
        yield from _left(found, claim.subject(k))


def _case_of(claim: Reading) -> frozenset[str]:
    """The stems of the case that a claim, behind its question or not, begins with and denies something of: "with max_retries = 0 nothing is retried"."""
    first = claim.words.index("?") + 1 if "?" in claim.words else 0
    if claim.words[first : first + 1] not in _CASES or not claim.denied:
        return frozenset()
    ends = (k for k in range(first, len(claim.words)) if claim.words[k] in NOTHING | {","} or denies(claim.words[k]))
    return frozenset(one for one in claim.stems[first + 1 : next(ends, first)] if one is not None)


def _with_same_word(
    claim: Reading, k: int, own: str, pieces: Sequence[Numbered], stem: Stem
) -> Iterator[tuple[int, Reading, int, bool]]:
    """Where the texts have a word of the claim that compares: the text's number, the text, the token, and whether one side alone negates it."""
    denying, unsure, subject = claim.clauses[k] in claim.denying, claim.unsure(k), claim.subject(k)
    for number, piece in pieces:
        for j, turned in itertools.islice(_same_word(claim.words[k], own, piece, stem), _MOST_ALIKE):
            if (
                piece.clauses[j] in piece.partly
                or piece.within_opposite(j)
                or (piece.clauses[j] in piece.denying) != denying
            ):
                continue
            if unsure == piece.unsure(j):
                left_out = bool(subject) and subject <= piece.left_out(j)
                yield number, piece, j, ((piece.negated[j] != turned) != claim.negated[k]) != left_out


def _left(found: Sequence[_Beside], subject: frozenset[str]) -> Iterator[Contrast]:
    """The clearest contrary, less what the texts say like the claim: of other things than the claim's subject where the contrary is said of just that."""
    unlike = max((one for one in found if one.contrary), key=lambda one: one.there.strength, default=None)
    if unlike is None:
        return
    of_it = subject if subject <= unlike.about.keys() else frozenset[str]()
    likes = (one for one in found if not one.contrary and of_it <= one.about.keys())
    like = max((one.there.strength for one in likes), default=0.0)
    if unlike.there.strength > max(_SAME_MATTER, like):
        yield replace(unlike.there, strength=(unlike.there.strength - like) / (1 - like))


def _same_word(word: str, own: str, piece: Reading, stem: Stem) -> Iterator[tuple[int, bool]]:
    """The tokens of a text that are the word, and whether with a front that negates it: "unpaid" of "paid"."""
    bare = _without_front(word, stem)
    for j, other in enumerate(piece.stems):
        if other is None:
            continue
        if other == own:
            yield j, False
        elif other == bare or (other.startswith(FRONTS) and _without_front(piece.words[j], stem) == own):
            yield j, True


def _without_front(word: str, stem: Stem) -> str | None:
    for front in FRONTS:
        if word.startswith(front) and len(word) >= len(front) + _LEAST_BEHIND_FRONT:
            return stem(word.removeprefix(front))
    return None
