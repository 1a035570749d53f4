"""What offsets wait for, on a real broker: an OTLP receiver that hangs holds back no commit."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.chaos.replicas import Replicas
from tests.chaos.traffic import numbered
from tests.chaos.verdict import read_results
from tests.parts.broker import produce
from tests.parts.kafka import KafkaBroker

pytestmark = pytest.mark.real

REQUESTS, PARTITIONS = 40, 2


def test_offsets_are_committed_while_an_otlp_receiver_takes_connections_and_never_answers(tmp_path: Path) -> None:
    with KafkaBroker() as broker, socket.create_server(("127.0.0.1", 0)) as hanging:
        for topic in ("spans", "results"):
            broker.create_topic(topic, partitions=PARTITIONS)
        settings = {
            "receive": {
                "bootstrap_servers": broker.bootstrap_servers, "topics": ["spans"], "group_id": "patient",
                "auto_offset_reset": "earliest", "commit_interval_seconds": 0.5,
            },
            "results": {"topic": "results"},
            "otlp": {"endpoint": f"http://127.0.0.1:{hanging.getsockname()[1]}", "traces": False},
            "deliver": {"most_attempts": 1000},
            "pipeline": {"drain_seconds": 2.0},
        }  # fmt: skip
        replicas = Replicas(settings, tmp_path)
        replicas.start()
        try:
            replicas.wait_ready()
            requests = [numbered(n, encoding="native", gap=0.0, now=time.time()) for n in range(REQUESTS)]
            produce(broker, "spans", [value for one in requests for _, value in one.records])
            deadline = time.monotonic() + 60
            while committed(broker) < REQUESTS:
                assert time.monotonic() < deadline, f"only {committed(broker)} of {REQUESTS} were committed"
                time.sleep(0.5)
            hanging.settimeout(5)
            hanging.accept()[0].close()
        finally:
            replicas.stop_all()
        assert read_results(broker.bootstrap_servers, "results").keys() == {one.trace_id for one in requests}


def committed(broker: KafkaBroker) -> int:
    """How many records of the topic the group has done with."""
    reader = Consumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": "patient", "log_level": 0})
    try:
        parts = reader.committed([TopicPartition("spans", n) for n in range(PARTITIONS)], timeout=10)
        return sum(max(0, part.offset) for part in parts)
    finally:
        reader.close()
