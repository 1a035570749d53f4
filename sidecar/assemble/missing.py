"""What a request lacks, and which switch of its instrumentation would supply it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sidecar.assemble.tree import ORCHESTRATORS
from sidecar.record.request import Missing, RagTrace, TraceKind
from sidecar.record.span import RagSpan, SpanKind

_SWITCHES = {
    "openinference": "unset OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and their kin",
    "otel_genai": "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (or consume the log events too)",
    "openllmetry": "set TRACELOOP_TRACE_CONTENT=true",
    "haystack": "set HAYSTACK_CONTENT_TRACING_ENABLED=true",
    "langfuse": "do not mask inputs and outputs in the Langfuse client",
    "langsmith": "unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS",
    "mlflow": "log inputs and outputs in mlflow autologging",
    "vercel_ai": "set recordInputs and recordOutputs in experimental_telemetry",
    "native": "send the field in the record",
}
_NO_TEXT = "the instrumentation does not send texts"


def what_is_missing(trace: RagTrace, shown_by: Collection[SpanKind] = ()) -> tuple[Missing, ...]:
    """Missing question, answer, documents, tokens, in this order. `shown_by` are kinds of spans, no model's, that hold a text as an answer."""
    if trace.text_dropped:
        return ()
    switch = _SWITCHES.get(trace.convention, "switch content capture on")
    found = []
    if trace.question is None:
        found.append(Missing("question", f"{_NO_TEXT}: {switch}"))
    if trace.answer is None and trace.kind is not TraceKind.RETRIEVAL_ONLY and trace.error_class is None:
        found.append(Missing("answer", f"{_NO_TEXT}: {switch}"))
    if trace.kind is TraceKind.RETRIEVAL_ONLY and trace.answer is None and shown_by:
        found.append(Missing("answer", no_model(shown_by)))
    if not any(document.text for document in trace.documents):
        found.append(Missing("documents", _no_documents(trace, switch)))
    if trace.tokens.input is None and trace.kind is not TraceKind.RETRIEVAL_ONLY and trace.error_class is None:
        found.append(
            Missing(
                "tokens", "the model call reports no usage (when streaming, ask for it: stream_options include_usage)"
            )
        )
    return tuple(found)


def no_model(shown_by: Collection[SpanKind], call: str = "a model call") -> str:
    """Why the text that some spans hold as an answer is not taken for one."""
    verb = "hold" if len(shown_by) > 1 else "holds"
    return (
        f"a span of {' and of '.join(sorted(shown_by))} {verb} one, but no span of {call} was seen that it could be of: "
        "instrument the client of the model, too (docs/troubleshooting.md)"
    )


def no_request(spans: Iterable[RagSpan]) -> str | None:
    """Why a trace that is no RAG request has none, where something in it holds an answer."""
    shown_by = {span.kind for span in spans if span.kind in ORCHESTRATORS and span.said.answer}
    return f"answer: {no_model(shown_by, 'a model call or a retrieval')}" if shown_by else None


def _no_documents(trace: RagTrace, switch: str) -> str:
    if "dropped_attributes" in trace.partial:
        return "the span lost attributes: raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT (128 by default)"
    if trace.documents:
        return "the retriever's span names documents but not their texts, and none were found in the prompt"
    if trace.kind is TraceKind.LLM_ONLY:
        return "no retriever span was seen: instrument the retriever, or send its span to the same topic"
    return f"{_NO_TEXT}: {switch}"
