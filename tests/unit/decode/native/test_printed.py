"""What `inspect --json` prints of a request is a native record, which is read back as the same request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.decode.native.printed import SCHEMA, request_to_json
from sidecar.decode.native.reader import misshapen_in, read_native, unread
from sidecar.decode.values.documents import settle_ids
from sidecar.record.request import ModelCall, RagTrace, Tokens, TraceKind
from tests.unit.decode.recordings import NAMES, understood, values

LIMITS = DecodeConfig()
CASE: dict[str, Any] = {
    "id": "warranty",
    "timestamp": 1.0 + 1_767_225_600,
    "service": "kb",
    "user_input": [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "How long is the warranty?"},
        {"role": "assistant", "tool_calls": [{"name": "search", "args": {"q": "warranty", "most": 3}}]},
        {"role": "tool", "content": "Two years."},
        {"role": "assistant", "content": "Two years."},
    ],
    "contexts": [
        {"id": "a", "text": "It is two years.", "score": 0.5, "metadata": {"source": "terms.md"}},
        "And more.",
    ],
    "requested_model": "gpt-4o",
    "usage": {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 9}},
    "latency_ms": 840,
    "ttft": 0.25,
    "session_id": "s",
    "user_id": "u",
    "tenant": "t",
    "variant": "b",
    "response_id": "r",
    "feedback": "down",
    "probe": True,
    "reference": "2 years",
    "kind": "multi_hop",
    "origin": "human",
    "reference_contexts": ["It is two years."],
    "reference_context_ids": [],
    "reference_tool_calls": [{"name": "search", "args": {"q": "warranty"}}],
    "reference_topics": ["warranty"],
    "rubrics": {"1": "bad", "2": "good"},
    "persona": "A buyer",
    "difficulty": "hard",
    "source_units": [{"document": "terms", "start": 0, "end": 5}, {"document": "other"}],
    "generation_params": {"seed": 1},
    "team": "search",
}


def printed(request: RagTrace) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(orjson.dumps(request_to_json(request)))
    return found


def read(record: dict[str, Any], limits: DecodeConfig = LIMITS) -> RagTrace:
    assert (unread(record, limits), misshapen_in(record, limits)) == ([], [])
    return read_native(record, limits, fallback_timestamp=1.0)


def as_native(request: RagTrace) -> RagTrace:
    """The request without what no native record has: where its spans stand, how complete they are, and each call of several. A document without an id gets one
    of its text, ranks are places in the list, and the kind is that of what is there."""
    model = request.model_answered or request.model_requested
    documents = settle_ids(replace(one, rank=rank) for rank, one in enumerate(request.documents, 1))
    return replace(
        request,
        convention="native",
        kind=_kind(request),
        context_source="spans" if request.documents else "none",
        retrieval_span_id=None,
        root_span_id=None,
        model_requested=request.model_requested or request.model_answered,
        model_calls=(ModelCall(request.provider, model, request.tokens),) if request.tokens != Tokens() else (),
        documents=documents,
        retrieved=True if documents else request.retrieved,
        durations=replace(
            request.durations,
            time_to_first_token_source=None if request.durations.time_to_first_token is None else "native",
        ),
        partial=(),
        missing=(),
        upstream_adjusted_count=None,
        spans=1,
    )


def _kind(request: RagTrace) -> TraceKind:
    if request.documents:
        return TraceKind.RAG if request.answer else TraceKind.RETRIEVAL_ONLY
    return TraceKind.LLM_ONLY


@pytest.mark.parametrize("name", NAMES)
def test_a_request_of_recorded_spans_is_read_back_as_the_same(name: str) -> None:
    requests = [one for one in understood(values(name, "proto")) if one.question or one.answer or one.documents]
    assert [read(printed(one)) for one in requests] == [as_native(one) for one in requests]


@pytest.mark.parametrize(
    "record",
    [
        CASE,
        {"question": "How long?", "answer": "Two years.", "model": "gpt-4o", "error": "rate limit"},
        {"question": "How long?", "answer": "I don't know.", "contexts": []},
        {"question": "How long?", "contexts": ["Two years.", "Two years."], "timestamp": "2025-07-20T20:17:40Z"},
    ],
    ids=["all fields", "without retrieval", "nothing was found", "two that say the same"],
)
def test_a_native_record_is_read_back_as_the_same(record: dict[str, Any]) -> None:
    limits = DecodeConfig(keep_attributes=("team",))
    request = read_native(record, limits, fallback_timestamp=1_767_225_600.0)
    assert read(printed(request), limits) == request


@pytest.mark.parametrize("seconds", [0.0, 7.0, 2e10])
def test_a_time_of_years_that_are_not_read_is_none(seconds: float) -> None:
    request = replace(read_native({"question": "How long?"}, LIMITS, fallback_timestamp=1.0), timestamp=seconds)
    assert printed(request)["timestamp"] is None
    assert read(printed(request)).timestamp == 1.0


def test_a_mapping_of_a_users_own_names_says_nothing_of_what_is_printed() -> None:
    limits = DecodeConfig(mapping={"contexts": "documents[].text", "question": "trace_id", "session_id": "user"})
    request = read_native(CASE, LIMITS, fallback_timestamp=1.0)
    assert read(printed(request), limits) == request


def test_a_word_for_the_case_in_place_of_the_kind_of_the_request_is_read() -> None:
    record = printed(read_native({**CASE, "kind": None, "origin": None}, LIMITS, fallback_timestamp=1.0))
    assert (record["schema"], record["kind"], record["case_kind"]) == (SCHEMA, "rag", None)
    kinds = [read({**record, **said}).authored for said in ({}, {"kind": "negative"}, {"case_kind": "negative"})]
    assert [one and one.kind for one in kinds] == [None, "negative", "negative"]


def test_a_record_of_a_user_keeps_its_kind_whatever_word_that_is() -> None:
    request = read_native({"question": "How long?", "kind": "rag"}, LIMITS, fallback_timestamp=1.0)
    assert request.authored is not None
    assert request.authored.kind == "rag"


def test_what_was_printed_before_is_printed_still() -> None:
    record = printed(read_native({**CASE, "model": "gpt-4o-2024-08-06"}, LIMITS, fallback_timestamp=1.0))
    assert {name: record[name] for name in ("model_requested", "model_answered", "session", "user", "kind")} == {
        "model_requested": "gpt-4o",
        "model_answered": "gpt-4o-2024-08-06",
        "session": "s",
        "user": "u",
        "kind": "rag",
    }
    assert record["missing"] == record["partial"] == []
    assert (record["convention"], record["context_source"]) == ("native", "spans")


def test_a_model_that_was_only_asked_for_is_the_one_that_is_paid() -> None:
    record = {"question": "How long?", "requested_model": "gpt-4o", "usage": {"prompt_tokens": 3}}
    [call] = read_native(record, LIMITS, fallback_timestamp=1.0).model_calls
    assert call.model == "gpt-4o"
