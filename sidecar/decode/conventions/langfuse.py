"""Langfuse SDK (scope langfuse-sdk): observations with JSON in attributes, exclusive token buckets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import all_text, last_user, unwrap_input, unwrap_output
from sidecar.decode.values.scalars import (
    count,
    first_count,
    first_id,
    first_text,
    make_tokens,
    number,
    parsed,
    text_of,
    unquoted,
)
from sidecar.record.request import Tokens
from sidecar.record.span import RETRIEVING, RawSpan, Said, SpanKind

NAME = "langfuse"
_KINDS = {"generation": SpanKind.LLM, "span": SpanKind.CHAIN, "event": SpanKind.NONE}
_SAME = frozenset(SpanKind) - {SpanKind.NONE}
_OF_MODEL = (
    "langfuse.observation.model.name",
    "langfuse.observation.usage_details",
    "langfuse.observation.cost_details",
    "langfuse.observation.completion_start_time",
)


def kind(span: RawSpan) -> SpanKind | None:
    """By `langfuse.observation.type`; old SDKs say span on generations."""
    value = span.attributes.get("langfuse.observation.type")
    if any(key.startswith("langfuse.experiment.") for key in span.attributes):
        return SpanKind.EVALUATOR
    if not isinstance(value, str):
        return None
    if value == "span" and any(key in span.attributes for key in _OF_MODEL):
        return SpanKind.LLM
    if value in _KINDS:
        return _KINDS[value]
    return SpanKind(value) if value in _SAME else SpanKind.NONE


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Everything under `langfuse.`."""
    attributes = span.attributes
    given, made = attributes.get("langfuse.observation.input"), attributes.get("langfuse.observation.output")
    cost = parsed(attributes.get("langfuse.observation.cost_details"))
    found = Said(
        session=first_id(attributes, "langfuse.session.id", "session.id"),
        user=first_id(attributes, "langfuse.user.id", "user.id"),
        model_answered=first_text(attributes, "langfuse.observation.model.name"),
        model_requested=unquoted(attributes.get("langfuse.observation.metadata.ls_model_name")),
        reference=unquoted(attributes.get("langfuse.experiment.item.expected_output")),
        reported_cost_usd=number(cost.get("total")) if isinstance(cost, dict) else None,
        answer=unwrap_output(made),
    )
    if what is SpanKind.LLM:
        found.provider = unquoted(attributes.get("langfuse.observation.metadata.ls_provider"))
        found.question, found.prompt = last_user(given) or unwrap_input(given), all_text(given) or text_of(given)
        found.tokens = usage_details(parsed(attributes.get("langfuse.observation.usage_details")))
        _first_token(found, span)
    else:
        found.question = unwrap_input(given) or unwrap_input(attributes.get("langfuse.trace.input"))
        found.documents = documents_in(made, retrieved=what in RETRIEVING)
        found.query = found.question if what is SpanKind.RETRIEVER else None
    if attributes.get("langfuse.observation.level") == "ERROR":
        found.error_status = text_of(attributes.get("langfuse.observation.status_message")) or "error"
    return found


def usage_details(usage: object) -> Tokens | None:
    """Exclusive buckets: all `input*` together are the prompt, all `output*` the completion. The names of OpenAI, with their
    inclusive totals, are read too, as the SDK lets them pass."""
    if not isinstance(usage, dict):
        return None
    if "prompt_tokens" in usage or "completion_tokens" in usage:
        return _of_openai(usage)
    counts = {
        key: number for key, value in usage.items() if isinstance(key, str) and (number := count(value)) is not None
    }
    given = [value for key, value in counts.items() if key.startswith(("input", "cache_"))]
    made = [value for key, value in counts.items() if key.startswith("output")]
    if not given and not made:
        return None
    cached = first_count(counts, "input_cache_read", "input_cached_tokens", "cache_read_input_tokens")
    written = first_count(counts, "input_cache_creation", "input_cache_write", "cache_creation_input_tokens")
    reasoning = first_count(counts, "output_reasoning", "output_reasoning_tokens")
    return Tokens(sum(given) if given else None, sum(made) if made else None, cached, written, reasoning)


def _of_openai(usage: Mapping[str, Any]) -> Tokens | None:
    given, made = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    return make_tokens(
        first_count(usage, "prompt_tokens"),
        first_count(usage, "completion_tokens"),
        cached=first_count(given, "cached_tokens") if isinstance(given, dict) else None,
        reasoning=first_count(made, "reasoning_tokens") if isinstance(made, dict) else None,
    )


def _first_token(found: Said, span: RawSpan) -> None:
    text = unquoted(span.attributes.get("langfuse.observation.completion_start_time"))
    if text is None:
        return
    try:
        started = datetime.fromisoformat(text)
    except ValueError:
        return
    seconds = started.timestamp() - span.start_ns / 1e9
    if 0 <= seconds < 3600:
        found.time_to_first_token, found.time_to_first_token_source = (
            seconds,
            "langfuse.observation.completion_start_time",
        )
        found.streaming = True
