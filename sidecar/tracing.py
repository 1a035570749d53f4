"""The sidecar's own spans, off unless an OTLP endpoint is named. They never join a user's trace: they link to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Link, SpanContext, SpanKind, TraceFlags, Tracer

from exporters.otlp import SCOPE, SERVICE, OtlpConfig


class Tracing:
    """Makes spans, or nothing when off."""

    def __init__(self, config: OtlpConfig | None) -> None:
        self._provider: TracerProvider | None = None
        self._tracer: Tracer | None = None
        if config is not None and config.wanted and config.traces:
            self._provider = TracerProvider(resource=Resource.create({"service.name": SERVICE}), shutdown_on_exit=False)
            self._provider.add_span_processor(BatchSpanProcessor(_span_exporter(config)))
            self._tracer = self._provider.get_tracer(SCOPE)

    @contextlib.contextmanager
    def span(self, name: str) -> Iterator[None]:
        """A span around a block."""
        if self._tracer is None:
            yield
            return
        with self._tracer.start_as_current_span(name):
            yield

    @contextlib.contextmanager
    def evaluation(self, trace_id: str, span_id: str | None) -> Iterator[None]:
        """A consumer span around the evaluation of a request, linked to the span that is evaluated."""
        if self._tracer is None:
            yield
            return
        with self._tracer.start_as_current_span("evaluate", kind=SpanKind.CONSUMER, links=_links(trace_id, span_id)):
            yield

    def stop(self) -> None:
        """Send what is left."""
        if self._provider is not None:
            self._provider.shutdown()
            self._provider = None


def _links(trace_id: str, span_id: str | None) -> list[Link]:
    try:
        context = SpanContext(
            int(trace_id, 16), int(span_id or "0", 16), is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED)
        )
    except ValueError:
        return []
    return [Link(context)] if context.is_valid else []


def _span_exporter(config: OtlpConfig) -> SpanExporter:
    if config.used_protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter

        insecure = None if config.endpoint is None else not config.endpoint.startswith("https")
        return GrpcExporter(
            endpoint=config.url("traces"),
            headers=config.plain_headers(),
            timeout=config.timeout_seconds,
            insecure=insecure,
        )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter

    return HttpExporter(endpoint=config.url("traces"), headers=config.plain_headers(), timeout=config.timeout_seconds)
