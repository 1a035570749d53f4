"""Whether a window was read to its end before its start."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.structs import OffsetAndMetadata, OffsetAndTimestamp

from sidecar.kafka.consume.window import Window
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.clock import ManualClock

RECEIVE = ReceiveConfig.model_validate({"bootstrap_servers": "127.0.0.1:1", "topics": ["spans"], "group_id": "g"})
OWN = [TopicPartition("spans", 0), TopicPartition("spans", 1)]


@dataclass
class Consumer:
    """Two partitions of 20 records each, a second apart, and what the group has committed."""

    commits: dict[TopicPartition, OffsetAndMetadata]
    at: dict[TopicPartition, int] = field(default_factory=dict)

    @property
    def _coordinator(self) -> SimpleNamespace:
        return SimpleNamespace(fetch_committed_offsets=self._committed)

    async def end_offsets(self, own: list[TopicPartition]) -> dict[TopicPartition, int]:
        return dict.fromkeys(own, 20)

    async def offsets_for_times(
        self, times: dict[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        return {tp: OffsetAndTimestamp(at // 1000, at) if at < 20_000 else None for tp, at in times.items()}

    async def _committed(self, own: list[TopicPartition]) -> dict[TopicPartition, OffsetAndMetadata]:
        return self.commits

    def seek(self, tp: TopicPartition, offset: int) -> None:
        self.at[tp] = offset


@pytest.mark.parametrize(
    ("begin", "offsets", "before"),
    [(5.0, (), False), (5.0, (10, 9), False), (5.0, (10, 10), True), (10.0, (), False), (10.0, (10, 10), False)],
    ids=["nothing committed", "some left", "all read", "empty window", "empty window, committed"],
)
async def test_a_window_knows_whether_its_group_has_read_all_of_it(
    begin: float, offsets: tuple[int, ...], before: bool
) -> None:
    window = Window(RECEIVE, ManualClock(), begin=begin, end=10.0)
    own = window._consumer
    commits = {tp: OffsetAndMetadata(at, "") for tp, at in zip(OWN, offsets, strict=False)}
    window._consumer = cast("AIOKafkaConsumer", Consumer(commits))
    await window._place(OWN)
    assert window.read_before is before
    await own.stop()
