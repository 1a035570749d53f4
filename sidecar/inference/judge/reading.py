"""From the text of a reply to a verdict: by the schema alone.

A reply is the JSON object of the schema and nothing else: a wrong key, a value off the scale or a second object makes it invalid. Where
the server enforces no schema, JSON is looked for in the text; two different objects that fit are no verdict. Nor is one that the judge copied
out of the data, reason and all (copied.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sidecar.inference.judge.copied import copied

_MOST_OBJECTS = 50
Said = TypeVar("Said", bound=BaseModel)


class Reply(BaseModel):
    """Base of what a judge may say. Reasons come before verdicts, so that these follow from them."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class InvalidReplyError(Exception):
    """The reply is not what was asked for."""


def read(text: str, reply: type[Said], *, data: Mapping[str, object], tolerant: bool) -> Said:
    """The reply in a text. `data` is what the judge was shown. Raises InvalidReplyError."""
    said = _validated(text.strip(), reply)
    if said is None:
        if not tolerant or _is_json(text):
            raise InvalidReplyError("not by the schema")
        found = (_validated(raw, reply) for raw in _objects(text))
        distinct = {one.model_dump_json(): one for one in found if one is not None}
        if len(distinct) != 1:
            raise InvalidReplyError("not one object")
        [said] = distinct.values()
    if copied(said.model_dump(mode="json"), data):
        raise InvalidReplyError("copied")
    return said


def _validated(raw: str, reply: type[Said]) -> Said | None:
    try:
        return reply.model_validate_json(raw)
    except (ValidationError, ValueError):
        return None


def _is_json(text: str) -> bool:
    """Whether all of it is JSON: what else than the object was meant by that nobody knows."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


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
