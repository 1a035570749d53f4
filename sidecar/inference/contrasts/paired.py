"""Where a table or a list of an answer gives to two things what is each other's: "Women: Tobias Renn; men: Ines Falk" of "Ines Falk takes over the women's squad, and
Tobias Renn coaches the men's"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Stem

_MOST_PAIRS, _MOST_CLAUSES, _LONGEST, _MOST_WORDS = 40, 400, 20_000, 4
_CLAUSES = re.compile(r"[.;](?=\s|\Z)|\n|, (?:and|while|whereas|but) | and (?=[A-Z])|, (?=[A-Z])")
_SENTENCES = re.compile(r"\.(?=\s|\Z)|\n")
_WORD = re.compile(r"\d[\d.,]*(?<=\d)|[^\W\d_]+(?:['’]s)?")
_DENIES = re.compile(
    r"\b(?:no|not|without|never|cannot|neither|nor|disabled|unavailable|excluded|lacks?|missing|off|only)\b|n['’]t\b",
    re.IGNORECASE,
)
_NO_VALUE = frozenset("yes none included".split())
_YES_NO = {**dict.fromkeys("yes ✓ ✔ ✅ included".split(), True), **dict.fromkeys("no ✗ ✘ ❌ none — –".split(), False)}


@dataclass(frozen=True, slots=True)
class Pair:
    """What the answer's part number `part` gives, at start:end of that, to a thing, or says that it `lacks`: the stems and figures of both."""

    key: frozenset[str]
    value: frozenset[str]
    part: int
    start: int
    end: int
    lacks: bool = False


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Two pairs of an answer, and where the text number `text` gives what the first one has to the second one's thing."""

    one: Pair
    other: Pair
    text: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Clause:
    words: frozenset[str]
    denies: bool
    text: int
    start: int
    end: int


def pairs_of(parts: Sequence[str], stem: Stem) -> list[Pair]:
    """What an answer's rows and labelled lines have, each with its label, with that of its row, and with what else its row has."""
    return list(itertools.islice(_pairs(parts, stem), _MOST_PAIRS))


def exchanged_with(pairs: Sequence[Pair], texts: Sequence[str], stem: Stem) -> Exchanged | None:
    """Two pairs of which the texts have each value with the other's thing alone."""
    if len({one.key for one in pairs}) <= 1:
        return None
    levels = (list(itertools.islice(_clauses_of(texts, cut, stem), _MOST_CLAUSES)) for cut in (_CLAUSES, _SENTENCES))
    return next((found for clauses in levels if (found := _exchanged(pairs, clauses)) is not None), None)


def _exchanged(pairs: Sequence[Pair], clauses: Sequence[_Clause]) -> Exchanged | None:
    keys = {one.key for one in pairs}

    def has(clause: _Clause, key: frozenset[str]) -> bool:
        return key <= clause.words and not any(key < other <= clause.words for other in keys)

    def gives(value: frozenset[str], own: frozenset[str], other: frozenset[str]) -> _Clause | None:
        there = [one for one in clauses if value <= one.words]
        return None if any(has(one, own) for one in there) else next((one for one in there if has(one, other)), None)

    for one, other in itertools.combinations(pairs, 2):
        if one.lacks != other.lacks and one.value == other.value and one.key != other.key:
            mine, lacking = (other, one) if one.lacks else (one, other)
            there = gives(mine.value, mine.key, lacking.key)
            if there is not None and not there.denies:
                return Exchanged(one, other, there.text, there.start, there.end)
        both = one.value | other.value
        if one.lacks or other.lacks or one.value & other.value or one.key == other.key or both & (one.key | other.key):
            continue
        there = gives(one.value, one.key, other.key)
        if there is not None and gives(other.value, other.key, one.key) is not None:
            return Exchanged(one, other, there.text, there.start, there.end)
    return None


def _clauses_of(texts: Sequence[str], cut: re.Pattern[str], stem: Stem) -> Iterator[_Clause]:
    for number, text in enumerate(texts):
        begins = 0
        for end in [*(one.start() for one in cut.finditer(text, 0, _LONGEST)), min(len(text), _LONGEST)]:
            clause = text[begins:end]
            yield _Clause(_stems(clause, stem), _DENIES.search(clause) is not None, number, begins, end)
            begins = end


def _pairs(parts: Sequence[str], stem: Stem) -> Iterator[Pair]:
    for number, part in enumerate(parts):
        fields, at = list[tuple[str, str, int, int]](), 0
        for field in part.split(";")[:_MOST_PAIRS]:
            head, _, value = field.rpartition(":")
            fields.append((head, value, at, at + len(field)))
            at += len(field) + 1
        for field_of in fields if any(head for head, *_ in fields) else ():
            head, value, start, end = field_of
            label = next((_stems(other[1], stem) for other in fields if not other[0]), frozenset[str]())
            if head and label and value.strip(" .").lower() in _YES_NO:
                lacks, named = not _YES_NO[value.strip(" .").lower()], _stems(head, stem)
                yield from (Pair(a, b, number, start, end, lacks) for a, b in ((named, label), (label, named)) if a)
                continue
            told = _stems(value, stem)
            figures = frozenset(word for word in told if word[0].isdecimal())
            told = frozenset(sorted(figures)[:1]) if len(figures) == 1 else told
            if not head or not told or told & _NO_VALUE or len(_WORD.findall(value)) > _MOST_WORDS:
                continue
            rest = [_stems(other[1], stem) for other in fields if other is not field_of]
            for key in {_stems(head, stem), *rest}:
                if key and key.isdisjoint(told):
                    yield Pair(key, told, number, start, end)


def _stems(text: str, stem: Stem) -> frozenset[str]:
    return frozenset(one for word in _WORD.findall(text.lower()) if (one := stem(word)) is not None)
