"""Native records to results without Kafka: what `rag-sidecar score` and `sidecar.score` have in common."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from types import TracebackType
from typing import TypeAlias

import orjson

from exporters.result import SCHEMA, WHOLE, Outcome, Result
from exporters.serialize import result_to_json
from exporters.text import clean
from sidecar.config import Config
from sidecar.decode.native.misspelt import Misspelt
from sidecar.decode.native.reader import read_native_line, too_large
from sidecar.decode.wire.parse import load_json
from sidecar.evaluate.engine import Engine
from sidecar.inference.runtime import ModelRuntime
from sidecar.judging import judge_of
from sidecar.observe.telemetry import Telemetry
from sidecar.offline.case import own_id
from sidecar.offline.ids import NO_TIME, Nameless, Repeated, digest_of
from sidecar.price import Pricer
from sidecar.record.errors import DecodeError
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor, redactor_of
from sidecar.results import make_result, redact, result_id

IN_FLIGHT = 64


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the input: its number from 1, and how many bytes were read when it ended. One that was too long to be taken has a `size`, and no text."""

    number: int
    end: int
    text: bytes
    size: int = 0


@dataclass(frozen=True, slots=True)
class _Read:
    """A line as it was read: its request, and what is added to its result; of one that could not be read what stands in its place."""

    own: Mapping[str, object]
    trace: RagTrace | None = None


Scored: TypeAlias = tuple[bytes, Result | None]
"""A result as JSON, and itself; None where the line could not be read, and the JSON says why."""


class OfflineScorer:
    """The evaluators over native records, while it is entered. Raises ConfigError where models or judge cannot be had."""

    def __init__(self, settings: Config) -> None:
        self._limits = settings.decode
        self.misspelt = Misspelt(settings.decode, values=True)
        self.repeated = Repeated()
        self._nameless = Nameless()
        self._pricer = Pricer(settings.price)
        self._redactor = Redactor(settings.redact) if settings.redact.enabled and settings.redact.score_files else None
        redactor = partial(redactor_of, settings.redact)
        self._runtime = ModelRuntime(settings.inference, Telemetry(), redactor=redactor)
        self._judge = judge_of(settings.judge, settings.price, Telemetry(), redactor=cache(redactor), paced=False)
        self._engine = Engine(settings.evaluate, self._runtime.router, judge=self._judge)

    async def __aenter__(self) -> OfflineScorer:
        await self._runtime.start()
        try:
            if self._judge is not None:
                await self._judge.start()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._judge is not None:
            await self._judge.stop()
        await self._runtime.stop()

    async def in_order(self, lines: AsyncIterator[Line]) -> AsyncIterator[tuple[Line, Scored]]:
        """Each line with what became of it, in the order of the lines; a bounded number of them is worked on at once."""
        waiting: deque[tuple[Line, asyncio.Task[Scored]]] = deque()
        try:
            async for line in lines:
                waiting.append((line, asyncio.create_task(self._score(self._read(line)))))
                if len(waiting) >= IN_FLIGHT:
                    first, task = waiting.popleft()
                    yield first, await task
            while waiting:
                first, task = waiting.popleft()
                yield first, await task
        finally:
            for _, task in waiting:
                task.cancel()

    def _read(self, line: Line) -> _Read:
        """In the order of the lines: ids of records that have none follow from it."""
        most = self._limits.most_record_bytes
        if (size := line.size or len(line.text)) > most:
            return _Read(_unread(line.number, too_large(size, most)))
        data = _data(line.text)
        self.misspelt.add(data)
        found = own_id(data, self._limits) if isinstance(data, dict) else None
        own = {"request_id": None if found is None else clean(found)}
        try:
            trace = self._nameless.named(read_native_line(line.text, self._limits, fallback_timestamp=NO_TIME))
        except DecodeError as error:
            return _Read({**_unread(line.number, error), **own})
        self.repeated.add(
            result_id(trace), digest_of(trace.question, trace.answer, (one.text for one in trace.documents))
        )
        return _Read(own, replace(trace, timestamp=time.time()) if trace.timestamp == NO_TIME else trace)

    async def _score(self, line: _Read) -> Scored:
        trace = line.trace
        if trace is None:
            return orjson.dumps(line.own), None
        evaluated = await self._engine.evaluate_all(trace)
        said = await redact(evaluated, trace, self._redactor, with_texts=True)
        result = make_result(
            trace,
            pricer=self._pricer,
            completed_at=time.time(),
            outcome=evaluated.outcome,
            reason=evaluated.reason,
            evaluated=said.evaluated,
            redacted=said.redacted,
            session=said.session,
            completeness=WHOLE,
        )
        assert said.texts is not None
        texts = said.texts
        digest = digest_of(texts.question, texts.answer, (text for _, text in texts.documents))
        own = {**line.own, "request_digest": digest}
        return orjson.dumps({**result_to_json(result, with_text=True), **own}), result


def _data(line: bytes) -> object:
    """The JSON of a line, None where it is none."""
    try:
        found: object = load_json(line)
    except DecodeError:
        return None
    return found


def _unread(number: int, error: DecodeError) -> dict[str, object]:
    """The result that keeps the place of a line that could not be read."""
    return {
        "schema": SCHEMA,
        "id": None,
        "trace_id": None,
        "line": number,
        "outcome": Outcome.FAILED,
        "reason": error.reason,
        "detail": error.detail,
        "verdict": None,
        "evaluations": [],
    }
