"""A rolling upgrade and the way back: an older version and this one in one group read each other's offsets, records and dead letters."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.replicas import ROOT, Replicas
from tests.chaos.traffic import Sender
from tests.chaos.verdict import judge, read_results
from tests.parts.broker import produce, read
from tests.parts.kafka import KafkaBroker

pytestmark = [pytest.mark.real, pytest.mark.alone]

# The last one before places to begin again at, and what they need.
OLDER = "deb389fe2dc0e6382022285eae65379ce91ff908"
POISON = (b"{not json", b"\xff\xfe\x00")


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as kafka:
        yield kafka


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree of the older version."""
    folder = tmp_path_factory.mktemp("older")
    git = shutil.which("git")
    if (
        git is None
        or subprocess.run([git, "-C", ROOT, "cat-file", "-e", OLDER], capture_output=True, check=False).returncode
    ):
        pytest.skip(f"this checkout has no history down to {OLDER[:7]}: fetch it whole (git fetch --unshallow)")
    packed = folder / "tree.tar"
    subprocess.run([git, "-C", ROOT, "archive", "-o", packed, OLDER, "sidecar", "exporters"], check=True)
    with tarfile.open(packed) as tar:
        tar.extractall(folder, filter="data")
    return folder


@pytest.mark.parametrize("repartition", [False, True], ids=["by key", "through a topic of our own"])
def test_nothing_is_lost_while_versions_change_and_change_back(
    broker: KafkaBroker, older: Path, tmp_path: Path, repartition: bool
) -> None:
    names = {name: f"{name}-{repartition}" for name in ("spans", "results", "dead", "by-trace")}
    for name in names.values():
        broker.create_topic(name)
    replicas = Replicas(settings(broker, names, repartition), tmp_path)
    sender = Sender(
        broker.bootstrap_servers, names["spans"], rate=4, gap=0.5, encodings=("otlp_proto", "otlp_json", "native")
    )
    try:
        first = replicas.start(root=older)
        replicas.wait_ready()
        sender.start()
        second = replicas.start()
        replicas.wait_ready()
        produce(broker, names["spans"], POISON)
        time.sleep(8)
        replicas.stop(first)
        time.sleep(5)
        replicas.start(root=older)
        replicas.wait_ready()
        time.sleep(5)
        replicas.stop(second)
        time.sleep(5)
        sender.stop()
        wanted = sender.book.whole
        results = settled(broker, names["results"], wanted)
        assert replicas.ended() == []
        letters = read(broker, names["dead"], count=len(POISON))
    finally:
        replicas.stop_all()
    report = judge(wanted, results)
    # What straddles a commit is seen in part by the older version, which knows no other place to begin at: fewer than lost is nobody's promise.
    assert report.lost == (), str(report)
    assert len(wanted) > 60
    assert {letter.value for letter in letters} == set(POISON)


def settings(broker: KafkaBroker, names: dict[str, str], repartition: bool) -> dict[str, Any]:
    receive = {
        "bootstrap_servers": broker.bootstrap_servers, "topics": [names["spans"]], "group_id": f"two-{repartition}",
        "auto_offset_reset": "earliest", "commit_interval_seconds": 1.0, "dead_letter_topic": names["dead"],
        **({"repartition": names["by-trace"]} if repartition else {}),
    }  # fmt: skip
    return {
        "receive": receive,
        "results": {"topic": names["results"]},
        "assemble": {"quiet_seconds": 2.0, "quiet_without_root_seconds": 6.0},
    }


def settled(broker: KafkaBroker, topic: str, wanted: frozenset[str]) -> dict[str, list[dict[str, Any]]]:
    deadline = time.monotonic() + 120
    while True:
        found = read_results(broker.bootstrap_servers, topic)
        if wanted <= found.keys() or time.monotonic() > deadline:
            return found
        time.sleep(1)
