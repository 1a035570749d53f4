"""Fields of a native record whose value is of another shape than is read: passed over, which costs no request, and told.

A question, an answer, contexts and what the author of a case writes have errors of their own (`reader`, `authored`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from sidecar.decode.native.fields import NativeRecord
from sidecar.decode.native.numbers import DETAILS, MOST_SECONDS, TOKENS, seconds
from sidecar.decode.native.table import COUNT, FIELDS, NAME, OBJECT, SECONDS, TEXT, NativeField, names, squeeze
from sidecar.decode.values.scalars import MOST_TOKENS, count

# What a table or str() writes where nothing is.
_NOTHING = frozenset({"", "nan", "none", "null", "n/a"})
_WHOLE = f"must be a number from 0 to {MOST_TOKENS:,}"
_LASTS = f"must be a number from 0 to {MOST_SECONDS:,.0f} seconds, with its unit in the name, as `latency_ms`"
_SHORT = "must be a text or a number"
_ID = "must be a text or a whole number"
_INNER = "must be an object"


def misshapen(record: NativeRecord) -> list[str]:
    """What is wrong with which field, in words that hold nothing of the record; of several names of a field that of the first one there. A field that is read
    under another of its names is none of them."""
    found: dict[str, str] = {}
    for name, value in record.there():
        field = _fields().get(name)
        if field is not None and field.name not in found and not _nothing(value):
            said = _RULES[_kind(field)](record, field, value)
            if said is not None:
                found[field.name] = f"{_spelling(field, name)} {said}"
    return [*found.values(), *_of_tokens(record)]


def _kind(field: NativeField) -> str:
    return "id" if field.name == "request_id" else _SHAPES[id(field.shape)]


def _short(record: NativeRecord, field: NativeField, value: Any) -> str | None:
    # A status that is true or false says nothing that is not said elsewhere.
    if isinstance(value, str | int | float) and (field.name == "status" or not isinstance(value, bool)):
        return None
    return None if record.short(*names(field.name)) else _SHORT


def _id(record: NativeRecord, field: NativeField, value: Any) -> str | None:
    read = any(isinstance(one, str | int) and not isinstance(one, bool) for one in record.values(*names(field.name)))
    return None if read else _ID


def _count(record: NativeRecord, field: NativeField, value: Any) -> str | None:
    return None if any(count(one) is not None for one in record.values(*names(field.name))) else _WHOLE


def _lasts(record: NativeRecord, field: NativeField, value: Any) -> str | None:
    return None if seconds(record, *names(field.name)) is not None else _LASTS


def _object(record: NativeRecord, field: NativeField, value: Any) -> str | None:
    return None if isinstance(value, Mapping) or record.mapping(*names(field.name)) else _INNER


_RULES: Mapping[str, Callable[[NativeRecord, NativeField, Any], str | None]] = {
    "short": _short,
    "id": _id,
    "count": _count,
    "lasts": _lasts,
    "object": _object,
}
_SHAPES = {id(NAME): "short", id(TEXT): "short", id(COUNT): "count", id(SECONDS): "lasts", id(OBJECT): "object"}


def _of_tokens(record: NativeRecord) -> Iterator[str]:
    """Counts of a usage that are none."""
    for key, value in record.mapping(*names("usage")).items():
        parts = value.values() if key in DETAILS and isinstance(value, Mapping) else [value] if key in TOKENS else ()
        if any(map(_no_count, parts)):
            yield f"{key} of usage {_WHOLE}"
    # Whose keys are the sender's own words, and whose values need not be counts.
    details = record.mapping(*names("usage_details")).values()
    if any(isinstance(one, int | float) and _no_count(one) for one in details):
        yield f"a count of usage_details {_WHOLE}"


def _no_count(value: Any) -> bool:
    return count(value) is None and not _nothing(value)


def _nothing(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in _NOTHING
    return value is None or value != value or (isinstance(value, list | dict) and not value)


def _spelling(field: NativeField, squeezed: str) -> str:
    return next(one for one in field.spellings if squeeze(one) == squeezed)


@lru_cache(maxsize=1)
def _fields() -> Mapping[str, NativeField]:
    """By each name, squeezed, the fields that are a short text, a number or an object."""
    return {squeeze(name): one for one in FIELDS if id(one.shape) in _SHAPES for name in one.spellings}


__all__ = ["misshapen"]
