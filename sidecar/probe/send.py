"""Cases to the RAG service and back: each is one POST, marked as a probe's, and what comes back fills in the case."""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from exporters.clients.http import (
    Answer,
    HttpClient,
    Limits,
    TlsFiles,
    TooSlowError,
    UnansweredError,
    WrongRequestError,
)
from sidecar.decode.native.mapping import apply
from sidecar.decode.wire.parse import load_json
from sidecar.probe.cases import Question
from sidecar.probe.settings import FIELDS, ProbeConfig
from sidecar.record.errors import ConfigError, DecodeError

_PLACE = re.compile(r"\{(" + "|".join(FIELDS) + r")\}")
_CAUSES: tuple[tuple[type[BaseException], str], ...] = (
    (ConnectionRefusedError, "connection refused"),
    (socket.gaierror, "the host name is not known"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted"),
    (ssl.SSLError, "the TLS handshake failed"),
    (ConnectionError, "the connection was cut off"),
)
Told = Callable[[str | None, float], None]


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of one case: the native record with its answer, or why there is none; `detail` says more of that than the class."""

    row: Mapping[str, Any]
    seconds: float
    failure: str | None = None
    detail: str | None = None


class Sender:
    """Belongs to the event loop of its first request. Made anew for each round, so that secrets in files are read again."""

    def __init__(self, config: ProbeConfig) -> None:
        """Raises ConfigError for a header or a TLS file that cannot be had."""
        request = config.request
        headers = {"content-type": "application/json", "accept": "application/json", **request.read_headers()}
        files = (str(path) if path else None for path in (request.ca_file, request.cert_file, request.key_file))
        limits = Limits(request.timeout_seconds, config.concurrency, request.most_answer_bytes)
        try:
            self._client = HttpClient(limits, headers=headers, tls=TlsFiles(*files))
        except (OSError, ssl.SSLError) as error:
            mend = "name PEM files that can be read"
            raise ConfigError("request.ca_file, cert_file, key_file", type(error).__name__, mend) from error
        self._config = config

    async def send(self, questions: Sequence[Question], told: Told) -> list[Sent]:
        """Each of them with what came back, in order. `told` hears of each: why it failed (None: it did not), and its seconds."""
        room = asyncio.Semaphore(self._config.concurrency)

        async def one(question: Question) -> Sent:
            async with room:
                sent = await self._one(question)
            told(sent.failure, sent.seconds)
            return sent

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(question)) for question in questions]
        finally:
            await self._client.close()
        return [task.result() for task in tasks]

    async def _one(self, question: Question) -> Sent:
        body = orjson.dumps(filled(self._config.request.body, question.told))
        started, detail = time.perf_counter(), None
        try:
            answer = await self._client.post(self._config.request.url, body, headers=marks(self._config.trace_state))
            found, failure = self._read(answer)
            detail = f"status {answer.status}" if failure and failure.startswith("http_") else None
        except UnansweredError as error:
            found, failure, detail = {}, "unanswered", self._unanswered(error)
        except WrongRequestError as error:
            found, failure, detail = {}, "wrong_request", str(error)
        seconds = time.perf_counter() - started
        row = {**found, **question.row, "service": self._config.service, "latency_seconds": seconds}
        return Sent(row, seconds, failure, detail)

    def _unanswered(self, error: UnansweredError) -> str:
        """Why there was no answer, without what a service or a case says."""
        if isinstance(error, TooSlowError):
            return f"timed out after {self._config.request.timeout_seconds:g} s"
        causes = [error, *_causes(error)]
        return next((said for kind, said in _CAUSES if any(isinstance(one, kind) for one in causes)), str(error))

    def _read(self, answer: Answer) -> tuple[Mapping[str, Any], str | None]:
        if not 200 <= answer.status < 300:
            return {}, f"http_{answer.status // 100}xx"
        if len(answer.body) >= self._config.request.most_answer_bytes:
            return {}, "too_large"
        try:
            said = load_json(answer.body)
        except DecodeError:
            return {}, "bad_json"
        # Only what is mapped: a service's own fields may have names that mean something else here.
        mapping = {field: f"whole | {expression}" for field, expression in self._config.response.items()}
        mapped = apply(mapping, {"whole": said})
        del mapped["whole"]
        text = mapped.get("response")
        return mapped, None if isinstance(text, str) and text.strip() else "no_answer"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What led to an error, and to that."""
    while (cause := error.__cause__ or error.__context__) is not None:
        yield cause
        error = cause


def filled(template: Any, told: Mapping[str, str]) -> Any:
    """The body with `{question}` and the like replaced, wherever a text holds them, each once: what a case says is never a template."""
    if isinstance(template, str):
        return _PLACE.sub(lambda place: told.get(place[1], ""), template)
    if isinstance(template, Mapping):
        return {str(key): filled(value, told) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, told) for value in template]
    return template


def marks(key: str) -> dict[str, str]:
    """The headers by which a request is known for a probe's: tracestate goes along with the trace, baggage to whoever reads it, the last one stands alone."""
    return {
        "traceparent": f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01",
        "tracestate": f"{key}=1",
        "baggage": "rag.probe=true",
        "x-rag-probe": "1",
    }
