"""The short form of `make chaos`: a minute of faults on a real broker."""

from __future__ import annotations

import pytest

from tests.chaos.run import Plan, run

pytestmark = pytest.mark.real


def test_nothing_is_lost_and_nothing_gets_poorer_while_replicas_die_and_the_broker_restarts() -> None:
    ended = run(Plan(seconds=60, rate=6, kills=4, scalings=3, broker_restarts=1))
    report = ended.report
    assert report.sent > 200, str(report)
    assert (report.lost, report.poorer, report.partial, report.differing) == ((), (), (), ()), f"{report}\n{ended.log}"
