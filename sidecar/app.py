"""The composition root: builds every part from the Config, starts sinks first and stops sources first."""

from __future__ import annotations

import asyncio
import logging
import platform
import secrets
import signal
from collections.abc import Sequence
from functools import cached_property
from types import TracebackType

from exporters.base import Exporter
from exporters.registry import EXPORTERS, Dependencies
from sidecar import __version__
from sidecar.assemble import Assembler
from sidecar.config import Config
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.deliver import Deliverer
from sidecar.evaluate.anchors import show_anchors
from sidecar.evaluate.base import Lane
from sidecar.evaluate.engine import Engine
from sidecar.inference.runtime import ModelRuntime
from sidecar.judging import judge_of
from sidecar.kafka.client import check_results
from sidecar.kafka.consume.arrival import Arrival
from sidecar.kafka.consume.receiver import Receiver
from sidecar.observe.admin import Admin, Page
from sidecar.observe.logs import set_level
from sidecar.observe.stalls import LoopWatch
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.page import Watch
from sidecar.page.build import others_of, page_of, reads_others
from sidecar.page.estimates import Estimator
from sidecar.page.others import Others
from sidecar.pipeline import MEGABYTE, Pipeline
from sidecar.price import Pricer
from sidecar.record.clock import Clock, SystemClock
from sidecar.record.deadline import Deadline, Stage, stop_in_order
from sidecar.record.errors import BrokerError
from sidecar.record.memory import MemoryBudget
from sidecar.redact.redactor import redactor_of
from sidecar.sample.rules import Sampler

logger = logging.getLogger(__name__)

# Of the whole stop: what scoring may take to drain, and a little to come out of what it is doing.
_PIPELINE_SHARE = 0.6


class App:
    """One sidecar. Used as `async with App(config) as app: await app.run()`."""

    def __init__(self, config: Config, *, clock: Clock | None = None, more_exporters: Sequence[Exporter] = ()) -> None:
        self.config = config
        self.clock = clock or SystemClock()
        self.telemetry = Telemetry()
        self.tracing = Tracing(config.otlp)
        self.telemetry.watch_process()
        self.telemetry.set("rag_sidecar_build_info", 1, version=__version__, python_version=platform.python_version())
        self.memory = MemoryBudget(config.pipeline.buffer_megabytes * MEGABYTE)
        self.redactor = redactor_of(config.redact)
        self.runtime = ModelRuntime(config.inference, self.telemetry, redactor=lambda: self.redactor)
        self.sampler = sampler = Sampler(config.sample, self.telemetry)
        assembler = Assembler(config.assemble, self.clock, self.telemetry, memory=self.memory)
        self.receiver = Receiver(
            config.receive,
            self.telemetry,
            self.clock,
            on_revoked=lambda gone: (assembler.forget(gone), None)[1],
            memory=self.memory,
        )
        # After the receiver, by whose partitions its money is shared.
        self.judge = judge_of(
            config.judge,
            config.price,
            self.telemetry,
            redactor=lambda: self.redactor,
            share=lambda: self.receiver.share,
            clock=self.clock,
            tracing=self.tracing,
        )
        self.engine = Engine(config.evaluate, self.runtime.router, judge=self.judge, tracing=self.tracing)
        self._tell_evaluators()
        self.deliverer = Deliverer(
            config.deliver,
            [*self._exporters(), *more_exporters],
            telemetry=self.telemetry,
            clock=self.clock,
            required=[entry.name for entry in EXPORTERS if entry.section in config.required_exporters],
            memory=self.memory,
            tracing=self.tracing,
        )
        self.watching, self.others = self._watch()
        self.pipeline = Pipeline(
            config.pipeline,
            source=self.receiver,
            decoder=Decoder(decoding(config), self.telemetry, keep_text=sampler.may_keep),
            assembler=assembler,
            sampler=sampler,
            engine=self.engine,
            pricer=Pricer(config.price),
            deliverer=self.deliverer,
            telemetry=self.telemetry,
            clock=self.clock,
            tracing=self.tracing,
            memory=self.memory,
            redactor=self.redactor,
            page=self.watching,
            budget_interval_seconds=config.sample.budget.interval_seconds,
        )
        self.admin = self._admin()
        self.arrival = Arrival(self.telemetry, self.clock)
        self._arrived = False
        self.watch = LoopWatch(self.telemetry, self.clock)
        self._deadline: Deadline | None = None
        self._stop = asyncio.Event()
        self._flush = False

    async def __aenter__(self) -> App:
        """Start what needs no Kafka. Raises ConfigError; what was started is stopped again."""
        self.watch.start()
        try:
            await self.runtime.start()
            if self.judge is not None:
                await self.judge.start()
            await self.admin.start()
            if self.others is not None:
                self.others.start()
        except BaseException:
            await self._close()
            raise
        ports = self.admin.port, self.admin.probe_port
        logger.info("started, version %s, metrics on port %d, probes on port %d", __version__, *ports)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._close()
        logger.info("stopped")

    async def run(self) -> None:
        """Wait for Kafka, then work until `stop` is called. Raises BrokerError or ConfigError for what does not pass by itself."""
        asked = asyncio.create_task(self._stop.wait(), name="stop")
        try:
            if await self._arrive(asked):
                await self._work(asked)
        finally:
            asked.cancel()

    async def _arrive(self, asked: asyncio.Task[bool]) -> bool:
        """Start the sinks, then the source. False where a stop was asked for first."""
        arriving = asyncio.create_task(self.arrival.until(self._start), name="arrive")
        try:
            await asyncio.wait({arriving, asked}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not arriving.done():
                arriving.cancel()
                await asyncio.gather(arriving, return_exceptions=True)
        if arriving.cancelled():
            return False
        arriving.result()
        self._arrived = True
        return True

    async def _start(self) -> None:
        try:
            await self.deliverer.start()
        except BrokerError:
            # The client of the results only says that it has no connection; this tells the step, and whether it may pass.
            await self._look_for_results()
            raise
        await self.receiver.start()

    async def _look_for_results(self) -> None:
        results, receive = self.config.results, self.config.receive
        if results.topic is not None:
            await check_results(receive, results.brokers(receive.brokers), results.topic, create=True)

    async def _work(self, asked: asyncio.Task[bool]) -> None:
        running = asyncio.create_task(self.pipeline.run(), name="pipeline")
        await asyncio.wait({running, asked}, return_when=asyncio.FIRST_COMPLETED)
        self._deadline = self._new_deadline()
        self.pipeline.stop(
            flush=self._flush, drain_seconds=self._deadline.share(0.5, most=self.config.pipeline.drain_seconds)
        )
        await asyncio.wait({running}, timeout=self._deadline.share(_PIPELINE_SHARE))
        if not running.done():
            logger.warning("the pipeline did not drain in time; what it has in hand is read again after the next start")
            running.cancel()
            return
        running.result()

    def apply(self, config: Config) -> None:
        """Take the settings that are live of another configuration, between two steps of the event loop. Raises ConfigError and takes
        none where one of them cannot be."""
        pricer = Pricer(config.price)
        self.engine.reconfigure(config.evaluate)
        self.sampler.reconfigure(config.sample, open_seconds=config.assemble.max_age_seconds)
        self.pipeline.ending.pricer = pricer
        set_level(config.log)

    def stop(self, *, flush: bool = False) -> None:
        """Ask `run` to end; with `flush`, traces still open are scored as they are."""
        self._flush = flush
        self._stop.set()

    def stop_on_signals(self) -> None:
        """Stop on SIGTERM and SIGINT."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)

    def _exporters(self) -> list[Exporter]:
        given = Dependencies(
            registry=self.telemetry.registry,
            evaluators=self.engine.standing,
            grounding_models=[self.runtime.models.grounder.identity.name],
            judge_models=self._judge_models(),
            received=self.config.receive.brokers,
            writer=self._writer,
        )
        made = (entry.build(getattr(self.config, entry.section), given) for entry in EXPORTERS)
        return [exporter for exporter in made if exporter is not None]

    def _tell_evaluators(self) -> None:
        evaluate = self.config.evaluate
        show_anchors(evaluate.anchors, self.telemetry, expire_days=evaluate.anchors_expire_days, now=self.clock.now())
        for one in self.engine.evaluators:
            labels = {"evaluator": one.name, "method": one.method, "version": one.version}
            self.telemetry.set("rag_sidecar_evaluator_info", 1, **labels)

    def _watch(self) -> tuple[Watch | None, Others | None]:
        """What the page shows, and what reads the results of other replicas for it."""
        config = self.config
        if not config.status_page.enabled:
            return None, None
        made = Watch(
            config.status_page,
            telemetry=self.telemetry,
            clock=self.clock,
            anchors=config.evaluate.anchors,
            alone=not reads_others(config.status_page, config.results),
        )
        return made, others_of(
            made,
            config.results,
            config.receive,
            writer=self._writer,
            telemetry=self.telemetry,
            clock=self.clock,
        )

    @cached_property
    def _writer(self) -> str:
        """Who we are in the results topic: the host, and what no process before us on it was called."""
        return f"{platform.node()}/{secrets.token_hex(4)}"

    def _admin(self) -> Admin:
        return Admin(
            self.config.admin,
            self.telemetry.registry,
            alive=self._not_alive,
            ready=self._not_ready,
            page=self._page(),
        )

    def _page(self) -> Page | None:
        config = self.config
        if self.watching is None:
            return None
        return page_of(
            self.watching,
            self.telemetry,
            estimator=Estimator(config.judge.detector, anchor_days=config.evaluate.anchors_expire_days),
            labels=config.labels,
            results=config.results,
            receive=config.receive,
            redacted=self.redactor is not None,
        ).made

    def _judge_models(self) -> list[str]:
        """Name of the judge where it is asked for verdicts."""
        judged = any(one.decides and one.lane is Lane.SLOW for one in self.engine.evaluators)
        return [self.judge.identity.name] if judged and self.judge is not None else []

    def _not_alive(self) -> str | None:
        return self.pipeline.problem() if self._arrived else None

    def _not_ready(self) -> str | None:
        if self.arrival.problem is not None:
            return f"waiting for Kafka: {self.arrival.problem}"
        if not self.receiver.ready:
            return "Kafka: not in the consumer group yet"
        return self.pipeline.problem()

    async def _stop_judge(self) -> None:
        if self.judge is not None:
            await self.judge.stop()

    async def _stop_others(self) -> None:
        if self.others is not None:
            await self.others.stop()

    def _new_deadline(self) -> Deadline:
        return Deadline(self.config.pipeline.whole_stop_seconds, self.clock)

    async def _close(self) -> None:
        """Stop what was started: exporters first, since offsets are committed for what they took; /metrics last."""
        stages = (
            Stage("delivery", 0.6, self.deliverer.stop),
            Stage("the Kafka receiver", 0.7, self.receiver.stop),
            Stage("the judge", 0.5, lambda _: self._stop_judge()),
            Stage("the models", 0.5, lambda _: self.runtime.stop()),
            Stage("tracing", 0.5, lambda _: asyncio.to_thread(self.tracing.stop)),
            Stage("the watch of the loop", 0.5, lambda _: self.watch.stop()),
            Stage("the reader of other replicas' results", 0.5, lambda _: self._stop_others()),
            Stage("the admin endpoint", 1.0, lambda _: self.admin.stop()),
        )
        await stop_in_order(stages, self._deadline or self._new_deadline())


def decoding(config: Config) -> DecodeConfig:
    """The decoder's settings; what we repartitioned holds spans and logs alike, whatever the encoding of its sources."""
    own = config.receive.repartition
    return config.decode.model_copy(update={"topics": {own: "sniff", **config.decode.topics}}) if own else config.decode
