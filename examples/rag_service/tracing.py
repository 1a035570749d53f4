"""OpenInference spans of a request, over OTLP to where OTEL_EXPORTER_OTLP_ENDPOINT says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span

from rag_service.retrieval import Found

Attributes = Mapping[str, str | int | float]


class Tracing:
    """Makes spans, and sends them in the background. The service's name is OTEL_SERVICE_NAME."""

    def __init__(self, exporter: SpanExporter | None = None) -> None:
        self._provider = TracerProvider()
        self._provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter(), schedule_delay_millis=500))
        self._tracer = self._provider.get_tracer("rag-service")

    @contextmanager
    def span(self, kind: str, name: str, attributes: Attributes, context: Context | None = None) -> Iterator[Span]:
        """One step of a request, within `context` (None: the step that is under way); what it raises is on the span."""
        with self._tracer.start_as_current_span(
            name, context, attributes={"openinference.span.kind": kind, **attributes}
        ) as span:
            yield span

    def stop(self) -> None:
        """Send what waits."""
        self._provider.shutdown()


def retrieved(found: list[Found]) -> Attributes:
    """Attributes of documents that were found."""
    return {
        f"retrieval.documents.{place}.document.{name}": value
        for place, one in enumerate(found)
        for name, value in (("id", one.document.id), ("content", one.document.text), ("score", one.score))
    }


def asked(system: str, question: str, model: str) -> Attributes:
    """Attributes of a call of the model."""
    return {
        "llm.model_name": model,
        "llm.provider": "in-house",
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": system,
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.content": question,
        "llm.token_count.prompt": _tokens(system + question),
    }


def said(answer: str) -> Attributes:
    """Attributes of its answer."""
    return {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": answer,
        "llm.token_count.completion": _tokens(answer),
    }


def _tokens(text: str) -> int:
    return len(text) // 4 + 1
