"""Questions and answers that are no texts."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.authored import Dropped
from sidecar.decode.native.reader import read_native
from sidecar.record.errors import DecodeError
from sidecar.record.request import RagTrace


def read(record: dict[str, Any], dropped: Dropped | None = None) -> RagTrace:
    return read_native(record, DecodeConfig(), fallback_timestamp=0.0, dropped=dropped)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"question": "q", "answer": 42}, ("q", "42", None)),
        ({"question": 7, "answer": True, "reference": 4.5}, ("7", "true", "4.5")),
        ({"question": "q", "answer": {"text": "hi"}}, ("q", "hi", None)),
        ({"question": "q", "answer": None, "output": "x"}, ("q", "x", None)),
        ({"question": "q", "answer": []}, ("q", None, None)),
        ({"question": "q", "answer": float("nan")}, ("q", None, None)),
        ({"question": "q", "contexts": ["c"], "result": True, "completion": 120}, ("q", None, None)),
    ],
    ids=[
        "a number",
        "a truth value",
        "an object with a text",
        "none",
        "an empty list",
        "no number",
        "counts and flags",
    ],
)
def test_numbers_are_read_as_texts_where_only_a_text_can_be_meant(
    record: dict[str, Any], said: tuple[str | None, ...]
) -> None:
    trace = read(record)
    assert (trace.question, trace.answer, trace.reference) == said


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"question": "q", "answer": {"price": 5}, "contexts": ["c"]}, "answer"),
        ({"question": "q", "answer": ["a"]}, "answer"),
        ({"question": ["q"], "answer": "a"}, "question"),
    ],
    ids=["an object without a text", "a list", "a list for a question"],
)
def test_what_is_no_text_is_an_error_in_a_file_and_left_out_and_told_in_a_stream(
    record: dict[str, Any], field: str
) -> None:
    with pytest.raises(DecodeError, match=f"bad_field: {field} must be a text"):
        read(record)
    told: list[str] = []
    trace = read(record, told.append)
    assert told == ["bad_field"]
    assert getattr(trace, field) is None
    assert trace.question or trace.answer
