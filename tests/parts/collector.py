"""The OpenTelemetry Collector: OTLP in, and Kafka out, as a platform team would run it in front of the sidecar, or files, to look at what came."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from tests.parts import paths
from tests.parts.process import Server, free_ports, listens

_RECEIVE = """
receivers:
  otlp:
    protocols:
      grpc: {{endpoint: "127.0.0.1:{grpc}"}}
      http: {{endpoint: "127.0.0.1:{http}"}}
"""
_TO_KAFKA = """
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
_TO_FILES = """
exporters:
  file/traces: {{path: {folder}/traces.jsonl, flush_interval: 100ms}}
  file/logs: {{path: {folder}/logs.jsonl, flush_interval: 100ms}}
service:
  telemetry:
    metrics: {{level: none}}
  pipelines:
    traces: {{receivers: [otlp], exporters: [file/traces]}}
    logs: {{receivers: [otlp], exporters: [file/logs]}}
"""


class Collector:
    """A Collector that writes each trace to `topic` as OTLP protobuf, keyed by trace id, and to `json_topic` as OTLP/JSON; without brokers it
    writes what comes into files."""

    def __init__(
        self, bootstrap_servers: str | None, *, topic: str = "otlp_spans", json_topic: str = "otlp_spans_json"
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-collector-")
        self._grpc, self._http = free_ports(2)
        self._config = (_RECEIVE + (_TO_KAFKA if bootstrap_servers else _TO_FILES)).format(
            grpc=self._grpc,
            http=self._http,
            servers=bootstrap_servers,
            topic=topic,
            json_topic=json_topic,
            folder=self._folder.name,
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

    def written(self, signal: Literal["traces", "logs"]) -> list[dict[str, Any]]:
        """The requests in the file of a signal, as OTLP/JSON: those that are whole by now."""
        file = Path(self._folder.name) / f"{signal}.jsonl"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

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
