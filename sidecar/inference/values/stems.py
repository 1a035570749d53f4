"""The stems that values are compared by."""

from __future__ import annotations

import re
from collections.abc import Callable

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.dates import DAY_NAMES

_WORD = re.compile(r"[^\W_]+")
# The word beside a value and the one that labels it: "31 cm wide" of "Width: 31 cm".
LABELS = {"high": "height", "tall": "height", "wide": "width", "deep": "depth", "long": "length", "weigh": "weight"}


def stem_beside_values(word: str) -> str | None:
    """The stem of a word, None of one that says nothing, contracted ("we're") or not; of a weekday one stem, however short."""
    if word in DAY_NAMES:
        return DAY_NAMES[word]
    says_nothing = "'" in word and content_stem(word.partition("'")[0]) is None
    return None if says_nothing else content_stem(word)


def stems_of(text: str, stem: Callable[[str], str | None]) -> frozenset[str]:
    """The stems of a text's words, but for those that say nothing."""
    return frozenset(one for word in _WORD.findall(text.lower()) if (one := stem(word)) is not None)
