"""Sends OTLP log records over gRPC or HTTP, and says for each failure whether trying again may help.

The SDK's own exporters keep that to themselves, and retry on their own; here delivery retries. Which failures are worth it
is what the OTLP specification says (opentelemetry.io/docs/specs/otlp, "Failures").
"""

from __future__ import annotations

import asyncio
import gzip
import http.client
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import urlsplit

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse

from exporters.base import DestinationError, PermanentExportError, RetryableExportError

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
_MOST_RESPONSE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Destination:
    """Where to send, and how. `url` is complete for HTTP; of it gRPC takes scheme, host and port."""

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

    async def send(self, request: ExportLogsServiceRequest) -> None: ...

    async def close(self) -> None: ...


class HttpSender:
    """OTLP over HTTP with binary protobuf, in a thread for each request."""

    def __init__(self, destination: Destination) -> None:
        self._to = destination
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
        if urlsplit(destination.url).scheme == "https":
            handlers.append(urllib.request.HTTPSHandler(context=_tls(destination)))
        self._opener = urllib.request.build_opener(*handlers)

    async def send(self, request: ExportLogsServiceRequest) -> None:
        answer = await asyncio.to_thread(self._post, request.SerializeToString())
        try:
            _check(ExportLogsServiceResponse.FromString(answer))
        except DecodeError as error:
            raise PermanentExportError("the receiver does not speak OTLP", error_type="not_otlp") from error

    async def close(self) -> None:
        """Nothing is kept open."""

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/x-protobuf", "User-Agent": "rag-sidecar", **self._to.headers}
        if self._to.gzip:
            headers["Content-Encoding"], body = "gzip", gzip.compress(body)
        request = urllib.request.Request(self._to.url, body, headers, method="POST")  # noqa: S310 - http(s), checked
        try:
            with self._opener.open(request, timeout=self._to.timeout_seconds) as response:
                answer: bytes = response.read(_MOST_RESPONSE_BYTES)
                return answer
        except urllib.error.HTTPError as error:
            with error:
                kind = RetryableExportError if error.code in RETRYABLE_HTTP else PermanentExportError
                raise kind(f"the receiver answers {error.code}", error_type=f"http_{error.code}") from error
        except (OSError, http.client.HTTPException) as error:
            raise RetryableExportError("the receiver is out of reach", error_type="unreachable") from error


class GrpcSender:
    """OTLP over gRPC, on the event loop it is made on."""

    def __init__(self, destination: Destination) -> None:
        import grpc.aio
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub

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
        self._stub: Any = LogsServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self._metadata = tuple(destination.headers.items())

    async def send(self, request: ExportLogsServiceRequest) -> None:
        try:
            answer = await self._stub.Export(
                request, timeout=self._to.timeout_seconds, metadata=self._metadata, wait_for_ready=False
            )
        except self._failure as error:
            code = error.code().name  # type: ignore[attr-defined]
            kind = RetryableExportError if code in RETRYABLE_GRPC else PermanentExportError
            raise kind(f"the receiver answers {code}", error_type=f"grpc_{code.lower()}") from error
        _check(answer)

    async def close(self) -> None:
        await self._channel.close()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would become a GET, and its answer look like success."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


def _check(answer: ExportLogsServiceResponse) -> None:
    """A receiver may take a request and refuse some of its records; those must not be sent again."""
    refused = answer.partial_success.rejected_log_records
    if refused > 0:
        raise PermanentExportError("the receiver refuses some events", error_type="partial", rejected=refused)


def _tls(destination: Destination) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=destination.ca_file)
        if destination.cert_file:
            context.load_cert_chain(destination.cert_file, destination.key_file)
    except (OSError, ssl.SSLError) as error:
        raise DestinationError("OTEL_EXPORTER_OTLP_CERTIFICATE", "cannot be read", "give readable PEM files") from error
    return context


def _read(path: str | None) -> bytes | None:
    try:
        return Path(path).read_bytes() if path else None
    except OSError as error:
        raise DestinationError(
            "OTEL_EXPORTER_OTLP_CERTIFICATE", f"{path} cannot be read", "give readable PEM files"
        ) from error


def environment(name: str) -> str | None:
    """A standard variable of the logs signal: OTEL_EXPORTER_OTLP_LOGS_<name>, else OTEL_EXPORTER_OTLP_<name>."""
    return os.environ.get(f"OTEL_EXPORTER_OTLP_LOGS_{name}") or os.environ.get(f"OTEL_EXPORTER_OTLP_{name}") or None
