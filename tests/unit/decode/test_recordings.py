"""Every recording of a real instrumentation library is understood as far as its spans carry what the application did."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.record.request import RagTrace
from tests.unit.decode.recordings import NAMES, Expected, expected, squeezed, understood, values

_TOKENS = {"input": "input", "output": "output", "cached": "cached_input", "reasoning": "reasoning"}


def near(seconds: float | None) -> object:
    """The same duration within five percent, or none."""
    return None if seconds is None else pytest.approx(seconds, rel=0.05, abs=0.002)


def wanted(one: Expected) -> dict[str, Any]:
    """The fields that the spans carry; one that is not carried must be absent."""
    truth, carried = one.truth, one.carried
    usage = carried["usage_total"] or {}
    return {
        "service": carried["service_name"],
        "question": squeezed(truth["question"]) if carried["question"] else None,
        "answer": squeezed(truth["answer"]) if carried["answer"] else None,
        "documents": [squeezed(c["text"]) for c in truth["contexts"]] if carried["contexts_text"] else None,
        "ids": [c["id"] for c in truth["contexts"]]
        if carried["contexts_text"] == "spans" and carried["context_ids"]
        else None,
        "scores": carried["context_scores"] if carried["context_score_kind"] == "score" else None,
        "model": (carried["model_request"], carried["model_response"]),
        "provider": carried["provider"],
        "tokens": {ours: usage.get(theirs) or None for theirs, ours in _TOKENS.items()},
        "who": (carried["session_id"], carried["user_id"], carried["tenant"], carried["variant"]),
        "failed": bool(carried["error_type"]),
    }


def found(request: RagTrace, want: dict[str, Any]) -> dict[str, Any]:
    """The same fields of a request; those that are not expected to be judged are as wanted."""
    texts = [squeezed(d.text) for d in request.documents]
    return {
        "service": request.service,
        "question": squeezed(request.question),
        "answer": squeezed(request.answer),
        "documents": texts if want["documents"] is not None else None,
        "ids": [d.id for d in request.documents] if want["ids"] is not None else None,
        "scores": [pytest.approx(d.score, rel=0.05) for d in request.documents] if want["scores"] is not None else None,
        "model": (request.model_requested, request.model_answered),
        "provider": request.provider,
        "tokens": {name: getattr(request.tokens, name) or None for name in _TOKENS.values()},
        "who": (request.session, request.user, request.tenant, request.variant),
        "failed": request.error_class is not None,
    }


@pytest.mark.parametrize("encoding", ["proto", "json"])
@pytest.mark.parametrize("name", NAMES)
def test_a_recording_is_understood_as_far_as_it_carries(name: str, encoding: str) -> None:
    requests = understood(values(name, encoding))
    expectations = expected(name)
    assert len(requests) == len(expectations)
    for one in expectations:
        want = wanted(one)
        mine = [r for r in requests if r.trace_id == one.carried["trace_id"]]
        request = next((r for r in mine if squeezed(r.question) == want["question"]), mine[0])
        assert found(request, want) == want


@pytest.mark.parametrize("name", NAMES)
def test_durations_are_those_of_the_spans(name: str) -> None:
    requests = understood(values(name, "proto"))
    for one in expected(name):
        request = next(r for r in requests if r.trace_id == one.carried["trace_id"])
        if len(expected(name)) == 1:
            assert request.durations.retrieval == near(one.carried["retrieval_s"])
            if not one.carried["generation_duration_suspect"]:
                assert request.durations.generation == near(one.carried["generation_s"])
            assert request.durations.time_to_first_token == near(one.carried["ttft_s"])


def test_a_document_that_was_not_there_is_never_made_up() -> None:
    for name in NAMES:
        real = {squeezed(c["text"]) for one in expected(name) for c in one.truth["contexts"]}
        for request in understood(values(name, "proto")):
            assert {squeezed(d.text) for d in request.documents if d.text} <= real, name


def test_lost_attributes_keep_the_rank_of_the_documents_that_are_left() -> None:
    [request] = understood(values("oi_langchain_70docs_dropped_attrs", "proto"))
    ranks = [document.rank for document in request.documents]
    assert ranks[0] > 1
    assert ranks == sorted(ranks)
    assert "dropped_attributes" in request.partial


def test_the_upstream_sampling_threshold_becomes_an_adjusted_count() -> None:
    [request] = understood(values("otel_genai_sampled25", "proto"))
    assert request.upstream_adjusted_count == 4.0


def test_one_request_in_two_traces_is_one_request() -> None:
    [request] = understood(values("oi_langchain_plus_openai", "proto"))
    assert request.tokens.input == 145


def test_what_is_missing_names_the_switch_that_would_supply_it() -> None:
    [request] = understood(values("otel_genai_nocontent_ok", "proto"))
    assert {one.field for one in request.missing} == {"question", "answer", "documents"}
    assert all(
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in one.why
        for one in request.missing
        if one.field != "documents"
    )
