"""A real Prometheus on a free port: scrapes what it is told to, evaluates rule files, answers PromQL."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

from tests.parts import paths
from tests.parts.process import Server, free_ports


class Prometheus:
    """Used as `with Prometheus({"sidecar": "127.0.0.1:9464"}) as prometheus`.

    `targets` maps a job to a host and port, or to a list of them; `rule_files` are loaded; both intervals are seconds.
    `alertmanager` is the host and port that alerts are sent to. `history` is an OpenMetrics file with timestamps that the store begins with.
    """

    def __init__(
        self,
        targets: Mapping[str, str | Sequence[str]],
        *,
        rule_files: Sequence[Path] = (),
        scrape_interval: float = 1.0,
        scrape_options: Mapping[str, Any] | None = None,
        alertmanager: str | None = None,
        history: Path | None = None,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-prometheus-")
        (self._port,) = free_ports(1)
        interval = f"{int(scrape_interval * 1000)}ms"
        self._config: dict[str, Any] = {
            "global": {"scrape_interval": interval, "evaluation_interval": interval, "scrape_timeout": interval},
            "rule_files": [str(path.resolve()) for path in rule_files],
            "scrape_configs": [
                {
                    "job_name": job,
                    **(scrape_options or {}),
                    "static_configs": [{"targets": [where] if isinstance(where, str) else list(where)}],
                }
                for job, where in targets.items()
            ],
        }
        if alertmanager:
            self._config["alerting"] = {"alertmanagers": [{"static_configs": [{"targets": [alertmanager]}]}]}
        self._history = history
        self._server: Server | None = None

    @property
    def url(self) -> str:
        """The base address of its API."""
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Prometheus:
        folder = Path(self._folder.name)
        (folder / "prometheus.yml").write_text(yaml.safe_dump(self._config), encoding="utf-8")
        if self._history:
            load = ["tsdb", "create-blocks-from", "openmetrics", str(self._history), str(folder / "data")]
            subprocess.run([str(paths.find("promtool")), *load], check=True, capture_output=True, timeout=300)
        try:
            self._server = Server(
                "Prometheus",
                [
                    paths.find("prometheus"),
                    f"--config.file={folder / 'prometheus.yml'}",
                    f"--storage.tsdb.path={folder / 'data'}",
                    f"--web.listen-address=127.0.0.1:{self._port}",
                    "--enable-feature=exemplar-storage",
                ],
                log=folder / "prometheus.log",
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

    def query(self, promql: str, *, at: float | None = None) -> list[tuple[dict[str, str], float]]:
        """The samples of an instant query, labels and value. Raises RuntimeError with Prometheus's words for a bad query."""
        data = self.get("/api/v1/query", query=promql, **({} if at is None else {"time": str(at)}))
        if data["resultType"] == "scalar":
            return [({}, float(data["result"][1]))]
        return [(sample["metric"], float(sample["value"][1])) for sample in data["result"]]

    def wait_for(self, promql: str, *, seconds: float = 30.0) -> list[tuple[dict[str, str], float]]:
        """The samples of a query as soon as it has any. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            samples = self.query(promql)
            if samples:
                return samples
            time.sleep(0.25)
        raise TimeoutError(f"no samples after {seconds:.0f} s for {promql}")

    def get(self, path: str, **parameters: str) -> Any:
        """The `data` of an answer of the HTTP API, for example `/api/v1/rules` or `/api/v1/query_exemplars`."""
        address = f"{self.url}{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode("utf-8", "replace")) from error

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/-/ready", timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False
