"""OpenLLMetry / Traceloop (semconv_ai 0.5.2): chains and retrievers; its model spans carry gen_ai.* or flattened prompts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import unwrap_input, unwrap_output
from sidecar.decode.values.scalars import first_id
from sidecar.record.span import RETRIEVING, RawSpan, Said, SpanKind

NAME = "openllmetry"
_KINDS = {"workflow": SpanKind.CHAIN, "task": SpanKind.CHAIN, "agent": SpanKind.AGENT, "tool": SpanKind.TOOL}
_PROPERTIES = "traceloop.association.properties."


def kind(span: RawSpan) -> SpanKind | None:
    """By `traceloop.span.kind`; a task that gives documents and is called a retriever is one."""
    value = span.attributes.get("traceloop.span.kind")
    found = _KINDS.get(value) if isinstance(value, str) else None
    if found is SpanKind.CHAIN and "etriev" in span.name and value == "task":
        output = _output(span.attributes)
        # An empty list is a retrieval that found nothing, or one whose documents a length limit has cut.
        return SpanKind.RETRIEVER if output == "[]" or documents_in(output, retrieved=True) else found
    return found


def belongs(span: RawSpan) -> bool:
    """Whether OpenLLMetry made the span, whatever named its kind."""
    return "traceloop.span.kind" in span.attributes or any(key.startswith("traceloop.") for key in span.attributes)


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Inputs, outputs and association properties."""
    attributes = span.attributes
    found = Said(
        session=first_id(attributes, _PROPERTIES + "session_id"),
        user=first_id(attributes, _PROPERTIES + "user_id"),
    )
    if what is SpanKind.LLM:
        return found
    found.question = unwrap_input(attributes.get("traceloop.entity.input")) or unwrap_input(
        attributes.get("gen_ai.task.input")
    )
    output = _output(attributes)
    found.answer = unwrap_output(output)
    found.documents = documents_in(output, retrieved=what in RETRIEVING)
    if what is SpanKind.RETRIEVER:
        found.query = found.question
    return found


def _output(attributes: Mapping[str, Any]) -> Any:
    return attributes.get("traceloop.entity.output") or attributes.get("gen_ai.task.output")
