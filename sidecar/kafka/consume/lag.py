"""How far behind each partition is: records not yet taken, and how old the last one taken is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from aiokafka.errors import KafkaError

from sidecar.kafka.consume.offsets import Partition
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock

_RECORDS = "rag_sidecar_consumer_lag_records"
_SECONDS = "rag_sidecar_consumer_lag_seconds"


@dataclass(frozen=True, slots=True)
class _Last:
    offset: int
    timestamp: float


class Positions(Protocol):
    """A consumer that can be asked where it is. Both may raise KafkaError, OSError or TimeoutError."""

    async def ends(self) -> dict[Partition, int]: ...

    async def position(self, partition: Partition) -> int: ...


class LagMeter:
    """Knows the last record taken of each partition and sets the two gauges when it is told the ends."""

    def __init__(self, telemetry: Telemetry, clock: Clock) -> None:
        self._telemetry = telemetry
        self._clock = clock
        self._last: dict[Partition, _Last] = {}
        self._shown: set[Partition] = set()

    def took(self, partition: Partition, *, offset: int, timestamp: float) -> None:
        """A record was taken; `timestamp` is its own, in seconds since the epoch."""
        self._last[partition] = _Last(offset, timestamp)

    def forget(self, partition: Partition) -> None:
        """A partition was taken away."""
        self._last.pop(partition, None)

    async def measure(self, consumer: Positions, seconds: float) -> None:
        """Ask where the partitions end, and set the gauges; where there is no answer within `seconds` they stay. Never raises."""
        try:
            async with asyncio.timeout(seconds):
                ends = await consumer.ends()
                positions = {partition: await consumer.position(partition) for partition in self.unread(ends)}
        except (KafkaError, OSError, TimeoutError):
            return
        self.show(ends, positions)

    def unread(self, ends: Mapping[Partition, int]) -> set[Partition]:
        """Partitions of which nothing was taken yet: their position must be asked for."""
        return set(ends) - set(self._last)

    def show(self, ends: Mapping[Partition, int], positions: Mapping[Partition, int]) -> None:
        """Set the gauges. `ends` are log ends, `positions` the next offsets of partitions of which nothing was taken."""
        for gone in self._shown - set(ends):
            self._telemetry.remove(_RECORDS, **_labels(gone))
            self._telemetry.remove(_SECONDS, **_labels(gone))
        self._shown = set(ends)
        for partition, end in ends.items():
            last = self._last.get(partition)
            position = last.offset + 1 if last else positions.get(partition, end)
            records = max(0, end - position)
            # Without a record taken its age is unknown: then the count of records alone tells.
            seconds = max(0.0, self._clock.now() - last.timestamp) if last and records else 0.0
            self._telemetry.set(_RECORDS, records, **_labels(partition))
            self._telemetry.set(_SECONDS, seconds, **_labels(partition))


def _labels(partition: Partition) -> dict[str, str]:
    return {"topic": partition[0], "partition": str(partition[1])}
