"""Compatibility forms of Unicode resolved, in linear time: normalising puts the marks on one letter in order, in time with the square of their number."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_MOST_MARKS = 30  # on one letter: those of Unicode's stream-safe text (UAX 15), more than any language has


def resolved(text: str) -> str:
    """The NFKC form of a text, without the marks on a letter that are too many."""
    if text.isascii():
        return text
    kept, marks = [], 0
    for one in text:
        marks = marks + 1 if _is_mark(one) else 0
        if marks <= _MOST_MARKS:
            kept.append(one)
    return unicodedata.normalize("NFKC", "".join(kept))


@lru_cache(maxsize=4096)
def _is_mark(character: str) -> bool:
    """Whether it goes to the letter before it, at least once it is resolved (as a half-width voiced sound mark does)."""
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) != 0
