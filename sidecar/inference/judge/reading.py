"""From the text of a reply to a verdict: by the schema alone.

A reply is the JSON object of the schema and nothing else: a wrong key, a value off the scale or a second object makes it invalid. Where
the server enforces no schema, JSON is looked for in the text; two different objects that fit are no verdict. Nor is one that the judge copied
out of the data, reason and all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

_MOST_OBJECTS = 50
Said = TypeVar("Said", bound=BaseModel)


class Reply(BaseModel):
    """Base of what a judge may say. Reasons come before verdicts, so that these follow from them."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class InvalidReplyError(Exception):
    """The reply is not what was asked for."""


def read(text: str, reply: type[Said], *, data: str, tolerant: bool) -> Said:
    """The reply in a text. `data` is what the judge was shown. Raises InvalidReplyError."""
    whole = _validated(text.strip(), reply)
    if whole is not None:
        return _own(text, whole, data)
    if not tolerant:
        raise InvalidReplyError("not by the schema")
    found = [(raw, one) for raw in _objects(text) if (one := _validated(raw, reply)) is not None]
    distinct = {one.model_dump_json(): (raw, one) for raw, one in found}
    if len(distinct) != 1:
        raise InvalidReplyError("not one object")
    [(raw, one)] = distinct.values()
    return _own(raw, one, data)


def _own(raw: str, one: Said, data: str) -> Said:
    """The reply, where it is the judge's own: one that stands word by word in the data was written by those who are judged."""
    if _squeezed(raw) in _squeezed(data):
        raise InvalidReplyError("copied")
    return one


def _validated(raw: str, reply: type[Said]) -> Said | None:
    try:
        return reply.model_validate_json(raw)
    except (ValidationError, ValueError):
        return None


def _objects(text: str) -> Iterator[str]:
    """The outermost JSON objects in a text, as they stand there."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield text[at:end]
        at = text.find("{", end)


def _squeezed(text: str) -> str:
    return "".join(text.replace("\\", "").split())
