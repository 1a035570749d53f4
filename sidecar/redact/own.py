"""Patterns and terms of the user's own. RE2 runs them: its time is linear in the text, whatever the pattern.

Syntax: github.com/google/re2/wiki/Syntax. It has no look-around and no back-references, and `\\d`, `\\w` and `\\b` know ASCII alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from exporters.text import clean
from sidecar.redact.detect import Found

_MOST_MEMORY = 8_000_000


@dataclass(frozen=True, slots=True)
class Own:
    """A pattern of the user's. `whole` takes only what stands as a word of its own; `folded` takes big and small letters for the same."""

    name: str
    pattern: Any
    whole: bool = False
    folded: bool = False
    in_ids: bool = True

    def find(self, text: str) -> Iterator[Found]:
        """What the pattern matches; nothing is no match."""
        for match in self.pattern.finditer(clean(text)):
            start, end = match.span()
            if start < end and not (self.whole and _within_a_word(text, start, end)):
                value = text[start:end]
                yield Found(start, end, self.name, " ".join(value.casefold().split()) if self.folded else value)


def own_pattern(name: str, pattern: str) -> Own:
    """A pattern. Raises ValueError where RE2 does not take it, or where it matches nothing at all."""
    compiled = _compile(pattern)
    if compiled.search("") is not None:
        raise ValueError(f"{pattern!r} matches the empty text: write what must be there")
    return Own(name, compiled)


def own_terms(terms: Sequence[str]) -> Own:
    """Words and phrases, whatever the case of their letters, as words of their own."""
    longest_first = sorted(terms, key=len, reverse=True)
    return Own("term", _compile("(?i)(?:" + "|".join(map(_literal, longest_first)) + ")"), whole=True, folded=True)


def _compile(pattern: str) -> Any:
    import re2  # a library in C++ that only those need who have patterns of their own

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0] if error.args else "not taken"
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ValueError(
            f"{pattern!r} is no pattern that RE2 takes: {text} (github.com/google/re2/wiki/Syntax)"
        ) from error


def _literal(term: str) -> str:
    """White space within is any; every other character is itself."""
    return r"\s+".join(re.escape(part) for part in term.split())


def _within_a_word(text: str, start: int, end: int) -> bool:
    """Whether letters or digits go on at either side. Chinese has no such borders."""
    return _joined(text[start - 1 : start] + text[start]) or _joined(text[end - 1] + text[end : end + 1])


def _joined(two: str) -> bool:
    return len(two) == 2 and all(one.isalnum() and ord(one) < 0x3000 for one in two)
