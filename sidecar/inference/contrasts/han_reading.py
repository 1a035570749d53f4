"""A Chinese sentence as it is compared with another one: its pairs of characters by clause, its opposites and what it denies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.han_words import (
    BETWEEN,
    EXCEPTS,
    NEGATION,
    NEGATIVE,
    PART_OF_WORD,
    PARTLY,
    POLES,
    SAID_OF_ALL,
    SAYS_LITTLE,
    TURNED,
    folded,
)

_MOST_CHARACTERS = 600
_CLAUSE = re.compile(
    r"(?:(?<![不非])[但却]|(?<=[不非])但|[,:](?=\d)|[^，,。；;！!？?：:\n（）()但却])(?:(?<=[不非])但|[,:](?=\d)|[^，,。；;！!？?：:\n（）()但却])*"
)
# Looking at the first character first, most places are passed at once.
_OPPOSITE = re.compile(
    rf"(?=[{''.join(sorted({one[0] for one in POLES}))}])(?:{'|'.join(PART_OF_WORD.get(one, one) for one in sorted(POLES, key=len, reverse=True))})"
)
_WORD = re.compile(r"[㐀-鿿]+|[A-Za-z\d][A-Za-z\d.%+-]*")
_TARGET = re.compile("[㐀-鿿]{2}")
OF_DENIED = "denied "
OWN, OTHERS, ELSEWHERE = 1.0, 0.8, 0.4
_CARRIED, _BEFORE, _ANOTHER = 0.8, 0.5, 0.15


@dataclass(frozen=True, slots=True)
class Mark:
    """What a clause says at text[start:end] that another one may say otherwise: the pole of a group, or whether a word is denied."""

    group: str
    pole: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """text[start:end] with its marks, its pairs of characters and where they begin; `denials` how often something is denied in it, `partly` whether
    of a part alone."""

    start: int
    end: int
    text: str
    tokens: tuple[tuple[str, int], ...]
    marks: tuple[Mark, ...]
    denials: int
    partly: bool

    @property
    def negative(self) -> bool:
        """Whether it says that something is not so, in whatever words."""
        return self.denials > 0 or any((one.group, one.pole) in NEGATIVE for one in self.marks)

    def behind(self, mark: Mark) -> str:
        """The two characters that a mark is about: those behind it, or those that are denied."""
        if mark.group.startswith(OF_DENIED):
            return mark.group[len(OF_DENIED) :]
        at = _behind(self.text, mark.end - self.start, len(self.text))
        return self.text[at : at + 2]


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence by clauses; `excepted` is what it does not speak of."""

    clauses: tuple[Clause, ...]
    excepted: frozenset[str]

    def about(self, n: int, mark: Mark, others: float = OTHERS) -> Mapping[str, float]:
        """What stands around a mark of clause n, with how much (0..1) it is its own: what another clause says the same kind of thing of is not, but
        for its subject where clause n has none."""
        own = self.clauses[n]
        begins = not any(place < mark.start for _, place in own.tokens)
        found: dict[str, float] = {}
        for k, clause in enumerate(self.clauses):
            like = next((one for one in clause.marks if one.group == mark.group), None) if k != n else None
            for token, place in clause.tokens:
                if k == n:
                    much = 0.0 if _overlaps(token, place, mark) else OWN
                elif like is None:
                    much = others
                elif k < n and place < like.start:
                    much = _CARRIED if begins else _BEFORE
                else:
                    much = _ANOTHER
                found[token] = max(found.get(token, 0.0), much)
        return {token: much for token, much in found.items() if much}


def _overlaps(token: str, place: int, mark: Mark) -> bool:
    return place < mark.end and mark.start < place + len(token)


def read(text: str) -> Reading:
    """A sentence, at most so many characters of it."""
    text = folded(text[:_MOST_CHARACTERS])
    clauses = tuple(_clause(text, match.start(), match.end()) for match in _CLAUSE.finditer(text))
    excepted = frozenset(token for one in clauses if EXCEPTS.search(one.text) for token, _ in one.tokens)
    return Reading(clauses, excepted)


def _clause(text: str, start: int, end: int) -> Clause:
    own = text[start:end]
    negations = [(one.start() + start, one.end() + start) for one in NEGATION.finditer(own) if not _asks(own, one)]
    opposites, absorbed = _opposites(own, start, negations)
    left = [one for one in negations if one not in absorbed]
    marks = [*opposites, *_denied(text, end, left)]
    tokens = tuple(_tokens(own, start, [(first, _behind(text, last, end)) for first, last in negations]))
    return Clause(start, end, own, tokens, tuple(marks), len(left), PARTLY.search(own) is not None)


def _asks(own: str, negation: re.Match[str]) -> bool:
    """是不是, 能不能, 有没有."""
    return own[negation.start() - 1 : negation.start()] == own[negation.start() + 1 : negation.start() + 2] != ""


def _opposites(own: str, start: int, negations: Sequence[tuple[int, int]]) -> tuple[list[Mark], set[tuple[int, int]]]:
    """The opposites of a clause, and the negations that are in or before one of them and say nothing else."""
    marks, absorbed = [], set()
    for match in _OPPOSITE.finditer(own):
        at = match.start() + start
        before = next(
            (one for one in negations if one[1] <= at and _only_between(own[one[1] - start : match.start()])), None
        )
        elsewhere = before is None and any(one[1] <= at for one in negations)
        for group, pole in POLES[match.group()]:
            if elsewhere and group in TURNED and group not in SAID_OF_ALL:
                continue
            turned = before is not None and group in TURNED
            marks.append(Mark(group, 1 - pole if turned else pole, at, match.end() + start))
            if turned and before is not None and group not in SAID_OF_ALL:
                absorbed.add(before)
    return marks, absorbed


def _only_between(text: str) -> bool:
    return BETWEEN.fullmatch(text) is not None


def _behind(text: str, at: int, end: int) -> int:
    """Where begins what a negation that ends at a place, or a word like 可以, is about."""
    between = BETWEEN.match(text, at, end)
    return between.end() if between else at


def _denied(text: str, end: int, negations: Sequence[tuple[int, int]]) -> Iterator[Mark]:
    """The words of two characters that negations stand before."""
    for _, behind in negations:
        target = _TARGET.match(text, _behind(text, behind, end), end)
        if target:
            yield Mark(f"{OF_DENIED}{target.group()}", 1, target.start(), target.end())


def _tokens(own: str, start: int, hidden: Sequence[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    shown = list(own)
    for first, last in hidden:
        shown[first - start : last - start] = " " * (last - first)
    bare = SAYS_LITTLE.sub(lambda match: " " * len(match.group()), "".join(shown))
    for match in _WORD.finditer(bare):
        word, at = match.group(), match.start() + start
        if word[0].isascii():
            yield word.lower(), at
        else:
            yield from ((word[n : n + 2], at + n) for n in range(max(1, len(word) - 1)))
