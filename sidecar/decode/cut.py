"""Values that a length limit has cut (OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT): what is whole in them is saved, the rest is left out.

A cut text is never shown as if it were whole: an answer without its end, or half a document, would be scored as what it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import orjson

from sidecar.record.record import AttributeValue

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+("?)|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)
_JSON_START = re.compile(r'\{\s*+["}]|\[\s*+[\["{\]]')
_CLOSERS = {"{": "}", "[": "]"}
_SHORTEST_LIMIT = 32
_LONGEST = 200_000
_DEEPEST = 64


def looks_cut(value: str) -> bool:
    """Whether a text began as JSON and does not end as such."""
    first, last = value[:1], value[-1:]
    if first == "{":
        return last != "}" and _JSON_START.match(value) is not None
    return first == "[" and last != "]" and _JSON_START.match(value) is not None


def limit_of(attributes: Mapping[str, AttributeValue]) -> int | None:
    """The length at which values of a span were cut, told by JSON that has lost its end; None where nothing was."""
    longest, cut = 0, 0
    for value in attributes.values():
        if isinstance(value, str):
            size = len(value)
            longest = max(longest, size)
            if value[:1] in ("{", "[") and value[-1:] not in ("}", "]") and size > cut and looks_cut(value):
                cut = size
    return cut if cut == longest and cut >= _SHORTEST_LIMIT else None


def without_cut_values(attributes: Mapping[str, AttributeValue], limit: int) -> dict[str, AttributeValue]:
    """The attributes with what is whole of the JSON that was cut, and without the texts that were."""
    kept: dict[str, AttributeValue] = {}
    for key, value in attributes.items():
        if isinstance(value, str) and len(value) == limit:
            saved = salvage(value) if value[:1] in ("{", "[") else None
            if saved is not None:
                kept[key] = saved
        else:
            kept[key] = value
    return kept


def salvage(text: str) -> str | None:
    """The whole parts of JSON that was cut, as JSON again; None where there are none. A text or number at the cut is left out."""
    if len(text) > _LONGEST:
        return None
    safe, closers = _whole_part(text)
    found = text[:safe] + closers
    try:
        orjson.loads(found)
    except orjson.JSONDecodeError:
        return None
    return found


def _whole_part(text: str) -> tuple[int, str]:
    """How far the text is whole, and what closes the brackets that are open there."""
    closers, has_key = "", [False]
    whole, reached = (0, ""), 0
    for token in _TOKEN.finditer(text):
        if token.group(1) == "" or text[reached : token.start()].strip():
            break  # A text without its closing quote, or something between two values.
        reached, piece = token.end(), token.group()
        if piece in ":,":
            has_key[-1] = piece == ":"
            continue
        if piece in "{[":
            closers = _CLOSERS[piece] + closers
            has_key.append(False)
        elif piece in "}]":
            if not closers:
                break
            closers = closers[1:]
            has_key.pop()
        elif (closers[:1] == "}" and not has_key[-1]) or (reached == len(text) and piece[0] != '"'):
            continue  # A key whose value has not come yet, or a number that may go on behind the cut.
        if len(closers) > _DEEPEST:
            break
        whole = reached, closers
    return whole
