"""The data block: what a request says, so written that nothing in it can end the block or hide in it.

A block is one JSON object between two tags. Within it `<`, `>` and `&` are written as JSON escapes, and so is every character that
shows nothing or changes the order of others, so that the tags occur once each whatever the texts hold.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping

from exporters.text import clean

BEGIN, END = "<data>", "</data>"
_MARKUP = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}
_UNSEEN = frozenset({"Cf", "Cc", "Co", "Cn", "Cs", "Zl", "Zp"})


def block(data: Mapping[str, object]) -> str:
    """The block as the judge is sent it. Texts that are no valid Unicode are mended first."""
    plain = json.dumps(_mended(data), ensure_ascii=False, indent=1)
    return f"{BEGIN}\n{escaped(plain)}\n{END}"


def escaped(plain: str) -> str:
    """JSON with markup and unseen characters as escapes: read as JSON it is the same."""
    marked = plain.translate(_MARKUP)
    if marked.isascii() and marked.isprintable():
        return marked
    return "".join(one if one == "\n" or unicodedata.category(one) not in _UNSEEN else _escape(one) for one in marked)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _mended(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {str(key): _mended(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(one) for one in value]
    return value
