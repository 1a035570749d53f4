"""One run of chaos: traffic goes on while replicas are killed, added and removed and the broker is restarted."""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.replicas import Replicas
from tests.chaos.traffic import Encoding, Sender
from tests.chaos.verdict import Report, judge, read_results
from tests.parts.kafka import KafkaBroker

_DISK_MEGABYTES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What happens. Faults come at random moments of `seconds`, in random order, by the seed.

    rate        requests a second
    gap         seconds between the records of one request
    kills, scalings, broker_restarts, exporter_pauses
                how many of each fault; a scaling adds a replica or stops one; in a pause nothing passes between the sidecars and the
                results topic, a required exporter, for `pause_seconds`, while other faults go on
    disk_fills  how often the broker finds its disk full, which ends it, and is started again when there is room
    repartition the records of a request lie in any partitions, and are put together through a topic of the sidecars' own
    """

    seconds: float = 60.0
    rate: float = 12.0
    gap: float = 0.5
    kills: int = 6
    scalings: int = 4
    broker_restarts: int = 1
    exporter_pauses: int = 0
    pause_seconds: float = 10.0
    disk_fills: int = 0
    replicas: int = 2
    partitions: int = 4
    encodings: tuple[Encoding, ...] = ("otlp_proto", "otlp_json", "native")
    repartition: bool = False
    seed: int = 1
    settle_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Ended:
    """The report, and the seconds from the last fault until every request had a result (or patience ended)."""

    report: Report
    recovered_seconds: float
    log: tuple[str, ...]


def run(plan: Plan, *, say: bool = False) -> Ended:
    """Run a plan on a real broker. Raises RuntimeError where a replica ended by itself."""
    with (
        tempfile.TemporaryDirectory(prefix="rag-sidecar-chaos-") as folder,
        KafkaBroker(gated=True, disk_megabytes=_DISK_MEGABYTES if plan.disk_fills else 0) as broker,
    ):
        for topic in ("spans", "results", "by-trace"):
            broker.create_topic(topic, partitions=plan.partitions)
        replicas = Replicas(_settings(plan, broker), Path(folder))
        sender = Sender(
            broker.bootstrap_servers,
            "spans",
            rate=plan.rate,
            gap=plan.gap,
            encodings=plan.encodings,
            scattered=plan.repartition,
        )
        chaos = _Chaos(plan, broker, replicas, say)
        try:
            for _ in range(plan.replicas):
                replicas.start()
            replicas.wait_ready()
            sender.start()
            chaos.go_on()
            sender.stop()
            last_fault = time.monotonic()
            results = _settled(broker.bootstrap_servers, sender.book.whole, plan.settle_seconds)
            if ended := replicas.ended():
                raise RuntimeError("\n".join(ended))
            return Ended(judge(sender.book.whole, results), time.monotonic() - last_fault, tuple(chaos.log))
        finally:
            replicas.stop_all()


def _settings(plan: Plan, broker: KafkaBroker) -> dict[str, Any]:
    receive = {
        "bootstrap_servers": broker.bootstrap_servers, "topics": ["spans"], "group_id": "chaos", "auto_offset_reset": "earliest",
        "session_timeout_seconds": 6.0, "heartbeat_interval_seconds": 1.0, "commit_interval_seconds": 1.0,
        **({"repartition": "by-trace"} if plan.repartition else {}),
    }  # fmt: skip
    return {
        "receive": receive,
        "assemble": {"quiet_seconds": 2.0, "quiet_without_root_seconds": 10.0},
        "sample": {"budget": {"enabled": False}},
        "results": {"topic": "results", "bootstrap_servers": broker.gated_servers},
        # A pause is longer than the queue, and than what attempts of an exporter that is not required would bridge.
        "deliver": {"queue_size": 32, "timeout_seconds": 2.0, "most_attempts": 3},
        "pipeline": {"drain_seconds": 5.0},
    }


def _settled(servers: str, wanted: frozenset[str], patience: float) -> dict[str, list[dict[str, Any]]]:
    """The results when every request has one, or when `patience` seconds have brought no more."""
    results = read_results(servers, "results")
    grown = time.monotonic()
    while wanted - results.keys() and time.monotonic() - grown < patience:
        time.sleep(2)
        more = read_results(servers, "results")
        if len(more) > len(results):
            grown = time.monotonic()
        results = more
    # What was read twice may still be written a second time.
    time.sleep(10)
    return read_results(servers, "results")


class _Chaos:
    def __init__(self, plan: Plan, broker: KafkaBroker, replicas: Replicas, say: bool) -> None:
        self._plan, self._broker, self._replicas, self._say = plan, broker, replicas, say
        self._random = random.Random(plan.seed)
        self._pauses: list[threading.Timer] = []
        self._doing = {
            "kill": self._kill, "scaling": self._scale, "broker restart": self._restart_broker, "exporter pause": self._pause_exporter,
            "full disk": self._fill_disk,
        }  # fmt: skip
        self.log: list[str] = []

    def go_on(self) -> None:
        """Let every fault happen at its moment; returns when the plan's time has passed."""
        started = time.monotonic()
        for moment, fault in self._faults():
            time.sleep(max(0.0, started + moment - time.monotonic()))
            self._note(time.monotonic() - started, fault)
            self._doing[fault]()
        time.sleep(max(0.0, started + self._plan.seconds - time.monotonic()))
        for pause in self._pauses:
            pause.join()

    def _faults(self) -> Sequence[tuple[float, str]]:
        plan = self._plan
        counts = (plan.kills, plan.scalings, plan.broker_restarts, plan.exporter_pauses, plan.disk_fills)
        names = [name for name, count in zip(self._doing, counts, strict=True) for _ in range(count)]
        self._random.shuffle(names)
        step = plan.seconds * 0.9 / max(1, len(names))
        return [(step * (n + self._random.random()), name) for n, name in enumerate(names)]

    def _kill(self) -> None:
        self._replicas.kill(self._random.choice(self._replicas.numbers))
        self._replicas.start()

    def _scale(self) -> None:
        if (len(self._replicas) > 1 and self._random.random() < 0.5) or len(self._replicas) > 3:
            self._replicas.stop(self._random.choice(self._replicas.numbers))
        else:
            self._replicas.start()

    def _restart_broker(self) -> None:
        self._broker.stop_broker()
        time.sleep(self._random.uniform(0.5, 4.0))
        self._broker.start_broker()

    def _pause_exporter(self) -> None:
        self._broker.gate.shut()
        self._pauses.append(threading.Timer(self._plan.pause_seconds, self._broker.gate.open))
        self._pauses[-1].start()

    def _fill_disk(self) -> None:
        if not self._broker.fill_disk(seconds=20):
            raise RuntimeError("the broker did not mind a full disk")
        self._restart_broker()

    def _note(self, moment: float, fault: str) -> None:
        self.log.append(f"{moment:6.1f} s  {fault}, {len(self._replicas)} replicas")
        if self._say:
            sys.stdout.write(self.log[-1] + "\n")
            sys.stdout.flush()
