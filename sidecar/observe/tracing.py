"""The sidecar's own spans, off unless an OTLP endpoint is named. They never join a user's trace: they link to it.

Nothing of a request but its ids is written on them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Link, SpanContext, SpanKind, StatusCode, TraceFlags, Tracer

from exporters.otlp import SCOPE, SERVICE, OtlpConfig, span_id_bytes, trace_id_bytes
from exporters.text import clean

# The SDK waits this long for its receiver when it stops; the longest that our own stop may stand still.
_STOP_MILLISECONDS = 2_000
_NOTHING: AbstractContextManager[None] = contextlib.nullcontext()


class Tracing:
    """Makes spans, or nothing when off. Building one connects to nothing yet."""

    def __init__(self, config: OtlpConfig | None) -> None:
        self._provider: TracerProvider | None = None
        self._tracer: Tracer | None = None
        if config is not None and config.traces_wanted:
            named = os.environ.get("OTEL_SERVICE_NAME") or SERVICE
            self._provider = TracerProvider(resource=Resource.create({"service.name": named}), shutdown_on_exit=False)
            self._provider.add_span_processor(
                BatchSpanProcessor(_span_exporter(config), export_timeout_millis=_STOP_MILLISECONDS)
            )
            self._tracer = self._provider.get_tracer(SCOPE)

    def span(self, name: str) -> AbstractContextManager[None]:
        """A span around a block. An exception that passes is on it by its type alone."""
        return _NOTHING if self._tracer is None else _span(self._tracer, name, SpanKind.INTERNAL)

    def evaluation(self, trace_id: str, span_id: str | None) -> AbstractContextManager[None]:
        """A consumer span around the evaluation of a request, linked to the span that is evaluated."""
        if self._tracer is None:
            return _NOTHING
        links = _links(trace_id, span_id)
        attributes = {} if links else {"rag_sidecar.trace_id": clean(trace_id)}
        return _span(self._tracer, "evaluate", SpanKind.CONSUMER, links, attributes)

    def stop(self) -> None:
        """Send what is left. Safe to call twice."""
        provider, self._provider, self._tracer = self._provider, None, None
        if provider is not None:
            provider.shutdown()


@contextlib.contextmanager
def _span(
    tracer: Tracer, name: str, kind: SpanKind, links: Sequence[Link] = (), attributes: Mapping[str, str] | None = None
) -> Iterator[None]:
    # The SDK would write the exception's text, which may be a user's, into an event and into the status.
    with tracer.start_as_current_span(
        name, kind=kind, links=links, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield
        except BaseException as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise


def _links(trace_id: str, span_id: str | None) -> list[Link]:
    trace, span = trace_id_bytes(trace_id), span_id_bytes(span_id)
    if not trace or not span:
        return []
    flags = TraceFlags(TraceFlags.SAMPLED)
    return [Link(SpanContext(int.from_bytes(trace), int.from_bytes(span), is_remote=True, trace_flags=flags))]


def _span_exporter(config: OtlpConfig) -> SpanExporter:
    protocol = config.used_protocol
    if config.endpoint is None:
        protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or protocol
    if protocol == "grpc":
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
