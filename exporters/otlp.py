"""OpenTelemetry: one `gen_ai.evaluation.result` log event an evaluation, attached to the span that was evaluated.

Attributes as the GenAI semantic conventions have them (open-telemetry/semantic-conventions-genai, model/gen-ai/events.yaml);
what these do not name stands under `rag_sidecar.`. The log record carries the ids of the evaluated span: that of the
retrieval for evaluators of the documents, that of the generation for all others. It is never a span in the user's trace.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal
from urllib.parse import urlsplit

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource as ProtoResource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans
from opentelemetry.sdk.resources import Resource
from opentelemetry.util.re import parse_env_headers
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from exporters.base import DestinationError, PermanentExportError
from exporters.evaluator_spans import evaluator_spans
from exporters.http_push import is_url
from exporters.otlp_send import LOGS, TRACES, Destination, GrpcSender, HttpSender, Sender, Signal, environment
from exporters.otlp_values import key_values, nanoseconds, span_id_bytes, trace_id_bytes
from exporters.result import Evaluation, Outcome, Result
from exporters.scores import span_of
from exporters.text import Patterns, text_door

SCOPE = "rag_sidecar"
SERVICE = "rag-sidecar"
EVENT = "gen_ai.evaluation.result"
_SAMPLED = 1


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
    timeout_seconds: float = Field(default=10.0, gt=0, description="Time for one request.")
    include_text: bool = Field(default=False, description="Send explanations, which are user text.")
    redact: Patterns = Field(
        default=(), description="Regular expressions; what they match becomes [redacted] in texts."
    )
    traces: bool = Field(default=True, description="Send the sidecar's own spans too.")
    events: bool = Field(default=True, description="Send each evaluation as an event (a log record).")
    evaluator_spans: bool = Field(
        default=False,
        description="Send each evaluation as an OpenInference EVALUATOR span too, linked to the span that was evaluated.",
    )

    @field_validator("endpoint")
    @classmethod
    def _url(cls, endpoint: str | None) -> str | None:
        if endpoint is not None and not is_url(endpoint):
            raise ValueError("is no URL: write for example http://collector:4318")
        return endpoint

    @property
    def wanted(self) -> bool:
        """Whether evaluations are to be sent, and anything names an endpoint for them."""
        return bool(self.signals)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """What evaluations are sent as. Spans first: their ids follow from the results, so that they may come again when the events fail."""
        spans = (TRACES,) if self.evaluator_spans and self._wanted("TRACES") else ()
        return (*spans, LOGS) if self.events and self._wanted("LOGS") else spans

    @property
    def traces_wanted(self) -> bool:
        """Whether the sidecar's own spans are to be sent."""
        return self.traces and self._wanted("TRACES")

    @property
    def used_protocol(self) -> str:
        """grpc or http/protobuf."""
        return self.protocol if self.endpoint else os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL") or self.protocol

    def url(self, signal: Literal["logs", "traces"]) -> str | None:
        """The endpoint of a signal; None leaves it to the standard variables."""
        if self.endpoint is None:
            return None
        return self.endpoint if self.used_protocol == "grpc" else f"{self.endpoint.rstrip('/')}/v1/{signal}"

    def plain_headers(self) -> dict[str, str] | None:
        """Headers in the clear, for the library; None leaves them to the standard variables."""
        return {name.lower(): value.get_secret_value() for name, value in self.headers.items()} or None

    def _wanted(self, signal: str) -> bool:
        if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
            return False
        if os.environ.get(f"OTEL_{signal}_EXPORTER", "").strip().lower() == "none":
            return False
        names = ("OTEL_EXPORTER_OTLP_ENDPOINT", f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
        return self.endpoint is not None or any(os.environ.get(name) for name in names)


class OtlpExporter:
    """Exporter over OTLP gRPC or HTTP."""

    name = "otlp"
    every_trace = False
    local = False

    def __init__(self, config: OtlpConfig) -> None:
        self._config = config
        self._text = text_door(config.include_text, config.redact)
        self._resource = _resource()
        self._senders: dict[str, Sender] = {}

    async def start(self) -> None:
        """Make ready; nothing is sent yet, for a receiver may come later. Raises DestinationError."""
        grpc = _protocol(self._config) == "grpc"
        for signal in self._config.signals:
            where = destination(self._config, grpc=grpc, signal=signal)
            self._senders[signal.name] = GrpcSender(where) if grpc else HttpSender(where)

    async def export(self, results: Sequence[Result]) -> None:
        """Send the evaluations of all results, one request a signal. Raises RetryableExportError or PermanentExportError."""
        if not any(result.evaluations for result in results):
            return
        if not self._senders:
            raise PermanentExportError("not started", error_type="not_started")
        for name, sender in self._senders.items():
            await sender.send(self._spans(results) if name == TRACES.name else self._events(results))

    async def check(self) -> None:
        """Send each signal's request without anything in it, which a receiver answers as any other (the OTLP specification asks that of it). Raises as
        `export`."""
        for name, sender in self._senders.items():
            await sender.send(ExportTraceServiceRequest() if name == TRACES.name else ExportLogsServiceRequest())

    async def stop(self) -> None:
        """Close connections."""
        senders, self._senders = self._senders, {}
        for sender in senders.values():
            await sender.close()

    def _spans(self, results: Sequence[Result]) -> ExportTraceServiceRequest:
        scope = ScopeSpans(scope=InstrumentationScope(name=SCOPE), spans=evaluator_spans(results, self._text))
        traces = [ResourceSpans(resource=self._resource, scope_spans=[scope])]
        return ExportTraceServiceRequest(resource_spans=traces)

    def _events(self, results: Sequence[Result]) -> ExportLogsServiceRequest:
        records = [self._event(result, one) for result in results for one in result.evaluations]
        scope = ScopeLogs(scope=InstrumentationScope(name=SCOPE), log_records=records)
        return ExportLogsServiceRequest(resource_logs=[ResourceLogs(resource=self._resource, scope_logs=[scope])])

    def _event(self, result: Result, one: Evaluation) -> LogRecord:
        trace_id = trace_id_bytes(result.trace_id)
        span_id = span_id_bytes(span_of(result, one)) if trace_id else b""
        at = nanoseconds(result.completed_at)
        return LogRecord(
            time_unix_nano=at,
            observed_time_unix_nano=at,
            severity_number=SeverityNumber.SEVERITY_NUMBER_INFO,
            event_name=EVENT,
            trace_id=trace_id,
            span_id=span_id,
            flags=_SAMPLED if span_id and result.trace_sampled else 0,
            attributes=key_values(self._attributes(result, one, attached=bool(span_id))),
        )

    def _attributes(self, result: Result, one: Evaluation, *, attached: bool) -> dict[str, str | float | None]:
        model = one.model
        return {
            "gen_ai.evaluation.name": one.evaluator,
            "gen_ai.evaluation.score.value": one.score,
            "gen_ai.evaluation.score.label": one.label,
            "gen_ai.evaluation.explanation": self._text(one.explanation),
            "gen_ai.response.id": None if attached else result.response_id,
            "error.type": (one.reason or "other") if one.outcome is Outcome.FAILED else None,
            "rag_sidecar.result.id": result.id,
            "rag_sidecar.trace_id": None if attached else result.trace_id,
            "rag_sidecar.service": result.service,
            "rag_sidecar.outcome": one.outcome.value,
            "rag_sidecar.reason": one.reason,
            "rag_sidecar.verdict": result.verdict.value if result.verdict else None,
            "rag_sidecar.inclusion_probability": result.probability_of(one),
            "rag_sidecar.evaluator.version": one.version,
            "rag_sidecar.evaluator.method": one.method,
            "rag_sidecar.evaluator.threshold": one.threshold,
            "rag_sidecar.evaluator.model": model.name if model else None,
            "rag_sidecar.evaluator.model_version": model.version if model else None,
            "rag_sidecar.evaluator.model_sha256": model.sha256 if model else None,
            "rag_sidecar.evaluator.other_models": ", ".join(other.called for other in one.other_models) or None,
            "rag_sidecar.evaluator.abstention_model": one.abstention_model.called if one.abstention_model else None,
        }


def destination(config: OtlpConfig, *, grpc: bool, signal: Signal = LOGS) -> Destination:
    """Where evaluation events go: what the config names, else the standard variables. Raises DestinationError."""
    field, url = "otlp.endpoint", config.endpoint
    variable = f"OTEL_EXPORTER_OTLP_{signal.name.upper()}_ENDPOINT"
    if url is not None:
        url = url if grpc else f"{url.rstrip('/')}/v1/{signal.name}"
    elif own := os.environ.get(variable):
        field, url = variable, own
    elif base := os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        field, url = "OTEL_EXPORTER_OTLP_ENDPOINT", base if grpc else f"{base.rstrip('/')}/v1/{signal.name}"
    if url is None or not (is_url(url) or (grpc and "://" not in url)):
        raise DestinationError(field, "is no URL", "write for example http://collector:4318")
    told = partial(environment, signal=signal)
    secure = urlsplit(url).scheme == "https" or ("://" not in url and (told("INSECURE") or "").lower() != "true")
    headers = {**parse_env_headers(told("HEADERS") or "", liberal=True), **(config.plain_headers() or {})}
    return Destination(
        signal=signal,
        url=url,
        timeout_seconds=config.timeout_seconds,
        headers=headers,
        gzip=(told("COMPRESSION") or "").lower() == "gzip",
        insecure=not secure,
        ca_file=told("CERTIFICATE"),
        cert_file=told("CLIENT_CERTIFICATE"),
        key_file=told("CLIENT_KEY"),
    )


def _protocol(config: OtlpConfig) -> str:
    if config.endpoint:
        return config.protocol
    found = environment("PROTOCOL") or config.protocol
    if found not in ("grpc", "http/protobuf"):
        raise DestinationError("OTEL_EXPORTER_OTLP_PROTOCOL", f"{found} is not known", "write grpc or http/protobuf")
    return found


def _resource() -> ProtoResource:
    """service.name, and what OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME add."""
    named = os.environ.get("OTEL_SERVICE_NAME") or SERVICE
    attributes = Resource.create({"service.name": named}).attributes
    return ProtoResource(attributes=key_values({key: str(value) for key, value in attributes.items()}))
