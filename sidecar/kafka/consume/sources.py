"""What the brokers say of all partitions of the topics that a group reads, not only of those that are ours."""

from __future__ import annotations

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import StaleMetadata

from sidecar.kafka.consume.offsets import Partition


class SourceOffsets:
    """Of every subscribed topic but the one that we write ourselves. Both calls raise KafkaError or OSError."""

    def __init__(self, consumer: AIOKafkaConsumer, own_topic: str | None) -> None:
        self._consumer = consumer
        self._own_topic = own_topic

    async def source_ends(self) -> dict[Partition, int]:
        """Where each ends now."""
        ends = await self._consumer.end_offsets(self._partitions())
        return {(tp.topic, tp.partition): end for tp, end in ends.items()}

    async def source_commits(self) -> dict[Partition, int]:
        """What the group has committed of each; those without a commit are left out."""
        # The public way asks for one partition at a time.
        commits = await self._consumer._coordinator.fetch_committed_offsets(self._partitions())
        return {(tp.topic, tp.partition): one.offset for tp, one in commits.items() if one.offset >= 0}

    def _partitions(self) -> list[TopicPartition]:
        topics = (self._consumer.subscription() or frozenset()) - {self._own_topic}
        known = {topic: self._consumer.partitions_for_topic(topic) for topic in topics}
        if not known or not all(known.values()):
            # Nothing known is not nothing there.
            raise StaleMetadata(f"{len(known)} topics, not of all of them the partitions are known")
        return [TopicPartition(topic, n) for topic, numbers in known.items() for n in numbers]
