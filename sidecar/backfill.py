"""Scores again what topics hold between two times: the stages of the service, a source that ends, and the results alone as a sink."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from exporters.base import Exporter
from sidecar.app import decoding
from sidecar.assemble import Assembler
from sidecar.config import Config
from sidecar.decode.decoder import Decoder
from sidecar.deliver import Deliverer
from sidecar.evaluate.engine import Engine
from sidecar.inference.runtime import ModelRuntime
from sidecar.judging import judge_of
from sidecar.kafka.consume.window import Window
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.pipeline import MEGABYTE, Pipeline
from sidecar.price import Pricer
from sidecar.record.clock import Clock
from sidecar.record.errors import BrokerError, SidecarError
from sidecar.record.memory import MemoryBudget
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import redactor_of
from sidecar.sample.rules import Decision, SampleConfig, Sampler

_GLANCE_SECONDS = 0.1
_DRAIN_SECONDS = 24 * 3600.0
_STOP_SECONDS = 60.0
_MEND = "run it again: it goes on from here"
_OUTSIDE = Decision(keep=False, probability=1.0, rule="outside")


class Backfill:
    """One run over the requests that ended from `begin` on and before `end`, in seconds since the epoch. Records are read from
    `assemble.max_age_seconds` before to as long after, so that requests at both edges are whole."""

    def __init__(
        self,
        config: Config,
        exporter: Exporter,
        clock: Clock,
        *,
        begin: float,
        end: float,
        failure: Callable[[], SidecarError | None] = lambda: None,
    ) -> None:
        """`config.receive.group_id` is the group that the place is kept in. `failure` says why the exporter will take nothing more in this run."""
        config = quiet(config)
        self._config = config
        self.telemetry = Telemetry()
        margin = config.assemble.max_age_seconds
        memory = MemoryBudget(config.pipeline.buffer_megabytes * MEGABYTE)
        self._sampler = sampler = _Within(config.sample, self.telemetry, begin=begin, end=end)
        redactor = redactor_of(config.redact)
        self._runtime = ModelRuntime(config.inference, self.telemetry, redactor=lambda: redactor)
        self._judge = judge_of(config.judge, config.price, self.telemetry, redactor=lambda: redactor, clock=clock)
        self._deliverer = Deliverer(
            config.deliver,
            [exporter],
            telemetry=self.telemetry,
            clock=clock,
            required=[exporter.name],
            memory=memory,
        )
        self.window = Window(config.receive, clock, begin=begin - margin, end=end + margin)
        self._pipeline = Pipeline(
            config.pipeline,
            source=self.window,
            decoder=Decoder(decoding(config), self.telemetry, keep_text=sampler.may_keep),
            assembler=Assembler(config.assemble, clock, self.telemetry, memory=memory),
            sampler=sampler,
            engine=Engine(config.evaluate, self._runtime.router, judge=self._judge),
            pricer=Pricer(config.price),
            deliverer=self._deliverer,
            telemetry=self.telemetry,
            clock=clock,
            tracing=Tracing(config.otlp),
            memory=memory,
            redactor=redactor,
        )
        self._failure = failure
        self._asked = False

    @property
    def outside(self) -> int:
        """Requests so far that came with the records and ended outside the window: they are among the sampled out."""
        return self._sampler.outside

    def stop(self) -> None:
        """Ask `run` to end early; what is done is committed, and the next run goes on from there."""
        self._asked = True

    async def run(self, tell: Callable[[], None]) -> bool:
        """Read, score and write until the window has ended; True where it has. `tell` is called ten times a second. Raises BrokerError,
        ConfigError, and what `failure` says; what was not written by then is not committed."""
        async with self._started():
            working = asyncio.create_task(self._pipeline.run(), name="pipeline")
            while not (self._over or self.window.finished or working.done()):
                await asyncio.sleep(_GLANCE_SECONDS)
                tell()
            ended = self.window.finished and not self._over
            # What is open at the end of the window has no more records in it.
            self._pipeline.stop(
                flush=ended, drain_seconds=_DRAIN_SECONDS if ended else 0.0 if self._failure() else None
            )
            await working
            if self.window.broken:
                raise BrokerError("connect", "reading failed again and again", _MEND)
        if failure := self._failure():
            raise failure
        if ended and self.telemetry.value("rag_sidecar_exports_total", outcome="abandoned"):
            raise BrokerError("connect", "not all results could be delivered", _MEND)
        tell()
        return ended

    @property
    def _over(self) -> bool:
        """Whether to end before the window has."""
        return self._asked or self.window.broken or self._failure() is not None

    @asynccontextmanager
    async def _started(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            # Its consumer is there from the beginning, and has to be closed whatever cannot be had. Offsets are committed for what the exporter
            # took: that stops first.
            stack.push_async_callback(self.window.stop)
            await self._runtime.start()
            if self._judge is not None:
                await self._judge.start()
                stack.push_async_callback(self._judge.stop)
            stack.push_async_callback(self._runtime.stop)
            await self.window.start()
            await self._deliverer.start()
            stack.push_async_callback(self._stop_delivering)
            yield

    async def _stop_delivering(self) -> None:
        await self._deliverer.stop(0.0 if self._failure() else _STOP_SECONDS)


class _Within(Sampler):
    """A sampler that keeps no request outside the window. Which of the others are kept is as it was when they first came, but for the
    budget: a backfill has time."""

    def __init__(self, config: SampleConfig, telemetry: Telemetry, *, begin: float, end: float) -> None:
        super().__init__(config, telemetry)
        self._begin, self._end = begin, end
        self.outside = 0

    def decide(self, trace: RagTrace) -> Decision:
        """The decision for one request."""
        if self._begin <= trace.timestamp < self._end:
            return super().decide(trace)
        self.outside += 1
        return _OUTSIDE


def quiet(config: Config) -> Config:
    """The same settings without what would speak of today: no series, no events, no spans, no shedding."""
    sample = config.sample.model_copy(update={"budget": config.sample.budget.model_copy(update={"enabled": False})})
    return config.model_copy(
        update={
            "sample": sample,
            "pipeline": config.pipeline.model_copy(update={"most_backlog": 1_000_000}),
            "otlp": config.otlp.model_copy(update={"traces": False}),
        }
    )
