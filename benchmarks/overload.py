"""The real pipeline and models under a paced load: `python -m benchmarks.overload`.

    capacity   requests a second that scoring does when more wait
    delay      at 80 % of that: seconds from a request's end to its metric, median and 95th percentile
    overload   at ten times that for a minute: the share of the capacity that is used in each interval from twenty seconds on, the longest
               backlog, memory at both ends of that, and how long after the load's end the rate is back
The peer is the capacity of the same run: shares of it are what is claimed.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import orjson

from benchmarks.traffic import Traffic
from exporters.base import Exporter
from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.result import Outcome, Result
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.kafka.consume.offsets import OffsetTracker
from sidecar.kafka.consume.receiver import Taken
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.pipeline import Pipeline, PipelineConfig
from sidecar.price import PriceConfig, Pricer
from sidecar.record.clock import SystemClock
from sidecar.record.record import Record
from sidecar.sample.budget import BudgetConfig
from sidecar.sample.rules import SampleConfig, Sampler

PARTITION = ("bench", 0)
_POLL_SECONDS = 0.05
_LEAST_SECONDS = 30


class PacedSource:
    """Native requests that come at a rate, as a partition would give them: what is not polled waits."""

    def __init__(self, lines: Sequence[bytes], rate: Callable[[float], float]) -> None:
        self._rows = itertools.cycle([orjson.loads(line) for line in lines])
        self._rate = rate
        self._tracker = OffsetTracker()
        self._began = self._moved = time.monotonic()
        self._due = 0.0
        self._ends: list[float] = []
        self._given = 0

    @property
    def waiting(self) -> int:
        """Requests that have come and were not taken."""
        return len(self._ends) - self._given

    async def poll(self, *, paused: bool) -> list[Taken]:
        """Up to 500 of those that have come."""
        await asyncio.sleep(_POLL_SECONDS)
        now = time.monotonic()
        self._due += self._rate(now - self._began) * (now - self._moved)
        self._moved = now
        self._ends += [time.time()] * (int(self._due) - len(self._ends))
        if paused:
            return []
        chunk = range(self._given, min(self._given + 500, len(self._ends)))
        self._given = chunk.stop
        return [self._taken(number) for number in chunk]

    def caught_up(self) -> dict[tuple[str, int], float]:
        """The one partition, when nothing waits."""
        return {} if self.waiting else {PARTITION: 0.0}

    def repartitions(self, topic: str) -> bool:
        return False

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
        raise AssertionError("nothing is repartitioned")

    async def commit(self) -> None:
        self._tracker.committed(self._tracker.committable())

    async def dead_letter(self, record: Record, *, reason: str, detail: str) -> bool:
        raise AssertionError(f"made traffic is not readable: {reason} {detail}")

    def _taken(self, number: int) -> Taken:
        row = {
            **next(self._rows),
            "request_id": f"r{number}",
            "trace_id": f"{number:032x}",
            "timestamp": self._ends[number],
        }
        record = Record(*PARTITION, number, self._ends[number], None, orjson.dumps(row))
        return Taken(record, self._tracker.take(*PARTITION, number))


@dataclass
class Watch:
    """An exporter that remembers when results came. `delays`: seconds from a request's end to here, of those that were scored."""

    name: str = "watch"
    every_trace: bool = True
    local: bool = True
    delays: list[float] = field(default_factory=list)
    scored_at: list[float] = field(default_factory=list)
    probabilities: list[tuple[float, float]] = field(default_factory=list)

    async def start(self) -> None:
        """Nothing to start."""

    async def stop(self) -> None:
        """Nothing to stop."""

    async def export(self, results: Sequence[Result]) -> None:
        """Remember them."""
        for one in results:
            now = time.monotonic()
            self.probabilities.append((now, one.inclusion_probability))
            if one.outcome is Outcome.SCORED:
                self.delays.append(time.time() - one.timestamp)
                self.scored_at.append(now)


async def run(
    lines: Sequence[bytes], rate: Callable[[float], float], *, seconds: float, budget: bool
) -> tuple[Watch, list[tuple[int, float]], float]:
    """Run for a time. What was seen, the requests that waited and the MB that were resident in each second, and when it began (monotonic)."""
    telemetry, clock = Telemetry(), SystemClock()
    runtime = ModelRuntime(InferenceConfig(grounding="embedded"), telemetry)
    sampler = Sampler(SampleConfig(budget=BudgetConfig(enabled=budget)), telemetry)
    watch = Watch()
    exporters: list[Exporter] = [
        PrometheusExporter(PrometheusConfig(), telemetry.registry, evaluators=["faithfulness"]),
        watch,
    ]
    deliverer = Deliverer(DeliverConfig(), exporters, telemetry=telemetry, clock=clock)
    source = PacedSource(lines, rate)
    pipeline = Pipeline(
        PipelineConfig(drain_seconds=1),
        source=source,
        decoder=Decoder(DecodeConfig(), telemetry, keep_text=sampler.may_keep),
        assembler=Assembler(AssembleConfig(), clock, telemetry),
        sampler=sampler,
        engine=Engine(EvaluateConfig(), runtime.router),
        pricer=Pricer(PriceConfig()),
        deliverer=deliverer,
        telemetry=telemetry,
        clock=clock,
        tracing=Tracing(None),
    )
    await runtime.start()
    await deliverer.start()
    began, seen = time.monotonic(), []
    task = asyncio.create_task(pipeline.run())
    while time.monotonic() - began < seconds:
        await asyncio.sleep(1)
        seen.append((source.waiting, resident()))
    pipeline.stop()
    await task
    await deliverer.stop(2)
    await runtime.stop()
    return watch, seen, began


def used(
    watch: Watch, began: float, *, after: float, until: float, capacity: float, interval: float = 4.0
) -> list[float]:
    """The share of the capacity that was used in each interval."""
    starts = np.arange(after, until - interval + 0.01, interval)
    at = np.array(watch.scored_at) - began
    return [float(((at >= start) & (at < start + interval)).sum() / interval / capacity) for start in starts]


def resident() -> float:
    """Resident memory of this process, MB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def measure(seconds: float) -> None:
    """Measure and print."""
    lines = Traffic(11).native(400)
    watch, _, began = await run(lines, lambda at: 200.0, seconds=seconds / 2, budget=False)
    at = np.array(watch.scored_at) - began
    capacity = float(((at > 5) & (at < seconds / 2)).sum() / (seconds / 2 - 5))
    print(f"capacity {capacity:.1f} requests/s (5 chunks of 150 words, all evaluators)", flush=True)
    watch, _, _ = await run(lines, lambda at: 0.8 * capacity, seconds=seconds, budget=True)
    delays = np.array(watch.delays[len(watch.delays) // 5 :])
    print(
        f"at 80 % load: {len(delays)} requests, delay to the metric median {np.median(delays):.2f} s, 95 % {np.quantile(delays, 0.95):.2f} s",
        flush=True,
    )
    load = lambda at: 10 * capacity if at < seconds else 0.3 * capacity  # noqa: E731
    watch, seen, began = await run(lines, load, seconds=2 * seconds, budget=True)
    shares = used(watch, began, after=20, until=seconds, capacity=capacity)
    back = next((at - began - seconds for at, p in watch.probabilities if at - began > seconds and p > 0.99), None)
    end = min(int(seconds), len(seen)) - 1
    kept = [p for at, p in watch.probabilities if 20 < at - began < seconds]
    print(
        f"at 10 times the capacity: used in each 4 s from 20 s on {min(shares):.2f} to {max(shares):.2f} (mean {np.mean(shares):.2f}), "
        f"rate {np.mean(kept):.3f}, longest backlog {max(waiting for waiting, _ in seen)} requests, {seen[end][0]} at the end, "
        f"rate back {f'{back:.0f} s' if back is not None else 'not'} after the load's end, "
        f"{seen[min(20, end)][1]:.0f} MB resident after 20 s and {seen[end][1]:.0f} MB at the load's end ({seen[end][1] / seen[min(20, end)][1]:.2f})"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    seconds = parser.parse_args().seconds
    if seconds < _LEAST_SECONDS:
        parser.error(f"--seconds: {_LEAST_SECONDS} at least, of which the first twenty are not counted")
    sys.exit(asyncio.run(measure(seconds)))
