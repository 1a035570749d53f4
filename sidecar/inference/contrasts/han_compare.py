"""Where a Chinese claim says the contrary of what a text says of the same matter: the other word of a group of opposites, what is denied on one
side alone, what another one does, or two parts that have changed places.

How much both speak of the same is the share of the pairs of characters around the claim's word that stand around the other one. A text that says
the claim's own somewhere, as near, does not contradict it; that may be spread over its clauses, the contrary is to stand in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from sidecar.inference.contrasts.compare import Contrast
from sidecar.inference.contrasts.han_order import by_another, exchanged, of_another
from sidecar.inference.contrasts.han_reading import ELSEWHERE, OF_DENIED, OWN, Clause, Mark, Reading
from sidecar.inference.contrasts.han_words import DENIED, OF_KINDS, OF_PARTS, SAID_OF_ALL
from sidecar.inference.contrasts.reading import share

_PRIOR = 4.0  # of idf
_SAME_MATTER = 0.45  # share of the claim's words from which on the text speaks of the same
_OF_A_KIND = 0.85  # the same, of what is one of several kinds
_IN_OTHER_WORDS = 0.5  # the same, of what the text says of the claim's own kind
_LEAST_SAID = 2  # characters around what is compared, in its clause

Weight = Callable[[str], float]


def contrasts(claim: Reading, pieces: Sequence[Reading], weight: Weight) -> Contrast | None:
    """The clearest contrary of the claim in the texts, None where there is none. `weight` is how telling a pair of characters is."""
    found = [
        one
        for n, clause in enumerate(claim.clauses)
        for mark in (*clause.marks, *_undenied(clause, pieces))
        if (one := _contrary(claim, n, mark, pieces, weight))
    ]
    return max((*found, *_misplaced(claim, pieces)), key=lambda one: one.strength, default=None)


def _contrary(claim: Reading, n: int, mark: Mark, pieces: Sequence[Reading], weight: Weight) -> Contrast | None:
    """What the texts say otherwise of one mark of clause n; nothing of a clause that says two things of its kind, or nothing else."""
    clause, about = claim.clauses[n], claim.about(n, mark, ELSEWHERE)
    if sum(one.group == mark.group for one in clause.marks) > 1 or _said(about) < _LEAST_SAID:
        return None
    like, unlike = 0.0, None
    for number, piece in enumerate(pieces):
        excepted = not piece.excepted.isdisjoint(about)
        for k, other in enumerate(piece.clauses):
            for theirs in _same_kind(mark, clause, other):
                if mark.pole == theirs.pole:
                    like = max(like, share(about, piece.about(k, theirs), weight, _PRIOR))
                elif not excepted and _comparable(mark, clause, other):
                    strength = share(about, piece.about(k, theirs, ELSEWHERE), weight, _PRIOR)
                    if unlike is None or strength > unlike.strength:
                        unlike = Contrast(strength, mark.start, mark.end, number, theirs.start, theirs.end)
    least = _SAME_MATTER
    if mark.group in OF_KINDS:
        if like > _IN_OTHER_WORDS:
            return None
        least = _OF_A_KIND
    if unlike is None or unlike.strength <= max(least, like):
        return None
    return replace(unlike, strength=unlike.strength - like)


def _said(about: Mapping[str, float]) -> int:
    return sum(len(token) for token, much in about.items() if much == OWN)


def _misplaced(claim: Reading, pieces: Sequence[Reading]) -> Iterator[Contrast]:
    """Clauses of the claim of which two parts stand the other way round in a text, or that a text says of another thing, and nowhere as in the claim."""
    theirs = [(n, other) for n, piece in enumerate(pieces) for other in piece.clauses]
    texts = [other.text for _, other in theirs]
    for clause in claim.clauses:
        own = clause.text.strip()
        if any(own in text for text in texts):
            continue
        found = next((k for k, text in enumerate(texts) if exchanged(own, text)), None)
        found = of_another(own, texts) if found is None else found
        found = by_another(own, texts) if found is None else found
        if found is not None:
            number, other = theirs[found]
            yield Contrast(1.0, clause.start, clause.end, number, other.start, other.end)


def _undenied(clause: Clause, pieces: Sequence[Reading]) -> Iterator[Mark]:
    """The words of a clause that denies nothing which texts deny."""
    denied = {
        mark.group
        for piece in pieces
        for other in piece.clauses
        for mark in other.marks
        if mark.group.startswith(OF_DENIED)
    }
    for group in denied - {mark.group for mark in clause.marks}:
        at = clause.text.find(group[len(OF_DENIED) :])
        if at >= 0:
            yield Mark(group, 0, clause.start + at, clause.start + at + 2)


def _same_kind(mark: Mark, own: Clause, other: Clause) -> Iterator[Mark]:
    """What a clause says of the same group; of a word that is denied also where it stands undenied, and of what is denied, allowed or needed all
    that is said of the same in the same way, in whatever words."""
    found = [one for one in other.marks if one.group == mark.group]
    yield from found
    if found or (mark.group not in SAID_OF_ALL and not mark.group.startswith(OF_DENIED)):
        return
    at = other.text.find(mark.group[len(OF_DENIED) :]) if mark.group.startswith(OF_DENIED) and _less(other, own) else -1
    if at >= 0:
        yield Mark(mark.group, 0, other.start + at, other.start + at + 2)
    elif own.negative == other.negative and (own.negative or own.behind(mark) in other.text):
        yield Mark(mark.group, mark.pole, other.start, other.start)


def _less(one: Clause, other: Clause) -> bool:
    """Whether a clause denies less than another one."""
    return one.denials < other.denials and not (one.negative and not one.denials)


def _comparable(mark: Mark, own: Clause, other: Clause) -> bool:
    """Whether both are said of the whole, and neither denies where that turns what follows."""
    if mark.group in DENIED:
        return bool(own.denials) == bool(other.denials)
    if mark.group.startswith(OF_DENIED) and own.denials == other.denials:
        return False
    return own.partly == other.partly or mark.group in OF_PARTS
