"""MLflow tracing (scope mlflow.tracing.provider): every value is JSON-encoded."""

from __future__ import annotations

from typing import Any

from sidecar.decode.values.documents import documents_in
from sidecar.decode.values.messages import all_text, last_user, unwrap_input, unwrap_output
from sidecar.decode.values.scalars import first_count, make_tokens, number, parsed, text_of, unquoted
from sidecar.record.span import RETRIEVING, RawSpan, Said, SpanKind

NAME = "mlflow"
_KINDS = {
    "CHAT_MODEL": SpanKind.LLM, "LLM": SpanKind.LLM, "RETRIEVER": SpanKind.RETRIEVER, "RERANKER": SpanKind.RERANKER,
    "EMBEDDING": SpanKind.EMBEDDING, "TOOL": SpanKind.TOOL, "AGENT": SpanKind.AGENT, "EVALUATOR": SpanKind.EVALUATOR,
}  # fmt: skip


def kind(span: RawSpan) -> SpanKind | None:
    """By `mlflow.spanType`."""
    value = unquoted(span.attributes.get("mlflow.spanType"))
    return _KINDS.get(value.upper(), SpanKind.CHAIN) if value else None


def fields(span: RawSpan, what: SpanKind) -> Said:
    """Inputs, outputs, usage."""
    attributes = span.attributes
    given, made = parsed(attributes.get("mlflow.spanInputs")), parsed(attributes.get("mlflow.spanOutputs"))
    usage = parsed(attributes.get("mlflow.chat.tokenUsage"))
    cost = parsed(attributes.get("mlflow.llm.cost"))
    found = Said(
        model_requested=unquoted(attributes.get("mlflow.llm.model")),
        session=unquoted(attributes.get("mlflow.trace.session")),
        user=unquoted(attributes.get("mlflow.trace.user")),
        reported_cost_usd=number(cost.get("total_cost", cost.get("total"))) if isinstance(cost, dict) else number(cost),
    )
    if what is SpanKind.LLM:
        found.provider = unquoted(attributes.get("mlflow.llm.provider"))
        found.question, found.prompt = last_user(given) or unwrap_input(given), all_text(given)
        found.answer = _answer(made)
        found.model_answered = _answering_model(made)
        found.tokens = _tokens(usage)
        token = next(
            (e.time_ns for e in span.events if e.name == "new_token" and parsed(e.attributes.get("token"))), None
        )
        found.first_token_ns, found.streaming = token, token is not None
    else:
        found.question, found.answer = unwrap_input(given), unwrap_output(made)
        found.documents = documents_in(made, retrieved=what in RETRIEVING)
        found.query = found.question if what is SpanKind.RETRIEVER else None
    return found


def _answer(made: Any) -> str | None:
    generations = made.get("generations") if isinstance(made, dict) else None
    while isinstance(generations, list) and generations:
        generations = generations[0]
    if isinstance(generations, dict):
        return text_of(generations.get("text")) or unwrap_output(generations)
    choices = made.get("choices") if isinstance(made, dict) else None
    return unwrap_output(choices[0]) if isinstance(choices, list) and choices else unwrap_output(made)


def _answering_model(made: Any) -> str | None:
    for path in (("llm_output", "model_name"), ("model",)):
        value = made
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if text_of(value):
            return text_of(value)
    generation = made.get("generations") if isinstance(made, dict) else made
    while isinstance(generation, list) and generation:
        generation = generation[0]
    message = generation.get("message", generation) if isinstance(generation, dict) else None
    metadata = message.get("response_metadata") if isinstance(message, dict) else None
    return text_of(metadata.get("model_name")) if isinstance(metadata, dict) else None


def _tokens(usage: Any) -> Any:
    if not isinstance(usage, dict):
        return None
    return make_tokens(
        first_count(usage, "input_tokens"),
        first_count(usage, "output_tokens"),
        cached=first_count(usage, "cache_read_input_tokens"),
        written=first_count(usage, "cache_creation_input_tokens"),
    )
