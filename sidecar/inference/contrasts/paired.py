"""Where a table or a list of an answer gives to two things each other's names: "Women: Tobias Renn; men: Ines Falk" of "Ines Falk takes over the women's squad, and
Tobias Renn coaches the men's"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Stem

_MOST_PAIRS, _MOST_CLAUSES, _LONGEST = 24, 400, 20_000
_FIELD = re.compile(r"(?P<head>[^:;\n|]{2,60}): {0,3}(?P<value>[^:;\n|]{2,60})")
_NAME = re.compile(r"[A-Z][\w'’.-]{1,30}(?: [A-Z][\w'’.-]{0,30}){0,3}")
_CLAUSES = re.compile(r"[.;\n]\s?|, (?:and|while|whereas|but) | and (?=[A-Z])|, (?=[A-Z])")
_WORD = re.compile(r"[^\W_]+(?:['’]s)?")


@dataclass(frozen=True, slots=True)
class Pair:
    """A name and the stems of what the answer's part number `part` gives it to, at start:end of that."""

    key: frozenset[str]
    name: str
    part: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Two pairs of an answer, and where the text number `text` gives the first one's name to the second one's thing."""

    one: Pair
    other: Pair
    text: int
    start: int
    end: int


def pairs_of(parts: Sequence[str], stem: Stem) -> list[Pair]:
    """The names of an answer's rows and labelled lines, each with the label and with what else its row has."""
    return list(itertools.islice(_pairs(parts, stem), _MOST_PAIRS))


def names_exchanged(pairs: Sequence[Pair], texts: Sequence[str], stem: Stem) -> Exchanged | None:
    """Two pairs of which the texts have each name with the other's thing alone."""
    names = {one.name for one in pairs}
    clauses = list(itertools.islice(_clauses_of(texts, names, stem), _MOST_CLAUSES)) if len(names) > 1 else []
    for one, other in itertools.combinations(pairs, 2):
        both = _stems(f"{one.name} {other.name}", stem)
        if one.name == other.name or one.key & other.key or not both.isdisjoint(one.key | other.key):
            continue
        of_one, of_other = ([each for each in clauses if pair.name in each[3]] for pair in (one, other))
        if _gives(of_one, one.key, other.key) and _gives(of_other, other.key, one.key):
            text, start, end, _, _ = next(each for each in of_one if other.key <= each[4])
            return Exchanged(one, other, text, start, end)
    return None


_Clause = tuple[int, int, int, str, frozenset[str]]


def _gives(clauses: Sequence[_Clause], own: frozenset[str], other: frozenset[str]) -> bool:
    """Whether clauses have the other's thing, and none has its own."""
    return any(other <= each[4] for each in clauses) and not any(own <= each[4] for each in clauses)


def _clauses_of(texts: Sequence[str], names: set[str], stem: Stem) -> Iterator[_Clause]:
    for number, text in enumerate(texts):
        begins = 0
        for end in [*(cut.start() for cut in _CLAUSES.finditer(text, 0, _LONGEST)), min(len(text), _LONGEST)]:
            clause = text[begins:end]
            if any(name in clause for name in names):
                yield number, begins, end, clause, _stems(clause, stem)
            begins = end


def _pairs(parts: Sequence[str], stem: Stem) -> Iterator[Pair]:
    for number, part in enumerate(parts):
        fields = list(itertools.islice(_FIELD.finditer(part), _MOST_PAIRS))
        for field in fields:
            name = field["value"].strip(" .,*")
            if not _NAME.fullmatch(name):
                continue
            rest = [other["value"] for other in fields if other is not field]
            for key in {_stems(field["head"], stem), *(_stems(one, stem) for one in rest)}:
                if key and key.isdisjoint(_stems(name, stem)):
                    yield Pair(key, name, number, field.start("head"), field.end())


def _stems(text: str, stem: Stem) -> frozenset[str]:
    return frozenset(one for word in _WORD.findall(text.lower()) if (one := stem(word)) is not None)
