"""Questions and answers that are no texts, and documents in many shapes."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.authored import Dropped
from sidecar.decode.native.reader import read_native, read_native_line, unread
from sidecar.record.errors import DecodeError
from sidecar.record.request import RagTrace, TraceKind


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


def test_what_sampling_rules_ask_for_is_kept_of_a_record_too() -> None:
    kept = DecodeConfig(keep_attributes=("app.flagged", "vip", "tags", "note", "away"))
    record = {
        "question": "q",
        "answer": "a",
        "vip": True,
        "note": "n" * 300,
        "attributes": {"app.flagged": "true", "tags": ["x", {}, 1]},
    }
    trace = read_native(record, kept, fallback_timestamp=0.0)
    assert trace.attributes == {"app.flagged": "true", "vip": True, "tags": ["x", 1]}
    assert unread(record, kept) == []
    assert read(record).attributes == {}


def test_a_line_behind_a_byte_order_mark_is_read_and_a_bad_one_tells_its_column() -> None:
    line = b'{"question": "q", "answer": "a"}'
    told = [read_native_line(one, DecodeConfig(), fallback_timestamp=1.0) for one in (b"\xef\xbb\xbf" + line, line)]
    assert told[0] == told[1]
    with pytest.raises(DecodeError, match=r"^bad_json: column 2$"):
        read_native_line(b"\xef\xbb\xbf{]", DecodeConfig(), fallback_timestamp=1.0)
    with pytest.raises(DecodeError, match=r"^bad_json: line 2, column 2$"):
        read_native_line(b"{\n ]}", DecodeConfig(), fallback_timestamp=1.0)


def test_a_line_of_a_file_in_another_encoding_is_an_error() -> None:
    text = '{"question": "How much?", "answer": "£5"}'
    with pytest.raises(DecodeError, match=r"^bad_encoding: must be UTF-8: save the file so$"):
        read_native_line(text.encode("latin-1"), DecodeConfig(), fallback_timestamp=1.0)
    assert read_native_line(text.encode(), DecodeConfig(), fallback_timestamp=1.0).answer == "£5"


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"contexts": [{"id": "1", "text": "The warranty.", "role": "admin"}]}, [("1", "The warranty.")]),
        (
            {"contexts": [{"type": "text", "text": "The warranty.", "id": "1"}, None, "", {"text": " "}]},
            [("1", "The warranty.")],
        ),
        ({"contexts": [[{"id": "1", "text": "The warranty."}, 0.3]]}, [("1", "The warranty.")]),
        ({"matches": [{"id": "1", "score": 0.9, "metadata": {"text": "The warranty."}}]}, [("1", "The warranty.")]),
        ({"hits": [{"_id": "1", "_score": 0.9, "_source": {"text": "The warranty."}}]}, [("1", "The warranty.")]),
    ],
    ids=["a role", "a type, and empty ones", "a pair", "Pinecone", "Elasticsearch"],
)
def test_documents_are_read_in_the_shapes_of_stores(record: dict[str, Any], found: list[tuple[str, str]]) -> None:
    told: list[str] = []
    trace = read({"question": "q", "answer": "a", **record}, told.append)
    assert [(document.id, document.text) for document in trace.documents] == found
    assert (trace.kind, trace.partial, told) == (TraceKind.RAG, (), [])


@pytest.mark.parametrize(
    "empty",
    [{"text": "", "score": 0.1}, {"id": None, "content": None}, {"body": " ", "score": 0.1}, None],
    ids=["a score", "nulls", "another name", "null"],
)
@pytest.mark.parametrize("dropped", [True, False], ids=["in a stream", "in a file"])
def test_contexts_that_are_empty_are_passed_over(empty: Any, dropped: bool) -> None:
    told: list[str] = []
    for contexts, ranks in (([empty], []), ([["The warranty.", 0.9], empty], [1]), (["The warranty.", empty], [1])):
        record = {"question": "q", "answer": "a", "contexts": contexts}
        trace = read(record, told.append) if dropped else read(record)
        assert [document.rank for document in trace.documents] == ranks
        assert (trace.retrieved, trace.partial, told) == (True, (), [])


def test_an_empty_item_between_pairs_leaves_them_their_scores() -> None:
    trace = read({"question": "q", "answer": "a", "contexts": [["a", 0.9], None, ["", 0.5], ["b", 0.4]]})
    assert [(document.rank, document.text, document.score) for document in trace.documents] == [
        (1, "a", 0.9),
        (4, "b", 0.4),
    ]


def test_contexts_that_nobody_can_read_are_an_error_in_a_file_and_told_in_a_stream() -> None:
    record = {"question": "q", "answer": "a", "contexts": [None, {"url": "https://example.com"}]}
    with pytest.raises(DecodeError, match="contexts: item 2 is neither a text nor an object with a text or an id"):
        read(record)
    told: list[str] = []
    trace = read(record, told.append)
    assert (trace.documents, trace.retrieved, told) == ((), None, ["bad_field"])


def test_of_contexts_that_can_be_read_in_part_the_rest_is_marked() -> None:
    told: list[str] = []
    record = {"question": "q", "answer": "a", "contexts": [{"url": "https://example.com"}, "The warranty."]}
    for trace in (read(record), read(record, told.append)):
        assert [(document.rank, document.text) for document in trace.documents] == [(2, "The warranty.")]
        assert trace.partial == ("documents_missing",)
    assert told == ["bad_field"]
