"""Which sentences of a training text bear on a claim, by words alone."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(])|\n+")
_WORD = re.compile(r"[A-Za-z0-9]+")
_STOP = frozenset(
    "the a an of to in and or is are was were be been for on at by with as it its this that from he she they his her their has have "
    "had not but which who will would can".split()
)


def content_words(text: str) -> list[str]:
    """Lower-case words without stop words."""
    return [word for word in (found.lower() for found in _WORD.findall(text)) if word not in _STOP]


def sentences(text: str) -> list[str]:
    """Sentences by punctuation; enough for training pairs."""
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


def evidence_words(claim: str) -> int:
    """How many words of evidence a claim gets at most: up to half as many again as in the product, whose lengths are all seen so."""
    return min(180, max(90, 60 + 3 * len(claim.split())))


class Selector:
    """Chooses the sentences of a text that bear on a claim, by idf-weighted coverage; each word counts less once covered."""

    def __init__(self, texts: Iterable[str]) -> None:
        unique = set(texts)
        counts: Counter[str] = Counter()
        for text in unique:
            counts.update(set(content_words(text[:3000])))
        self._counts, self._total = counts, len(unique) + 1

    def idf(self, word: str) -> float:
        """Inverse document frequency over the texts given."""
        return math.log(self._total / (self._counts[word] + 1)) + 0.1

    def select(self, claim: str, text: str, share: float = 1.0) -> str:
        """At most about `share` of `evidence_words` words of the text, whole sentences in their order."""
        most = int(share * evidence_words(claim))
        if len(text.split()) <= most:
            return text
        pieces: list[str] = []
        for sentence in sentences(text):
            words = sentence.split()
            pieces.extend(" ".join(words[n : n + 60]) for n in range(0, len(words), 60))
        left = {word: self.idf(word) for word in content_words(claim)}
        has = [set(content_words(piece)) for piece in pieces]
        chosen: set[int] = set()
        size = 0
        while size < most and len(chosen) < len(pieces):

            def gain(n: int) -> float:
                near = 0.15 if n - 1 in chosen or n + 1 in chosen else 0.0
                return sum(left.get(word, 0.0) for word in has[n]) - 0.002 * len(pieces[n].split()) + near

            best = max((n for n in range(len(pieces)) if n not in chosen), key=gain)
            if size + len(pieces[best].split()) > 1.2 * most and size > 0.6 * most:
                break
            chosen.add(best)
            size += len(pieces[best].split())
            for word in has[best] & left.keys():
                left[word] *= 0.45
        return " ".join(pieces[n] for n in sorted(chosen))

    def coverage(self, claim: str, text: str) -> float:
        """Share (0..1) of the claim's content, by idf, that stands in the text."""
        words = set(content_words(claim))
        total = sum(self.idf(word) for word in words) or 1.0
        return sum(self.idf(word) for word in words & set(content_words(text))) / total


def without_the_fact(claim: str, text: str, selector: Selector) -> str | None:
    """The text without the sentences that bear on the claim; None where too little is left or the rest still covers it."""
    rest = [sentence for sentence in sentences(text) if selector.coverage(claim, sentence) < 0.3]
    left = " ".join(rest)
    return left if len(rest) > 1 and len(rest) < len(sentences(text)) and selector.coverage(claim, left) < 0.6 else None
