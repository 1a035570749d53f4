"""Servers that speak what model servers speak, written from their documented APIs: the Open Inference Protocol v2, and
text-embeddings-inference's /predict, /rerank and /embed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sidecar.inference.onnx import OpenGraph


@dataclass
class Server:
    """What a server was asked, and how it is to behave. `status` other than 200 refuses; `slow_seconds` delays each answer; `about` is what it
    tells of its model, by the path that asks for it, `version` what its answers name (v2); `most` is how many texts of a call
    text-embeddings-inference takes."""

    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    status: int = 200
    refusals: int = -1
    slow_seconds: float = 0.0
    most_at_once: int = 0
    graph: OpenGraph | None = None
    scores: dict[str, float] = field(default_factory=dict)
    raw: bytes | None = None
    port: int = 0
    about: dict[str, Any] = field(default_factory=dict)
    version: str | None = None
    most: int | None = None
    _now: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def tell(self, request: Request) -> Response:
        await asyncio.sleep(self.slow_seconds)
        found = self.about.get(request.url.path)
        return JSONResponse(found or {"error": "no"}, 200 if found else 404)

    async def take(self, request: Request) -> Response:
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            body = await request.json()
            self.bodies.append(body)
            self.paths.append(request.url.path)
            self.tokens.append(request.headers.get("authorization"))
            await asyncio.sleep(self.slow_seconds)
            if self.status != 200 and self.refusals != 0:
                self.refusals -= 1
                return JSONResponse({"error": "no"}, self.status)
            if self.most and (many := len(body.get("texts", body.get("inputs", ())))) > self.most:
                error = f"batch size {many} > maximum allowed batch size {self.most}"
                return JSONResponse({"error": error, "error_type": "Validation"}, 422)
            if self.raw is not None:
                return Response(self.raw)
            said = self._answer(request.url.path, body)
            return JSONResponse({**said, "model_version": self.version} if isinstance(said, dict) else said)
        finally:
            self._now -= 1

    def _answer(self, path: str, body: dict[str, Any]) -> Any:
        if path == "/predict":
            return [self._labels(*pair) for pair in body["inputs"]]
        if path == "/embed":
            return [self._vector(text) for text in body["inputs"]]
        if path == "/rerank":
            found = [{"index": n, "score": self._score(text)} for n, text in enumerate(body["texts"])]
            return sorted(found, key=lambda one: -one["score"])
        if len(body["inputs"]) == 1:
            vectors = [self._vector(text) for text in body["inputs"][0]["data"]]
            return _v2("vector", [len(vectors), 3], [value for vector in vectors for value in vector])
        if body["inputs"][0]["datatype"] == "BYTES":
            rows = [self._score(text) for text in body["inputs"][1]["data"]]
            return _v2("score", [len(rows), 1], rows)
        assert self.graph is not None
        import numpy as np

        given = {one["name"]: np.array(one["data"], np.int64).reshape(one["shape"]) for one in body["inputs"]}
        [name] = self.graph.outputs[:1]
        [logits] = self.graph.run([name], given)
        return _v2(name, list(logits.shape), [float(value) for value in logits.ravel()])

    def _vector(self, text: str) -> list[float]:
        score = self._score(text)
        return [score, (1 - score**2) ** 0.5, 0.0]

    def _labels(self, first: str, second: str) -> list[dict[str, Any]]:
        score = self._score(second)
        return [{"label": "entailment", "score": score}, {"label": "contradiction", "score": 1 - score}]

    def _score(self, text: str) -> float:
        return next((score for word, score in self.scores.items() if word in text), 0.5)


def _v2(name: str, shape: list[int], data: list[float]) -> dict[str, Any]:
    output = {"name": name, "shape": shape, "datatype": "FP32", "data": data}
    return {"model_name": "nli", "outputs": [output]}


def graph(folder: Path) -> OpenGraph:
    """The graph of a made model, to be served."""
    return OpenGraph(folder / "model.onnx", field="test", threads=1)


@contextmanager
def serving(server: Server | None = None) -> Iterator[Server]:
    """A server on a free port of 127.0.0.1, in a thread of its own."""
    one = server or Server()
    paths = ("/predict", "/rerank", "/embed", "/v2/models/{model}/infer", "/v2/models/{model}/versions/{version}/infer")
    told = ("/info", *(path.removesuffix("/infer") for path in paths if path.endswith("/infer")))
    routes = [Route(path, one.take, methods=["POST"]) for path in paths]
    app = Starlette(routes=routes + [Route(path, one.tell, methods=["GET"]) for path in told])
    running = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=one.port, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=running.run, name="model-server", daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not running.started and time.monotonic() < deadline:
        time.sleep(0.01)
    one.port = running.servers[0].sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        running.force_exit = running.should_exit = True
        thread.join(20)
