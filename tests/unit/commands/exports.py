"""Traces as OTLP/JSON."""

from __future__ import annotations


def export(*traces: str, **more: object) -> dict[str, object]:
    """A request of one model call for each trace id, with `more` fields of its span."""
    said = {"openinference.span.kind": "LLM", "input.value": "How long?", "output.value": "Two years."}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in said.items()]
    spans = [{"traceId": one, "spanId": "b" * 16, "name": "q", "attributes": attributes, **more} for one in traces]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
