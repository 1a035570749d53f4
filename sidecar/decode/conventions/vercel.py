"""Vercel AI SDK (scope ai, experimental_telemetry): the outer span repeats text and usage of the inner one."""

from __future__ import annotations

from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import all_text, last_user, unwrap_input
from sidecar.decode.values.scalars import first_count, first_id, first_text, make_tokens, number, parsed, unquoted
from sidecar.record.span import RawSpan, Said, SpanKind

NAME = "vercel_ai"
_WRAPPERS = ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject")


def kind(span: RawSpan) -> SpanKind | None:
    """By `ai.operationId`."""
    value = span.attributes.get("ai.operationId")
    if not isinstance(value, str):
        return None
    if value.endswith((".doGenerate", ".doStream")):
        return SpanKind.LLM
    if value.endswith(".doEmbed"):
        return SpanKind.EMBEDDING
    if value == "ai.toolCall":
        return SpanKind.TOOL
    return SpanKind.CHAIN if value in _WRAPPERS else SpanKind.NONE


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Everything under `ai.`."""
    attributes = span.attributes
    found = Said(
        session=first_id(attributes, "ai.telemetry.metadata.sessionId"),
        user=first_id(attributes, "ai.telemetry.metadata.userId"),
    )
    if what is SpanKind.EMBEDDING:
        values = attributes.get("ai.values")
        found.query = unquoted(attributes.get("ai.value")) or (
            unquoted(values[0]) if isinstance(values, list) and values else None
        )
        return found
    if what is SpanKind.TOOL:
        found.question = unwrap_input(attributes.get("ai.toolCall.args"))
        found.documents = documents_in(attributes.get("ai.toolCall.result"))
        return found
    found.answer = first_text(attributes, "ai.response.text", "ai.response.object")
    if what is SpanKind.CHAIN:
        # The wrapper's prompt is the whole prompt, not the user's question.
        return found
    provider = first_text(attributes, "ai.model.provider")
    sent = parsed(attributes.get("ai.prompt.messages"))
    found.provider = provider.split(".")[0] if provider else None
    found.model_requested, found.model_answered = (
        first_text(attributes, "ai.model.id"),
        first_text(attributes, "ai.response.model"),
    )
    found.response_id = first_text(attributes, "ai.response.id")
    found.question, found.prompt = last_user(sent) or unwrap_input(sent), all_text(sent)
    found.streaming = str(attributes.get("ai.operationId")).endswith(".doStream")
    found.tokens = make_tokens(
        first_count(attributes, "ai.usage.inputTokens", "ai.usage.promptTokens"),
        first_count(attributes, "ai.usage.outputTokens", "ai.usage.completionTokens"),
        cached=first_count(attributes, "ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"),
        written=first_count(attributes, "ai.usage.inputTokenDetails.cacheWriteTokens"),
        reasoning=first_count(attributes, "ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens"),
    )
    milliseconds = number(attributes.get("ai.response.msToFirstChunk"))
    if milliseconds is not None:
        found.time_to_first_token, found.time_to_first_token_source = milliseconds / 1000, "ai.response.msToFirstChunk"
    else:
        found.first_token_ns = next(
            (event.time_ns for event in span.events if event.name == "ai.stream.firstChunk"), None
        )
    return found
