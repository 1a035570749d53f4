"""A real Alertmanager on a free port, and receivers that remember what it sends them."""

from __future__ import annotations

import json
import tempfile
import threading
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

from tests.parts import paths
from tests.parts.process import Server, free_ports


class Alertmanager:
    """Used as `with Alertmanager(config) as alertmanager`; `config` is what its file holds."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = dict(config)
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-alertmanager-")
        (port,) = free_ports(1)
        self.address = f"127.0.0.1:{port}"
        self._server: Server | None = None

    def __enter__(self) -> Alertmanager:
        folder = Path(self._folder.name)
        (folder / "alertmanager.yml").write_text(yaml.safe_dump(self._config), encoding="utf-8")
        try:
            self._server = Server(
                "Alertmanager",
                [
                    paths.find("alertmanager"),
                    f"--config.file={folder / 'alertmanager.yml'}",
                    f"--storage.path={folder / 'data'}",
                    f"--web.listen-address={self.address}",
                    "--cluster.listen-address=",
                ],
                log=folder / "alertmanager.log",
            )
            self._server.wait_until(self._ready, seconds=30)
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

    def post(self, *alerts: Mapping[str, str]) -> None:
        """Hand it alerts with these labels, as Prometheus would."""
        body = json.dumps([{"labels": labels} for labels in alerts]).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"http://{self.address}/api/v2/alerts", body, headers)
        urllib.request.urlopen(request, timeout=10).close()

    def states(self) -> dict[str, str]:
        """State of each alert that it holds, `active` or `suppressed`, by the alert's name and service."""
        with urllib.request.urlopen(f"http://{self.address}/api/v2/alerts", timeout=10) as answer:
            found: list[dict[str, Any]] = json.load(answer)
        return {
            " ".join(filter(None, (one["labels"]["alertname"], one["labels"].get("rag_service")))): one["status"][
                "state"
            ]
            for one in found
        }

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready", timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class Told:
    """One alert of one message: to which receiver, whether `firing` or `resolved`, and what it says."""

    receiver: str
    status: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


class Receivers:
    """Webhooks for every receiver's name. Used as `with Receivers() as receivers`; `told` is what came, in order."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        told = self.told

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                told.extend(
                    Told(message["receiver"], one["status"], one["labels"], one["annotations"])
                    for one in message["alerts"]
                )
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def __enter__(self) -> Receivers:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def instead_of(self, receivers: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The receivers of a configuration, with every webhook sent here instead."""
        url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        return [
            {**one, "webhook_configs": [{**hook, "url": url} for hook in one["webhook_configs"]]} for one in receivers
        ]
