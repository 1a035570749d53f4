"""Ids, times and attributes as OTLP has them. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from exporters.scores import is_id
from exporters.text import clean

_LATEST_NANOSECONDS = 2**63 - 1


def trace_id_bytes(text: str | None) -> bytes:
    """A W3C trace id as 16 bytes; empty where it is none (a native record's own id may be any string)."""
    return _id_bytes(text, 32)


def span_id_bytes(text: str | None) -> bytes:
    """A W3C span id as 8 bytes; empty where it is none."""
    return _id_bytes(text, 16)


def _id_bytes(text: str | None, digits: int) -> bytes:
    return bytes.fromhex(text) if text is not None and is_id(text, digits) else b""


def key_values(attributes: Mapping[str, str | float | None]) -> list[KeyValue]:
    """Those attributes that are there."""
    found = []
    for key, value in attributes.items():
        if isinstance(value, str):
            found.append(KeyValue(key=key, value=AnyValue(string_value=clean(value))))
        elif value is not None and math.isfinite(value):
            found.append(KeyValue(key=key, value=AnyValue(double_value=value)))
    return found


def nanoseconds(seconds: float) -> int:
    """Seconds since the epoch as OTLP has them; 0, which means unknown, for what it cannot hold."""
    return int(seconds * 1e9) if 0 <= seconds * 1e9 <= _LATEST_NANOSECONDS else 0
