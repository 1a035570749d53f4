"""A rebalance while records that were polled together are fed: what was not fed yet is somebody else's by then."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from sidecar.assemble import AssembleConfig, Assembler
from sidecar.kafka.consume.offsets import Partition
from sidecar.kafka.consume.receiver import Taken
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.record import Record
from tests.chaos.traffic import numbered
from tests.unit.test_pipeline import ListSource, build

HERE: Partition = ("t", 0)


@dataclass
class Rebalanced(ListSource):
    """Hands out all records in one poll; the group takes the partition away when the first of them has been fed."""

    assembler: Assembler | None = None

    async def poll(self, *, paused: bool) -> list[Taken]:
        await asyncio.sleep(0)
        if self.given == len(self.values):
            return []
        self.given = len(self.values)
        asyncio.get_running_loop().call_soon(self._revoke)
        return [
            Taken(Record(*HERE, n, 1.76e9, None, value), self.tracker.take(*HERE, n))
            for n, value in enumerate(self.values)
        ]

    def caught_up(self) -> Mapping[Partition, float] | None:
        return {HERE: 0.0}

    def _revoke(self) -> None:
        assert self.assembler is not None
        self.tracker.revoke({HERE})
        self.assembler.forget({HERE})


async def test_a_record_that_is_fed_after_its_partition_was_taken_away_begins_no_trace() -> None:
    """The documents came before the rebalance and went with it; the answer alone would make a poor result."""
    telemetry, clock = Telemetry(), SystemClock()
    assembler = Assembler(AssembleConfig(quiet_seconds=0.02), clock, telemetry)
    one = numbered(1, encoding="otlp_json", gap=0.5, now=1.76e9)
    source = Rebalanced([value for _, value in one.records], assembler=assembler)
    setting = build([], parts={"source": source, "assembler": assembler, "telemetry": telemetry})
    running = asyncio.create_task(setting.run(flush=False))
    await running
    assert setting.sink.results == []
    assert assembler.open_traces == 0
    assert telemetry.value("rag_sidecar_records_total", topic="t", outcome="revoked") == 1
    assert source.tracker.committable() == {}
