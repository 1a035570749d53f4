"""The one place where text is made fit for UTF-8: a lone surrogate fails a scrape, an export, a tokenizer."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` with each lone surrogate replaced by one character, so that places stay: it can be encoded as UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
