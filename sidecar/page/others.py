"""The results of other replicas, and those from before our start, out of the results topic: shown on the page beside our own.

Whatever is wrong with the topic is said on the page and in the log, and touches nothing else. A record without a value, as an erasure in a compacted
topic is, erases the answers of the trace that is its key.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from exporters.kafka import BACKFILL, WRITER
from exporters.record import parse
from exporters.result import Result
from sidecar.kafka.backoff import Backoff
from sidecar.observe.broken import Broken
from sidecar.observe.telemetry import Telemetry
from sidecar.page.reading import OLDER, Reading
from sidecar.page.recorded import result_of
from sidecar.page.watch import Watch
from sidecar.record.clock import Clock
from sidecar.record.errors import SidecarError
from sidecar.record.record import Record

logger = logging.getLogger(__name__)

_AT_ONCE = 50


class Source(Protocol):
    """A topic from some time ago on: kafka.consume.tail.Tail. `open` and `next` raise SidecarError."""

    @property
    def caught_up(self) -> bool: ...

    @property
    def whole_since(self) -> float: ...

    @property
    def missed_until(self) -> float: ...

    async def open(self) -> None: ...

    async def next(self) -> Sequence[Record]: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Read:
    """A record that was understood: a result with its writer, or the id of a trace that is erased."""

    at: float
    writer: str = ""
    result: Result | None = None
    erased: str | None = None


class Others:
    """Reads in the background while the sidecar runs. `reading` is told how it goes."""

    def __init__(
        self,
        watch: Watch,
        source: Source,
        reading: Reading,
        *,
        telemetry: Telemetry,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._watch = watch
        self._source = source
        self._reading = reading
        self._clock = clock
        self._sleep = sleep
        self._backoff = Backoff()
        self._broken = Broken(logger, telemetry, clock)
        self._task: asyncio.Task[None] | None = None
        watch.reading = reading

    def start(self) -> None:
        """Begin to read. Returns at once; never raises."""
        self._task = asyncio.create_task(self.run(), name="results of other replicas")

    async def stop(self) -> None:
        """End. Never raises."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def run(self) -> None:
        """Read until cancelled; what fails is tried again with growing pauses."""
        while True:
            try:
                await self._source.open()
                while True:
                    await self._take(await self._source.next())
                    self._well()
            except SidecarError as error:
                self._failed(str(error))
            except Exception as error:  # noqa: BLE001 - a page may never cost more than itself
                self._failed(self._broken.tell("status_page", error))
            finally:
                await self._source.close()
            await self._sleep(self._backoff.next())

    async def _take(self, records: Sequence[Record]) -> None:
        """Parse in a thread, and take a few at a time, so that the event loop is nobody's for long. What lies there at the start is read at half speed:
        scoring begins then too."""
        began = self._clock.monotonic()
        for first in range(0, len(records), _AT_ONCE):
            read, unread = await asyncio.to_thread(self._parsed, records[first : first + _AT_ONCE])
            self._reading.unread += unread
            for one in read:
                self._give(one)
        if self._source.caught_up:
            self._reading.caught_up = True
            whole = min(self._watch.started, self._source.whole_since)
            self._watch.whole_since = max(whole, self._source.missed_until)
        else:
            await self._sleep(self._clock.monotonic() - began)

    def _give(self, one: _Read) -> None:
        if one.erased is not None:
            self._watch.erase(trace_id=one.erased)
        if one.result is not None:
            name = self._reading.name(one.writer)
            self._reading.count(name, one.at)
            self._watch.take_read(one.result, at=one.at, replica=name)

    def _parsed(self, records: Sequence[Record]) -> tuple[list[_Read], int]:
        """What the records say, without our own results and those of past windows, and how many say nothing."""
        found, unread = [], 0
        for record in records:
            at = min(record.timestamp, self._clock.now())
            if record.value is None:
                if record.key:
                    found.append(_Read(at, erased=record.key.decode("utf-8", "replace")))
                continue
            writer = dict(record.headers).get(WRITER, b"").decode("utf-8", "replace") or OLDER
            if writer in (self._reading.writer, BACKFILL):
                continue
            try:
                read = parse(record.value)
                result = None if read is None else result_of(read, at=at)
            except (ValueError, OverflowError):
                result = None
            if result is None:
                unread += 1
            else:
                found.append(_Read(at, writer, result))
        return found, unread

    def _well(self) -> None:
        self._backoff.reset()
        if self._reading.well():
            logger.info("the page reads the results topic %s again", self._reading.topic)

    def _failed(self, problem: str) -> None:
        if self._reading.failed(problem, self._clock.now()):
            logger.warning(
                "the page cannot read the results topic %s: %s; scoring goes on", self._reading.topic, problem
            )
