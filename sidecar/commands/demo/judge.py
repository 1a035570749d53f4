"""A judge for the demo: a server on 127.0.0.1 that speaks chat completions, knows which answers are made up, and errs on some of them."""

from __future__ import annotations

import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

import orjson

from sidecar.commands.demo.corpus import Corpus
from sidecar.inference.judge.block import BEGIN, END

MODEL = "scripted-judge"
ERROR = 0.05


class ScriptedJudge:
    """Lives as long as the block. It rates groundedness alone. On `error` of the answers, the same ones in every run, it says the contrary."""

    def __init__(self, corpus: Corpus, *, error: float = ERROR) -> None:
        self._server = _Server(corpus, error)
        self._thread = Thread(target=self._server.serve_forever, args=(0.1,), name="scripted-judge", daemon=True)

    @property
    def url(self) -> str:
        """Where it is asked."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedJudge:
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
    block_on_close = False

    def __init__(self, corpus: Corpus, error: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._corpus = corpus
        self._error = error

    def completion(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The reply to a call. Raises ValueError or LookupError where it is none about groundedness."""
        user = asked["messages"][1]["content"]
        data = json.loads(user.removeprefix(BEGIN).removesuffix(END))
        grounded = data["answer"] not in self._corpus.made_up
        digest = hashlib.blake2b(orjson.dumps([data["answer"], data["documents"]]), digest_size=8).digest()
        if int.from_bytes(digest, "big") / 2**64 < self._error:
            grounded = not grounded
        said = orjson.dumps({"reason": "as scripted", "rating": 2 if grounded else 0}).decode()
        used = {"prompt_tokens": sum(len(one["content"]) for one in asked["messages"]) // 4, "completion_tokens": 12}
        message = {"role": "assistant", "content": said}
        return {
            "object": "chat.completion",
            "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": used,
        }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        """Answer a call."""
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            status, said = 200, self.server.completion(orjson.loads(body))
        except (ValueError, LookupError) as error:
            status, said = (
                400,
                {"error": {"code": type(error).__name__, "message": "groundedness is all that is known"}},
            )
        answer = orjson.dumps(said)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Nothing: the screen is the demo's."""
