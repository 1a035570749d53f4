"""The OpenTelemetry Collector: OTLP in, Kafka out, as a platform team would run it in front of the sidecar."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import TracebackType

from tests.parts import paths
from tests.parts.process import Server, free_ports, listens

_CONFIG = """
receivers:
  otlp:
    protocols:
      grpc: {{endpoint: "127.0.0.1:{grpc}"}}
      http: {{endpoint: "127.0.0.1:{http}"}}
exporters:
  kafka:
    brokers: ["{servers}"]
    traces: {{topic: {topic}, encoding: otlp_proto}}
    partition_traces_by_id: true
  kafka/json:
    brokers: ["{servers}"]
    traces: {{topic: {json_topic}, encoding: otlp_json}}
service:
  telemetry:
    metrics: {{level: none}}
  pipelines:
    traces: {{receivers: [otlp], exporters: [kafka, kafka/json]}}
"""


class Collector:
    """A Collector that writes each trace to `topic` as OTLP protobuf, keyed by trace id, and to `json_topic` as OTLP/JSON."""

    def __init__(
        self, bootstrap_servers: str, *, topic: str = "otlp_spans", json_topic: str = "otlp_spans_json"
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-collector-")
        self._grpc, self._http = free_ports(2)
        self._config = _CONFIG.format(
            grpc=self._grpc, http=self._http, servers=bootstrap_servers, topic=topic, json_topic=json_topic
        )
        self._server: Server | None = None

    @property
    def grpc_endpoint(self) -> str:
        """Where OTLP over gRPC goes, for exporters' `endpoint`."""
        return f"http://127.0.0.1:{self._grpc}"

    @property
    def http_endpoint(self) -> str:
        """The base of OTLP over HTTP; traces go to `/v1/traces` below it."""
        return f"http://127.0.0.1:{self._http}"

    def __enter__(self) -> Collector:
        folder = Path(self._folder.name)
        (folder / "config.yaml").write_text(self._config, encoding="utf-8")
        try:
            self._server = Server(
                "the Collector",
                [paths.find("otelcol"), "--config", folder / "config.yaml"],
                log=folder / "collector.log",
            )
            self._server.wait_until(lambda: listens(self._http) and listens(self._grpc), seconds=30)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.stop()
        self._folder.cleanup()
