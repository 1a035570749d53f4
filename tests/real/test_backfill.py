"""`rag-sidecar backfill` on a real broker: whole requests of a window, again, and nothing else; stopped in the middle it goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from confluent_kafka import Producer

from tests.chaos.traffic import numbered
from tests.chaos.verdict import judge, read_results
from tests.kafka.harness import fresh
from tests.parts.kafka import KafkaBroker

pytestmark = pytest.mark.real

# Requests are four seconds apart, their two records three seconds; the window has so many that a run can be stopped in the middle of it.
STEP, GAP, COUNT = 4.0, 3.0, 240
INSIDE = range(20, 220)


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as kafka:
        yield kafka


def write(broker: KafkaBroker, topic: str, began: float) -> list[str]:
    """Numbered requests, with the times at which they would have come; the trace ids by number."""
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    timed, names = [], []
    for number in range(COUNT):
        one = numbered(number, encoding="otlp_proto", gap=GAP, now=began + number * STEP)
        names.append(one.trace_id)
        timed += [(began + number * STEP + after + 0.6, one.trace_id, value) for after, value in one.records]
    for moment, trace_id, value in sorted(timed):
        producer.produce(topic, value=value, key=trace_id.encode(), timestamp=int(moment * 1000))
    producer.flush(30)
    return names


def settings(broker: KafkaBroker, folder: Path, topic: str, results: str) -> Path:
    path = folder / "config.yaml"
    values = {
        "receive": {"bootstrap_servers": broker.bootstrap_servers, "topics": [topic], "commit_interval_seconds": 0.2,
                    "max_records": 4},
        "results": {"topic": results}, "assemble": {"max_age_seconds": 20, "quiet_seconds": 5},
        "pipeline": {"queue_size": 2, "workers": 1},
    }  # fmt: skip
    path.write_text(yaml.safe_dump(values), encoding="utf-8")
    return path


def command(path: Path, began: float, *words: str) -> list[str]:
    # A request ends half a second and some milliseconds after it began.
    edges = [began + number * STEP for number in (INSIDE.start, INSIDE.stop)]
    times = [datetime.fromtimestamp(edge, UTC).isoformat() for edge in edges]
    return [sys.executable, "-m", "sidecar", "backfill", "--from", times[0], "--to", times[1], "-c", str(path), *words]


def test_requests_of_the_window_are_scored_whole_and_no_others_though_their_records_lie_over_its_edges(
    broker: KafkaBroker, tmp_path: Path
) -> None:
    topic, results, began = fresh("spans"), fresh("results"), time.time() - 1200
    for name in (topic, results):
        broker.create_topic(name)
    names = write(broker, topic, began)
    path = settings(broker, tmp_path, topic, results)
    done = subprocess.run(command(path, began), capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{len(INSIDE)} requests scored, 0 not, done" in done.stderr
    found = read_results(broker.bootstrap_servers, results)
    assert found.keys() == {names[number] for number in INSIDE}
    report = judge(found, found)
    assert (report.lost, report.poorer, report.partial, report.doubled) == ((), (), (), 0), str(report)
    target = tmp_path / "results.jsonl"
    again = command(path, began, "--group", fresh("g"), "--output", str(target))
    assert subprocess.run(again, capture_output=True, timeout=180, check=False).returncode == 0
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert {line["id"] for line in lines} == {one["id"] for made in found.values() for one in made}


def test_a_run_that_is_stopped_in_the_middle_goes_on_and_one_that_has_ended_has_nothing_left(
    broker: KafkaBroker, tmp_path: Path
) -> None:
    topic, results, began = fresh("spans"), fresh("results"), time.time() - 1200
    for name in (topic, results):
        broker.create_topic(name)
    names = write(broker, topic, began)
    words = command(settings(broker, tmp_path, topic, results), began)
    for stop in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        deadline, before = time.monotonic() + 60, results_of(broker, results)
        while process.poll() is None and results_of(broker, results) < before + 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert process.poll() is None, process.communicate()[1]
        os.kill(process.pid, stop)
        said = process.communicate(timeout=60)[1]
        if stop is signal.SIGINT:
            assert process.returncode == 130
            assert "the same command goes on from here" in said
    before = results_of(broker, results)
    assert before < len(INSIDE)
    done = subprocess.run(words, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    found = read_results(broker.bootstrap_servers, results)
    report = judge([names[number] for number in INSIDE], found)
    assert (report.lost, report.poorer, report.partial, report.differing) == ((), (), (), ()), str(report)
    written = results_of(broker, results)
    again = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert again.returncode == 0
    assert "has read these times to their end before" in again.stderr
    assert results_of(broker, results) == written
    target = tmp_path / "results.jsonl"
    into_file = subprocess.run([*words, "-o", str(target)], capture_output=True, timeout=120, check=False)
    assert (into_file.returncode, target.read_bytes()) == (1, b"")


def test_a_full_disk_ends_the_run_and_the_next_one_writes_every_result(broker: KafkaBroker, tmp_path: Path) -> None:
    topic, group, began = fresh("spans"), fresh("g"), time.time() - 1200
    broker.create_topic(topic)
    names = write(broker, topic, began)
    path = settings(broker, tmp_path, topic, fresh("results"))
    full = command(path, began, "--group", group, "--output", "/dev/full")
    done = subprocess.run(full, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 4, done.stderr
    assert "/dev/full: No space left on device" in done.stderr
    target = tmp_path / "results.jsonl"
    again = command(path, began, "--group", group, "--output", str(target))
    assert subprocess.run(again, capture_output=True, timeout=180, check=False).returncode == 0
    found = {json.loads(line)["trace_id"] for line in target.read_text(encoding="utf-8").splitlines()}
    assert found == {names[number] for number in INSIDE}


def results_of(broker: KafkaBroker, topic: str) -> int:
    return sum(map(len, read_results(broker.bootstrap_servers, topic).values()))
