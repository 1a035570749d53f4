"""The sidecar's own spans, off unless an OTLP endpoint is named. They never join a user's trace: they link to it.

    process TOPIC       one record (CONSUMER), linked to the producer's span where its headers name one
      decode · assemble
    evaluate            one request, linked to the span that is evaluated
      evaluate NAME     one evaluator
        chat MODEL      one call of the judge (CLIENT), as the GenAI semantic conventions have it
    export NAME         one push of results

Sampling, batches and the resource are those of the standard variables (OTEL_TRACES_SAMPLER, by default as the parent is; OTEL_BSP_*;
OTEL_RESOURCE_ATTRIBUTES). Nothing of a request but its ids is written on them. Off, each is one shared object that does nothing.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TypeAlias
from urllib.parse import urlsplit

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Link, SpanContext, SpanKind, StatusCode, TraceFlags, Tracer, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from exporters.otlp import SCOPE, SERVICE, OtlpConfig
from exporters.otlp_values import span_id_bytes, trace_id_bytes
from exporters.text import clean
from sidecar.record.record import Record

# The SDK waits this long for its receiver when it stops; the longest that our own stop may stand still.
_STOP_MILLISECONDS = 2_000

Value: TypeAlias = str | int | float
Tell: TypeAlias = Callable[[Mapping[str, Value | None]], None]


def _tell_nobody(_: Mapping[str, Value | None]) -> None:
    """What spans that are off are told."""


_NOTHING: AbstractContextManager[Tell] = contextlib.nullcontext(_tell_nobody)


class Tracing:
    """Makes spans, or nothing when off. Building one connects to nothing yet. Each span gives a function that attributes are told to."""

    def __init__(self, config: OtlpConfig | None = None) -> None:
        self._provider: TracerProvider | None = None
        self._tracer: Tracer | None = None
        if config is not None and config.traces_wanted:
            named = os.environ.get("OTEL_SERVICE_NAME") or SERVICE
            self._provider = TracerProvider(resource=Resource.create({"service.name": named}), shutdown_on_exit=False)
            self._provider.add_span_processor(
                BatchSpanProcessor(_span_exporter(config), export_timeout_millis=_STOP_MILLISECONDS)
            )
            self._tracer = self._provider.get_tracer(SCOPE)

    def span(self, name: str) -> AbstractContextManager[Tell]:
        """A span around a block. An exception that passes is on it by its type alone."""
        return _NOTHING if self._tracer is None else _span(self._tracer, name, SpanKind.INTERNAL)

    def process(self, record: Record) -> AbstractContextManager[Tell]:
        """A consumer span around one record, linked to the producer's span that its headers name (W3C Trace Context)."""
        if self._tracer is None:
            return _NOTHING
        attributes: dict[str, Value] = {
            "messaging.system": "kafka",
            "messaging.operation.name": "process",
            "messaging.operation.type": "process",
            "messaging.destination.name": record.topic,
            "messaging.destination.partition.id": str(record.partition),
            "messaging.kafka.offset": record.offset,
        }
        links = _producers(record.headers)
        return _span(self._tracer, f"process {record.topic}", SpanKind.CONSUMER, links, attributes)

    def evaluation(self, trace_id: str, span_id: str | None) -> AbstractContextManager[Tell]:
        """A span around the evaluation of a request, linked to the span that is evaluated."""
        if self._tracer is None:
            return _NOTHING
        # Not every backend keeps links.
        attributes: dict[str, Value] = {"rag_sidecar.trace_id": clean(trace_id)}
        return _span(self._tracer, "evaluate", SpanKind.INTERNAL, _links(trace_id, span_id), attributes)

    def chat(self, model: str, url: str, provider: str | None) -> AbstractContextManager[Tell]:
        """A client span around one call of the judge."""
        if self._tracer is None:
            return _NOTHING
        where = urlsplit(url)
        attributes: dict[str, Value] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider or "openai",
            "gen_ai.request.model": model,
            "gen_ai.output.type": "json",
            "server.address": where.hostname or "",
            "server.port": where.port or (443 if where.scheme == "https" else 80),
        }
        return _span(self._tracer, f"chat {model}", SpanKind.CLIENT, (), attributes)

    def stop(self) -> None:
        """Send what is left. Safe to call twice."""
        provider, self._provider, self._tracer = self._provider, None, None
        if provider is not None:
            provider.shutdown()


@contextlib.contextmanager
def _span(
    tracer: Tracer, name: str, kind: SpanKind, links: Sequence[Link] = (), attributes: Mapping[str, Value] | None = None
) -> Iterator[Tell]:
    # The SDK would write the exception's text, which may be a user's, into an event and into the status.
    with tracer.start_as_current_span(
        name, kind=kind, links=links, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:

        def tell(told: Mapping[str, Value | None]) -> None:
            span.set_attributes({key: value for key, value in told.items() if value is not None})
            if told.get("error.type"):
                span.set_status(StatusCode.ERROR)

        try:
            yield tell
        except BaseException as error:
            tell({"error.type": type(error).__name__})
            raise


def _links(trace_id: str, span_id: str | None) -> list[Link]:
    trace, span = trace_id_bytes(trace_id), span_id_bytes(span_id)
    if not trace or not span:
        return []
    flags = TraceFlags(TraceFlags.SAMPLED)
    return [Link(SpanContext(int.from_bytes(trace), int.from_bytes(span), is_remote=True, trace_flags=flags))]


def _producers(headers: Sequence[tuple[str, bytes]]) -> list[Link]:
    """The span that a record was sent in. Headers come from outside: what is no context links to nothing."""
    carrier = {name.lower(): value.decode("latin-1") for name, value in headers if name.lower() == "traceparent"}
    if not carrier:
        return []
    found = get_current_span(TraceContextTextMapPropagator().extract(carrier)).get_span_context()
    return [Link(found)] if found.is_valid else []


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
