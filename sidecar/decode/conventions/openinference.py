"""OpenInference (package openinference-semantic-conventions 0.1.42, spec/semantic_conventions.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sidecar.decode.values.conversation import dialogue
from sidecar.decode.values.documents import document, documents_in, holds_nothing, settle_ids
from sidecar.decode.values.messages import unwrap_input, unwrap_output
from sidecar.decode.values.scalars import (
    REDACTED,
    first_count,
    first_id,
    first_text,
    make_tokens,
    number,
    parsed,
    slots,
    text_of,
)
from sidecar.record.record import Attributes
from sidecar.record.request import Document
from sidecar.record.span import RETRIEVING, RawSpan, Said, SpanKind

NAME = "openinference"
# UNKNOWN leaves it to the other conventions.
_KINDS = {kind.upper(): kind for kind in SpanKind if kind is not SpanKind.NONE}


def kind(span: RawSpan) -> SpanKind | None:
    """By `openinference.span.kind`, in any case."""
    value = span.attributes.get("openinference.span.kind")
    if not isinstance(value, str):
        return None
    return _KINDS.get(value.upper())


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Everything that the convention names."""
    attributes = span.attributes
    found = Said(
        provider=first_text(attributes, "llm.provider", "llm.system") if what is SpanKind.LLM else None,
        model_requested=first_text(attributes, "llm.request.model_name"),
        model_answered=first_text(attributes, "llm.response.model_name", "llm.model_name"),
        session=first_id(attributes, "session.id"),
        user=first_id(attributes, "user.id"),
        reported_cost_usd=number(attributes.get("llm.cost.total")),
        tokens=make_tokens(
            first_count(attributes, "llm.token_count.prompt"),
            first_count(attributes, "llm.token_count.completion"),
            cached=first_count(attributes, "llm.token_count.prompt_details.cache_read"),
            written=first_count(attributes, "llm.token_count.prompt_details.cache_write"),
            reasoning=first_count(attributes, "llm.token_count.completion_details.reasoning"),
        ),
        first_token_ns=next((event.time_ns for event in span.events if event.name == "First Token Stream Event"), None),
        streaming=attributes.get("llm.is_streaming") is True,
        partial=("content_redacted",) if REDACTED in attributes.values() else (),
    )
    _variables(found, attributes)
    if what is SpanKind.LLM:
        _model_texts(found, attributes)
        return found
    found.question = unwrap_input(attributes.get("input.value"))
    found.answer = unwrap_output(attributes.get("output.value"))
    if what in RETRIEVING:
        found.query = first_text(attributes, "reranker.query") or found.question
    prefix = "reranker.output_documents" if what is SpanKind.RERANKER else "retrieval.documents"
    found.documents = _documents(attributes, prefix)
    if found.documents and found.documents[-1].rank > len(found.documents):
        found.partial += ("documents_missing",)
    found.documents = found.documents or _output_documents(attributes, what)
    return found


def _variables(found: Said, attributes: Attributes) -> None:
    variables = parsed(attributes.get("llm.prompt_template.variables"))
    if isinstance(variables, dict):
        found.prompt_question = first_text(variables, "question", "query_str", "query")
        found.prompt_context = first_text(variables, "context", "context_str")


def _model_texts(found: Said, attributes: Attributes) -> None:
    sent = _messages(attributes, "llm.input_messages")
    prompts = [
        text
        for _, slot in sorted(slots(attributes, "llm.prompts").items())
        if (text := text_of(slot.get("prompt.text")))
    ]
    found.messages = dialogue(_raw(attributes, "llm.input_messages"), _raw(attributes, "llm.output_messages"))
    users = [text for role, text in sent if role in ("user", "human")]
    found.question = users[-1] if users else (prompts[-1] if prompts else unwrap_input(attributes.get("input.value")))
    found.prompt = "\n\n".join([text for _, text in sent] or prompts) or text_of(attributes.get("input.value"))
    got = [
        text for role, text in _messages(attributes, "llm.output_messages") if role not in ("user", "human", "system")
    ]
    choices = [
        text
        for _, slot in sorted(slots(attributes, "llm.choices").items())
        if (text := text_of(slot.get("completion.text")))
    ]
    found.answer = got[0] if got else choices[0] if choices else None
    if found.answer is None and not any(key.startswith(("llm.output_messages.", "llm.choices.")) for key in attributes):
        found.answer = unwrap_output(attributes.get("output.value"))


def _raw(attributes: Attributes, prefix: str) -> list[dict[str, Any]]:
    """Flattened messages as OpenAI has them."""
    return [
        {
            "role": slot.get("message.role"),
            "content": _text_of_slot(slot),
            "tool_calls": [
                {
                    "name": call.get("tool_call.function.name"),
                    "arguments": call.get("tool_call.function.arguments"),
                }
                for _, call in sorted(slots(slot, "message.tool_calls").items())
            ],
        }
        for _, slot in sorted(slots(attributes, prefix).items())
    ]


def _text_of_slot(slot: Attributes) -> str | None:
    text = text_of(slot.get("message.content"))
    if text is not None:
        return text
    parts = slots(slot, "message.contents")
    texts = [part.get("message_content.text") for _, part in sorted(parts.items())]
    return "\n".join(t for t in texts if isinstance(t, str) and t) or None


def _messages(attributes: Attributes, prefix: str) -> list[tuple[str, str]]:
    """(role, text) of flattened messages, in order."""
    found = []
    for _, slot in sorted(slots(attributes, prefix).items()):
        text = _text_of_slot(slot)
        if text:
            found.append((str(slot.get("message.role", "")), text))
    return found


def _documents(attributes: Attributes, prefix: str) -> tuple[Document, ...]:
    """Flattened documents; the key's index keeps the rank where the first ones were dropped."""
    outer = {one.rank: one for one in documents_in(attributes.get("output.value"), retrieved=True)}
    kept = []
    for index, slot in sorted(slots(attributes, prefix).items()):
        item: dict[str, Any] = {key.removeprefix("document."): value for key, value in slot.items()}
        one = document(item, index + 1)
        if one is None or holds_nothing(item):
            continue
        same = outer.get(one.rank)
        if one.id is None and same is not None and same.text == one.text:
            one = replace(one, id=same.id)
        kept.append(one)
    return settle_ids(kept)


def _output_documents(attributes: Attributes, what: SpanKind) -> tuple[Document, ...]:
    if what is SpanKind.EMBEDDING:
        return ()
    return documents_in(attributes.get("output.value"), retrieved=what in RETRIEVING)
