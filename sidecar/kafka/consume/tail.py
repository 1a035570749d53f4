"""A topic from some time ago on, and what comes to it: read beside every group, all partitions of it, and nothing is committed.

For the status page, which wants the results of all replicas. What is read at once, and how far back, is bounded; a consumer that broke is opened again
where it was.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError, OffsetOutOfRangeError, TopicAuthorizationFailedError

from exporters.clients.security import Brokers
from sidecar.kafka.client import explain, survey
from sidecar.kafka.closing import close_consumer
from sidecar.kafka.codecs import bound
from sidecar.kafka.consume.options import milliseconds
from sidecar.kafka.consume.records import as_record
from sidecar.kafka.consume.unpack import unpack_aside, unreadable
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.clock import Clock
from sidecar.record.errors import BrokerError
from sidecar.record.record import Record

_GLANCE_MS = 500
_MOST_RECORDS = 200
# Of each partition so much may lie fetched, and so much is handed out at once.
_PARTITION_BYTES = 256 * 1024
_POLL_BYTES = 2 * 1024 * 1024
_SILENCE_SECONDS = 15.0


class Tail:
    """Reads a topic. `back_seconds` and `most_back`, records over all partitions, say how far back it begins."""

    def __init__(
        self, config: ReceiveConfig, brokers: Brokers, topic: str, *, back_seconds: float, most_back: int, clock: Clock
    ) -> None:
        self.topic = topic
        self._config = config
        self._brokers = brokers
        self._most_back = most_back
        self._clock = clock
        self._since = clock.now() - back_seconds
        self._nexts: dict[TopicPartition, int] = {}
        #: What was there at the start and is not read yet: where it ends.
        self._behind: dict[TopicPartition, int] = {}
        #: Partitions that were begun at a place before which something may be missing: the time of the first record there, once it is read.
        self._cut: dict[TopicPartition, float | None] = {}
        #: Until when, seconds since the epoch, records were missed that came after reading had begun: passed over, or deleted before they were read.
        self.missed_until = -math.inf
        self._placed = False
        self._overtaken: set[TopicPartition] = set()
        #: Whether the topic has records from before the time that is looked back on, and else when the earliest of it was written.
        self._older = False
        self._earliest = clock.now()
        self._consumer: AIOKafkaConsumer | None = None
        self._heard_at = clock.monotonic()

    @property
    def caught_up(self) -> bool:
        """Whether all that was there at the start has been read."""
        return bool(self._nexts) and not self._behind

    @property
    def whole_since(self) -> float:
        """From when on, seconds since the epoch, every record of the topic has been handed out; of a topic that begins later, its first record."""
        begun = self._since if self._older else max(self._since, self._earliest)
        return max([begun, *(at for at in self._cut.values() if at is not None)])

    async def open(self) -> None:
        """Connect and go where reading begins, or went on to. Raises BrokerError naming the step that failed, or ConfigError."""
        config, brokers = self._config, self._brokers
        try:
            cluster = await survey(config, topics=[self.topic], create=False, brokers=brokers)
            if self.topic not in cluster.topics:
                problem = f"the results topic {self.topic} does not exist"
                raise BrokerError("topic", problem, "create it, or correct results.topic", passing=True)
            bound(config.most_batch_bytes)
            self._consumer = AIOKafkaConsumer(
                client_id=f"{config.client_id}-page",
                group_id=None,
                enable_auto_commit=False,
                auto_offset_reset="none",  # What was deleted before it was read is not passed over in silence.
                max_partition_fetch_bytes=_PARTITION_BYTES,
                fetch_max_bytes=_POLL_BYTES,
                metadata_max_age_ms=milliseconds(config.metadata_max_age_seconds),
                **brokers.client_options(),
            )
            brokers.keep_fresh(self._consumer._client)
            async with asyncio.timeout(config.start_timeout_seconds):
                await self._consumer.start()
                unpack_aside(self._consumer, most_bytes=_POLL_BYTES)
                await self._place(TopicPartition(self.topic, n) for n in range(cluster.topics[self.topic]))
        except (KafkaError, OSError, TimeoutError) as error:
            raise self._explained(error) from error

    async def next(self) -> Sequence[Record]:
        """What has come; after a moment without any nothing. Raises BrokerError or ConfigError: then close it, and open it again."""
        consumer = self._consumer
        assert consumer is not None, "open it first"
        try:
            batches = await consumer.getmany(timeout_ms=_GLANCE_MS, max_records=_MOST_RECORDS)
        except Exception as error:
            if unreadable(error):
                self._pass_over()
            raise self._explained(error) from error
        found = [as_record(one, self._clock) for batch in batches.values() for one in batch]
        for tp, batch in batches.items():
            self._nexts[tp] = batch[-1].offset + 1
            self._earliest = min(self._earliest, batch[0].timestamp / 1000)
            if self._cut.get(tp, 0.0) is None:
                self._cut[tp] = at = min(self._clock.now(), max(batch[0].timestamp / 1000, self._since))
                if tp in self._overtaken:
                    self._overtaken.discard(tp)
                    self.missed_until = max(self.missed_until, at)
        try:
            await self._look_after(consumer, quiet=not found)
            # A position passes the markers of transactions too, which are no records.
            for tp, end in list(self._behind.items()):
                if await consumer.position(tp) >= end:
                    del self._behind[tp]
            await self._take_in_new_partitions(consumer)
        except (KafkaError, OSError, TimeoutError) as error:
            raise self._explained(error) from error
        return found

    async def close(self) -> None:
        """Let go of the consumer. Never raises for Kafka."""
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            await close_consumer(consumer, seconds=self._config.stop_timeout_seconds)

    async def _look_after(self, consumer: AIOKafkaConsumer, *, quiet: bool) -> None:
        """Now and then ask where the topic ends: aiokafka hands out nothing, and says nothing, while no broker answers. Raises what it meets."""
        now = self._clock.monotonic()
        if not quiet:
            self._heard_at = now
        elif now - self._heard_at >= _SILENCE_SECONDS:
            self._heard_at = now
            async with asyncio.timeout(self._config.connect_timeout_seconds):
                await consumer.end_offsets(list(self._nexts))

    async def _place(self, own: Iterable[TopicPartition]) -> None:
        partitions, consumer = list(own), self._consumer
        assert consumer is not None
        consumer.assign(partitions)
        begins, ends = await consumer.beginning_offsets(partitions), await consumer.end_offsets(partitions)
        since = await consumer.offsets_for_times(dict.fromkeys(partitions, max(0, milliseconds(self._since))))
        most = math.ceil(self._most_back / max(1, len(partitions)))
        for tp in partitions:
            known = self._nexts.get(tp)
            if known is None or not begins[tp] <= known <= ends[tp]:
                by_time = since[tp].offset if since.get(tp) is not None else ends[tp]
                lost = known is not None
                known = self._begin(tp, by_time, ends, begins, most)
                if lost or (self._placed and tp in self._cut):
                    self._miss(tp)
            consumer.seek(tp, known)
        self._placed = True

    def _begin(
        self,
        tp: TopicPartition,
        by_time: int,
        ends: Mapping[TopicPartition, int],
        begins: Mapping[TopicPartition, int],
        most: int,
    ) -> int:
        """Where a partition is begun. What Kafka deleted before its first record may be of the time that is looked back on; an empty partition
        tells nothing of that."""
        begin, end = begins[tp], ends[tp]
        first = max(by_time, end - most, begin)
        self._cut.pop(tp, None)
        self._older |= by_time > begin
        if first < end and (first > by_time or first == begin > 0):
            self._cut[tp] = None
        elif by_time < first:
            self._cut[tp] = self._clock.now()
        self._nexts[tp] = first
        if first < end:
            self._behind[tp] = end
        return first

    def _miss(self, tp: TopicPartition) -> None:
        """A partition was begun anew: up to its first record, or up to now, something of it may never be read."""
        if self._cut.get(tp, 0.0) is None:
            self._overtaken.add(tp)
        else:
            self.missed_until = self._clock.now()

    async def _take_in_new_partitions(self, consumer: AIOKafkaConsumer) -> None:
        known = consumer.partitions_for_topic(self.topic) or set()
        if known - {tp.partition for tp in self._nexts}:
            await self._place(TopicPartition(self.topic, n) for n in sorted(known))

    def _pass_over(self) -> None:
        """What cannot be unpacked would be met again for ever: go on with what comes from now on."""
        self._nexts.clear()
        self._behind.clear()
        self._cut.clear()
        self._overtaken.clear()
        self._since, self._most_back = self._clock.now(), 0
        self.missed_until = self._since

    def _explained(self, error: Exception) -> Exception:
        if isinstance(error, TopicAuthorizationFailedError):
            return BrokerError(
                "authorize",
                f"not allowed to read {self.topic}",
                "grant READ on it, or set status_page.read_results to false",
            )
        if isinstance(error, OffsetOutOfRangeError):
            problem = f"{self.topic}: what was to be read next is not there any more"
            return BrokerError("topic", problem, "keep it for longer than reading it takes", passing=True)
        return explain(error, self._brokers, self._brokers.servers)
