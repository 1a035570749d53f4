"""OpenTelemetry: one `gen_ai.evaluation.result` log event an evaluation, attached to the span that was evaluated.

Attributes as the GenAI semantic conventions have them (open-telemetry/semantic-conventions-genai, model/gen-ai/events.yaml);
what these do not name stands under `rag_sidecar.`. The log record carries the ids of the evaluated span: that of the
retrieval for evaluators of the documents, that of the generation for all others. It is never a span in the user's trace.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import urlsplit

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource as ProtoResource
from opentelemetry.sdk.resources import Resource
from opentelemetry.util.re import parse_env_headers
from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from exporters.base import DestinationError, PermanentExportError
from exporters.http_push import is_url
from exporters.otlp_send import Destination, GrpcSender, HttpSender, Sender, environment
from exporters.result import Evaluation, Outcome, Result
from exporters.scores import is_id, span_of
from exporters.text import Patterns, clean, text_door

SCOPE = "rag_sidecar"
SERVICE = "rag-sidecar"
EVENT = "gen_ai.evaluation.result"
_SAMPLED = 1
_LATEST_NANOSECONDS = 2**63 - 1


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

    @field_validator("endpoint")
    @classmethod
    def _url(cls, endpoint: str | None) -> str | None:
        if endpoint is not None and not is_url(endpoint):
            raise ValueError("is no URL: write for example http://collector:4318")
        return endpoint

    @property
    def wanted(self) -> bool:
        """Whether anything names an endpoint for evaluation events."""
        return self._wanted("LOGS")

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
        self._sender: Sender | None = None

    async def start(self) -> None:
        """Make ready; nothing is sent yet, for a receiver may come later. Raises DestinationError."""
        grpc = _protocol(self._config) == "grpc"
        where = destination(self._config, grpc=grpc)
        self._sender = GrpcSender(where) if grpc else HttpSender(where)

    async def export(self, results: Sequence[Result]) -> None:
        """Send the events of all results in one request. Raises RetryableExportError or PermanentExportError."""
        records = [self._event(result, one) for result in results for one in result.evaluations]
        if not records:
            return
        if self._sender is None:
            raise PermanentExportError("not started", error_type="not_started")
        logs = ScopeLogs(scope=InstrumentationScope(name=SCOPE), log_records=records)
        request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(resource=self._resource, scope_logs=[logs])])
        await self._sender.send(request)

    async def stop(self) -> None:
        """Close connections."""
        sender, self._sender = self._sender, None
        if sender is not None:
            await sender.close()

    def _event(self, result: Result, one: Evaluation) -> LogRecord:
        trace_id = trace_id_bytes(result.trace_id)
        span_id = span_id_bytes(span_of(result, one)) if trace_id else b""
        nanoseconds = _nanoseconds(result.completed_at)
        return LogRecord(
            time_unix_nano=nanoseconds,
            observed_time_unix_nano=nanoseconds,
            severity_number=SeverityNumber.SEVERITY_NUMBER_INFO,
            event_name=EVENT,
            trace_id=trace_id,
            span_id=span_id,
            flags=_SAMPLED if span_id and result.trace_sampled else 0,
            attributes=_key_values(self._attributes(result, one, attached=bool(span_id))),
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
        }


def destination(config: OtlpConfig, *, grpc: bool) -> Destination:
    """Where evaluation events go: what the config names, else the standard variables. Raises DestinationError."""
    field, url = "otlp.endpoint", config.endpoint
    if url is not None:
        url = url if grpc else f"{url.rstrip('/')}/v1/logs"
    elif own := os.environ.get("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"):
        field, url = "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", own
    elif base := os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        field, url = "OTEL_EXPORTER_OTLP_ENDPOINT", base if grpc else f"{base.rstrip('/')}/v1/logs"
    if url is None or not (is_url(url) or (grpc and "://" not in url)):
        raise DestinationError(field, "is no URL", "write for example http://collector:4318")
    secure = urlsplit(url).scheme == "https" or ("://" not in url and (environment("INSECURE") or "").lower() != "true")
    headers = {**parse_env_headers(environment("HEADERS") or "", liberal=True), **(config.plain_headers() or {})}
    return Destination(
        url=url,
        timeout_seconds=config.timeout_seconds,
        headers=headers,
        gzip=(environment("COMPRESSION") or "").lower() == "gzip",
        insecure=not secure,
        ca_file=environment("CERTIFICATE"),
        cert_file=environment("CLIENT_CERTIFICATE"),
        key_file=environment("CLIENT_KEY"),
    )


def trace_id_bytes(text: str | None) -> bytes:
    """A W3C trace id as 16 bytes; empty where it is none (a native record's own id may be any string)."""
    return _id_bytes(text, 32)


def span_id_bytes(text: str | None) -> bytes:
    """A W3C span id as 8 bytes; empty where it is none."""
    return _id_bytes(text, 16)


def _id_bytes(text: str | None, digits: int) -> bytes:
    return bytes.fromhex(text) if text is not None and is_id(text, digits) else b""


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
    return ProtoResource(attributes=_key_values({key: str(value) for key, value in attributes.items()}))


def _key_values(attributes: Mapping[str, str | float | None]) -> list[KeyValue]:
    """Those attributes that are there."""
    found = []
    for key, value in attributes.items():
        if isinstance(value, str):
            found.append(KeyValue(key=key, value=AnyValue(string_value=clean(value))))
        elif value is not None and math.isfinite(value):
            found.append(KeyValue(key=key, value=AnyValue(double_value=value)))
    return found


def _nanoseconds(seconds: float) -> int:
    """Seconds since the epoch as OTLP has them; 0, which means unknown, for what it cannot hold."""
    return int(seconds * 1e9) if 0 <= seconds * 1e9 <= _LATEST_NANOSECONDS else 0
