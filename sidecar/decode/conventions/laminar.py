"""Laminar: spans by `lmnr.span.type`; model spans carry gen_ai.* besides."""

from __future__ import annotations

from sidecar.decode.values.documents import documents_in, texts_as_documents
from sidecar.decode.values.messages import unwrap_input, unwrap_output
from sidecar.decode.values.scalars import first_id
from sidecar.record.span import RawSpan, Said, SpanKind

NAME = "laminar"
_KINDS = {"llm": SpanKind.LLM, "tool": SpanKind.TOOL, "evaluator": SpanKind.EVALUATOR}


def kind(span: RawSpan) -> SpanKind | None:
    """By `lmnr.span.type`; DEFAULT says nothing."""
    value = span.attributes.get("lmnr.span.type")
    return _KINDS.get(value.lower()) if isinstance(value, str) else None


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Inputs and outputs; model spans carry gen_ai.* besides."""
    attributes = span.attributes
    found = Said(session=first_id(attributes, "lmnr.association.properties.session_id"))
    if what is SpanKind.LLM:
        return found
    found.question = unwrap_input(attributes.get("lmnr.span.input"))
    found.answer = unwrap_output(attributes.get("lmnr.span.output"))
    output = attributes.get("lmnr.span.output")
    found.documents = texts_as_documents(output) or documents_in(output)
    return found
