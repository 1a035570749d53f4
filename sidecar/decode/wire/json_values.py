"""Values of OTLP/JSON: attributes, times, numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sidecar.decode.wire.raw import DEEPEST, Bad, count_bad
from sidecar.record.record import AttributeValue

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_CHARS = 40
_KINDS = frozenset(
    f"{kind}{rest}"
    for kind in ("string", "int", "double", "bool", "array", "kvlist", "bytes")
    for rest in ("Value", "_value")
)


def read_attributes(pairs: Any, bad: Bad) -> dict[str, AttributeValue]:
    """A list of keys and values, or an object as somebody has written it by hand; what is neither is counted in `bad`."""
    if isinstance(pairs, dict):
        return {key: _plain(value) for key, value in pairs.items()}
    if not isinstance(pairs, list):
        if pairs is not None:
            count_bad(bad, "bad_attributes")
        return {}
    found: dict[str, AttributeValue] = {
        pair["key"]: read_value(pair.get("value"))
        for pair in pairs
        if isinstance(pair, dict) and isinstance(pair.get("key"), str)
    }
    # Most lists have nothing wrong with them, and are not gone through twice.
    if (len(found) < len(pairs) or None in found.values()) and not all(map(_is_pair, pairs)):
        count_bad(bad, "bad_attributes")
    return found


def _is_pair(pair: Any) -> bool:
    value = pair.get("value") if isinstance(pair, dict) else None
    return isinstance(pair, dict) and isinstance(pair.get("key"), str) and (value is None or isinstance(value, dict))


def _plain(value: Any, depth: int = 0) -> AttributeValue:
    """A value of an object of attributes: as OTLP writes it, or as it is."""
    if depth > DEEPEST:
        return None
    if isinstance(value, dict):
        if len(value) == 1 and not _KINDS.isdisjoint(value):
            return read_value(value, depth)
        return {key: _plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one, depth + 1) for one in value]
    found: AttributeValue = value
    return found


def read_time(value: Any, bad: Bad) -> int:
    """Nanoseconds since the epoch, given as such or as ISO 8601; 0 where there is no time, and where it is none, which is counted."""
    if isinstance(value, str) and value and not value.lstrip("-").isdecimal():
        return read_iso_time(value, bad)
    if isinstance(value, bool) or not isinstance(value, int | str | float | None):
        count_bad(bad, "bad_time")
    return read_int(value)


def read_iso_time(value: Any, bad: Bad) -> int:
    """ISO 8601 as nanoseconds since the epoch, in UTC where there is no zone. Anything else is counted, and 0: of a number nobody knows the unit."""
    if value is None:
        return 0
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) and len(value) <= _MOST_CHARS else None
    except ValueError:
        moment = None
    if moment is None:
        count_bad(bad, "bad_time")
        return 0
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    return read_int(max(0, since // timedelta(microseconds=1) * 1000))


def read_value(value: Any, depth: int = 0) -> AttributeValue:
    """An AnyValue; None where it is none."""
    if not isinstance(value, dict) or not value or depth > DEEPEST:
        return None
    kind, inner = next(iter(value.items()))
    if kind in ("stringValue", "string_value"):
        return inner if isinstance(inner, str) else None
    if kind in ("intValue", "int_value"):
        return read_int(inner)
    if kind in ("doubleValue", "double_value"):
        return _float(inner)
    if kind in ("boolValue", "bool_value"):
        return bool(inner)
    values = inner.get("values") if isinstance(inner, dict) else None
    if kind in ("arrayValue", "array_value"):
        return [read_value(one, depth + 1) for one in values] if isinstance(values, list) else []
    if kind in ("kvlistValue", "kvlist_value") and isinstance(values, list):
        pairs = [pair for pair in values if isinstance(pair, dict) and isinstance(pair.get("key"), str)]
        return {pair["key"]: read_value(pair.get("value"), depth + 1) for pair in pairs}
    return None


def read_int(value: Any) -> int:
    """A whole number from a number or a decimal string, held within 64 bits; else 0."""
    if isinstance(value, bool) or not isinstance(value, int | str | float):
        return 0
    try:
        found = int(value) if not isinstance(value, str) or len(value) <= 20 else 0
    except (ValueError, OverflowError):
        return 0
    return found if -(2**63) <= found < 2**64 else 0


def _float(value: Any) -> float | None:
    try:
        return (
            float(value)
            if isinstance(value, int | float | str) and not (isinstance(value, str) and len(value) > 40)
            else None
        )
    except (ValueError, OverflowError):
        return None
