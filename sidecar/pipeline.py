"""The one place that knows the order: receive, decode, assemble, sample, evaluate, deliver, acknowledge.

intake    polls, decodes, assembles, samples; where a queue is full it pauses the partitions and goes on polling, or it would lose its group
workers   evaluate requests from the queue and hand the results to delivery
done      a record is acknowledged when every request of every trace that it fed has its outcome and is delivered

Nothing about one record, trace or request ends the process: what raises is counted, said by type and place, and passed over. A
record that breaks us goes to the dead-letter topic, a request that does is failed{reason="internal"}.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from exporters.result import Outcome
from sidecar.assemble import Assembled, Assembler
from sidecar.assemble.probes import REASON as PROBE
from sidecar.assemble.probes import without_probes
from sidecar.decode.aside import aside
from sidecar.decode.decoder import Decoder
from sidecar.deliver import Deliverer
from sidecar.ending import INTERNAL, Ending, Page
from sidecar.evaluate.engine import Engine, Evaluated
from sidecar.kafka.consume.offsets import Partition
from sidecar.kafka.consume.receiver import Taken
from sidecar.observe.broken import Broken
from sidecar.observe.said import RateLimited
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.pauses import Pauses
from sidecar.price import Pricer
from sidecar.record.clock import Clock
from sidecar.record.deadline import Deadline
from sidecar.record.errors import DecodeError
from sidecar.record.memory import MemoryBudget
from sidecar.record.record import Record
from sidecar.redact.redactor import Redactor
from sidecar.sample.rules import Decision, Sampler
from sidecar.scoring import Job, Journey, Limits, Scoring

logger = logging.getLogger(__name__)

MEGABYTE = 1_000_000
# Between two turns of the intake where the first broke.
_PAUSE_SECONDS = 0.2
_LEAST_STOP_SECONDS = 5.0
_UNDECIDED = Decision(keep=True, probability=1.0, rule="none")


class PipelineConfig(BaseModel):
    """Settings of what lies between the stages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    queue_size: int = Field(default=128, ge=1, description="Requests waiting for scoring before intake pauses.")
    workers: int = Field(default=16, ge=1, description="Requests evaluated at once; their texts share batches.")
    most_backlog: int = Field(
        default=2048, ge=0, description="Requests over the queue that may wait while intake is paused; more are shed."
    )
    slow_queue_size: int = Field(
        default=512, ge=1, description="Requests waiting for slow evaluators (a judge) before these are left out."
    )
    slow_workers: int = Field(default=8, ge=1, description="Requests that slow evaluators see at once.")
    stalled_seconds: float = Field(default=60.0, gt=0, description="Without a beat of intake so long /livez fails.")
    drain_seconds: float = Field(
        default=20.0, ge=0, description="Time for scoring to finish at a stop; half of the whole stop at most."
    )
    stop_seconds: float | None = Field(
        default=None,
        gt=0,
        description="Time for the whole stop, shared out over its stages; by default twice drain_seconds, at least 5. Pods need more.",
    )
    buffer_megabytes: int = Field(
        default=512,
        ge=16,
        description="Memory for all that waits: traces, requests, results, records. At four fifths of it intake pauses.",
    )

    @property
    def limits(self) -> Limits:
        """The same as the scoring takes it."""
        return Limits(self.queue_size, self.workers, self.most_backlog, self.slow_queue_size, self.slow_workers)

    @property
    def whole_stop_seconds(self) -> float:
        """Seconds from the signal to the end of the process, at most."""
        return self.stop_seconds or max(_LEAST_STOP_SECONDS, 2 * self.drain_seconds)


class Source(Protocol):
    """Where records come from: receive.Receiver, or a list in a test."""

    async def poll(self, *, paused: bool) -> Sequence[Taken]: ...

    def caught_up(self) -> Mapping[Partition, float] | None: ...

    async def commit(self) -> None: ...

    async def dead_letter(self, record: Record, *, reason: str, detail: str) -> bool: ...

    def repartitions(self, topic: str) -> bool: ...

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None: ...


class Pipeline:
    """Runs the stages. `run` returns after `stop` was called and the queue is empty or the deadline has passed."""

    def __init__(
        self,
        config: PipelineConfig,
        *,
        source: Source,
        decoder: Decoder,
        assembler: Assembler,
        sampler: Sampler,
        engine: Engine,
        pricer: Pricer,
        deliverer: Deliverer,
        telemetry: Telemetry,
        clock: Clock,
        tracing: Tracing,
        memory: MemoryBudget | None = None,
        redactor: Redactor | None = None,
        page: Page | None = None,
        budget_interval_seconds: float = 2.0,
    ) -> None:
        """`memory` is what the waiting requests share with the other buffers; by default as the settings say. `redactor` is None where
        nothing is redacted, `page` where nothing is shown."""
        self._config = config
        self._source = source
        self._decoder = decoder
        self._assembler = assembler
        self._sampler = sampler
        self._telemetry = telemetry
        self._clock = clock
        self._tracing = tracing
        self._memory = memory or MemoryBudget(config.buffer_megabytes * MEGABYTE)
        self._broken = Broken(logger, telemetry, clock)
        self.ending = Ending(
            deliverer,
            pricer=pricer,
            redactor=redactor,
            page=page,
            broken=self._broken,
            telemetry=telemetry,
            clock=clock,
        )
        self._drain_by = Deadline(config.drain_seconds, clock)
        self._budget_interval = budget_interval_seconds
        self._scoring = Scoring(
            config.limits,
            engine=engine,
            close=self._scored,
            memory=self._memory,
            broken=self._broken,
            telemetry=telemetry,
            tracing=tracing,
            clock=clock,
        )
        self._pauses = Pauses(self._scoring, deliverer, self._memory, telemetry=telemetry)
        self._stopping = asyncio.Event()
        self._flush = False
        self._beat = clock.monotonic()
        self._relieved_at = clock.monotonic()
        self._open_seconds = 0.0
        self._said = RateLimited(logger, clock)
        telemetry.set("rag_sidecar_buffer_limit_bytes", self._memory.most_bytes)

    def stop(self, *, flush: bool = False, drain_seconds: float | None = None) -> None:
        """Ask `run` to end, after `drain_seconds` at the latest (by default those of the settings). With `flush`, traces still
        open are finished as they are; without, they are left uncommitted, so that the next start reads them again whole."""
        self._flush = flush
        self._drain_by = Deadline(self._config.drain_seconds if drain_seconds is None else drain_seconds, self._clock)
        self._stopping.set()

    def problem(self) -> str | None:
        """What is wrong with the intake, or None: for /livez."""
        silent = self._clock.monotonic() - self._beat
        return f"intake has not moved for {silent:.0f} s" if silent > self._config.stalled_seconds else None

    async def run(self) -> None:
        """Take, score and deliver until `stop` is called, then drain by the deadline."""
        self._beat = self._clock.monotonic()
        self._scoring.start()
        try:
            await self._take_in()
            await self._drain()
        finally:
            await self._scoring.stop()

    async def _take_in(self) -> None:
        while not self._stopping.is_set():
            try:
                await self._turn()
                self._beat = self._clock.monotonic()
            except Exception as error:  # noqa: BLE001 - a barrier; where every turn breaks, /livez says so for want of a beat
                self._broken.tell("intake", error)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _turn(self) -> None:
        """Take what has come, route what has ended, commit what is done."""
        began = self._clock.monotonic()
        self._scoring.refill()
        paused = self._pauses.wanted()
        for taken in await self._source.poll(paused=paused):
            await self._feed(taken)
            await asyncio.sleep(0)
        for assembled in self._assembler.due(self._source.caught_up()):
            await self._route(assembled)
        if not paused:
            self._open_seconds += self._clock.monotonic() - began
        self._relieve()
        await self._source.commit()

    async def _drain(self) -> None:
        if self._flush:
            for assembled in self._assembler.flush():
                await self._route(assembled)
        left = await self._scoring.drain(self._drain_by)
        if left:
            logger.warning("%d requests were left unscored at the stop; their records are not committed", left)

    async def _feed(self, taken: Taken) -> None:
        """Take one record, whatever is in it. One that cannot be sent on either is not released: it is read again."""
        try:
            try:
                with self._tracing.process(taken.record):
                    await self._take(taken)
            except DecodeError as error:
                await self._reject(taken, error)
            except Exception as error:  # noqa: BLE001 - the barrier of records
                await self._reject(taken, DecodeError(INTERNAL, self._broken.tell("record", error)))
        except Exception as error:  # noqa: BLE001 - the same
            self._broken.tell("dead_letter", error)

    async def _take(self, taken: Taken) -> None:
        record, lease = taken.record, taken.lease
        self._telemetry.count("rag_sidecar_record_bytes_total", len(record.value or b""), topic=record.topic)
        if self._source.repartitions(record.topic) and (parts := await aside(self._decoder.split, record)) is not None:
            self._telemetry.count("rag_sidecar_records_total", topic=record.topic, outcome="forwarded")
            self._source.forward(taken, parts)
            return
        with self._tracing.span("decode"):
            decoded = await aside(self._decoder.decode, record)
        if lease.revoked:
            # The partition went while records that were polled together were fed: a trace begun here would be a part of one.
            self._telemetry.count("rag_sidecar_records_total", topic=record.topic, outcome="revoked")
            return
        self._telemetry.count("rag_sidecar_records_total", topic=record.topic, outcome="ok")
        place, at = (record.topic, record.partition), record.timestamp
        with self._tracing.span("assemble"):
            ended = self._assembler.take(decoded.requests, acknowledgement=lease, partition=place)
            ended += self._assembler.add(
                decoded.spans, acknowledgement=lease, partition=place, timestamp=at, behind=taken.behind
            )
        for assembled in ended:
            await self._route(assembled)
        lease.release()

    async def _reject(self, taken: Taken, error: DecodeError) -> None:
        """Send a poison record on. Where that fails for good it stays uncommitted, and is read again after a restart."""
        record = taken.record
        if taken.lease.replayed:
            return
        self._telemetry.count("rag_sidecar_records_total", topic=record.topic, outcome="dead_letter")
        self._telemetry.count("rag_sidecar_decode_errors_total", topic=record.topic, reason=error.reason)
        self._said.warn(
            ("unreadable", record.topic, error.reason),
            "a record of topic %s cannot be read: %s; `rag-sidecar inspect --topic %s` shows what is there",
            record.topic,
            error,
            record.topic,
        )
        if await self._source.dead_letter(record, reason=error.reason, detail=error.detail):
            taken.lease.release()

    async def _route(self, assembled: Assembled) -> None:
        """Every request of a trace to scoring, or to its end."""
        if assembled.ignored_reason == INTERNAL:
            self._telemetry.count("rag_sidecar_requests_total", outcome=Outcome.FAILED, reason=INTERNAL)
        given, assembled = len(assembled.requests), without_probes(assembled)
        for _ in range(given - len(assembled.requests)):
            self._telemetry.count("rag_sidecar_traces_ignored_total", reason=PROBE)
        journey = Journey(assembled, self._assembler.settle)
        for trace in assembled.requests:
            try:
                decision = self._sampler.decide(trace)
            except Exception as error:  # noqa: BLE001 - the barrier of requests
                self._broken.tell("sample", error)
                await self.ending.end(Job(trace, _UNDECIDED, journey), Outcome.FAILED, INTERNAL)
            else:
                await self._queue_up(Job(trace, decision, journey))
        self._scoring.refill()

    async def _queue_up(self, job: Job) -> None:
        if not job.decision.keep:
            await self.ending.end(job, Outcome.SAMPLED_OUT, None)
        elif (reason := self._scoring.put(job)) is not None:
            await self.ending.end(job, Outcome.SHED, reason)

    def _relieve(self) -> None:
        now = self._clock.monotonic()
        if now - self._relieved_at < self._budget_interval:
            return
        self._sampler.relieve(
            seconds=now - self._relieved_at,
            open_seconds=self._open_seconds,
            scored=self._scoring.take_finished(),
            fill=self._scoring.fill,
        )
        self._relieved_at, self._open_seconds = now, 0.0
        for buffer, amount in self._memory.by_buffer().items():
            self._telemetry.set("rag_sidecar_buffer_bytes", amount, buffer=buffer)

    async def _scored(self, job: Job, evaluated: Evaluated | None) -> None:
        if evaluated is None:
            await self.ending.end(job, Outcome.FAILED, INTERNAL)
        else:
            await self.ending.end(job, evaluated.outcome, evaluated.reason, evaluated)
