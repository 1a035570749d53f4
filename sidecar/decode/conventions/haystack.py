"""Haystack's own tracer with content tracing switched on (HAYSTACK_CONTENT_TRACING_ENABLED)."""

from __future__ import annotations

from typing import Any

from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import all_text, last_user, message_text, unwrap_input, unwrap_output
from sidecar.decode.values.scalars import first_count, make_tokens, parsed, text_of
from sidecar.record.span import RETRIEVING, RawSpan, Said, SpanKind

NAME = "haystack"
_KINDS = (
    ("Retriever", SpanKind.RETRIEVER), ("Ranker", SpanKind.RERANKER), ("Generator", SpanKind.LLM), ("Embedder", SpanKind.EMBEDDING),
    ("PromptBuilder", SpanKind.PROMPT),
)  # fmt: skip


def kind(span: RawSpan) -> SpanKind | None:
    """By `haystack.component.type`; pipelines are chains."""
    value = span.attributes.get("haystack.component.type")
    if isinstance(value, str):
        return next((found for word, found in _KINDS if word in value), SpanKind.CHAIN)
    return SpanKind.CHAIN if any(key.startswith("haystack.pipeline.") for key in span.attributes) else None


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Inputs and outputs of components and pipelines."""
    attributes = span.attributes
    given = parsed(attributes.get("haystack.component.input") or attributes.get("haystack.pipeline.input_data"))
    made = parsed(attributes.get("haystack.component.output") or attributes.get("haystack.pipeline.output_data"))
    found = Said()
    if what is SpanKind.LLM:
        found.question, found.prompt = last_user(given) or unwrap_input(given), all_text(given) or unwrap_input(given)
        _reply(found, made, given)
    elif what is SpanKind.PROMPT:
        found.prompt_question = text_of(given.get("question")) if isinstance(given, dict) else None
    else:
        found.question, found.answer = unwrap_input(given), unwrap_output(made)
        if what in RETRIEVING:
            found.query, found.documents = found.question, documents_in(made, retrieved=True)
    return found


def _reply(found: Said, made: Any, given: Any) -> None:
    replies = made.get("replies") if isinstance(made, dict) else None
    reply = replies[0] if isinstance(replies, list) and replies else None
    found.answer = message_text(reply)
    own = made.get("meta") if isinstance(made, dict) else None
    meta = (
        (reply.get("meta") or reply.get("_meta"))
        if isinstance(reply, dict)
        else own[0]
        if isinstance(own, list) and own
        else None
    )
    if not isinstance(meta, dict):
        return
    found.model_answered = text_of(meta.get("model"))
    usage = meta.get("usage")
    if isinstance(usage, dict):
        given_details, made_details = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
        found.tokens = make_tokens(
            first_count(usage, "prompt_tokens", "input_tokens"),
            first_count(usage, "completion_tokens", "output_tokens"),
            cached=first_count(given_details, "cached_tokens") if isinstance(given_details, dict) else None,
            reasoning=first_count(made_details, "reasoning_tokens") if isinstance(made_details, dict) else None,
        )
