"""OpenTelemetry: one `gen_ai.evaluation.result` log event an evaluation, attached to the span that was evaluated.

Attributes as the GenAI semantic conventions have them (open-telemetry/semantic-conventions-genai, events); what these do not
name (model, threshold, probability) stands under `rag_sidecar.`. The log record carries the ids of the evaluated span, never
a span of ours in the user's trace.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from exporters.base import RetryableExportError
from exporters.result import Evaluation, Outcome, Result

SCOPE = "rag_sidecar"
SERVICE = "rag-sidecar"
EVENT = "gen_ai.evaluation.result"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_OF_DOCUMENTS = frozenset({"context_relevance", "context_precision"})


class OtlpConfig(BaseModel):
    """Settings of OTLP. Off unless an endpoint is named here or in the standard OTEL_EXPORTER_OTLP_* variables."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    endpoint: str | None = Field(
        default=None, description="Base URL of the receiver, for example http://collector:4318."
    )
    protocol: Literal["grpc", "http/protobuf"] = Field(
        default="http/protobuf", description="Protocol, where OTEL_EXPORTER_OTLP_PROTOCOL does not say."
    )
    headers: Mapping[str, SecretStr] = Field(default={}, description="Headers of each request, for example an API key.")
    timeout_seconds: float = Field(default=10.0, gt=0, description="Time for one request, retries included.")
    include_text: bool = Field(default=False, description="Send explanations, which are user text.")
    traces: bool = Field(default=True, description="Send the sidecar's own spans too.")

    @property
    def wanted(self) -> bool:
        """Whether anything names an endpoint."""
        if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
            return False
        return self.endpoint is not None or any(os.environ.get(name) for name in _ENDPOINTS)

    @property
    def used_protocol(self) -> str:
        """grpc or http/protobuf."""
        return self.protocol if self.endpoint else os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", self.protocol)

    def url(self, signal: Literal["logs", "traces"]) -> str | None:
        """The endpoint of a signal; None leaves it to the standard variables."""
        if self.endpoint is None:
            return None
        return self.endpoint if self.used_protocol == "grpc" else f"{self.endpoint.rstrip('/')}/v1/{signal}"

    def plain_headers(self) -> dict[str, str] | None:
        """Headers in the clear, for the library; None leaves them to the standard variables."""
        return {name.lower(): value.get_secret_value() for name, value in self.headers.items()} or None


class LogExporter(Protocol):
    """The part of OpenTelemetry's OTLPLogExporter that is used here. Both calls block."""

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult: ...

    def shutdown(self) -> None: ...


class OtlpExporter:
    """Exporter over OTLP gRPC or HTTP."""

    name = "otlp"
    every_trace = False
    local = False

    def __init__(self, config: OtlpConfig) -> None:
        self._config = config
        self._resource = Resource.create({"service.name": SERVICE})
        self._scope = InstrumentationScope(SCOPE)
        self._exporter: LogExporter | None = None

    async def start(self) -> None:
        """Build the library's exporter; nothing is sent yet."""
        self._exporter = _log_exporter(self._config)

    async def export(self, results: Sequence[Result]) -> None:
        """Send the events of all results in one request. Raises RetryableExportError."""
        batch = [self._event(result, one) for result in results for one in result.evaluations]
        exporter = self._exporter
        if not batch or exporter is None:
            return
        sent = await asyncio.to_thread(exporter.export, batch)
        if sent is not LogRecordExportResult.SUCCESS:
            raise RetryableExportError("the OTLP receiver did not take the events", error_type="refused")

    async def stop(self) -> None:
        """Close connections."""
        if self._exporter is not None:
            await asyncio.to_thread(self._exporter.shutdown)
            self._exporter = None

    def _event(self, result: Result, one: Evaluation) -> ReadableLogRecord:
        trace_id = _hex(result.trace_id, 32)
        span = (
            result.retrieval_span_id if one.evaluator in _OF_DOCUMENTS and result.retrieval_span_id else result.span_id
        )
        span_id = _hex(span, 16) if trace_id else 0
        record = LogRecord(
            timestamp=int(result.completed_at * 1e9),
            observed_timestamp=int(result.completed_at * 1e9),
            context=_context(trace_id, span_id, sampled=result.trace_sampled),
            severity_number=SeverityNumber.INFO,
            attributes=_attributes(result, one, with_ids=not span_id, with_text=self._config.include_text),
            event_name=EVENT,
        )
        return ReadableLogRecord(record, self._resource, self._scope)


def _attributes(result: Result, one: Evaluation, *, with_ids: bool, with_text: bool) -> dict[str, str | float]:
    found: dict[str, str | float | None] = {
        "gen_ai.evaluation.name": one.evaluator,
        "gen_ai.evaluation.score.value": one.score,
        "gen_ai.evaluation.score.label": one.label,
        "gen_ai.evaluation.explanation": one.explanation if with_text else None,
        "gen_ai.response.id": result.response_id if with_ids else None,
        "error.type": one.reason if one.outcome is Outcome.FAILED else None,
        "rag_sidecar.result.id": result.id,
        "rag_sidecar.trace_id": result.trace_id if with_ids else None,
        "rag_sidecar.service": result.service,
        "rag_sidecar.outcome": one.outcome.value,
        "rag_sidecar.reason": one.reason,
        "rag_sidecar.verdict": result.verdict.value if result.verdict else None,
        "rag_sidecar.inclusion_probability": result.inclusion_probability,
        "rag_sidecar.evaluator.version": one.version,
        "rag_sidecar.evaluator.threshold": one.threshold,
    }
    if one.model is not None:
        found["rag_sidecar.model.name"] = one.model.name
        found["rag_sidecar.model.version"] = one.model.version
        found["rag_sidecar.model.sha256"] = one.model.sha256
    return {
        key: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for key, value in found.items()
        if value is not None
    }


def _log_exporter(config: OtlpConfig) -> LogExporter:
    if config.used_protocol == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcExporter

        insecure = None if config.endpoint is None else not config.endpoint.startswith("https")
        return GrpcExporter(
            endpoint=config.url("logs"),
            headers=config.plain_headers(),
            timeout=config.timeout_seconds,
            insecure=insecure,
        )
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpExporter

    return HttpExporter(endpoint=config.url("logs"), headers=config.plain_headers(), timeout=config.timeout_seconds)


def _context(trace_id: int, span_id: int, *, sampled: bool) -> Context:
    """A context in which the evaluated span is the current one; an empty one where its ids are not known."""
    flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
    span = SpanContext(trace_id, span_id, is_remote=True, trace_flags=flags)
    return set_span_in_context(NonRecordingSpan(span), Context()) if span.is_valid else Context()


def _hex(text: str | None, digits: int) -> int:
    """An id as a number, 0 where it is none."""
    if text is None or len(text) != digits:
        return 0
    try:
        return int(text, 16)
    except ValueError:
        return 0
