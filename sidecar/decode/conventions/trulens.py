"""TruLens: spans by `ai.observability.span_type` (trulens.otel.semconv)."""

from __future__ import annotations

from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import unwrap_input, unwrap_output
from sidecar.decode.values.scalars import first_count, first_text, make_tokens, number
from sidecar.record.span import RawSpan, Said, SpanKind

NAME = "trulens"
_KINDS = {
    "retrieval": SpanKind.RETRIEVER, "generation": SpanKind.LLM, "reranking": SpanKind.RERANKER, "record_root": SpanKind.CHAIN,
    "tool": SpanKind.TOOL, "agent": SpanKind.AGENT, "embedding": SpanKind.EMBEDDING,
}  # fmt: skip


def kind(span: RawSpan) -> SpanKind | None:
    """By `ai.observability.span_type`; whatever begins with eval is an evaluation."""
    value = span.attributes.get("ai.observability.span_type")
    if not isinstance(value, str):
        return None
    return SpanKind.EVALUATOR if value.startswith("eval") else _KINDS.get(value, SpanKind.CHAIN)


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Record roots, retrievals, rerankings and generations."""
    attributes = span.attributes
    found = Said(reference=first_text(attributes, "ai.observability.record_root.ground_truth_output"))
    if what is SpanKind.LLM:
        found.model_answered = first_text(attributes, "ai.observability.cost.model")
        found.tokens = make_tokens(
            first_count(attributes, "ai.observability.cost.num_prompt_tokens"),
            first_count(attributes, "ai.observability.cost.num_completion_tokens"),
        )
        milliseconds = number(attributes.get("ai.observability.generation.time_to_first_token_ms"))
        if milliseconds is not None:
            name = "ai.observability.generation.time_to_first_token_ms"
            found.time_to_first_token, found.time_to_first_token_source = milliseconds / 1000, name
    elif what is SpanKind.CHAIN:
        found.question = unwrap_input(attributes.get("ai.observability.record_root.input"))
        found.answer = unwrap_output(attributes.get("ai.observability.record_root.output"))
        found.error_status = first_text(attributes, "ai.observability.record_root.error")
    else:
        reranked = "ai.observability.reranking.output_context_texts"
        read = reranked if what is SpanKind.RERANKER else "ai.observability.retrieval.retrieved_contexts"
        found.query = first_text(attributes, "ai.observability.retrieval.query_text")
        found.documents = documents_in(attributes.get(read), retrieved=True)
    return found
