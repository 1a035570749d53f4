"""Native JSON: one object a request, in the words of any of the known evaluation libraries.

Names match without regard to case, `_` and `-`. What is not found at the top is looked for one level down.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Protocol

from sidecar.decode.conventions.langfuse import usage_details
from sidecar.decode.errors import CLASSES, classify
from sidecar.decode.native.mapping import apply
from sidecar.decode.values import (
    count,
    document,
    first_count,
    identifier,
    make_tokens,
    number,
    parsed,
    settle_ids,
    text_of,
)
from sidecar.decode.wire.parse import load_json
from sidecar.record.errors import DecodeError
from sidecar.record.request import Document, Durations, ModelCall, RagTrace, Tokens, TraceKind

NAME = "native"
MOST_ID_CHARS = 256
_QUESTION = ("user_input", "question", "query", "user_query", "prompt", "message", "q", "input")
_ANSWER = ("response", "answer", "actual_output", "result", "completion", "generation", "reply", "output")
_CONTEXTS = (
    "retrieved_contexts", "contexts", "retrieval_context", "retrieved_context", "context", "source_documents", "source_nodes", "documents",
    "citations", "chunks", "passages", "hits", "matches",
)  # fmt: skip
_REFERENCE = (
    "reference", "ground_truth", "ground_truths", "expected_output", "gt_answer", "expected", "reference_answer",
)  # fmt: skip
_ID = ("request_id", "trace_id", "run_id", "id")
_INSIDE = ("inputs", "outputs", "input", "output", "data", "record", "attributes")
_HEX = re.compile(r"[0-9a-fA-F]+")
_UNITS = {"ms": 1e-3, "milliseconds": 1e-3, "s": 1.0, "seconds": 1.0, "sec": 1.0, "us": 1e-6}


class Limits(Protocol):
    """The part of DecodeConfig that is needed here."""

    @property
    def most_record_bytes(self) -> int: ...

    @property
    def mapping(self) -> Mapping[str, str]: ...

    @property
    def tenant_keys(self) -> tuple[str, ...]: ...

    @property
    def variant_keys(self) -> tuple[str, ...]: ...


class _Record:
    """A record with its names squeezed."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._top = {_squeeze(key): value for key, value in data.items()}
        self._inner = [
            {_squeeze(key): value for key, value in inner.items()}
            for name in _INSIDE
            if isinstance(inner := self._top.get(_squeeze(name)), dict)
        ]
        self._levels = (self._top, *self._inner)

    def values(self, *names: str) -> Iterator[Any]:
        """Values under any of the names, in the order of the names, the top level first."""
        wanted = _squeezed(names)
        for level in self._levels:
            for name in wanted:
                value = level.get(name)
                if value is not None:
                    yield value

    def number(self, squeezed: str) -> float | None:
        """The first number under a name that is squeezed already."""
        for level in self._levels:
            found = number(level[squeezed]) if squeezed in level else None
            if found is not None:
                return found
        return None

    def text(self, *names: str) -> str | None:
        """The first text."""
        for value in self.values(*names):
            text = _text(value)
            if text:
                return text
        return None

    def short(self, *names: str) -> str | None:
        """The first short text or number, as a text."""
        for value in self.values(*names):
            if isinstance(value, str) and value.strip():
                return value.strip()[:MOST_ID_CHARS]
            if isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
        return None

    def mapping(self, *names: str) -> Mapping[str, Any]:
        """The first object."""
        return next((value for value in self.values(*names) if isinstance(value, dict)), {})


def read_native_line(line: bytes, limits: Limits, *, fallback_timestamp: float) -> RagTrace:
    """One line of JSON into a request. Raises DecodeError naming the field."""
    if len(line) > limits.most_record_bytes:
        raise DecodeError("too_large", f"{len(line)} bytes")
    data = load_json(line)
    if not isinstance(data, dict):
        raise DecodeError("not_an_object", "a record is one JSON object")
    return read_native(data, limits, fallback_timestamp=fallback_timestamp)


def read_native(data: Mapping[str, Any], limits: Limits, *, fallback_timestamp: float) -> RagTrace:
    """One JSON object into a request. Raises DecodeError: missing_field, bad_field, with the field's name."""
    record = _Record(apply(limits.mapping, data) if limits.mapping else data)
    question, answer, documents = record.text(*_QUESTION), record.text(*_ANSWER), _documents(record)
    if question is None and answer is None and not documents:
        raise DecodeError("missing_field", "a record needs a question, an answer or contexts")
    timestamp = _timestamp(record, fallback_timestamp)
    tokens = _tokens(record)
    model = record.short("model", "model_name", "response_model")
    provider = record.short("provider", "model_provider")
    return RagTrace(
        trace_id=_id(record) or _id_of_texts([question, answer, *(one.text for one in documents)], timestamp),
        span_id=_hex(record.short("span_id"), 16),
        kind=TraceKind.RAG if documents and answer else TraceKind.RETRIEVAL_ONLY if documents else TraceKind.LLM_ONLY,
        service=record.short("service", "service_name", "app") or "unknown",
        convention=NAME,
        timestamp=timestamp,
        question=question,
        answer=answer,
        documents=documents,
        context_source="spans" if documents else "none",
        provider=provider,
        model_requested=record.short("requested_model", "request_model") or model,
        model_answered=model,
        tokens=tokens,
        model_calls=(ModelCall(provider, model, tokens),) if tokens != Tokens() else (),
        durations=_durations(record),
        error_class=_error(record),
        session=record.short("session_id", "thread_id", "conversation_id"),
        user=record.short("user_id"),
        tenant=record.short(*limits.tenant_keys, "org_id"),
        variant=record.short(*limits.variant_keys, "experiment", "ab_group"),
        response_id=record.short("response_id"),
        reference=_reference(record),
        feedback=_feedback(record),
        trace_sampled=_hex(record.short("trace_id"), 32) is not None,
    )


def without_text(trace: RagTrace) -> RagTrace:
    """The request without its texts."""
    bare = tuple(Document(d.rank, None, d.id, d.score, d.distance, d.source) for d in trace.documents)
    return replace(trace, question=None, answer=None, documents=bare, reference=None, text_dropped=True)


def _documents(record: _Record) -> tuple[Document, ...]:
    for value in record.values(*_CONTEXTS):
        items = parsed(value)
        if isinstance(items, str):
            items = [items]
        if isinstance(items, dict):
            items = [items]
        if not isinstance(items, list):
            raise DecodeError("bad_field", "contexts must be a list of texts or objects")
        ids = next((ids for ids in record.values("retrieved_context_ids") if isinstance(ids, list)), [])
        found = []
        for rank, item in enumerate(items, 1):
            own = identifier(ids[rank - 1]) if len(ids) == len(items) else None
            one = Document(rank, text_of(item), own) if isinstance(item, str) else document(_item(item), rank)
            if one is not None and (one.text or one.id):
                found.append(
                    one if one.id or not own else Document(one.rank, one.text, own, one.score, one.distance, one.source)
                )
        return settle_ids(found)
    return ()


def _item(item: Any) -> Any:
    """Objects whose text stands under one of the native names."""
    if isinstance(item, dict) and not any(
        isinstance(item.get(key), str) for key in ("content", "text", "page_content", "pageContent")
    ):
        for key in ("chunk", "passage", "document", "body"):
            if isinstance(item.get(key), str):
                return {**item, "text": item[key]}
    return item


def _reference(record: _Record) -> str | None:
    """The reference answer; of a list of them (ragas v1) the first."""
    for value in record.values(*_REFERENCE):
        text = _text(value[0] if isinstance(value, list) and value else value)
        if text:
            return text
    return None


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, dict):
        return next(
            (
                text
                for key in ("content", "text", "answer", "output", "query", "question", "input")
                if (text := text_of(value.get(key)))
            ),
            None,
        )
    return None


def _id(record: _Record) -> str | None:
    for value in record.values(*_ID):
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value:
            if len(value) > MOST_ID_CHARS:
                raise DecodeError("bad_field", f"request_id is longer than {MOST_ID_CHARS} characters")
            return value
    return None


def _id_of_texts(texts: Iterable[str | None], timestamp: float) -> str:
    """An id for a record that has none, the same when the record is read again. By its time two requests that say the same stay two."""
    content = "\0".join([repr(timestamp), *(text or "" for text in texts)])
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:32]


def _timestamp(record: _Record, fallback: float) -> float:
    """RFC 3339, or seconds, milliseconds, microseconds or nanoseconds since the epoch by magnitude."""
    for value in record.values("timestamp", "ts", "created_at", "time", "end_time"):
        found = number(value)
        if found is not None:
            for unit in (1.0, 1e3, 1e6, 1e9):
                if 1e8 <= found / unit < 1e10:
                    return found / unit
            raise DecodeError("bad_field", "timestamp is no time since the epoch")
        if isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value.strip())
            except ValueError as error:
                raise DecodeError("bad_field", "timestamp is neither RFC 3339 nor a number") from error
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return fallback or time.time()


def _tokens(record: _Record) -> Tokens:
    exclusive = usage_details(record.mapping("usage_details"))
    if exclusive is not None:
        return exclusive
    usage = record.mapping("usage", "token_usage", "usage_metadata", "usageMetadata", "tokens")
    given_details = (
        usage.get("prompt_tokens_details")
        or usage.get("input_tokens_details")
        or usage.get("input_token_details")
        or {}
    )
    made_details = (
        usage.get("completion_tokens_details")
        or usage.get("output_tokens_details")
        or usage.get("output_token_details")
        or {}
    )
    cached = first_count(usage, "cached_input", "cache_read_input_tokens", "cachedContentTokenCount")
    if cached is None and isinstance(given_details, dict):
        cached = first_count(given_details, "cached_tokens", "cache_read")
    reasoning = first_count(usage, "reasoning", "reasoning_tokens", "thoughtsTokenCount")
    if reasoning is None and isinstance(made_details, dict):
        reasoning = first_count(made_details, "reasoning_tokens", "reasoning")
    given = first_count(usage, "prompt_tokens", "input_tokens", "promptTokenCount", "input")
    made = first_count(usage, "completion_tokens", "output_tokens", "candidatesTokenCount", "output")
    if "cache_read_input_tokens" in usage or "cache_creation_input_tokens" in usage:
        # Anthropic's own usage object counts cached tokens apart from input_tokens.
        given = (
            None if given is None else given + (cached or 0) + (count(usage.get("cache_creation_input_tokens")) or 0)
        )
    if "thoughtsTokenCount" in usage and made is not None:
        made += reasoning or 0
    if given is None:
        given = next(
            (found for value in record.values("prompt_tokens", "input_tokens") if (found := count(value)) is not None),
            None,
        )
    if made is None:
        made = next(
            (
                found
                for value in record.values("completion_tokens", "output_tokens")
                if (found := count(value)) is not None
            ),
            None,
        )
    written = first_count(usage, "cache_write", "cache_creation_input_tokens")
    return make_tokens(given, made, cached=cached, written=written, reasoning=reasoning) or Tokens()


def _durations(record: _Record) -> Durations:
    return Durations(
        total=_seconds(record, "latency", "total_latency", "duration", "total_duration", "completion_time"),
        retrieval=_seconds(record, "retrieval_latency", "retrieval_duration"),
        generation=_seconds(record, "generation_latency", "generation_duration", "llm_latency"),
        time_to_first_token=_seconds(record, "ttft", "time_to_first_token"),
        time_to_first_token_source=NAME if _seconds(record, "ttft", "time_to_first_token") is not None else None,
    )


def _seconds(record: _Record, *names: str) -> float | None:
    """A duration by its unit suffix; DeepEval's completion_time, ttft and a bare duration are seconds."""
    nested = record.mapping("durations", "timings", "latencies")
    for name, factor in _with_units(names):
        value = record.number(name)
        if value is not None and 0 <= value * factor < 1e6:
            return value * factor
    for name in names:
        bare = [nested.get(name), nested.get(name.removesuffix("_latency").removesuffix("_duration"))]
        if name in ("completion_time", "duration", "ttft", "time_to_first_token"):
            bare += list(record.values(name))
        for candidate in bare:
            value = number(candidate)
            if value is not None and 0 <= value < 1e6:
                return value
    return None


def _error(record: _Record) -> str | None:
    for value in record.values("error_class", "error_type", "error", "exception"):
        if isinstance(value, dict):
            value = value.get("type") or value.get("code") or value.get("message")
        if value is True:
            return "other"
        if isinstance(value, str) and value.strip():
            return value if value in CLASSES else classify(value) or "other"
    return "other" if record.short("status") in ("error", "failed", "failure") else None


def _feedback(record: _Record) -> float | None:
    for value in record.values("feedback", "user_score", "rating", "thumbs"):
        if isinstance(value, dict):
            value = value.get("score", value.get("label"))
        if isinstance(value, bool):
            return float(value)
        if isinstance(value, str) and value.lower() in (
            "up",
            "positive",
            "good",
            "like",
            "down",
            "negative",
            "bad",
            "dislike",
        ):
            return float(value.lower() in ("up", "positive", "good", "like"))
        found = number(value)
        if found is not None:
            return found
    return None


def _hex(value: str | None, digits: int) -> str | None:
    return value.lower() if value and len(value) == digits and _HEX.fullmatch(value) else None


def _squeeze(name: str) -> str:
    return _squeeze_short(name) if len(name) <= 64 else name.replace("_", "").replace("-", "").lower()


@lru_cache(maxsize=4096)
def _squeeze_short(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


@lru_cache(maxsize=256)
def _squeezed(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_squeeze, names))


@lru_cache(maxsize=64)
def _with_units(names: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Each name with each unit's suffix, squeezed, and the unit in seconds."""
    return tuple((_squeeze(f"{name}_{unit}"), factor) for name in names for unit, factor in _UNITS.items())
