"""A real MLServer, with models of tokens and of texts."""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from pathlib import Path

from tests.parts import paths
from tests.parts.process import Server, free_ports

_RUNTIME = Path(__file__).with_name("mlserver_runtime.py")

_MODELS = {"tokens": "OnnxTokens", "states": "OnnxTokens", "words": "Words", "vectors": "Vectors"}


class MlServer:
    """Serves on 127.0.0.1: `tokens` and `states` are the model.onnx of a folder each, `words` knows which text stands in which, `vectors`
    which says blue."""

    def __init__(self, work: Path, folder: Path, states: Path) -> None:
        self.http, grpc, metrics = free_ports(3)
        settings = {
            "http_port": self.http,
            "grpc_port": grpc,
            "metrics_port": metrics,
            "host": "127.0.0.1",
            "parallel_workers": 0,
        }
        _write(work / "settings.json", settings)
        for name, kind in _MODELS.items():
            (work / name).mkdir(parents=True)
            shutil.copy(_RUNTIME, work / name / _RUNTIME.name)
            model = {
                "name": name,
                "implementation": f"{_RUNTIME.stem}.{kind}",
                "parameters": {"uri": str(states if name == "states" else folder), "version": "7"},
            }
            _write(work / name / "model-settings.json", model)
        self._server = Server("mlserver", [paths.find("mlserver"), "start", work], log=work / "log", cwd=work)
        self._server.wait_until(self._ready, seconds=300)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.http}"

    def stop(self) -> None:
        """End it."""
        self._server.stop()

    def _ready(self) -> bool:
        try:
            for name in _MODELS:
                with urllib.request.urlopen(f"{self.url}/v2/models/{name}/ready", timeout=5) as answer:
                    if answer.status != 200:
                        return False
        except (urllib.error.URLError, OSError):
            return False
        return True


def _write(path: Path, settings: object) -> None:
    path.write_text(json.dumps(settings), encoding="utf-8")
