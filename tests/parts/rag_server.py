"""A small RAG service over HTTP on 127.0.0.1: it searches its documents and answers with the sentence that says most of what was asked, or does not know."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sidecar.offline.testset.found import Search, overlap

DOCUMENTS = {
    "backups": "Backups are kept for 14 days and stored in a second data centre. Restoring a backup takes 20 minutes.",
    "library": "A library card costs 20 euros a year. The library lends books for four weeks.",
    "museum": "The museum is closed on Mondays. A day ticket to the museum costs 14 euros.",
}
UNKNOWN = "I don't know."
_LEAST_OVERLAP = 0.15


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: headers with names in lower case, and the body."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """An answer; bytes are sent as they are."""

    body: object
    status: int = 200
    after: float = 0.0


@dataclass(slots=True)
class RagServer:
    """Its address and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)


def answer(asked: Asked, documents: Mapping[str, str] = DOCUMENTS) -> object:
    """What the service says: `{"data": {"text": ..., "hits": [{"body": ..., "id": ...}]}}`."""
    question = str(asked.body["q"])
    texts = list(documents.items())
    found = [texts[n] for n in Search([text for _, text in texts]).best(question, 2)]
    sentences = [f"{one.rstrip('.')}." for _, text in found[:1] for one in text.split(". ")]
    best = max(sentences, key=lambda one: overlap(one, question), default=UNKNOWN)
    text = best if overlap(best, question) >= _LEAST_OVERLAP else UNKNOWN
    return {"data": {"text": text, "hits": [{"body": text, "id": name} for name, text in found]}}


@contextlib.contextmanager
def serving(says: Callable[[Asked], object] = answer) -> Iterator[RagServer]:
    """Serve on a thread of its own. What is no Said is the body of a good answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.path, headers, json.loads(self.rfile.read(length)))
            server.asked.append(asked)
            made = says(asked)
            said = made if isinstance(made, Said) else Said(made)
            time.sleep(said.after)
            body = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
            with contextlib.suppress(OSError):
                self.send_response(said.status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *said: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = RagServer(f"http://127.0.0.1:{http.server_address[1]}/ask")
    thread = threading.Thread(target=http.serve_forever, name="rag server")
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
