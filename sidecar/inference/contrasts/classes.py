"""Where a claim puts a thing into another class than a text does: "liver problems are a common side effect" of "common side effects are headache and dizziness; rare
ones include liver problems"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading, Stem
from sidecar.inference.contrasts.words import EXCEPTIONS
from sidecar.inference.values.stems import stems_of

_LONGEST, _MOST, _MOST_STEMS = 20_000, 60, 4  # characters, classes, stems of a thing
_NAMED = re.compile(
    r"(?:\A|[.;\n]|,)\s{0,4}(?:[-*•] )?(?:(?:and|while|whereas|but|the|our|some) )?"
    r"(?P<label>[A-Za-z][\w-]{1,20}(?: [a-z][\w-]{1,20}){1,3})(?: \([^()\n]{1,60}\))?"
    r" (?:are|is|include|includes|comprise)(?: for example| e\.g\.)?:? (?P<things>[^\W_](?:(?!, (?:while|whereas|but) )[^.;:\n]){2,300})"
)
_SPLIT = re.compile(r", (?:and |or )?| (?:and|or|as well as) ")
_ONES = frozenset("ones one others".split())


@dataclass(frozen=True, slots=True)
class Class:
    """The things, by their stems, of which text[start:end] says that they are of a class that `own` tells from others of the same `head`."""

    own: frozenset[str]
    head: frozenset[str]
    things: tuple[frozenset[str], ...]
    start: int
    end: int


def classes_of(text: str, stem: Stem) -> tuple[tuple[Class, ...], ...]:
    """The classes of a text, those together that stand next to each other and are of one head."""
    found = list(itertools.islice(_labelled(text[:_LONGEST], stem), _MOST))
    groups: list[list[Class]] = []
    for (one_label, one), (label, other) in itertools.pairwise(found):
        head = _head(one_label, label, stem)
        if not head:
            continue
        own = Class(stems_of(" ".join(one_label), stem) - head, head, one.things, one.start, one.end)
        its = Class(stems_of(" ".join(label), stem) - head, head, other.things, other.start, other.end)
        if groups and groups[-1][-1].start == own.start and groups[-1][-1].head == head:
            groups[-1].append(its)
        elif own.own and its.own:
            groups.append([own, its])
    return tuple(tuple(group) for group in groups)


def classed_otherwise(claim: Reading, groups: Sequence[Sequence[Class]]) -> Class | None:
    """The class that a text puts a thing into which a claim says is of another one. Claims that deny, with an exception, or of several classes are not looked at."""
    if claim.denied or claim.partly or not EXCEPTIONS.isdisjoint(claim.words):
        return None
    said = frozenset(one for one in claim.stems if one is not None)
    for group in groups:
        named = [one for one in group if one.own <= said]
        named = [one for one in named if not any(one.own < other.own for other in named)]
        if len(named) != 1 or not (group[0].head & said or len(claim.words) <= 2 * _MOST_STEMS):
            continue
        own = frozenset(named[0].things)
        for other in group:
            if other is not named[0] and any(thing <= said and thing not in own for thing in other.things):
                return other
    return None


def _labelled(text: str, stem: Stem) -> Iterator[tuple[tuple[str, ...], Class]]:
    for found in _NAMED.finditer(text):
        things = [stems_of(thing, stem) for thing in _SPLIT.split(found["things"])]
        label = tuple(word.lower() for word in found["label"].split())
        if all(0 < len(one) <= _MOST_STEMS for one in things):
            yield label, Class(frozenset(), frozenset(), tuple(things), found.start("label"), found.end())


def _head(one: Sequence[str], other: Sequence[str], stem: Stem) -> frozenset[str]:
    """What two labels share at their ends, or the first's words behind its own where the other has "ones" for them."""
    if other[-1] in _ONES:
        return stems_of(" ".join([*one[1:], other[-1]]), stem)
    shared = itertools.takewhile(
        lambda both: both[0] == both[1], zip(reversed(one[1:]), reversed(other[1:]), strict=False)
    )
    return stems_of(" ".join(word for word, _ in shared), stem)
