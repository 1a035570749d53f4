"""Texts of one request, redacted so that they still tell what they told.

The same value is the same pseudonym in all of them and another value another one: who compares an answer with its documents sees what
agrees and what does not. Where a text was changed its places are known, so that an evidence's offsets can follow.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sidecar.redact.detect import Detector, Found, settle

_PSEUDONYM = re.compile(r"<([a-z][a-z0-9_]{0,30})-([1-9][0-9]{0,5})>")
# What replaced texts leave beside a pseudonym may be something new; each round replaces more, so that few are enough.
_MOST_ROUNDS = 8
_Named: TypeAlias = tuple[int, int, str]
_MOST_LOOSE = 50
_LEAST_LOOSE = 5


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text after redaction. `places` holds (start, end, new start, new end) of what was replaced, from left to right."""

    text: str
    places: tuple[tuple[int, int, int, int], ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where characters `start` to `end` of the original stand now; one that touches a replaced part takes in all of it."""
        return self._moved(start, end=False), max(self._moved(start, end=False), self._moved(end, end=True))

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Where characters `start` to `end` of this text, none of them replaced, stand in the original."""
        return self._before(start), self._before(end)

    def _before(self, at: int) -> int:
        count = bisect_right(self.places, at, key=lambda place: place[3])
        if not count:
            return at
        _, old_end, _, new_end = self.places[count - 1]
        return old_end + at - new_end

    def _moved(self, at: int, *, end: bool) -> int:
        """A border. Within a replaced part it moves outward."""
        count = (bisect_left if end else bisect_right)(self.places, at, key=lambda place: place[0])
        if not count:
            return at
        _, old_end, new_start, new_end = self.places[count - 1]
        if at < old_end:
            return new_end if end else new_start
        return new_end + at - old_end


class Session:
    """The texts of one request. `texts` are read first, in their order: the same request has the same pseudonyms wherever it is read."""

    def __init__(self, detectors: Sequence[Detector], texts: Sequence[str]) -> None:
        self._detectors = detectors
        self._names: dict[tuple[str, str], str] = {}
        self._numbers: Counter[str] = Counter()
        self._loose: dict[str, Found] = {}
        self._read: dict[str, list[Found]] = {}
        for text in texts:
            for match in _PSEUDONYM.finditer(text):
                self._numbers[match[1]] = max(self._numbers[match[1]], int(match[2]))
        for text in texts:
            if text not in self._read:
                self._read[text] = self._detect(text, detectors)
                for one in _left_alone(text, settle(text, self._read[text])):
                    self._name(one)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many different values were replaced, by kind."""
        return Counter(kind for kind, _ in self._names)

    def redact(self, text: str, *, part_of: str = "") -> Redacted:
        """The text with everything replaced. Redacted once more it stays as it is.

        Where it was cut out of another text, `part_of` tells what else lay where the cut went through.
        """
        return self._redact(text, self._detectors, list(self._cut(text, part_of)))

    def redact_id(self, text: str) -> str:
        """An id of a document: only by what cannot be a chance digit of it."""
        return self._redact(text, [one for one in self._detectors if one.in_ids]).text

    def _redact(self, text: str, detectors: Sequence[Detector], cut: Sequence[Found] = ()) -> Redacted:
        named: list[_Named] = []
        made = Redacted(text)
        for _ in range(_MOST_ROUNDS):
            found = [*self._again(made.text), *(cut if made.text == text else ())]
            read = self._read.get(made.text) if detectors is self._detectors else None
            found += self._detect(made.text, detectors) if read is None else read
            left = _left_alone(made.text, settle(made.text, found))
            if not left:
                break
            named = sorted([*named, *((*made.back(one.start, one.end), self._name(one)) for one in left)])
            made = _rewritten(text, named)
        return made

    def _detect(self, text: str, detectors: Sequence[Detector]) -> list[Found]:
        found = [one for detector in detectors for one in detector.find(text)]
        for one in found:
            value = text[one.start : one.end]
            telling = len(value) >= _LEAST_LOOSE and not value.isalpha()
            if one.loose and telling and len(self._loose) < _MOST_LOOSE:
                self._loose.setdefault(value, one)
        return found

    def _cut(self, text: str, whole: str) -> Iterator[Found]:
        place = whole.find(text) if text else -1
        if place >= 0:
            for one in settle(whole, self._read.get(whole) or self._detect(whole, self._detectors)):
                start, end = max(0, one.start - place), min(len(text), one.end - place)
                if start < end:
                    yield Found(start, end, one.kind, one.value)

    def _again(self, text: str) -> Iterator[Found]:
        """Values that were told elsewhere by the words before them."""
        for value, one in self._loose.items():
            place = text.find(value)
            while place >= 0:
                end = place + len(value)
                if not (text[place - 1 : place].isalnum() or text[end : end + 1].isalnum()):
                    yield Found(place, end, one.kind, one.value)
                place = text.find(value, end)

    def _name(self, one: Found) -> str:
        name = self._names.get((one.kind, one.value))
        if name is None:
            self._numbers[one.kind] += 1
            name = self._names[one.kind, one.value] = f"<{one.kind}-{self._numbers[one.kind]}>"
        return name


def _left_alone(text: str, found: Sequence[Found]) -> list[Found]:
    """What was found, without the pseudonyms that stand in it already."""
    if not found:
        return []
    taken = [match.span() for match in _PSEUDONYM.finditer(text)]
    parts = []
    for one in found:
        start = one.start
        for begin, end in [span for span in taken if span[0] < one.end and span[1] > one.start] + [(one.end, one.end)]:
            if text[start:begin].strip():
                whole = (start, begin) == (one.start, one.end)
                parts.append(one if whole else Found(start, begin, one.kind, text[start:begin]))
            start = end
    return parts


def _rewritten(text: str, named: Sequence[_Named]) -> Redacted:
    """The text with a name in each place, (start, end, name) from left to right."""
    pieces, places, at, length = [], [], 0, 0
    for start, end, name in named:
        pieces += [text[at:start], name]
        length += start - at
        places.append((start, end, length, length + len(name)))
        at, length = end, length + len(name)
    return Redacted("".join([*pieces, text[at:]]), tuple(places))
