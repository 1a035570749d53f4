"""Which values of a JSON answer speak of the reply itself, as how sure it is and where it comes from, and state nothing.

Most such keys can also name a fact ({"status": "retired"}), so that they are left out by their values only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[\s-]+")
_REPLIES = frozenset("answer response reply message text content output result completion 答案 回答 回复".split())
# Of the reply, whatever they hold.
_NEVER = frozenset(
    """
    confidence metadata chunk chunks chunk_id chunk_ids doc_id doc_ids document_id document_ids source_id source_ids source_url source_urls
    source_link source_links request_id response_id message_id conversation_id session_id trace_id
    """.split()
)
# Of the reply where anything else is said.
_BESIDE = frozenset(
    "source sources citation citations reference references document documents id ids url urls link links".split()
)
_WENT_WELL = frozenset("ok okay success successful succeeded 200".split())
_LANGUAGES = frozenset("en zh de fr es it pt nl ja ko ru".split())
_REGION = re.compile(r"[-_][a-z]{2,4}")
# Beside the text of a reply also these.
_IS_DONE = _WENT_WELL | frozenset("complete completed done finished final answered found stop".split())
_FORMATS = frozenset(
    """
    text plain plaintext text/plain markdown md json html string object list message answer response reply chat chat.completion assistant
    final final_answer
    """.split()
)
_OWN_LANGUAGES = frozenset("english chinese 中文 英文".split())
_FIRST_VERSION = re.compile(r"v?1(?:\.0){0,2}")
_SCORE = re.compile(r"0?\.\d+|[01]\.0+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?%?")


def wraps_reply(keys: Iterable[str]) -> bool:
    """Whether one of the keys is for the text of a reply."""
    return any(_plain(key) in _REPLIES for key in keys)


def is_about_reply(key: str, value: str, *, wrapped: bool, beside: bool) -> bool:
    """Whether a value below a key is about the reply; `wrapped` where the text of the reply has a key of its own, `beside` where something else is said."""
    name, word = _plain(key), value.strip().lower()
    if name in _NEVER:
        return True
    if not beside and not wrapped:
        return False
    if name in _BESIDE:
        return True
    if name == "status":
        return word in (_IS_DONE if wrapped else _WENT_WELL)
    if name == "language":
        return _REGION.sub("", word, count=1) in _LANGUAGES or (wrapped and word in _OWN_LANGUAGES)
    if name in ("score", "scores"):
        return (_NUMBER if wrapped else _SCORE).fullmatch(word) is not None
    if name in ("type", "format"):
        return wrapped and word in _FORMATS
    return name == "version" and wrapped and _FIRST_VERSION.fullmatch(word) is not None


def _plain(key: str) -> str:
    return _CAMEL.sub("_", key).lower()
