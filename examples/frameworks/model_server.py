"""An OpenAI-compatible server on 127.0.0.1 in place of a model: embeddings are words, answers are sentences of the documents or made up."""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Collection, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

from rag_service import answers
from rag_service.retrieval import Knowledge

MODEL, EMBEDDING_MODEL = "gpt-4o-mini", "text-embedding-3-small"
_SIZE = 256


class ModelServer:
    """Used as `with ModelServer() as server`. To the questions in `made_up` it answers what no document says."""

    def __init__(self, made_up: Collection[str] = ()) -> None:
        self._server = _Server(frozenset(made_up))
        self._thread = Thread(target=self._server.serve_forever, args=(0.1,), name="model-server", daemon=True)

    @property
    def url(self) -> str:
        """The base URL for OpenAI's client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, made_up: frozenset[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._knowledge = Knowledge.read()
        self._made_up = made_up

    def completion(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        prompt = "\n".join(_text(one["content"]) for one in asked["messages"])
        answer = self._answer(prompt)
        used = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(answer) // 4}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
            "usage": {**used, "total_tokens": sum(used.values())},
        }

    def embeddings(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        data = [{"object": "embedding", "index": n, "embedding": _vector(text)} for n, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "model": asked["model"], "data": data, "usage": usage}

    def _answer(self, prompt: str) -> str:
        question = next((one for one in self._knowledge.questions if one in prompt), None)
        if question is None:
            return answers.UNKNOWN
        answer = answers.faithful(question, self._knowledge.search(question))
        if question in self._made_up:
            return answers.made_up(answer, self._knowledge.inventions, random.Random(question))  # noqa: S311 - no secret
        return answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        """Answer a call."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        make = self.server.embeddings if self.path.endswith("/embeddings") else self.server.completion
        answer = json.dumps(make(asked)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


def _vector(text: str) -> list[float]:
    """Counts of words, so that texts which share words are near each other."""
    counts = [0.0] * _SIZE
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        if len(word) > 3:
            counts[zlib.crc32(word.removesuffix("s").encode()) % _SIZE] += 1.0
    length = sum(one * one for one in counts) ** 0.5 or 1.0
    return [one / length for one in counts]
