"""Replicas of one group that has settled: each request is scored once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.scale import measure
from tests.parts.kafka import KafkaBroker

pytestmark = [pytest.mark.real, pytest.mark.alone]


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as kafka:
        yield kafka


@pytest.mark.parametrize("replicas", [2, 4])
def test_no_request_is_lost_or_scored_twice_while_nobody_comes_or_goes(broker: KafkaBroker, replicas: int) -> None:
    found = measure(broker, replicas=replicas, seconds=8, rate=4)
    assert found.rebalances == 0
    assert (found.report.lost, found.report.partial, found.report.doubled) == ((), (), 0), str(found.report)
    assert found.report.sent >= 24
