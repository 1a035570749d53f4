"""What makes spans of a framework: instrumentations by name, each switched on as its own documentation says. Texts are captured."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def tracing() -> TracerProvider:
    """Spans over OTLP to where OTEL_EXPORTER_OTLP_ENDPOINT says, of the service OTEL_SERVICE_NAME."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider


def conversation(instrumentation: str, session: str) -> AbstractContextManager[object]:
    """In this block spans are of a conversation, where the instrumentation has a way to say so and the framework has none."""
    if instrumentation != "openinference":
        return nullcontext()
    from openinference.instrumentation import using_session

    return using_session(session)


def _openinference_langchain(provider: TracerProvider) -> None:
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument(tracer_provider=provider)


def _openinference_llamaindex(provider: TracerProvider) -> None:
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    LlamaIndexInstrumentor().instrument(tracer_provider=provider)


def _openinference_haystack(provider: TracerProvider) -> None:
    from openinference.instrumentation.haystack import HaystackInstrumentor

    HaystackInstrumentor().instrument(tracer_provider=provider)


def _openllmetry_langchain(provider: TracerProvider) -> None:
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor

    LangchainInstrumentor().instrument(tracer_provider=provider)


def _openllmetry_llamaindex(provider: TracerProvider) -> None:
    from opentelemetry.instrumentation.llamaindex import LlamaIndexInstrumentor
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    LlamaIndexInstrumentor().instrument(tracer_provider=provider)
    # It leaves the calls of OpenAI's models to this one; without it no model call is in the trace.
    OpenAIInstrumentor().instrument(tracer_provider=provider)


def _haystack(provider: TracerProvider) -> None:
    from haystack.tracing import enable_tracing, tracer
    from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer

    tracer.is_content_tracing_enabled = True
    enable_tracing(OpenTelemetryTracer(provider.get_tracer("haystack")))


def _opentelemetry_langchain(provider: TracerProvider) -> None:
    from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor

    _capture()
    LangChainInstrumentor().instrument(tracer_provider=provider)


def _opentelemetry_openai(provider: TracerProvider) -> None:
    from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor

    _capture()
    OpenAIInstrumentor().instrument(tracer_provider=provider)


def _capture() -> None:
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"


# By framework and instrumentation.
INSTRUMENTATIONS: Mapping[tuple[str, str], Callable[[TracerProvider], None]] = {
    ("langchain", "openinference"): _openinference_langchain,
    ("langchain", "openllmetry"): _openllmetry_langchain,
    ("llamaindex", "openinference"): _openinference_llamaindex,
    ("llamaindex", "openllmetry"): _openllmetry_llamaindex,
    ("haystack", "openinference"): _openinference_haystack,
    ("haystack", "haystack"): _haystack,
    ("langchain", "opentelemetry"): _opentelemetry_langchain,
    ("openai", "opentelemetry"): _opentelemetry_openai,
}
