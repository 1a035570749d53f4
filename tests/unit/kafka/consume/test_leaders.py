"""Partitions without a leader are shown, and said when it begins, grows and ends."""

from __future__ import annotations

import logging

import pytest

from sidecar.kafka.consume.leaders import Leaders
from sidecar.observe.telemetry import Telemetry


def test_it_is_said_when_partitions_lose_their_leader_and_when_all_have_one_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    telemetry = Telemetry()
    leaders = Leaders(telemetry)
    shown = []
    with caplog.at_level(logging.INFO):
        for missing in (0, 1, 1, 3, 2, 0, 0):
            leaders.tell(missing)
            shown.append(telemetry.value("rag_sidecar_leaderless_partitions"))
    assert shown == [0, 1, 1, 3, 2, 0, 0]
    assert [(one.levelname, one.getMessage().split(":")[0]) for one in caplog.records] == [
        ("WARNING", "1 of our partitions have no leader"),
        ("WARNING", "3 of our partitions have no leader"),
        ("INFO", "every partition of ours has a leader again"),
    ]
