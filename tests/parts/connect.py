"""Kafka Connect: one worker that stands alone, with Debezium's JDBC connector, spoken to over its REST API."""

from __future__ import annotations

import json
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.parts import paths
from tests.parts.process import Server, free_ports

_PROPERTIES = """
bootstrap.servers={servers}
listeners=http://127.0.0.1:{port}
plugin.path={plugins}
plugin.discovery=service_load
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
offset.storage.file.filename={folder}/offsets
offset.flush.interval.ms=1000
consumer.auto.offset.reset=earliest
"""


class Connect:
    """A worker. Used as `with Connect(broker.bootstrap_servers) as connect`."""

    def __init__(self, bootstrap_servers: str) -> None:
        [self._port] = free_ports(1)
        self._servers = bootstrap_servers
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-connect-")
        self._server: Server | None = None

    def __enter__(self) -> Connect:
        folder, jars = Path(self._folder.name), paths.find_connect_jars()
        settings = _PROPERTIES.format(servers=self._servers, port=self._port, plugins=jars / "plugins", folder=folder)
        (folder / "worker.properties").write_text(settings, encoding="utf-8")
        quick = ("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
        main = "org.apache.kafka.connect.cli.ConnectStandalone"
        command: list[str | Path] = [paths.find("java"), *quick, "-cp", f"{jars / 'runtime'}/*", main]
        command.append(folder / "worker.properties")
        try:
            self._server = Server("Kafka Connect", command, log=folder / "log", cwd=folder)
            self._server.wait_until(self._answers, seconds=90)
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

    def errors(self, settings: Mapping[str, str]) -> dict[str, list[str]]:
        """What the connector's own definition has against settings, by setting; under "" those that it does not know."""
        kind = settings["connector.class"].rpartition(".")[2]
        said = self._ask("PUT", f"/connector-plugins/{kind}/config/validate", {"name": "asked", **settings})
        found = {one["value"]["name"]: one["value"]["errors"] for one in said["configs"] if one["value"]["errors"]}
        known = {one["definition"]["name"] for one in said["configs"]}
        unknown = sorted(settings.keys() - known)
        return {**found, **({"": unknown} if unknown else {})}

    def run(self, name: str, settings: Mapping[str, str], *, seconds: float = 60.0) -> None:
        """Start a connector and wait until its task runs. Raises RuntimeError with what is wrong."""
        self._ask("PUT", f"/connectors/{name}/config", settings)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.states(name) == ["RUNNING", "RUNNING"]:
                return
            time.sleep(0.2)
        raise RuntimeError(f"{name} does not run: {self._ask('GET', f'/connectors/{name}/status')}")

    def states(self, name: str) -> list[str]:
        """How a connector and its tasks are."""
        try:
            said = self._ask("GET", f"/connectors/{name}/status")
        except urllib.error.HTTPError as error:
            if error.code == 404:  # It has not begun.
                return []
            raise
        return [said["connector"]["state"], *(task["state"] for task in said["tasks"])]

    def _ask(self, method: str, path: str, value: object = None) -> Any:
        body = None if value is None else json.dumps(value).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", body, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def _answers(self) -> bool:
        try:
            self._ask("GET", "/connectors")
        except (urllib.error.URLError, OSError):
            return False
        return True
