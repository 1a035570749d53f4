"""Single values out of attributes: texts, numbers, token counts, JSON in strings, flattened lists."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import orjson

from sidecar.record.record import Attributes
from sidecar.record.request import Tokens

MOST_SLOTS = 10_000
MOST_TOKENS = 10**9
_REPR = re.compile(
    r"^<[\w. ]+(?: object)?(?: at 0x[0-9a-f]+| \S+ at 0x[0-9a-f]+)?>$|^<generator object|^<async_generator"
    r"|^(?:ChatMessage|ChatResponse|CompletionResponse|Response|AIMessage|HumanMessage|StreamingResponse|NodeWithScore|Document)\(\w+="
)
REDACTED = "__REDACTED__"


def parsed(value: Any, times: int = 2) -> Any:
    """JSON-decode a string that looks like JSON, up to `times` levels; anything else stays as it is."""
    for _ in range(times):
        if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
            return value
        try:
            value = orjson.loads(value)
        except (orjson.JSONDecodeError, RecursionError):
            return value
    return value


def text_of(value: Any) -> str | None:
    """A proper, non-empty text, or None: no Python reprs, no redaction marks."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    if not text or text == REDACTED or _REPR.match(text):
        return None
    return text


def first_text(attributes: Attributes, *keys: str) -> str | None:
    """The first of some attributes that holds a text."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and (text := text_of(value)) is not None:
            return text
    return None


def first_id(attributes: Attributes, *keys: str) -> str | None:
    """The first of some attributes that holds a text or a whole number, as a text: whose a span is."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is not None and (text := text_of(value)) is not None:
            return text
    return None


def written(value: Any) -> str:
    """What str() makes of a value; "" where it is nested deeper than that can follow."""
    try:
        return str(value)
    except RecursionError:
        return ""


def unquoted(value: Any) -> str | None:
    """A text that may stand in JSON quotes."""
    return text_of(parsed(value)) if isinstance(value, str) else None


def number(value: Any) -> float | None:
    """A finite number from a number or a numeric string."""
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def count(value: Any) -> int | None:
    """A token count: a whole number of a believable size, or None."""
    found = number(value)
    return int(found) if found is not None and 0 <= found <= MOST_TOKENS else None


def first_count(source: Mapping[str, Any], *keys: str) -> int | None:
    """The first of some keys that holds a token count."""
    for key in keys:
        value = source.get(key)
        if value is not None and (found := count(value)) is not None:
            return found
    return None


def make_tokens(
    given: int | None,
    made: int | None,
    *,
    cached: int | None = None,
    written: int | None = None,
    reasoning: int | None = None,
) -> Tokens | None:
    """Token counts as inclusive totals; where parts exceed their total the source counts apart, and the parts are added."""
    beside = (cached or 0) + (written or 0)
    if given is not None and beside > given:
        given += beside
    if made is not None and reasoning is not None and reasoning > made:
        made += reasoning
    if given is None and made is None:
        return None
    return Tokens(given, made, cached, written, reasoning)


def slots(attributes: Attributes, prefix: str) -> dict[int, dict[str, Any]]:
    """Flattened lists: attributes `prefix.N.rest` as {N: {rest: value}}; hostile indices are left out."""
    found: dict[int, dict[str, Any]] = {}
    start = len(prefix) + 1
    for key, value in attributes.items():
        if not key.startswith(prefix) or key[len(prefix) : start] != ".":
            continue
        index, _, rest = key[start:].partition(".")
        if len(index) > 5 or not index.isdecimal() or not index.isascii():
            continue
        slot = int(index)
        if slot < MOST_SLOTS and (slot in found or len(found) < MOST_SLOTS):
            found.setdefault(slot, {})[rest] = value
    return found
