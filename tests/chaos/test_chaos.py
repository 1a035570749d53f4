"""The short form of `make chaos`: a minute of faults on a real broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.run import Plan, run
from tests.parts.disk import can_mount

pytestmark = [pytest.mark.real, pytest.mark.alone]


def test_nothing_is_lost_and_nothing_gets_poorer_while_replicas_die_and_the_broker_restarts() -> None:
    ended = run(Plan(seconds=60, rate=6, kills=4, scalings=3, broker_restarts=1, exporter_pauses=1))
    report = ended.report
    assert report.sent > 200, str(report)
    assert (report.lost, report.poorer, report.partial, report.differing) == ((), (), (), ()), f"{report}\n{ended.log}"


def test_no_result_is_lost_while_nothing_reaches_the_results_topic_for_a_minute() -> None:
    """Half-open: connections are taken, and nobody answers."""
    plan = Plan(seconds=75, rate=6, kills=0, scalings=0, broker_restarts=0, exporter_pauses=1, pause_seconds=61)
    ended = run(plan)
    report = ended.report
    assert report.sent > 300, str(report)
    assert (report.lost, report.poorer, report.partial, report.differing) == ((), (), (), ()), f"{report}\n{ended.log}"


@pytest.mark.long
def test_the_same_for_requests_whose_records_are_scattered_and_brought_together_through_a_topic_of_our_own() -> None:
    ended = run(Plan(seconds=80, rate=6, kills=5, scalings=3, broker_restarts=1, repartition=True, seed=7))
    report = ended.report
    assert report.sent > 300, str(report)
    assert (report.lost, report.poorer, report.partial, report.differing) == ((), (), (), ()), f"{report}\n{ended.log}"


@pytest.mark.long
def test_nothing_is_lost_when_the_disk_of_the_broker_is_full(tmp_path: Path) -> None:
    """Kafka ends itself where it cannot write; it is started again when there is room."""
    if not can_mount(tmp_path):
        pytest.skip("this process may not mount a disk")
    ended = run(Plan(seconds=60, rate=6, kills=1, scalings=0, broker_restarts=0, disk_fills=2))
    report = ended.report
    assert report.sent > 200, str(report)
    assert (report.lost, report.poorer, report.partial, report.differing) == ((), (), (), ()), f"{report}\n{ended.log}"
