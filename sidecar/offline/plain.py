"""Records as Python and pandas hold them, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson


def as_json(number: int, record: Any) -> bytes:
    """A mapping as a native record. `number`, from 1, stands in errors. Raises TypeError naming the record that is no mapping or holds what JSON cannot say."""
    if not isinstance(record, Mapping):
        raise TypeError(f"record {number} is a {type(record).__name__}: give a mapping with question, answer, contexts")
    try:
        return orjson.dumps(dict(record), default=_plain, option=orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError as error:
        raise TypeError(f"record {number} cannot be written as JSON: {error}") from None


def _plain(value: Any) -> Any:
    """What a frame may hold beside JSON: pandas' own words for nothing, times, decimals, bytes, which no field is read of, arrays of objects, and rows of Spark."""
    if type(value).__name__ in ("NAType", "NaTType") or isinstance(value, bytes | bytearray | memoryview):
        return None
    if isinstance(value, Decimal):
        return float(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "asDict"):
        return value.asDict()
    raise TypeError(f"a {type(value).__name__} has no form in JSON")
