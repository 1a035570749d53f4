"""Words of a text for n-gram metrics, in any script: what rouge-score makes of English, and one word for each Chinese or Japanese character."""

from __future__ import annotations

import re

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\U00020000-\U0002ffff"
_CHINESE = re.compile(f"[{_HAN}]")
# Whoever counts Chinese by the character counts its punctuation too.
_MARKS = "\u3001-\u303f\uff01-\uff0f\uff1a-\uff20"
_WORD = re.compile(f"[{_HAN}{_MARKS}]|[^\\W_{_HAN}]+")
# As rouge-score: shorter words keep their endings.
_SHORTEST_STEMMED = 4


def holds_chinese(text: str) -> bool:
    """Whether any character is Chinese or Japanese."""
    return _CHINESE.search(text) is not None


def count_words(text: str) -> int:
    """How many words a text has."""
    return sum(1 for _ in _WORD.finditer(text))


class Words:
    """A tokenizer for rouge-score, whose own keeps only a-z and 0-9. Of plain English text both make the same."""

    def __init__(self) -> None:
        from nltk.stem.porter import PorterStemmer

        self._stem = PorterStemmer().stem

    def tokenize(self, text: str) -> list[str]:
        """The words, in lower case; those of ASCII letters stemmed."""
        words: list[str] = _WORD.findall(text.lower())
        return [self._stem(word) if word.isascii() and len(word) >= _SHORTEST_STEMMED else word for word in words]
