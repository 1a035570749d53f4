"""An accelerated day of the whole pipeline in this process: a clock moved by hand, real parts but for Kafka and the models."""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import httpx

from exporters.base import RetryableExportError
from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.result import Result
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.kafka.consume.offsets import OffsetTracker, Partition
from sidecar.kafka.consume.receiver import Taken
from sidecar.observe.admin import Admin, AdminConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.pipeline import MEGABYTE, Pipeline, PipelineConfig
from sidecar.price import PriceConfig, Pricer
from sidecar.record.clock import ManualClock
from sidecar.record.memory import MemoryBudget
from sidecar.record.record import Record
from sidecar.sample.rules import SampleConfig, Sampler
from tests.soak.traffic import Day, Traffic
from tests.unit.evaluate.fakes import models

PARTITIONS = 4
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`seconds` of the day are run, in steps of `step` seconds, with a look at the process every `look` seconds."""

    traffic: Traffic
    seconds: float = 86_400.0
    step: float = 1.0
    look: float = 600.0
    idle_seconds: float = 7_200.0
    most_subjects: int = 75
    required_every: float = 10_800.0
    required_away: float = 600.0


@dataclass(frozen=True, slots=True)
class Look:
    """The process at a moment of the day: bytes, and counts."""

    at: float
    rss: int
    series: int
    descriptors: int
    tasks: int
    buffers: int
    pending: int


@dataclass(frozen=True, slots=True)
class Report:
    """What was seen. `outcomes` are requests by what became of them, `unread` records without an end."""

    looks: Sequence[Look]
    outcomes: dict[str, float]
    exported: int
    unread: int
    took_seconds: float

    @property
    def slope(self) -> float:
        """RSS over the last half of the looks: median of all slopes (Theil and Sen), bytes an hour of the day."""
        half = self.looks[len(self.looks) // 2 :]
        return statistics.median((b.rss - a.rss) / (b.at - a.at) * 3600 for a, b in combinations(half, 2))

    @property
    def noise(self) -> float:
        """How far RSS strays over the last half: its interquartile range in bytes."""
        low, _, high = statistics.quantiles([look.rss for look in self.looks[len(self.looks) // 2 :]], n=4)
        return high - low

    def __str__(self) -> str:
        first, half, last = self.looks[0], self.looks[len(self.looks) // 2], self.looks[-1]
        mega = 1e6
        return (
            f"{sum(self.outcomes.values()):.0f} requests {self.outcomes} in {self.took_seconds:.0f} s; RSS {first.rss / mega:.1f} MB at the first look, "
            f"{half.rss / mega:.1f} at half, {last.rss / mega:.1f} at the end, slope of the last half {self.slope / mega:+.3f} MB an hour, noise "
            f"{self.noise / mega:.1f} MB; series {max(look.series for look in self.looks)} at most, {last.series} at the end; descriptors "
            f"{first.descriptors} to {last.descriptors}, tasks {first.tasks} to {last.tasks}; {self.exported} results taken, {self.unread} records unread"
        )


class Flaky:
    """An exporter that takes nothing at some hours. Remembers how much it took, not what."""

    every_trace = False
    local = False

    def __init__(self, name: str, away: Callable[[], bool]) -> None:
        self.name = name
        self.taken = 0
        self._away = away

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def export(self, results: Sequence[Result]) -> None:
        if self._away():
            raise RetryableExportError("away", error_type="unavailable")
        self.taken += len(results)


@dataclass
class Stream:
    """The source: each poll that is not paused moves the clock by a step and hands out what came in it."""

    plan: Plan
    clock: ManualClock
    day: Day
    look: Callable[[], object]
    on_end: Callable[[], None] = lambda: None
    at: float = 0.0
    tracker: OffsetTracker = field(default_factory=OffsetTracker)
    _looked: float = 0.0
    _next: list[int] = field(default_factory=lambda: [0] * PARTITIONS)

    async def poll(self, *, paused: bool) -> list[Taken]:
        await asyncio.sleep(0.001 if paused else 0)
        if paused:
            # Time passes for those who are waited for, or an exporter would be away for ever.
            self._pass()
            return []
        if self.at >= self.plan.seconds:
            self.on_end()
            return []
        taken = [
            self._take(number % PARTITIONS, value)
            for number, value in self.day.between(self.at, self.at + self.plan.step, now=self.clock.now())
        ]
        self._pass()
        self.at += self.plan.step
        if self.at - self._looked >= self.plan.look:
            self._looked = self.at
            await asyncio.to_thread(self.look)
        return taken

    def _pass(self) -> None:
        self.clock.advance(self.plan.step)

    def _take(self, partition: int, value: bytes) -> Taken:
        offset, self._next[partition] = self._next[partition], self._next[partition] + 1
        record = Record("t", partition, offset, self.clock.now(), None, value)
        return Taken(record, self.tracker.take("t", partition, offset))

    def caught_up(self) -> Mapping[Partition, float] | None:
        return None

    def repartitions(self, topic: str) -> bool:
        return False

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
        raise AssertionError("nothing is repartitioned")

    async def commit(self) -> None:
        self.tracker.committed(self.tracker.committable())

    async def dead_letter(self, record: Record, *, reason: str, detail: str) -> bool:
        return True

    @property
    def pending(self) -> int:
        """Records taken that have not had their end."""
        return sum(self.tracker.pending(("t", n)) for n in range(PARTITIONS))


class Soak:
    """The pipeline and what looks at it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._clock = clock = ManualClock()
        self._telemetry = telemetry = Telemetry()
        self._memory = MemoryBudget(64 * MEGABYTE)
        self._looks: list[Look] = []
        self._stream = Stream(plan, clock, Day(plan.traffic), self._look)
        self._admin = Admin(
            AdminConfig(host="127.0.0.1", port=0), telemetry.registry, alive=lambda: None, ready=lambda: None
        )
        self._required = Flaky("required", self._is_away)
        optional = Flaky("optional", lambda: clock.monotonic() % 7_200 < 3_600)
        prometheus = PrometheusExporter(
            PrometheusConfig(
                idle_seconds=plan.idle_seconds, remembered_results=2_000, most_subjects=plan.most_subjects
            ),
            telemetry.registry,
            evaluators=["context_relevance", "answer_relevance", "faithfulness"],
            monotonic=clock.monotonic,
        )
        self._deliverer = Deliverer(
            DeliverConfig(queue_size=32, linger_seconds=0.01, backoff_seconds=0.01),
            [prometheus, self._required, optional],
            telemetry=telemetry,
            clock=clock,
            required=["required"],
            memory=self._memory,
        )
        self._pipeline = self._build()
        self._stream.on_end = lambda: self._pipeline.stop(flush=True)

    async def run(self) -> Report:
        """The day, then what is left of it."""
        started = time.monotonic()
        self._loop = asyncio.get_running_loop()
        await self._admin.start()
        await self._deliverer.start()
        await self._pipeline.run()
        await self._deliverer.stop(60)
        await self._admin.stop()
        counted = self._telemetry.values("rag_sidecar_requests_total")
        outcomes: dict[str, float] = {}
        for labels, value in counted:
            outcomes[labels["outcome"]] = outcomes.get(labels["outcome"], 0) + value
        return Report(self._looks, outcomes, self._required.taken, self._stream.pending, time.monotonic() - started)

    def _build(self) -> Pipeline:
        telemetry, clock, memory = self._telemetry, self._clock, self._memory
        sampler = Sampler(SampleConfig(rate=0.5), telemetry)
        return Pipeline(
            PipelineConfig(),
            source=self._stream,
            decoder=Decoder(DecodeConfig(), telemetry, keep_text=sampler.may_keep),
            assembler=Assembler(AssembleConfig(), clock, telemetry, memory=memory),
            sampler=sampler,
            engine=Engine(EvaluateConfig(), models()),
            pricer=Pricer(PriceConfig()),
            deliverer=self._deliverer,
            telemetry=telemetry,
            clock=clock,
            tracing=Tracing(None),
            memory=memory,
        )

    def _is_away(self) -> bool:
        """Whether the required exporter takes nothing now. What is left at the end of the day it takes."""
        ended = self._stream.at >= self._plan.seconds
        return not ended and self._clock.monotonic() % self._plan.required_every < self._plan.required_away

    def _look(self) -> None:
        """Scrape as Prometheus does, then measure. Runs in a thread."""
        with httpx.Client() as client:
            scraped = client.get(f"http://127.0.0.1:{self._admin.port}/metrics", timeout=60).text
        gc.collect()
        self._looks.append(
            Look(
                at=self._stream.at,
                rss=int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE,
                series=sum(not line.startswith("#") for line in scraped.splitlines()),
                descriptors=len(list(Path("/proc/self/fd").iterdir())),
                tasks=len(asyncio.all_tasks(self._loop)),
                buffers=self._memory.used,
                pending=self._stream.pending,
            )
        )
