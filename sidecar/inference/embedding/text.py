"""Texts cut into sentences with their places, and the words, numbers and names in them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAME = re.compile(r"\b[A-Z][\w'’-]{0,40}[a-z][\w'’-]*+|\b[A-Z]{2,}\b")
_BREAK = re.compile(
    r"(?<=[.!?。！？])(?P<closed>[\"'”’)\]]*)\s+(?=[\"'“(\[]?[^\Wa-z])|\n+|(?<=;)\s+|(?<=[。！？])\s*"
    r"|(?<![ \t])[ \t]{3,}+(?=[A-Z][\w/-]{0,20}(?: [\w/-]{1,20}){0,3}: )"  # "Touch dry: 2 hours   Recoat: after 6 hours"
)
_NEGATION = frozenset({"not", "no", "never", "none", "nor", "neither", "cannot", "without", "n't", "hardly", "barely"})
_STOP = frozenset(
    "a an the of to in on at by for with from as and or but if then than that this these those it its he she they we you i his her their "
    "our your him them is are was were be been being am do does did has have had will would can could may might shall should must there "
    "here which who whom whose what when where why how so such also about into over under after before between during per via s t".split()
)
_ABBREVIATION = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|No|Fig|Inc|Ltd|Co|U\.S|Gen|Lt|Col|Sen|Rep|approx|[A-Z])\.$"
)
_BEFORE_FIGURES = re.compile(
    r"(?<!\d )\b(?i:max|min|no|nos|approx|ca|incl|excl|pp?|vol|ref|tel|art|sec|temp|avg|est)\.$"
)
SENTENCE_WORDS = 60
_REMEMBERED, _LONGEST_REMEMBERED = 32_768, 32  # words, characters
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
    )
} | {
    word: str(10 * tens) for tens, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text: text[start:end]."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Words:
    """What a text says, as sets: stems of content words in order, numbers, names (as stems), and whether it negates."""

    stems: tuple[str, ...]
    numbers: frozenset[str]
    names: frozenset[str]
    negations: int


def sentences(text: str) -> list[Span]:
    """Sentences of a text, none longer than SENTENCE_WORDS words; every word of the text is in one of them."""
    spans: list[Span] = []
    start = 0
    for match in _BREAK.finditer(text):
        if _goes_on(text, max(start, match.start() - 12), match):
            continue
        spans.extend(_pieces(text, start, max(match.start(), match.end("closed"))))
        start = match.end()
    spans.extend(_pieces(text, start, len(text)))
    return spans


def _goes_on(text: str, begin: int, gap: re.Match[str]) -> bool:
    """Whether the words before a gap are abbreviated: "Dr. Lee", "max. 25 people"."""
    if _ABBREVIATION.search(text, begin, gap.start()):
        return True
    figures = text[gap.end() : gap.end() + 1].isdecimal() and "\n" not in gap.group()
    return figures and _BEFORE_FIGURES.search(text, begin, gap.start()) is not None


def _pieces(text: str, start: int, end: int) -> list[Span]:
    words = [m.span() for m in _CHUNK.finditer(text, start, end)]
    if not words:
        return []
    found = []
    for first in range(0, len(words), SENTENCE_WORDS):
        part = words[first : first + SENTENCE_WORDS]
        found.append(Span(part[0][0], part[-1][1]))
    return found


def stem(word: str) -> str:
    """A light stem of a lower-case English word: endings off, so that plurals and tenses meet."""
    return _remembered_stem(word) if len(word) <= _LONGEST_REMEMBERED else _stem(word)


def _stem(word: str) -> str:
    for ending in ("'s", "’s"):
        word = word.removesuffix(ending)
    if len(word) > 5:
        for ending, put in (
            ("ies", "y"),
            ("ied", "y"),
            ("ing", ""),
            ("ed", ""),
            ("es", ""),
            ("ly", ""),
            ("s", ""),
            ("e", ""),
        ):
            if word.endswith(ending):
                return word[: -len(ending)] + put
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_remembered_stem = functools.lru_cache(maxsize=_REMEMBERED)(_stem)


def content_stem(word: str) -> str | None:
    """The stem of a lower-case word, None of one that says nothing."""
    return None if word in _STOP or word in _NEGATION or word.endswith("n't") else stem(word)


def read_words(text: str) -> Words:
    """The words of a text."""
    raw = _WORD.findall(text)
    lower = [word.lower() for word in raw]
    stems = tuple(one for word in lower if (one := content_stem(word)) is not None)
    negations = sum(word in _NEGATION or word.endswith(("n't", "n’t")) for word in lower)
    numbers = frozenset(number.replace(",", "").rstrip(".:/") for number in _NUMBER.findall(text))
    # "one" is left out: it is a pronoun as often as a number.
    numbers |= {_NUMBER_WORDS[word] for word in lower if word in _NUMBER_WORDS and word != "one"}
    names = frozenset(stem(name.lower()) for name in _NAME.findall(text) if name.lower() not in _STOP)
    return Words(stems, numbers, names, negations)
