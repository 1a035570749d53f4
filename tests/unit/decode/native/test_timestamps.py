"""When a native record says that its request ended."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.reader import read_native
from sidecar.record.errors import DecodeError

FALLBACK = 5e8


def told(timestamp: Any) -> float:
    record = {"request_id": "1", "question": "q", "answer": "a", "timestamp": timestamp}
    return read_native(record, DecodeConfig(), fallback_timestamp=FALLBACK).timestamp


@pytest.mark.parametrize(
    ("timestamp", "seconds"),
    [
        ("2026-01-01T00:00:00Z", 1_767_225_600.0),
        ("2026-01-01T01:00:00+01:00", 1_767_225_600.0),
        ("2026-06-30T23:59:60Z", 1_782_863_999.0),
        ("Thu, 01 Jan 2026 00:00:00 GMT", 1_767_225_600.0),
        (1_767_225_600, 1_767_225_600.0),
        (1_767_225_600_000, 1_767_225_600.0),
        (1_767_225_600_000_000_000, 1_767_225_600.0),
    ],
)
def test_a_time_is_read_in_the_forms_that_programs_write(timestamp: Any, seconds: float) -> None:
    assert told(timestamp) == seconds


@pytest.mark.parametrize("timestamp", [0, 0.0, "0001-01-01T00:00:00Z", None, {"$date": 5}])
def test_what_programs_write_for_no_time_is_none(timestamp: Any) -> None:
    assert told(timestamp) == FALLBACK


@pytest.mark.parametrize(
    "timestamp", ["yesterday", "2026-13-45T00:00:00Z", "3026-01-01T00:00:00Z", "1900-01-01T00:00:00Z", -5, 7, ""]
)
def test_any_other_text_or_number_is_an_error_with_its_mend(timestamp: Any) -> None:
    with pytest.raises(DecodeError, match="timestamp must be RFC 3339, as 2026-01-31T12:00:00Z, or a number") as raised:
        told(timestamp)
    assert raised.value.reason == "bad_field"
