"""The one place where text is made fit for UTF-8: a lone surrogate fails a scrape, an export, a tokenizer. What an exporter's own patterns replace, and numbers with their nouns."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import AfterValidator

REDACTED = "[redacted]"
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` with each lone surrogate replaced by one character, so that places stay: it can be encoded as UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def safe(text: str) -> str:
    """The text without characters that a terminal obeys."""
    return "".join(
        one if one in "\n\t" or unicodedata.category(one) not in ("Cc", "Cs") else "\N{REPLACEMENT CHARACTER}"
        for one in text
    )


def _compiled(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
    return patterns


Patterns: TypeAlias = Annotated[tuple[str, ...], AfterValidator(_compiled)]


@dataclass(frozen=True, slots=True)
class TextDoor:
    """The door that user text passes, or does not: `wanted` says whether, what the patterns match becomes "[redacted]"."""

    wanted: bool
    redact: tuple[re.Pattern[str], ...] = ()

    def __call__(self, text: str | None) -> str | None:
        """The text as it may leave, None where it may not."""
        if text is None or not self.wanted:
            return None
        for pattern in self.redact:
            text = pattern.sub(REDACTED, text)
        return clean(text)


def text_door(wanted: bool, patterns: tuple[str, ...]) -> TextDoor:
    """The door of an exporter's settings."""
    return TextDoor(wanted, tuple(map(re.compile, patterns)))


def many(count: int, word: str) -> str:
    """1 case, 2 cases."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def only(count: int, word: str) -> str:
    """No case, only 1 case, only 2 cases."""
    return f"only {many(count, word)}" if count else f"no {word}"
