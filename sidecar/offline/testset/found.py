"""What a search finds in the windows: BM25 over stems, and over pairs of characters where words are not told apart by spaces.

Robertson and Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond, with k1 1.2 and b 0.75. It asks no model, so that it reads any
language and any number of windows.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from sidecar.inference.embedding.text import read_words

_K1, _B = 1.2, 0.75
_SAME_TERMS = 0.8
_REMEMBERED = 4096  # questions
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")


def terms(text: str) -> list[str]:
    """What a text is found by."""
    pairs = [run[n : n + 2] for run in _UNSPACED.findall(text) for n in range(max(1, len(run) - 1))]
    return [*read_words(_UNSPACED.sub(" ", text)).stems, *pairs]


def overlap(one: str, other: str) -> float:
    """Shared terms of all terms of two texts, 0..1."""
    return _shared(frozenset(terms(one)), frozenset(terms(other)))


def alike(one: str, other: str) -> bool:
    """Whether two questions are one by their words: most of them shared, and all numbers."""
    (first, numbers), (second, others) = _said(one), _said(other)
    return numbers == others and _shared(first, second) >= _SAME_TERMS


@functools.lru_cache(_REMEMBERED)
def _said(question: str) -> tuple[frozenset[str], frozenset[str]]:
    """Terms and numbers. A new question is held against all that are there: each is read once."""
    return frozenset(terms(question)), read_words(question).numbers


def _shared(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first | second else 1.0


def same_numbers(one: str, other: str) -> bool:
    """Whether both name the same numbers: what is asked of 2023 is not what is asked of 2024."""
    return read_words(one).numbers == read_words(other).numbers


class Search:
    """Finds the texts that say most of what is asked."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts: dict[str, list[tuple[int, int]]] = defaultdict(list)
        sizes = []
        for number, text in enumerate(texts):
            own = Counter(terms(text))
            sizes.append(own.total())
            for term, count in own.items():
                self._counts[term].append((number, count))
        mean = (sum(sizes) / len(sizes) if sizes else 1.0) or 1.0
        self._lengths = [_K1 * (1 - _B + _B * size / mean) for size in sizes]

    def best(self, asked: str, most: int, *, but: frozenset[int] = frozenset()) -> list[int]:
        """Places of the best texts that share a term with what is asked, best first, without those of `but`."""
        scores: Counter[int] = Counter()
        for term in dict.fromkeys(terms(asked)):
            held = self._counts.get(term, ())
            weight = math.log(1 + (len(self._lengths) - len(held) + 0.5) / (len(held) + 0.5))
            for number, count in held:
                scores[number] += weight * count * (_K1 + 1) / (count + self._lengths[number])  # type: ignore[assignment]
        order = sorted((number for number in scores if number not in but), key=lambda one: (-scores[one], one))
        return order[:most]
