"""A real Arize Phoenix: takes traces over OTLP and annotations over REST, and gives both back."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.parts import paths
from tests.parts.process import Server, free_ports

_WAIT_SECONDS = 120.0


class Phoenix:
    """Serves on 127.0.0.1, with its database under `work`."""

    def __init__(self, work: Path) -> None:
        self.http, grpc = free_ports(2)
        environment = {
            "PHOENIX_WORKING_DIR": str(work),
            "PHOENIX_HOST": "127.0.0.1",
            "PHOENIX_PORT": str(self.http),
            "PHOENIX_GRPC_PORT": str(grpc),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        }
        command: list[str | Path] = [paths.find("phoenix"), "serve"]
        self._server = Server("phoenix", command, log=work / "log", cwd=work, environment=environment)
        self._server.wait_until(self._ready, seconds=600)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.http}"

    def stop(self) -> None:
        """End it."""
        self._server.stop()

    def take(self, traces: bytes) -> None:
        """Send traces, OTLP as protobuf."""
        headers = {"content-type": "application/x-protobuf"}
        request = urllib.request.Request(f"{self.url}/v1/traces", traces, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200

    def spans(self, least: int, project: str = "default") -> list[dict[str, Any]]:
        """The spans of a project, once there are as many. Raises TimeoutError."""
        path = f"/v1/projects/{project}/spans?limit=1000"
        return self._wait(lambda: self._get(path)["data"], least)

    def annotations(self, span_ids: Sequence[str], least: int) -> list[dict[str, Any]]:
        """The annotations of spans, once there are as many. Raises TimeoutError."""
        wanted = "&".join(f"span_ids={one}" for one in span_ids)
        path = f"/v1/projects/default/span_annotations?limit=1000&{wanted}"
        return self._wait(lambda: self._get(path)["data"], least)

    def documents(self, span_id: str, least: int) -> list[dict[str, Any]]:
        """What is said of the documents of a span, once there is as much. Raises TimeoutError."""
        fields = "name score label documentPosition annotatorKind"
        query = f"query {{ getSpanByOtelId(spanId: {json.dumps(span_id)}) {{ documentEvaluations {{ {fields} }} }} }}"

        def found() -> list[dict[str, Any]]:
            body = json.dumps({"query": query}).encode()
            request = urllib.request.Request(f"{self.url}/graphql", body, {"content-type": "application/json"})
            with urllib.request.urlopen(request, timeout=30) as answer:
                said = json.load(answer)
            rows: list[dict[str, Any]] = said["data"]["getSpanByOtelId"]["documentEvaluations"]
            return rows

        return self._wait(found, least)

    def _get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=30) as answer:
            return json.load(answer)

    def _wait(self, read: Callable[[], list[dict[str, Any]]], least: int) -> list[dict[str, Any]]:
        deadline = time.monotonic() + _WAIT_SECONDS
        rows: list[dict[str, Any]] = []
        while time.monotonic() < deadline:
            try:
                rows = read()
            except urllib.error.HTTPError as error:
                if error.code != 404:  # A project is made by its first trace.
                    raise
            if len(rows) >= least:
                return rows
            time.sleep(0.3)
        raise TimeoutError(f"{len(rows)} rows in place of {least}: {rows}")

    def _ready(self) -> bool:
        try:
            self._get("/v1/projects")
        except (urllib.error.URLError, OSError):
            return False
        return True
