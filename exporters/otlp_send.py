"""Sends OTLP log records and spans over gRPC or HTTP, and says for each failure whether trying again may help.

The SDK's own exporters keep that to themselves, and retry on their own; here delivery retries. Which failures are worth it
is what the OTLP specification says (opentelemetry.io/docs/specs/otlp, "Failures").
"""

from __future__ import annotations

import asyncio
import gzip
import os
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from exporters.base import DestinationError, ExportError, PermanentExportError, RetryableExportError
from exporters.clients.http import Answer, HttpClient, Limits, TlsFiles
from exporters.http_push import http_error, post

RETRYABLE_GRPC = frozenset(
    {
        "CANCELLED",
        "DEADLINE_EXCEEDED",
        "RESOURCE_EXHAUSTED",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNAVAILABLE",
        "DATA_LOSS",
    }
)
RETRYABLE_HTTP = frozenset({408, 429, 502, 503, 504})
CLOSED_GRPC = frozenset({"UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED", "NOT_FOUND"})


Request: TypeAlias = ExportLogsServiceRequest | ExportTraceServiceRequest


@dataclass(frozen=True, slots=True)
class Signal:
    """Logs or traces: how the receiver answers, and how many of a request it says it has refused."""

    name: Literal["logs", "traces"]
    answer: type[ExportLogsServiceResponse] | type[ExportTraceServiceResponse]
    refused: Callable[[Any], int]


LOGS = Signal("logs", ExportLogsServiceResponse, lambda said: int(said.partial_success.rejected_log_records))
TRACES = Signal("traces", ExportTraceServiceResponse, lambda said: int(said.partial_success.rejected_spans))


@dataclass(frozen=True, slots=True)
class Destination:
    """Where to send, and how. `url` is complete for HTTP; of it gRPC takes scheme, host and port."""

    signal: Signal
    url: str
    timeout_seconds: float
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    gzip: bool = False
    insecure: bool = False
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None


class Sender(Protocol):
    """Sends one request. Raises RetryableExportError or PermanentExportError. `close` may be called twice."""

    async def send(self, request: Request) -> None: ...

    async def close(self) -> None: ...


class HttpSender:
    """OTLP over HTTP with binary protobuf."""

    def __init__(self, destination: Destination) -> None:
        """Raises DestinationError where a TLS file cannot be read."""
        self._to = destination
        headers = {"content-type": "application/x-protobuf", **destination.headers}
        files = TlsFiles(destination.ca_file, destination.cert_file, destination.key_file)
        try:
            self._client = HttpClient(Limits(destination.timeout_seconds), headers=headers, tls=files)
        except (OSError, ssl.SSLError) as error:
            raise DestinationError(
                "OTEL_EXPORTER_OTLP_CERTIFICATE", "cannot be read", "give readable PEM files"
            ) from error

    async def send(self, request: Request) -> None:
        answer = await self._post(request.SerializeToString())
        if not 200 <= answer.status < 300:
            raise http_error(answer, RETRYABLE_HTTP)
        try:
            _check(self._to.signal, self._to.signal.answer.FromString(answer.body))
        except DecodeError as error:
            raise PermanentExportError(
                "the receiver does not speak OTLP", error_type="not_otlp", closed=True
            ) from error

    async def close(self) -> None:
        await self._client.close()

    async def _post(self, body: bytes) -> Answer:
        headers = {}
        if self._to.gzip:
            headers["content-encoding"], body = "gzip", await asyncio.to_thread(gzip.compress, body)
        return await post(self._client, self._to.url, body, headers)


class GrpcSender:
    """OTLP over gRPC, on the event loop it is made on."""

    def __init__(self, destination: Destination) -> None:
        import grpc.aio
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

        self._to = destination
        self._failure: type[Exception] = grpc.aio.AioRpcError
        compression = grpc.Compression.Gzip if destination.gzip else grpc.Compression.NoCompression
        target = urlsplit(destination.url).netloc or destination.url
        if destination.insecure:
            self._channel = grpc.aio.insecure_channel(target, compression=compression)
        else:
            credentials = grpc.ssl_channel_credentials(
                _read(destination.ca_file), _read(destination.key_file), _read(destination.cert_file)
            )
            self._channel = grpc.aio.secure_channel(target, credentials, compression=compression)
        stub: Any = LogsServiceStub if destination.signal is LOGS else TraceServiceStub
        self._stub: Any = stub(self._channel)
        self._metadata = tuple(destination.headers.items())

    async def send(self, request: Request) -> None:
        try:
            answer = await self._stub.Export(
                request, timeout=self._to.timeout_seconds, metadata=self._metadata, wait_for_ready=False
            )
        except self._failure as error:
            code = error.code().name  # type: ignore[attr-defined]
            raise _grpc_error(code) from error
        _check(self._to.signal, answer)

    async def close(self) -> None:
        await self._channel.close()


def _grpc_error(code: str) -> ExportError:
    said, kind = f"the receiver answers {code}", f"grpc_{code.lower()}"
    if code in RETRYABLE_GRPC:
        return RetryableExportError(said, error_type=kind)
    return PermanentExportError(said, error_type=kind, closed=code in CLOSED_GRPC)


def _check(signal: Signal, answer: object) -> None:
    """A receiver may take a request and refuse some of its records; those must not be sent again."""
    refused = signal.refused(answer)
    if refused > 0:
        raise PermanentExportError("the receiver refuses some events", error_type="partial", rejected=refused)


def _read(path: str | None) -> bytes | None:
    try:
        return Path(path).read_bytes() if path else None
    except OSError as error:
        raise DestinationError(
            "OTEL_EXPORTER_OTLP_CERTIFICATE", f"{path} cannot be read", "give readable PEM files"
        ) from error


def environment(name: str, signal: Signal = LOGS) -> str | None:
    """A standard variable of a signal: OTEL_EXPORTER_OTLP_LOGS_<name> or the like, else OTEL_EXPORTER_OTLP_<name>."""
    own = f"OTEL_EXPORTER_OTLP_{signal.name.upper()}_{name}"
    return os.environ.get(own) or os.environ.get(f"OTEL_EXPORTER_OTLP_{name}") or None
