"""What a request lacks, and which switch of its instrumentation would supply it."""

from __future__ import annotations

from sidecar.record.request import Missing, RagTrace, TraceKind

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


def what_is_missing(trace: RagTrace) -> tuple[Missing, ...]:
    """Missing question, answer, documents, tokens, in this order."""
    if trace.text_dropped:
        return ()
    switch = _SWITCHES.get(trace.convention, "switch content capture on")
    found = []
    if trace.question is None:
        found.append(Missing("question", f"{_NO_TEXT}: {switch}"))
    if trace.answer is None and trace.kind is not TraceKind.RETRIEVAL_ONLY and trace.error_class is None:
        found.append(Missing("answer", f"{_NO_TEXT}: {switch}"))
    if not any(document.text for document in trace.documents):
        found.append(Missing("documents", _no_documents(trace, switch)))
    if trace.tokens.input is None and trace.kind is not TraceKind.RETRIEVAL_ONLY and trace.error_class is None:
        found.append(
            Missing(
                "tokens", "the model call reports no usage (when streaming, ask for it: stream_options include_usage)"
            )
        )
    return tuple(found)


def _no_documents(trace: RagTrace, switch: str) -> str:
    if "dropped_attributes" in trace.partial:
        return "the span lost attributes: raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT (128 by default)"
    if trace.documents:
        return "the retriever's span names documents but not their texts, and none were found in the prompt"
    if trace.kind is TraceKind.LLM_ONLY:
        return "no retriever span was seen: instrument the retriever, or send its span to the same topic"
    return f"{_NO_TEXT}: {switch}"
