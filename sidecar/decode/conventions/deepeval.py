"""DeepEval: spans by `confident.span.type`."""

from __future__ import annotations

from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import unwrap_input, unwrap_output
from sidecar.decode.values.scalars import first_count, first_id, first_text, make_tokens, text_of
from sidecar.record.span import RawSpan, Said, SpanKind

NAME = "deepeval"
_KINDS = {
    "llm": SpanKind.LLM, "retriever": SpanKind.RETRIEVER, "agent": SpanKind.AGENT, "tool": SpanKind.TOOL,
}  # fmt: skip


def kind(span: RawSpan) -> SpanKind | None:
    """By `confident.span.type`."""
    value = span.attributes.get("confident.span.type")
    return _KINDS.get(value, SpanKind.CHAIN) if isinstance(value, str) else None


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Inputs, outputs and retrieval contexts."""
    attributes = span.attributes
    given, made = attributes.get("confident.span.input"), attributes.get("confident.span.output")
    found = Said(
        question=unwrap_input(given), reference=first_text(attributes, "confident.span.expected_output"),
        session=first_id(attributes, "confident.trace.thread_id"), user=first_id(attributes, "confident.trace.user_id"),
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
        found.documents = documents_in(attributes.get("confident.span.retrieval_context") or made, retrieved=True)
    else:
        found.answer = unwrap_output(made)
        found.documents = documents_in(attributes.get("confident.trace.retrieval_context"), retrieved=True)
    return found
