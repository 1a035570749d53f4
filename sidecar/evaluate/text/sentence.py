"""An English sentence as words, of which some can be told to be verbs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sidecar.evaluate.text.verbs import (
    ARTICLES,
    AUXILIARIES,
    BE,
    DETERMINERS,
    OFTEN_NOUNS,
    ONLY_PAST,
    PAST,
    PAST_OR_NOUN,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
)

_TOKEN = re.compile(r"[,;()\"“”]|[^\s,;()\"“”]+")
_NUMBER = re.compile(r"[$€£¥]?\d")
ED = re.compile(r"[a-z]{2,30}ed")
HAVE = frozenset("has have had".split())
BASES = frozenset(
    verb[:-3] + "y" if verb.endswith("ies") else verb.removesuffix("s") if not verb.endswith("sses") else verb[:-2]
    for verb in VERBS | OFTEN_NOUNS | {"cancels", "returns", "requests", "asks", "chooses", "uses"}
)
CONTRACTED = re.compile(r"(?P<subject>i|you|he|she|it|we|they|there)'(?:ll|re|s|ve|d|m)")


@dataclass(frozen=True)
class Sentence:
    """Tokens of a sentence: lower-case words without their marks, and (start, end) of each in the text."""

    text: str
    words: Sequence[str]
    spans: Sequence[tuple[int, int]]

    @cached_property
    def verbs(self) -> list[int]:
        """How many tokens before each are finite verbs, past the last too."""
        return list(itertools.accumulate((self.finite(n) for n in range(len(self.words))), initial=0))

    @cached_property
    def enclosed(self) -> list[bool]:
        """Of each token whether it stands in brackets or quotes."""
        found: list[bool] = []
        brackets, quotes = 0, 0
        for word in self.words:
            found.append(brackets > 0 or quotes % 2 == 1)
            brackets = max(0, brackets + (word == "(") - (word == ")"))
            quotes += word in ('"', "“", "”")
        return found

    def has_verb(self, start: int, end: int) -> bool:
        """Whether one of the tokens `start` to `end` (exclusive) is a finite verb."""
        return end > start and self.verbs[end] > self.verbs[start]

    def is_verb(self, n: int) -> bool:
        """Whether token `n` is a finite verb."""
        return n < len(self.words) and self.has_verb(n, n + 1)

    def finite(self, n: int, *, loose: bool = False) -> bool:
        """Whether token `n` is a finite verb; `loose` also takes what may be something else."""
        word, before = self.words[n], self.words[n - 1] if n else ""
        if n and self.text[slice(*self.span(n))][:1].isupper():
            return False
        if before in ARTICLES and word not in AUXILIARIES | VERBS:
            return False
        if word in AUXILIARIES or word in VERBS or CONTRACTED.fullmatch(word):
            return before != "to"
        if word in BASES and before in ("they", "we", "you", "i"):
            return True
        if word in BASES and before.endswith("s") and not before.endswith("ss"):
            return self.object_follows(n)
        if word in ONLY_PAST:
            return True
        if word in PAST:
            return before not in HAVE and (loose or self.follows_verb(n))
        if word in OFTEN_NOUNS or word in PAST_OR_NOUN:
            return before in PRONOUNS or self.object_follows(n) or (loose and self.follows_verb(n))
        if not ED.fullmatch(word) or before == "," or self.word(n + 1) == "by":
            return False
        return self.follows_verb(n) or (loose and before not in AUXILIARIES)

    def follows_verb(self, n: int) -> bool:
        """Whether what stands after token `n` may stand after a verb."""
        after = self.word(n + 1)
        return not after or after in PREPOSITIONS or after.endswith("ly") or after == "that" or self.object_follows(n)

    def object_follows(self, n: int) -> bool:
        """Whether an object stands after token `n`, which cannot be a noun then."""
        after = self.word(n + 1)
        return after in DETERMINERS or bool(_NUMBER.match(after)) or self.text[slice(*self.span(n + 1))][:1].isupper()

    def told_as_well(self, at: int, n: int, *, reach: int) -> int | None:
        """The first "that", within `reach` of token `at`, where what follows token `n`, "and", begins with another "that" and hangs on the
        same words: "The board said that sales fell and that it would act"."""
        if self.words[n] not in ("and", "but") or self.word(n + 1) != "that" or self.word(n + 2) in BE:
            return None
        first = next((m for m in range(at + 2, min(n - 2, at + reach)) if self.words[m] == "that"), None)
        if first is None or self.enclosed[n] or not SUBORDINATORS.isdisjoint(self.words[at:first]):
            return None
        goes_on = self.has_verb(n + 2, len(self.words)) or self.word(n + 2) in DETERMINERS | PRONOUNS
        return first if self.has_verb(first + 1, n) and goes_on else None

    def word(self, n: int) -> str:
        """Token `n`; empty past the end."""
        return self.words[n] if n < len(self.words) else ""

    def span(self, n: int) -> tuple[int, int]:
        """Its place."""
        return self.spans[n] if n < len(self.spans) else (len(self.text), len(self.text))


def read_sentence(text: str) -> Sentence:
    """The words of a sentence."""
    spans = [match.span() for match in _TOKEN.finditer(text)]
    raw = [text[start:end] for start, end in spans]
    words = [token.lower().replace("’", "'").rstrip(".!?:") or token for token in raw]
    return Sentence(text, words, spans)
