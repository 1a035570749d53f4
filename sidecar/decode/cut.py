"""Values that a length limit has cut (OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT): what is whole in them is saved, the rest is left out.

A cut text is never shown as if it were whole: an answer without its end, or half a document, would be scored as what it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from sidecar.trace import AttributeValue

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_JSON_START = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\["{\]])')
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
    stack: list[list[Any]] = []
    safe, closers, reached = 0, "", 0
    for token in _TOKEN.finditer(text):
        between = text[reached : token.start()]
        if between.strip():
            break  # A text without its closing quote.
        reached, piece = token.end(), token.group()
        if piece in "{[":
            if len(stack) >= _DEEPEST:
                break
            stack.append([piece, False])
        elif piece in "}]":
            if not stack:
                break
            stack.pop()
        elif piece == ":":
            if stack:
                stack[-1][1] = True
            continue
        elif piece == ",":
            if stack:
                stack[-1][1] = False
            continue
        elif (stack and stack[-1][0] == "{" and not stack[-1][1]) or (piece[0] != '"' and reached == len(text)):
            continue  # A key whose value has not come yet, or a number that may go on.
        safe, closers = reached, "".join(_CLOSERS[one[0]] for one in reversed(stack))
    found = text[:safe] + closers
    try:
        orjson.loads(found)
    except orjson.JSONDecodeError:
        return None
    return found
