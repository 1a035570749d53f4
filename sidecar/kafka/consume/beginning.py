"""Where reading begins in partitions that became ours: at the committed offset, or below it where the commit says so (place.py).

A partition without a commit is read from its start, but for one case: `auto_offset_reset` is `latest`, and the group has never read of its topic.
A partition that came to a topic of ours later holds what was written to it before we heard of it; so does a new topic of a pattern, and so does
the topic that we repartition through, which other replicas wrote to before this one had the partition.

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
from sidecar.kafka.settings import ReceiveConfig

_PAUSE_SECONDS = 0.5


class Beginning:
    """`unsettled` partitions may not be read yet. `on_replay` is told the place of one that is read from below its committed offset."""

    def __init__(
        self, consumer: AIOKafkaConsumer, config: ReceiveConfig, *, on_replay: Callable[[Partition, Place], None]
    ) -> None:
        self._consumer = consumer
        self._config = config
        self._on_replay = on_replay
        self._read_before: frozenset[str] | None = None
        self._begun = False
        self.unsettled: set[TopicPartition] = set()

    async def look(self) -> None:
        """Ask which topics the group has read of. Before we join: of replicas that begin together none may take another's first commits for those
        of a group that has long been there. Raises KafkaError or OSError."""
        cluster = await self._consumer._client.fetch_all_metadata()
        names = [name for name in cluster.topics() if self._config.wants(name)]
        own = [TopicPartition(name, n) for name in names for n in cluster.partitions_for_topic(name) or ()]
        commits = await self._consumer._coordinator.fetch_committed_offsets(own)
        self._read_before = frozenset(tp.topic for tp, commit in commits.items() if commit.offset >= 0)

    def due(self, assigned: Iterable[TopicPartition]) -> None:
        """These became ours, and no others."""
        self.unsettled = set(assigned)

    def begun(self) -> None:
        """Every partition that was there has a commit now: what comes without one came later."""
        self._begun = True

    async def settle(self) -> None:
        """Find where reading begins in every partition; returns when none is left. Raises nothing for Kafka."""
        while self.unsettled:
            try:
                if self._read_before is None:
                    await self.look()
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
            find = self._consumer.end_offsets if self._at_the_end(tp.topic) else self._consumer.beginning_offsets
            self._consumer.seek(tp, (await find([tp]))[tp])
            return
        place = Place.read(commit.offset, commit.metadata)
        if place.again < place.offset:
            first = (await self._consumer.beginning_offsets([tp]))[tp]
            # An offset that the log has no more is out of range, and is told (overtaken.py).
            if first < place.offset <= (await self._consumer.end_offsets([tp]))[tp]:
                self._consumer.seek(tp, max(first, place.again))
                self._on_replay((tp.topic, tp.partition), place)

    def _at_the_end(self, topic: str) -> bool:
        if self._config.auto_offset_reset != "latest" or topic == self._config.repartition or self._begun:
            return False
        read = (self._read_before or frozenset()) - {self._config.repartition}
        # What the pattern matched from the beginning would have been read.
        return not read if self._config.topic_pattern else topic not in read
