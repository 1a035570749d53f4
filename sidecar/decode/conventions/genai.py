"""OTel GenAI: the current text (open-telemetry/semantic-conventions-genai), older attributes and events, OpenIT's additions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidecar.decode.values.conversation import dialogue
from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import (
    all_text,
    flat,
    last_user,
    message_text,
    messages_text,
    parts_text,
    role_of,
    unwrap_input,
    unwrap_output,
)
from sidecar.decode.values.scalars import first_count, first_id, first_text, make_tokens, number, parsed, slots, text_of
from sidecar.record.span import RawSpan, Said, SpanKind

NAME = "otel_genai"
_OPERATIONS = {
    **dict.fromkeys(("chat", "text_completion", "generate_content", "completion", "llm_request"), SpanKind.LLM),
    **dict.fromkeys(("chat.completions", "text.completions"), SpanKind.LLM),
    **dict.fromkeys(("retrieval", "vector_db_retrieve", "search_memory"), SpanKind.RETRIEVER),
    **dict.fromkeys(("embeddings", "embedding"), SpanKind.EMBEDDING),
    "rerank": SpanKind.RERANKER,
    "execute_tool": SpanKind.TOOL,
    **dict.fromkeys(("invoke_agent", "create_agent"), SpanKind.AGENT),
    **dict.fromkeys(("invoke_workflow", "execute_task", "framework", "plan"), SpanKind.CHAIN),
}
_CHUNKS = ("gen_ai.content.completion.chunk", "llm.content.completion.chunk")


def kind(span: RawSpan) -> SpanKind | None:
    """By `gen_ai.operation.name`; for log events by their name."""
    operation = span.attributes.get("gen_ai.operation.name")
    if isinstance(operation, str) and operation in _OPERATIONS:
        return _OPERATIONS[operation]
    if span.is_log and (span.name.startswith("gen_ai.") or "gen_ai.system" in span.attributes):
        return SpanKind.LLM
    return None


def kind_by_shape(span: RawSpan) -> SpanKind | None:
    """Where no convention names a kind: by the attributes that only one kind has, or the span's name."""
    attributes = span.attributes
    for key in attributes:
        if key.startswith("gen_ai.retrieval."):
            return SpanKind.RETRIEVER
    if any(
        key in attributes
        for key in (
            "gen_ai.input.messages",
            "gen_ai.output.messages",
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
        )
    ):
        return SpanKind.LLM
    if "gen_ai.tool.name" in attributes or "gen_ai.tool.call.id" in attributes:
        return SpanKind.TOOL
    asked = attributes.get("llm.request.type")
    if asked in ("rerank", "embedding"):
        return SpanKind.RERANKER if asked == "rerank" else SpanKind.EMBEDDING
    if asked in ("chat", "completion") or slots(attributes, "gen_ai.completion"):
        return SpanKind.LLM
    for start, found in (
        ("invoke_workflow", SpanKind.CHAIN),
        ("invoke_agent", SpanKind.AGENT),
        ("execute_tool", SpanKind.TOOL),
        ("retrieval ", SpanKind.RETRIEVER),
    ):
        if span.name.startswith(start):
            return found
    if span.name.startswith("chat ") and "gen_ai.response.model" in attributes:
        return SpanKind.LLM
    return None


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Everything that the convention names, in its current and older forms."""
    attributes = span.attributes
    provider = first_text(attributes, "gen_ai.provider.name", "gen_ai.system") if what is SpanKind.LLM else None
    found = Said(
        provider=provider,
        model_requested=first_text(attributes, "gen_ai.request.model"),
        model_answered=first_text(attributes, "gen_ai.response.model"),
        response_id=first_text(attributes, "gen_ai.response.id"),
        session=first_id(attributes, "session.id", "gen_ai.conversation.id", "spring.ai.chat.client.conversation.id"),
        user=first_id(attributes, "user.id", "enduser.id"),
        streaming=attributes.get("gen_ai.request.stream") is True
        or attributes.get("gen_ai.is_streaming") is True
        or attributes.get("llm.is_streaming") is True,
        tokens=usage(attributes),
        reported_cost_usd=number(attributes.get("gen_ai.usage.cost")) or None,
        prompt_question=first_text(attributes, "gen_ai.prompt.variable.question"),
        prompt_context=first_text(attributes, "gen_ai.prompt.variable.context"),
    )
    _first_token(found, span)
    if what is SpanKind.LLM:
        _messages(found, attributes)
        _flattened(found, attributes)
        _events(found, span)
        _whole(found, attributes)
    else:
        # LangChain's message may itself be JSON, `{"input": ""}` where it streams.
        found.question = unwrap_input(last_user(attributes.get("gen_ai.input.messages"))) or unwrap_input(
            first_text(attributes, "gen_ai.workflow.input", "gen_ai.prompt")
        )
        found.answer = messages_text(attributes.get("gen_ai.output.messages"), ("assistant", "")) or unwrap_output(
            attributes.get("gen_ai.workflow.output")
        )
        found.query = first_text(attributes, "gen_ai.retrieval.query.text")
        found.documents = documents_in(attributes.get("gen_ai.retrieval.documents"), retrieved=True) or documents_in(
            attributes.get("gen_ai.tool.call.result")
        )
        if what is SpanKind.RETRIEVER and not found.documents:
            found.documents = documents_in(attributes.get("gen_ai.completion"), retrieved=True)
    return found


def usage(attributes: Mapping[str, Any]) -> Any:
    """Token counts under any of the names they had."""
    return make_tokens(
        first_count(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"),
        first_count(
            attributes, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens"
        ),
        cached=first_count(
            attributes,
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cache_read_input_tokens",
            "gen_ai.usage.details.cache_read_tokens",
        ),
        written=first_count(
            attributes,
            "gen_ai.usage.cache_write.input_tokens",
            "gen_ai.usage.cache_creation.input_tokens",
            "gen_ai.usage.cache_creation_input_tokens",
        ),
        reasoning=first_count(
            attributes,
            "gen_ai.usage.reasoning.output_tokens",
            "gen_ai.usage.reasoning_tokens",
            "llm.usage.reasoning_tokens",
        ),
    )


def _first_token(found: Said, span: RawSpan) -> None:
    seconds = number(span.attributes.get("gen_ai.response.time_to_first_chunk"))
    if seconds is not None:
        found.time_to_first_token, found.time_to_first_token_source = seconds, "gen_ai.response.time_to_first_chunk"
        return
    chunk = next((event.time_ns for event in span.events if event.name in _CHUNKS), None)
    if chunk is not None:
        found.first_token_ns, found.streaming = chunk, True
        return
    server = number(span.attributes.get("gen_ai.server.time_to_first_token"))
    if server is not None and found.streaming:
        found.time_to_first_token, found.time_to_first_token_source = server, "gen_ai.server.time_to_first_token"


def _messages(found: Said, attributes: Mapping[str, Any]) -> None:
    sent = attributes.get("gen_ai.input.messages")
    found.question = last_user(sent)
    found.messages = dialogue(sent, attributes.get("gen_ai.output.messages"))
    system = parts_text(parsed(attributes.get("gen_ai.system_instructions")))
    found.prompt = "\n\n".join(text for text in (system, all_text(sent)) if text) or None
    found.answer = next(
        (
            text
            for message in flat(attributes.get("gen_ai.output.messages"))
            if role_of(message) != "user" and (text := message_text(message))
        ),
        None,
    )


def _flattened(found: Said, attributes: Mapping[str, Any]) -> None:
    """`gen_ai.prompt.N.*` of the years before messages."""
    sent = sorted(slots(attributes, "gen_ai.prompt").items())
    texts = [
        (str(slot.get("role", "")), text)
        for _, slot in sent
        if (text := parts_text(parsed(slot.get("content"))) or text_of(slot.get("content")))
    ]
    if texts and found.prompt is None:
        found.prompt = "\n\n".join(text for _, text in texts)
        found.question = next((text for role, text in reversed(texts) if role == "user"), texts[-1][1])
    if found.answer is None:
        got = sorted(slots(attributes, "gen_ai.completion").items())
        found.answer = next((text for _, slot in got if (text := text_of(slot.get("content")))), None)


def _whole(found: Said, attributes: Mapping[str, Any]) -> None:
    """Prompt and completion in one attribute each, as text, messages or a list of texts (Spring AI, LangSmith)."""
    given, made = parsed(attributes.get("gen_ai.prompt")), parsed(attributes.get("gen_ai.completion"))
    if given is not None and found.prompt is None:
        found.prompt = all_text(given) or unwrap_input(given)
        found.question = found.question or last_user(given) or unwrap_input(given)
    if made is not None and found.answer is None:
        found.answer = unwrap_output(made)


def _events(found: Said, span: RawSpan) -> None:
    """Content in span events and log records: gen_ai.user.message and the like, gen_ai.content.*, operation.details."""
    prompt: list[str] = []
    for event in span.events:
        values = event.attributes
        if event.name.endswith("operation.details"):
            inner = Said()
            _messages(inner, values)
            found.fill(inner)
            found.tokens = found.tokens or usage(values)
        elif event.name in (
            "gen_ai.system.message",
            "gen_ai.user.message",
            "gen_ai.assistant.message",
            "gen_ai.tool.message",
        ):
            text = parts_text(parsed(values.get("content")))
            if text:
                prompt.append(text)
                if event.name == "gen_ai.user.message":
                    found.question = text
        elif event.name == "gen_ai.choice" and found.answer is None:
            found.answer = message_text(parsed(values.get("message"))) or parts_text(parsed(values.get("content")))
        elif event.name == "gen_ai.content.prompt":
            text = text_of(values.get("gen_ai.prompt"))
            found.question, found.prompt = (
                found.question or last_user(text) or unwrap_input(text),
                found.prompt or all_text(text) or text,
            )
        elif event.name == "gen_ai.content.completion":
            text = text_of(values.get("gen_ai.completion"))
            found.answer = found.answer or unwrap_output(text)
    if prompt and found.prompt is None:
        found.prompt = "\n\n".join(prompt)
