"""Where reading begins in partitions that became ours: below the committed offset where the commit says so (place.py), and in the topic
that we repartition through at its beginning, whatever auto_offset_reset says, or what another replica wrote before this one had the
partition would be passed over.

Each partition is settled by itself: one that has no leader now is asked about again and again, and holds up no other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError
from aiokafka.structs import OffsetAndMetadata

from sidecar.kafka.consume.offsets import Partition
from sidecar.kafka.consume.place import Place

_PAUSE_SECONDS = 0.5


class Beginning:
    """`unsettled` partitions may not be read yet. `on_replay` is told the place of one that is read from below its committed offset."""

    def __init__(
        self, consumer: AIOKafkaConsumer, repartition: str | None, *, on_replay: Callable[[Partition, Place], None]
    ) -> None:
        self._consumer = consumer
        self._repartition = repartition
        self._on_replay = on_replay
        self.unsettled: set[TopicPartition] = set()

    def due(self, assigned: Iterable[TopicPartition]) -> None:
        """These became ours, and no others."""
        self.unsettled = set(assigned)

    async def settle(self) -> None:
        """Find where reading begins in every partition; returns when none is left. Raises nothing for Kafka."""
        while self.unsettled:
            try:
                # The only way that aiokafka has to the metadata of a commit.
                commits = await self._consumer._coordinator.fetch_committed_offsets(sorted(self.unsettled))
                await asyncio.gather(*(self._settle(tp, commits.get(tp)) for tp in sorted(self.unsettled)))
            except (KafkaError, OSError):
                pass
            if self.unsettled:
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _settle(self, tp: TopicPartition, commit: OffsetAndMetadata | None) -> None:
        try:
            await self._begin(tp, commit)
        except (KafkaError, OSError):
            return
        self.unsettled.discard(tp)

    async def _begin(self, tp: TopicPartition, commit: OffsetAndMetadata | None) -> None:
        if commit is None or commit.offset < 0:
            if tp.topic == self._repartition:
                await self._consumer.seek_to_beginning(tp)
            return
        place = Place.read(commit.offset, commit.metadata)
        if place.again < place.offset:
            first = (await self._consumer.beginning_offsets([tp]))[tp]
            # An offset that the log has no more would be reset to one of its ends.
            if first < place.offset <= (await self._consumer.end_offsets([tp]))[tp]:
                self._consumer.seek(tp, max(first, place.again))
                self._on_replay((tp.topic, tp.partition), place)
