"""LangSmith over OpenTelemetry (scope langsmith): whole runs as JSON in gen_ai.prompt and gen_ai.completion."""

from __future__ import annotations

from typing import Any

from sidecar.decode.conventions.genai import usage
from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import all_text, last_user, unwrap_input, unwrap_output
from sidecar.decode.values.scalars import first_count, first_id, first_text, make_tokens, parsed, text_of
from sidecar.record.span import RETRIEVING, RawSpan, Said, SpanKind

NAME = "langsmith"
_KINDS = {
    "llm": SpanKind.LLM, "retriever": SpanKind.RETRIEVER, "embedding": SpanKind.EMBEDDING, "tool": SpanKind.TOOL, "prompt": SpanKind.PROMPT,
    "chain": SpanKind.CHAIN, "parser": SpanKind.CHAIN,
}  # fmt: skip


def kind(span: RawSpan) -> SpanKind | None:
    """By `langsmith.span.kind`, before gen_ai.operation.name, which is wrong on retrievers and templates."""
    value = span.attributes.get("langsmith.span.kind")
    return _KINDS.get(value, SpanKind.NONE) if isinstance(value, str) else None


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Runs: inputs, outputs and metadata."""
    attributes = span.attributes
    given, made = parsed(attributes.get("gen_ai.prompt")), parsed(attributes.get("gen_ai.completion"))
    found = Said(
        session=first_id(attributes, "langsmith.metadata.session_id"),
        user=first_id(attributes, "langsmith.metadata.user_id"),
        model_requested=first_text(attributes, "gen_ai.request.model", "langsmith.metadata.ls_model_name"),
    )
    if what is SpanKind.LLM:
        found.provider = first_text(attributes, "langsmith.metadata.ls_provider")
        found.question, found.prompt = last_user(given), all_text(given)
        found.answer = _generation(made) or unwrap_output(made)
        found.model_answered = first_text(attributes, "gen_ai.response.model")
        found.tokens = _tokens(parsed(attributes.get("langsmith.metadata.usage_metadata"))) or usage(attributes)
    else:
        found.question, found.answer = unwrap_input(given), unwrap_output(made)
        found.documents = documents_in(made, retrieved=what in RETRIEVING)
        found.query = found.question if what is SpanKind.RETRIEVER else None
    return found


def _generation(made: Any) -> str | None:
    first = made.get("generations") if isinstance(made, dict) else None
    while isinstance(first, list) and first:
        first = first[0]
    return text_of(first.get("text")) if isinstance(first, dict) else None


def _tokens(usage_metadata: Any) -> Any:
    if not isinstance(usage_metadata, dict):
        return None
    given, made = usage_metadata.get("input_token_details"), usage_metadata.get("output_token_details")
    return make_tokens(
        first_count(usage_metadata, "input_tokens"),
        first_count(usage_metadata, "output_tokens"),
        cached=first_count(given, "cache_read") if isinstance(given, dict) else None,
        written=first_count(given, "cache_creation") if isinstance(given, dict) else None,
        reasoning=first_count(made, "reasoning") if isinstance(made, dict) else None,
    )
