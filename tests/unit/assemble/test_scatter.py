"""Traces that lie in several partitions are told, as a series and, now and then, in the log."""

from __future__ import annotations

import logging

import pytest

from sidecar.assemble.scatter import Scatter
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock


def ratio(telemetry: Telemetry, topic: str) -> float:
    return {labels["topic"]: value for labels, value in telemetry.values("rag_sidecar_scattered_traces_ratio")}[topic]


def test_a_keyed_topic_is_quiet(caplog: pytest.LogCaptureFixture) -> None:
    telemetry = Telemetry()
    scatter = Scatter(ManualClock(), telemetry)
    for n in range(500):
        scatter.ended([("keyed", n % 4)], has_root=n % 10 > 0)
    assert ratio(telemetry, "keyed") == pytest.approx(0.1)
    assert not caplog.records


def test_a_scattered_topic_is_told_once_in_a_while(caplog: pytest.LogCaptureFixture) -> None:
    telemetry, clock = Telemetry(), ManualClock()
    scatter = Scatter(clock, telemetry)
    with caplog.at_level(logging.WARNING):
        for _ in range(300):
            scatter.ended([("loose", 0), ("loose", 1)], has_root=True)
        assert len(caplog.records) == 1
        assert "partition_traces_by_id" in caplog.text
        clock.advance(601)
        scatter.ended([("loose", 2)], has_root=False)
        assert len(caplog.records) == 2
    assert ratio(telemetry, "loose") == 1.0


def test_what_was_long_ago_fades() -> None:
    telemetry = Telemetry()
    scatter = Scatter(ManualClock(), telemetry)
    for _ in range(1000):
        scatter.ended([("mended", 0), ("mended", 1)], has_root=True)
    for _ in range(5000):
        scatter.ended([("mended", 0)], has_root=True)
    assert ratio(telemetry, "mended") < 0.02
