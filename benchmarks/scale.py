"""`python -m benchmarks.scale`: replicas of one group on a real broker: CPU for a request, and whether any was scored twice.

On two cores this shows what a request costs as replicas are added, not how much faster four of them are.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.chaos.replicas import Replicas
from tests.chaos.traffic import Sender
from tests.chaos.verdict import Report, judge, read_results
from tests.parts.kafka import KafkaBroker

PARTITIONS = 8
_CALM_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Scaled:
    """What a number of replicas did. `cpu_seconds`: of all of them, while the requests came."""

    replicas: int
    report: Report
    cpu_seconds: float
    rebalances: float


def measure(broker: KafkaBroker, *, replicas: int, seconds: float, rate: float) -> Scaled:
    """Send `rate` requests a second to a group that has settled. Raises TimeoutError where it does not."""
    spans, results = f"spans-{replicas}", f"results-{replicas}"
    for topic in (spans, results):
        broker.create_topic(topic, partitions=PARTITIONS)
    receive = {
        "bootstrap_servers": broker.bootstrap_servers, "topics": [spans], "group_id": f"scale-{replicas}",
        "auto_offset_reset": "earliest",
    }  # fmt: skip
    settings = {"receive": receive, "results": {"topic": results}, "assemble": {"quiet_seconds": 2.0}}
    with tempfile.TemporaryDirectory(prefix="rag-sidecar-scale-") as folder:
        group = Replicas(settings, Path(folder))
        sender = Sender(broker.bootstrap_servers, spans, rate=rate, gap=0.5, encodings=("otlp_proto", "native"))
        try:
            for _ in range(replicas):
                group.start()
            group.wait_ready()
            _settle(group)
            began, joined = _sum(group, "process_cpu_seconds_total"), _sum(group, "rag_sidecar_rebalances_total")
            sender.start()
            time.sleep(seconds)
            sender.stop()
            found = _found(broker, results, sender.book.whole)
            used = _sum(group, "process_cpu_seconds_total") - began
            moved = _sum(group, "rag_sidecar_rebalances_total") - joined
        finally:
            group.stop_all()
    return Scaled(replicas, judge(sender.book.whole, found), used, moved)


def _settle(group: Replicas) -> None:
    deadline, calm_since, seen = time.monotonic() + 120, time.monotonic(), (0.0, 0.0)
    while time.monotonic() - calm_since < _CALM_SECONDS or seen[0] != PARTITIONS:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the group has not settled: {seen[0]:.0f} of {PARTITIONS} partitions are assigned")
        time.sleep(0.5)
        now = (_sum(group, "rag_sidecar_assigned_partitions"), _sum(group, "rag_sidecar_rebalances_total"))
        if now != seen:
            seen, calm_since = now, time.monotonic()


def _sum(group: Replicas, series: str) -> float:
    texts = [httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=10).text for port in group.metrics_ports]
    return sum(float(line.split()[-1]) for text in texts for line in text.splitlines() if line.startswith(f"{series} "))


def _found(broker: KafkaBroker, topic: str, wanted: frozenset[str]) -> dict[str, list[dict[str, object]]]:
    deadline = time.monotonic() + 120
    while True:
        found = read_results(broker.bootstrap_servers, topic)
        if wanted <= found.keys() or time.monotonic() > deadline:
            return found
        time.sleep(1)


def main() -> int:
    """Measure and print a table; exit code 1 where a request was lost or scored twice."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=4.0, help="requests a second")
    options = parser.parse_args()
    bad, first = 0, 0.0
    print(
        f"| replicas | requests | CPU a request | against {options.replicas[0]} | lost | scored twice | rebalances |\n"
        "|---|---|---|---|---|---|---|",
        flush=True,
    )
    with KafkaBroker() as broker:
        for count in options.replicas:
            one = measure(broker, replicas=count, seconds=options.seconds, rate=options.rate)
            report, cost = one.report, one.cpu_seconds / one.report.sent * 1000
            first = first or cost
            print(
                f"| {count} | {report.sent} | {cost:.0f} ms | {cost / first:.2f} | {len(report.lost)} | {report.doubled} "
                f"| {one.rebalances:.0f} |",
                flush=True,
            )
            bad += len(report.lost) + report.doubled
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
