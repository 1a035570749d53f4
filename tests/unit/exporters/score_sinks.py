"""Trace backends on 127.0.0.1 that take scores as Phoenix and Langfuse do, and keep what they took under its keys.

Langfuse is written from its OpenAPI file (langfuse/langfuse, web/public/generated/api/openapi.yml: `ingestion_batch`, `ScoreEvent`, `ScoreBody`,
`IngestionResponse`): its server needs ClickHouse, Redis and S3, and none of it can be had here. A real Phoenix is in tests/real/test_phoenix.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError


@dataclass
class Backend:
    """`answers`: statuses of the next requests, then all is well. `spans`: those that are there, None = every one. `refused`: an event's status by
    the name of its score. `kept` is what is there by its key."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    spans: set[str] | None = None
    refused: dict[str, int] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)
    kept: dict[tuple[object, ...], dict[str, Any]] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)


class _Result(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: str | None = None
    score: float | None = None
    explanation: str | None = None


class _Annotation(BaseModel):
    model_config = ConfigDict(extra="forbid")

    span_id: str = Field(pattern=r"^[0-9a-f]{16}$")
    name: str = Field(min_length=1)
    annotator_kind: Literal["LLM", "CODE", "HUMAN"]
    result: _Result
    metadata: dict[str, Any]
    identifier: str = ""
    document_position: int | None = Field(default=None, ge=0)


class _ScoreBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str
    traceId: str  # noqa: N815 - theirs
    observationId: str | None = None  # noqa: N815
    name: str
    value: float | str
    dataType: Literal["NUMERIC", "CATEGORICAL", "BOOLEAN"]  # noqa: N815
    comment: str | None = None
    metadata: Any = None
    environment: str | None = None


class _ScoreEvent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["score-create"]
    id: str
    timestamp: datetime
    body: _ScoreBody


def _phoenix(there: Backend, path: str, data: Any) -> tuple[int, object]:
    try:
        rows = [_Annotation.model_validate(one) for one in data["data"]]
    except ValidationError as error:
        return 422, {"detail": str(error)}
    missing = {one.span_id for one in rows} - there.spans if there.spans is not None else set()
    if missing and path.endswith("sync=true"):
        return 404, {"detail": f"Spans with IDs {', '.join(missing)} do not exist."}
    for one in rows:
        if path.startswith("/v1/document_annotations") and one.identifier:
            return 422, {"detail": "a non-empty identifier is not supported"}
        there.kept[one.name, one.span_id, one.identifier, one.document_position] = one.model_dump(exclude_none=True)
    return 200, {"data": []}


def _langfuse(there: Backend, path: str, data: Any) -> tuple[int, object]:
    if path != "/api/public/ingestion":
        return 404, {"message": "not found"}
    successes, errors = [], []
    for row in data["batch"]:
        try:
            event = _ScoreEvent.model_validate(row)
        except ValidationError as error:
            errors.append(
                {"id": str(row.get("id")), "status": 400, "message": "Invalid request data", "error": str(error)}
            )
            continue
        if (status := there.refused.get(event.body.name)) is not None:
            errors.append({"id": event.id, "status": status, "message": "told to"})
            continue
        successes.append({"id": event.id, "status": 201})
        if event.id not in there.events:
            there.events.add(event.id)
            there.kept[(event.body.id,)] = event.body.model_dump(exclude_none=True)
    return 207, {"successes": successes, "errors": errors}


@contextmanager
def phoenix_sink() -> Iterator[Backend]:
    with _served(_phoenix) as there:
        yield there


@contextmanager
def langfuse_sink() -> Iterator[Backend]:
    with _served(_langfuse) as there:
        yield there


@contextmanager
def _served(answer: Callable[[Backend, str, Any], tuple[int, object]]) -> Iterator[Backend]:
    there = Backend()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])), parse_constant=_no_number)
            there.paths.append(self.path)
            there.logins.append(self.headers.get("Authorization"))
            status, said = (there.answers.pop(0), {}) if there.answers else answer(there, self.path, body)
            text = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    there.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield there
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no JSON")
