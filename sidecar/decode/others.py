"""TruLens (scope of trulens.otel.semconv), DeepEval (confident.*) and Laminar (lmnr.*): kinds and texts by their own attributes."""

from __future__ import annotations

from sidecar.decode.fields import Fields
from sidecar.decode.values import (
    first_count,
    first_text,
    make_tokens,
    number,
    text_of,
    texts_as_documents,
    unwrap_input,
    unwrap_output,
)
from sidecar.trace import RawSpan, SpanKind

TRULENS, DEEPEVAL, LAMINAR = "trulens", "deepeval", "laminar"
_TRULENS = {
    "retrieval": SpanKind.RETRIEVER, "generation": SpanKind.LLM, "reranking": SpanKind.RERANKER, "record_root": SpanKind.CHAIN,
    "tool": SpanKind.TOOL, "agent": SpanKind.AGENT, "embedding": SpanKind.EMBEDDING,
}  # fmt: skip
_DEEPEVAL = {
    "llm": SpanKind.LLM, "retriever": SpanKind.RETRIEVER, "agent": SpanKind.AGENT, "tool": SpanKind.TOOL,
}  # fmt: skip
_LAMINAR = {"llm": SpanKind.LLM, "tool": SpanKind.TOOL, "evaluator": SpanKind.EVALUATOR}


def trulens_kind(span: RawSpan) -> SpanKind | None:
    """By `ai.observability.span_type`; whatever begins with eval is an evaluation."""
    value = span.attributes.get("ai.observability.span_type")
    if not isinstance(value, str):
        return None
    return SpanKind.EVALUATOR if value.startswith("eval") else _TRULENS.get(value, SpanKind.CHAIN)


def trulens(span: RawSpan, what: SpanKind) -> Fields:
    """Record roots, retrievals, rerankings and generations."""
    attributes = span.attributes
    found = Fields(reference=first_text(attributes, "ai.observability.record_root.ground_truth_output"))
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
        found.documents = texts_as_documents(attributes.get(read))
    return found


def deepeval_kind(span: RawSpan) -> SpanKind | None:
    """By `confident.span.type`."""
    value = span.attributes.get("confident.span.type")
    return _DEEPEVAL.get(value, SpanKind.CHAIN) if isinstance(value, str) else None


def deepeval(span: RawSpan, what: SpanKind) -> Fields:
    """Inputs, outputs and retrieval contexts."""
    attributes = span.attributes
    given, made = attributes.get("confident.span.input"), attributes.get("confident.span.output")
    found = Fields(
        question=unwrap_input(given), reference=first_text(attributes, "confident.span.expected_output"),
        session=first_text(attributes, "confident.trace.thread_id"), user=first_text(attributes, "confident.trace.user_id"),
    )  # fmt: skip
    if what is SpanKind.LLM:
        found.prompt, found.answer = text_of(given), unwrap_output(made)
        found.model_answered = first_text(attributes, "confident.llm.model")
        found.tokens = make_tokens(
            first_count(attributes, "confident.llm.input_token_count"),
            first_count(attributes, "confident.llm.output_token_count"),
        )
    elif what is SpanKind.RETRIEVER:
        found.query = found.question
        found.documents = texts_as_documents(attributes.get("confident.span.retrieval_context") or made)
    else:
        found.answer = unwrap_output(made)
        found.documents = texts_as_documents(attributes.get("confident.trace.retrieval_context"))
    return found


def laminar_kind(span: RawSpan) -> SpanKind | None:
    """By `lmnr.span.type`; DEFAULT says nothing."""
    value = span.attributes.get("lmnr.span.type")
    return _LAMINAR.get(value.lower()) if isinstance(value, str) else None


def laminar(span: RawSpan, what: SpanKind) -> Fields:
    """Inputs and outputs; model spans carry gen_ai.* besides."""
    attributes = span.attributes
    found = Fields(session=first_text(attributes, "lmnr.association.properties.session_id"))
    if what is SpanKind.LLM:
        return found
    found.question = unwrap_input(attributes.get("lmnr.span.input"))
    found.answer = unwrap_output(attributes.get("lmnr.span.output"))
    found.documents = texts_as_documents(attributes.get("lmnr.span.output"))
    return found
