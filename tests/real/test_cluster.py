"""Several brokers, one of which is down: a partition that nobody leads, and a group whose coordinator moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from confluent_kafka import KafkaException

from tests.chaos.replicas import Replicas
from tests.chaos.traffic import Sender
from tests.chaos.verdict import Report, judge, read_results
from tests.parts.cluster import KafkaCluster

pytestmark = pytest.mark.real

# Well under what two cores score beside the brokers: it is the brokers that are tried here.
RATE, GAP = 3.0, 0.5


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster(brokers=2) as kafka:
        yield kafka


class Trial:
    """Replicas of one group and numbered requests, on topics of their own."""

    def __init__(self, cluster: KafkaCluster, name: str, folder: Path) -> None:
        self.cluster, self.group = cluster, name
        self.topic, self.results = f"{name}-spans", f"{name}-results"
        receive = {
            "bootstrap_servers": cluster.bootstrap_servers, "topics": [self.topic], "group_id": name, "auto_offset_reset": "earliest",
            "session_timeout_seconds": 6.0, "heartbeat_interval_seconds": 1.0, "commit_interval_seconds": 1.0, "lag_interval_seconds": 1.0,
        }  # fmt: skip
        settings = {
            "receive": receive,
            "assemble": {"quiet_seconds": 2.0, "quiet_without_root_seconds": 10.0},
            "sample": {"budget": {"enabled": False}},
            "results": {"topic": self.results},
            "deliver": {"timeout_seconds": 5.0},
            "pipeline": {"drain_seconds": 5.0},
        }
        self.replicas = Replicas(settings, folder)
        self.sender = Sender(
            cluster.bootstrap_servers, self.topic, rate=RATE, gap=GAP, encodings=("otlp_proto", "otlp_json", "native")
        )

    def scored(self) -> set[str]:
        """Requests that have a result."""
        return set(read_results(self.cluster.bootstrap_servers, self.results))

    def catch_up(self, *, before: frozenset[str] = frozenset(), seconds: float = 60.0) -> None:
        """Wait until all that the brokers have taken whole by now has a result, but for requests that were begun before."""
        wanted = self.sender.book.whole - before
        assert wanted
        until(lambda: wanted <= self.scored(), seconds)

    def report(self) -> Report:
        """Of all that was sent, when every request has its result."""
        self.sender.stop()
        self.catch_up()
        return judge(self.sender.book.whole, read_results(self.cluster.bootstrap_servers, self.results))


@contextmanager
def trial(cluster: KafkaCluster, name: str, folder: Path, *, replicas: int) -> Iterator[Trial]:
    """Replicas that are ready, and traffic."""
    one = Trial(cluster, name, folder)
    try:
        for _ in range(replicas):
            one.replicas.start()
        one.replicas.wait_ready()
        one.sender.start()
        yield one
    finally:
        one.replicas.stop_all()


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for it; while nobody can be asked it is not so."""
    deadline = time.monotonic() + seconds
    while True:
        with suppress(KafkaException):
            if true():
                return
        assert time.monotonic() < deadline, f"not after {seconds:.0f} s"
        time.sleep(0.5)


def metric(replicas: Replicas, name: str) -> dict[str, float]:
    """A metric of the only replica: values by labels."""
    [port] = replicas.metrics_ports
    lines = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=5).text.splitlines()
    found = [line.removeprefix(name).rpartition(" ") for line in lines if line.startswith((f"{name} ", f"{name}{{"))]
    return {labels: float(value) for labels, _, value in found}


def test_a_partition_without_a_leader_holds_up_no_other_and_nothing_of_it_is_lost(
    cluster: KafkaCluster, tmp_path: Path
) -> None:
    """Half of the partitions lie on one broker alone. It dies, and so does the replica; another one takes over what there is."""
    cluster.create_topic("leaderless-spans", [[1], [2], [1], [2]])
    cluster.create_topic("leaderless-results", [[1, 2], [2, 1]])
    with trial(cluster, "leaderless", tmp_path, replicas=1) as one:
        until(lambda: len(one.scored()) > 20)
        cluster.kill(2)
        assert cluster.leaders(one.topic) == [1, -1, 1, -1]
        begun = frozenset(list(one.sender.book.begun))
        one.replicas.kill(one.replicas.numbers[0])
        one.replicas.start()
        one.replicas.wait_ready()
        time.sleep(8)
        one.catch_up(before=begun)
        assert metric(one.replicas, "rag_sidecar_assigned_partitions") == {"": 4}
        assert metric(one.replicas, "rag_sidecar_leaderless_partitions") == {"": 2}
        measured = metric(one.replicas, "rag_sidecar_consumer_lag_records")
        assert {f'{{partition="{n}",topic="{one.topic}"}}' for n in (0, 2)} <= measured.keys()
        cluster.start(2)
        until(lambda: metric(one.replicas, "rag_sidecar_leaderless_partitions") == {"": 0})
        report = one.report()
        assert report.sent > 100, str(report)
        assert (report.lost, report.poorer, report.partial, report.differing) == ((), (), (), ()), str(report)


def total(cluster: KafkaCluster) -> int:
    """How far the group has committed, all partitions together."""
    return sum(cluster.committed("moving").values())


def test_a_group_whose_coordinator_dies_goes_on_at_another_one(cluster: KafkaCluster, tmp_path: Path) -> None:
    """The brokers end in turn: what a client heard last may name nobody but the one that goes now, and it must find the other."""
    cluster.create_topic("moving-spans", [[1, 2], [2, 1], [1, 2], [2, 1]])
    cluster.create_topic("moving-results", [[1, 2], [2, 1]])
    with trial(cluster, "moving", tmp_path, replicas=2) as one:
        until(lambda: len(one.scored()) > 20)
        for end in (cluster.kill, cluster.kill, cluster.stop):
            coordinator, committed = cluster.coordinator("moving"), total(cluster)
            end(coordinator)
            until(lambda coordinator=coordinator: cluster.coordinator("moving") != coordinator)  # type: ignore[misc]
            one.catch_up()
            until(lambda committed=committed: total(cluster) > committed + 10)  # type: ignore[misc]
            cluster.start(coordinator)
        assert one.replicas.ended() == []
        report = one.report()
        assert report.sent > 100, str(report)
        assert (report.lost, report.poorer, report.partial, report.differing) == ((), (), (), ()), str(report)
