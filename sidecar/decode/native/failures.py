"""Whether a native record says that its request failed, and how: as a text, a number, a truth value, or the object that a provider answers with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.decode.errors import CLASSES, first_class
from sidecar.decode.native.fields import NativeRecord
from sidecar.decode.native.table import names
from sidecar.decode.values.scalars import number, written

_FAILED = frozenset({"error", "failed", "failure"})
# What becomes of "no error" on its way through a table or str().
_NONE = frozenset({"", "none", "null", "nil", "nan", "n/a", "false", "no", "ok", "success"})
_TOLD_BY = ("type", "code", "status_code", "status", "message", "detail", "error")


def read_error(record: NativeRecord) -> str | None:
    """One of CLASSES, or None where nothing failed."""
    found = [one for value in record.values(*names("error")) if (one := _class(value))]
    found += [one for value in record.values("status") if (one := _class_of_status(value))]
    return next((one for one in found if one != "other"), found[0] if found else None)


def _class(value: Any) -> str | None:
    if not _says(value):
        return None
    if isinstance(value, str) and value in CLASSES:
        return value
    return first_class(map(_text, _told(value))) or "other"


def _told(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [one for key in _TOLD_BY if _says(one := value.get(key))]
    return value if isinstance(value, list) else [value]


def _says(value: Any) -> bool:
    """Whether a value says that something failed. A number is a truth value, or a status of HTTP, of which those below 400 are none."""
    if isinstance(value, Mapping | list):
        within = value.values() if isinstance(value, Mapping) else value
        return any(bool(one) if isinstance(one, Mapping | list) else _says(one) for one in within)
    if isinstance(value, str) and value.strip().casefold() in _NONE:
        return False
    amount = number(value)
    if amount is None:
        return bool(value) and not isinstance(value, float)
    return amount != 0 and not 100 <= amount < 400


def _class_of_status(value: Any) -> str | None:
    if isinstance(value, str) and value.strip().casefold() in _FAILED:
        return "other"
    amount = number(value)
    return _class(value) if amount is not None and 400 <= amount < 600 else None


def _text(value: Any) -> str:
    """A code as it is written: 429 of 429.0."""
    amount = number(value)
    return written(value) if amount is None or amount % 1 else str(int(amount))
