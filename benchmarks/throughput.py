"""Unsampled path and scoring, each beside a peer measured in the same run: `python -m benchmarks.throughput`.

    unsampled   decode, assemble, count: the real pipeline with `sample.rate: 0`, fed from memory
                peer: the bytes only parsed (stdlib json; protobuf's MessageToDict), nothing understood
    scoring     the real engine with the embedded models, 64 requests in flight
                peer: the same engine with one request in flight, as a scorer that is called per request works

CPU seconds of this process are counted, not wall time, so that rates are per core.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from benchmarks.traffic import Traffic
from exporters.prometheus import PrometheusConfig, PrometheusExporter
from sidecar.assemble import AssembleConfig, Assembler
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.decode.native.reader import read_native_line
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
from sidecar.record.request import RagTrace
from sidecar.sample.rules import SampleConfig, Sampler


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    ours: float
    peer_name: str
    peer: float
    unit: str

    def __str__(self) -> str:
        return f"| {self.what} | {self.ours:,.0f} {self.unit} | {self.peer_name}: {self.peer:,.0f} {self.unit} | {self.ours / self.peer:.2f} |"


class MemorySource:
    """Hands out records from memory, then asks the pipeline to stop."""

    def __init__(self, values: Sequence[bytes], batch: int) -> None:
        self._tracker = OffsetTracker()
        self._values = values
        self._batch = batch
        self._next = 0
        self.on_end: Callable[[], None] = lambda: None

    async def poll(self, *, paused: bool) -> list[Taken]:
        await asyncio.sleep(0)
        if paused:
            return []
        chunk = range(self._next, min(self._next + self._batch, len(self._values)))
        self._next = chunk.stop
        if not chunk:
            self.on_end()
        return [
            Taken(Record("bench", 0, n, 1.76e9, None, self._values[n]), self._tracker.take("bench", 0, n))
            for n in chunk
        ]

    def caught_up(self) -> None:
        return None

    def repartitions(self, topic: str) -> bool:
        return False

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
        raise AssertionError("nothing is repartitioned")

    async def commit(self) -> None:
        self._tracker.committed(self._tracker.committable())

    async def dead_letter(self, record: Record, *, reason: str, detail: str) -> bool:
        raise AssertionError(f"made traffic is not readable: {reason} {detail}")


async def unsampled(values: Sequence[bytes], requests: int) -> float:
    """CPU seconds for the whole unsampled path; checks that every request was counted."""
    telemetry, clock = Telemetry(), SystemClock()
    runtime = ModelRuntime(InferenceConfig(), telemetry)
    sampler = Sampler(SampleConfig(rate=0), telemetry)
    exporter = PrometheusExporter(PrometheusConfig(), telemetry.registry, evaluators=["faithfulness"])
    deliverer = Deliverer(DeliverConfig(), [exporter], telemetry=telemetry, clock=clock)
    source = MemorySource(values, 500)
    pipeline = Pipeline(
        PipelineConfig(),
        source=source,
        decoder=Decoder(DecodeConfig(), telemetry, keep_text=sampler.may_keep),
        assembler=Assembler(AssembleConfig(quiet_seconds=0.5), clock, telemetry),
        sampler=sampler,
        engine=Engine(EvaluateConfig(), runtime.router),
        pricer=Pricer(PriceConfig()),
        deliverer=deliverer,
        telemetry=telemetry,
        clock=clock,
        tracing=Tracing(None),
    )
    source.on_end = lambda: pipeline.stop(flush=True)
    await deliverer.start()
    started = time.process_time()
    await pipeline.run()
    took = time.process_time() - started
    await deliverer.stop(5)
    counted = telemetry.value("rag_sidecar_requests_total")
    assert counted == requests, f"{counted} of {requests} requests counted"
    return took


def parsed_only(values: Sequence[bytes], parse: Callable[[bytes], object]) -> float:
    """CPU seconds for parsing alone."""
    started = time.process_time()
    for value in values:
        parse(value)
    return time.process_time() - started


async def scoring(lines: Sequence[bytes], in_flight: int) -> float:
    """Wall seconds to score all requests with so many in flight. Fresh caches."""
    runtime = ModelRuntime(InferenceConfig(), Telemetry())
    engine = Engine(EvaluateConfig(), runtime.router)
    traces = [read_native_line(line, DecodeConfig(), fallback_timestamp=0.0) for line in lines]
    await runtime.start()
    gate = asyncio.Semaphore(in_flight)

    async def one(trace: RagTrace) -> None:
        async with gate:
            evaluated = await engine.evaluate(trace)
        assert evaluated.outcome == "scored", evaluated

    try:
        started = time.perf_counter()
        await asyncio.gather(*(one(trace) for trace in traces))
        return time.perf_counter() - started
    finally:
        await runtime.stop()


def ready() -> tuple[float, float]:
    """Seconds from process start to a loaded model that has answered, and the peak memory (MB) of that process."""
    code = (
        "import asyncio\nfrom sidecar.inference.runtime import *\nfrom sidecar.observe.telemetry import Telemetry\n"
        "async def main():\n    r=ModelRuntime(InferenceConfig(), Telemetry())\n    await r.start()\n"
        "    await r.models.embedder.embed(['ready'])\n    await r.stop()\n"
        "asyncio.run(main())\nprint(int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])/1024)"
    )
    started = time.perf_counter()
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    return time.perf_counter() - started, float(output)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=5000)
    parser.add_argument("--scored", type=int, default=200)
    args = parser.parse_args()
    traffic = Traffic()
    native = traffic.native(args.records)
    rows = [
        Row(
            "native records, unsampled",
            len(native) / asyncio.run(unsampled(native, len(native))),
            "json.loads alone",
            len(native) / parsed_only(native, json.loads),
            "records/s per core",
        )
    ]
    messages, spans = traffic.otlp(args.records, spans_a_message=300)
    rows.append(
        Row(
            "OTLP protobuf spans, unsampled",
            spans / asyncio.run(unsampled(messages, args.records)),
            "MessageToDict alone",
            spans / parsed_only(messages, lambda value: MessageToDict(TracesData.FromString(value))),
            "spans/s per core",
        )
    )
    for hot, name in ((0.0, "all chunks new"), (0.8, "80 % hot chunks")):
        lines = Traffic(11, hot=hot).native(args.scored)
        together, alone = asyncio.run(scoring(lines, 64)), asyncio.run(scoring(lines, 1))
        rows.append(
            Row(f"scoring, {name}", len(lines) / together, "one request at a time", len(lines) / alone, "requests/s")
        )
    print("| what | ours | peer in the same run | ratio |\n|---|---|---|---|")
    for row in rows:
        print(row)
    seconds, megabytes = ready()
    print(f"\nready after {seconds:.1f} s with {megabytes:.0f} MB")


if __name__ == "__main__":
    main()
