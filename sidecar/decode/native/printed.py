"""A request as `inspect --json` prints it: a native record, and beside it what is only told of the request. It says of itself that it is one, and is read back as
the same request, as far as native records go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from exporters.text import clean
from sidecar.decode.native.fields import NativeRecord
from sidecar.decode.native.mapping import apply
from sidecar.decode.native.numbers import FIRST_TIME, LAST_TIME
from sidecar.record.authored import Authored, Message, ToolCall
from sidecar.record.request import RagTrace, TraceKind

SCHEMA = "rag-sidecar.request.v1"
# What is told and not read. The native name of the model, session and user stands beside it.
_TOLD = frozenset(
    {
        "schema", "model_requested", "model_answered", "session", "user", "convention", "upstream_adjusted_count",
        "context_source", "retrieved", "trace_sampled", "partial", "missing",
    }
)  # fmt: skip
_KINDS = frozenset(map(str, TraceKind))


def record_of(data: Mapping[str, Any], mapping: Mapping[str, str]) -> NativeRecord:
    """A record with its fields under their own names, which `mapping` finds in those of a user."""
    return NativeRecord(own_words(data, mapping))


def own_words(data: Mapping[str, Any], mapping: Mapping[str, str]) -> Mapping[str, Any]:
    """The same as an object. What is printed here has its names already, and its `kind` is not that of a case."""
    if data.get("schema") != SCHEMA:
        return apply(mapping, data) if mapping else data
    told = set(_TOLD)
    if data.get("kind") in _KINDS:
        told.add("kind")
    if not data.get("documents") and data.get("retrieved") is not True:
        told.add("documents")
    # Of a trace that nobody kept, or of none, the id is that of the request alone.
    ids = {"trace_id": "request_id"} if data.get("trace_sampled") is False else {}
    return {ids.get(name, name): value for name, value in data.items() if name not in told}


def request_to_json(request: RagTrace) -> dict[str, Any]:
    """One request as a plain object; absent is null."""
    found: dict[str, Any] = _cleaned({**_request(request), **_authored(request.authored or Authored())})
    return found


def _request(request: RagTrace) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "trace_id": request.trace_id,
        "trace_sampled": request.trace_sampled,
        "span_id": request.span_id,
        "timestamp": _time(request.timestamp),
        "question": request.question,
        "answer": request.answer,
        "documents": [
            {"rank": d.rank, "id": d.id, "score": d.score, "distance": d.distance, "source": d.source, "text": d.text}
            for d in request.documents
        ],
        "retrieved": request.retrieved,
        "model": request.model_answered,
        "requested_model": request.model_requested,
        "model_requested": request.model_requested,
        "model_answered": request.model_answered,
        "provider": request.provider,
        "tokens": {
            "input": request.tokens.input,
            "output": request.tokens.output,
            "cached_input": request.tokens.cached_input,
            "cache_write": request.tokens.cache_write,
            "reasoning": request.tokens.reasoning,
        },
        "durations": {
            "total": request.durations.total,
            "retrieval": request.durations.retrieval,
            "generation": request.durations.generation,
            "time_to_first_token": request.durations.time_to_first_token,
        },
        "error_class": request.error_class,
        "session_id": request.session,
        "user_id": request.user,
        "session": request.session,
        "user": request.user,
        "tenant": request.tenant,
        "variant": request.variant,
        "service": request.service,
        "response_id": request.response_id,
        "feedback": request.feedback,
        "attributes": dict(request.attributes),
        "probe": request.probe,
        "convention": request.convention,
        "upstream_adjusted_count": request.upstream_adjusted_count,
        "kind": request.kind.value,
        "context_source": request.context_source,
        "partial": list(request.partial),
        "missing": [{"field": one.field, "why": one.why} for one in request.missing],
        "messages": [_message(one) for one in request.messages],
        "reference": request.reference,
    }


def _authored(own: Authored) -> dict[str, Any]:
    units = own.source_units
    return {
        "case_kind": own.kind,
        "origin": own.origin,
        "reference_contexts": _listed(own.contexts),
        "reference_context_ids": _listed(own.context_ids),
        "reference_tool_calls": None if own.tool_calls is None else [_call(one) for one in own.tool_calls],
        "reference_topics": _listed(own.topics),
        "rubrics": None if own.rubric is None else {str(score): text for score, text in own.rubric.items()},
        "persona": own.persona,
        "difficulty": own.difficulty,
        "source_units": None
        if units is None
        else [{"document": one.document, "start": one.start, "end": one.end} for one in units],
        "generation_params": own.generation_params,
    }


def _time(seconds: float) -> float | None:
    """Seconds since the epoch; None of years that are read as no time."""
    return seconds if FIRST_TIME <= seconds < LAST_TIME else None


def _listed(texts: Iterable[str] | None) -> list[str] | None:
    return None if texts is None else list(texts)


def _message(one: Message) -> dict[str, Any]:
    return {"role": one.role, "content": one.text, "tool_calls": [_call(call) for call in one.tool_calls]}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "args": dict(call.arguments)}


def _cleaned(value: Any) -> Any:
    """The value with texts that UTF-8 can hold."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _cleaned(one) for key, one in value.items()}
    return [_cleaned(one) for one in value] if isinstance(value, list | tuple) else value


__all__ = ["SCHEMA", "own_words", "record_of", "request_to_json"]
