"""Sentences, and what their words are told apart by."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.embedding.text import content_stem, sentences
from sidecar.inference.values.read import read_tokens
from sidecar.inference.values.tokens import Token
from sidecar.inference.values.value import Value

LONGEST = 300  # characters of a sentence, or of an answer, that is read
REMEMBERED = 64  # questions with their answers
_LONGEST_TEXT, _MOST_SENTENCES, _REMEMBERED, _MOST_REMEMBERED = 20_000, 200, 256, 4096
_WORD = re.compile(r"[^\W_]++(?:['’.,:-][^\W_]++)*+")
_FILLERS = frozenset("yes no just only also then first finally lastly now still currently".split())
_VALUES = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|half|quarter|noon|midnight|"
    r"january|february|march|april|may|june|july|august|september|october|november|december)",
    re.IGNORECASE,
)
NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|cannot|without|unless|except|hardly)\b|n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Told:
    """Whether a sentence says what an answer does; text[start:end] of the document is the sentence. `sure` says that it is known to be of the asker's case."""

    holds: bool
    document: int
    start: int
    end: int
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the answer to it, as one sentence."""

    question: str
    answer: str


def values_of(sentence: str) -> tuple[Sequence[Token], Sequence[Value]]:
    """The tokens and values of a sentence; none of one without a figure, a number in words, a month or a time of the day."""
    return _values(sentence) if _VALUES.search(sentence) else ((), ())


@functools.lru_cache(maxsize=4 * _REMEMBERED)
def _values(sentence: str) -> tuple[Sequence[Token], Sequence[Value]]:
    return read_tokens(sentence)


def told_apart(text: str) -> frozenset[str]:
    """What a text can be told from another one by: stems, figures, and single letters that are names ("plan B")."""
    return _remembered(text) if len(text) <= LONGEST else _told_apart(text)


def _told_apart(text: str) -> frozenset[str]:
    found = set[str]()
    for word in _WORD.findall(text):
        low = word.lower()
        if len(word) == 1 and word.isalpha():
            if word.isupper() and word != "I":
                found.add(f"{low}.")
        elif low not in _FILLERS and (one := content_stem(low)) is not None:
            found.add(one.replace(",", "") if one[0].isdecimal() else one)
    return frozenset(found)


_remembered = functools.lru_cache(maxsize=_MOST_REMEMBERED)(_told_apart)


def side_of(answer: frozenset[str], one: frozenset[str], other: frozenset[str]) -> int:
    """0 where an answer names what the one text has and the other has not, 1 the other way round, -1 where neither is so. Figures tell more than words do."""
    mine, theirs = answer & (one - other), answer & (other - one)
    figures = [frozenset(each for each in side if each[0].isdecimal()) for side in (mine, theirs)]
    if any(figures):
        mine, theirs = figures
    if bool(mine) == bool(theirs):
        return -1
    return 0 if mine else 1


def sentences_of(texts: Sequence[str], *, whole: bool = False) -> Iterator[tuple[int, int, str]]:
    """(document, where it begins, sentence) of what is short enough to be read; `whole` those that semicolons cut in parts, each as one."""
    for number, text in enumerate(texts):
        for start, sentence in _whole(text) if whole else _sentences(text):
            if len(sentence) <= LONGEST:
                yield number, start, sentence


@functools.lru_cache(maxsize=_REMEMBERED)
def _sentences(text: str) -> tuple[tuple[int, str], ...]:
    spans = sentences(text[:_LONGEST_TEXT])[:_MOST_SENTENCES]
    return tuple((one.start, text[one.start : one.end]) for one in spans)


@functools.lru_cache(maxsize=_REMEMBERED)
def _whole(text: str) -> tuple[tuple[int, str], ...]:
    found: list[tuple[int, str]] = []
    begins: int | None = None
    for start, part in _sentences(text):
        begins = start if begins is None else begins
        if not part.endswith(";"):
            found.append((begins, text[begins : start + len(part)]))
            begins = None
    return tuple(found)
