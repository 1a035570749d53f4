"""OTLP receivers on 127.0.0.1 that remember what they are sent, and answer as they are told."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import grpc
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import (
    LogsServiceServicer,
    add_LogsServiceServicer_to_server,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Sink:
    """`answers`: an HTTP status or a gRPC status code a request, then all is well. `refuse`: records said to be refused."""

    url: str = ""
    answers: list[Any] = field(default_factory=list)
    refuse: int = 0
    retry_after: str = ""
    logs: list[ExportLogsServiceRequest] = field(default_factory=list)
    traces: list[ExportTraceServiceRequest] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def records(self) -> list[LogRecord]:
        return [
            record
            for request in self.logs
            for resource in request.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ]

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for request in self.traces
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def response(self) -> ExportLogsServiceResponse:
        response = ExportLogsServiceResponse()
        if self.refuse:
            response.partial_success.rejected_log_records = self.refuse
        return response


def attributes(pairs: Any) -> dict[str, object]:
    """Attributes as plain values."""
    found: dict[str, object] = {}
    for pair in pairs:
        assert isinstance(pair, KeyValue)
        kind = pair.value.WhichOneof("value")
        assert kind is not None
        found[pair.key] = getattr(pair.value, kind)
    return found


@contextmanager
def http_sink() -> Iterator[Sink]:
    sink = Sink()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            status = sink.answers.pop(0) if sink.answers else 200
            sink.paths.append(self.path)
            sink.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = b""
            if status == 200 and self.path.endswith("/v1/traces"):
                sink.traces.append(ExportTraceServiceRequest.FromString(body))
            elif status == 200:
                sink.logs.append(ExportLogsServiceRequest.FromString(body))
                answer = sink.response().SerializeToString()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/login")
            if sink.retry_after:
                self.send_header("Retry-After", sink.retry_after)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    sink.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield sink
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def grpc_sink() -> Iterator[Sink]:
    sink = Sink()

    class Service(LogsServiceServicer):
        def Export(self, request: ExportLogsServiceRequest, context: Any) -> ExportLogsServiceResponse:  # noqa: N802
            metadata: Mapping[str, str] = dict(context.invocation_metadata())
            sink.headers.append({str(name): str(value) for name, value in metadata.items()})
            if sink.answers:
                context.abort(sink.answers.pop(0), "told to")
            sink.logs.append(request)
            return sink.response()

    with ThreadPoolExecutor(max_workers=2) as pool:
        server = grpc.server(pool)
        add_LogsServiceServicer_to_server(Service(), server)  # type: ignore[no-untyped-call]
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        sink.url = f"http://127.0.0.1:{port}"
        try:
            yield sink
        finally:
            server.stop(grace=None).wait()
