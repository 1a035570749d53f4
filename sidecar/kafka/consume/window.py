"""A part of topics between two times, read once by one process: a source that ends. For `rag-sidecar backfill`.

Partitions are assigned by hand; the group serves for its commits alone, so that a second run goes on where the first one stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError, OffsetOutOfRangeError, RecordTooLargeError
from aiokafka.structs import ConsumerRecord, OffsetAndMetadata

from sidecar.kafka.client import explain, missing_topics, survey
from sidecar.kafka.closing import close_consumer
from sidecar.kafka.codecs import bound
from sidecar.kafka.consume.offsets import OffsetTracker, Partition
from sidecar.kafka.consume.options import consumer_options, milliseconds
from sidecar.kafka.consume.overtaken import go_on
from sidecar.kafka.consume.place import Place
from sidecar.kafka.consume.receiver import Taken
from sidecar.kafka.consume.records import as_record
from sidecar.kafka.consume.unpack import Unpacker, unpack_aside
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.clock import Clock
from sidecar.record.record import Record

logger = logging.getLogger(__name__)

_MOST_FAILURES = 30
_COMMIT_SECONDS = 10.0


class Window:
    """A pipeline.Source of the records written from `begin` on and before `end`, both in seconds since the epoch. `unreadable` and `lost` count
    what it passed over: records that nobody can read, and offsets that retention deleted before they were read. `read_before`: it holds records, and the group had
    passed them all before the start."""

    def __init__(self, config: ReceiveConfig, clock: Clock, *, begin: float, end: float) -> None:
        self._config = config
        self._clock = clock
        self._begin, self._end = begin, end
        self._consumer = AIOKafkaConsumer(**consumer_options(config))
        config.brokers.keep_fresh(self._consumer._client)
        self._unpacker: Unpacker
        self._tracker = OffsetTracker()
        self._firsts: dict[TopicPartition, int] = {}
        self._nexts: dict[TopicPartition, int] = {}
        self._ends: dict[TopicPartition, int] = {}
        self._committed_at = clock.monotonic()
        self._failures = 0
        self.unreadable = 0
        self.lost = 0
        self.read_before = False

    async def start(self) -> None:
        """Find the offsets of the window and go where the last run stopped. Raises BrokerError naming the step that failed."""
        cluster = await survey(self._config, topics=self._config.topic_names, create=False)
        names = [name for name in cluster.topics if self._config.wants(name)]
        if missing := set(self._config.topic_names) - set(names):
            raise missing_topics(sorted(missing))
        bound(self._config.most_batch_bytes)
        try:
            async with asyncio.timeout(self._config.start_timeout_seconds):
                await self._consumer.start()
                self._unpacker = unpack_aside(self._consumer, most_bytes=self._config.fetch_max_bytes)
                own = [TopicPartition(name, n) for name in names for n in range(cluster.topics[name])]
                self._consumer.assign(own)
                await self._place(own)
        except (KafkaError, OSError) as error:
            await self.stop()
            raise explain(error, self._config.brokers, self._config.bootstrap_servers) from error

    @property
    def finished(self) -> bool:
        """Whether every record of the window has been handed out."""
        return all(self._nexts[tp] >= end for tp, end in self._ends.items())

    @property
    def broken(self) -> bool:
        """Whether reading fails again and again."""
        return self._failures >= _MOST_FAILURES

    @property
    def progress(self) -> tuple[int, int]:
        """Records passed, and records of the window."""
        whole = sum(max(0, end - self._firsts[tp]) for tp, end in self._ends.items())
        left = sum(max(0, end - self._nexts[tp]) for tp, end in self._ends.items())
        return whole - left, whole

    async def poll(self, *, paused: bool) -> Sequence[Taken]:
        """Records of the window that have come. Raises KafkaError where they cannot be read now."""
        open_ones = [tp for tp, end in self._ends.items() if self._nexts[tp] < end]
        if paused or not open_ones or self.broken:
            await asyncio.sleep(self._config.poll_timeout_seconds)
            return []
        batches = await self._read(open_ones)
        taken = [self._take(tp, one) for tp in batches for one in batches[tp] if one.offset < self._ends[tp]]
        for tp in open_ones:
            # A position passes the markers of transactions too, which are no records.
            self._nexts[tp] = await self._consumer.position(tp)
        return taken

    def caught_up(self) -> dict[Partition, float]:
        """Partitions that have passed the end of the window, none of them behind another topic."""
        return {(tp.topic, tp.partition): 0.0 for tp, end in self._ends.items() if self._nexts[tp] >= end}

    async def commit(self) -> None:
        """Commit what is done, when the interval has passed. Never raises for Kafka."""
        if self._clock.monotonic() - self._committed_at >= self._config.commit_interval_seconds:
            await self._commit()

    async def dead_letter(self, record: Record, *, reason: str, detail: str) -> bool:
        """Count a record that cannot be read, and pass over it: its dead letter was written when it first came."""
        self.unreadable += 1
        return True

    def repartitions(self, topic: str) -> bool:
        """No: one process reads every partition."""
        return False

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
        """Never called."""
        raise AssertionError("nothing is repartitioned")

    async def stop(self) -> None:
        """Commit what is done and close. Never raises for Kafka."""
        await self._commit()
        await close_consumer(self._consumer, seconds=self._config.stop_timeout_seconds)

    async def _place(self, own: Sequence[TopicPartition]) -> None:
        ends = await self._consumer.end_offsets(own)
        self._firsts = await self._offsets(own, self._begin, ends)
        self._ends = await self._offsets(own, self._end, ends)
        commits = await self._consumer._coordinator.fetch_committed_offsets(own)
        for tp in own:
            self._nexts[tp] = self._resume(tp, commits.get(tp))
            self._consumer.seek(tp, self._nexts[tp])
        passed, whole = self.progress
        self.read_before = 0 < whole == passed

    async def _offsets(
        self, own: Sequence[TopicPartition], time: float, ends: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int]:
        found = await self._consumer.offsets_for_times({tp: max(0, milliseconds(time)) for tp in own})
        return {tp: one.offset if (one := found.get(tp)) is not None else ends[tp] for tp in own}

    def _resume(self, tp: TopicPartition, commit: OffsetAndMetadata | None) -> int:
        if commit is None or commit.offset < self._firsts[tp]:
            return self._firsts[tp]
        place = Place.read(commit.offset, commit.metadata)
        if place.again < place.offset:
            self._tracker.begin(tp.topic, tp.partition, place.offset)
        return max(self._firsts[tp], place.again)

    async def _read(self, among: Sequence[TopicPartition]) -> dict[TopicPartition, list[ConsumerRecord]]:
        """What has come, past what nobody can read and what is not there any more. Raises what getmany raises else."""
        try:
            batches = await self._consumer.getmany(
                *among,
                timeout_ms=milliseconds(self._config.poll_timeout_seconds),
                max_records=self._config.max_records,
            )
        except OffsetOutOfRangeError as error:
            for one in await go_on(self._consumer, error):
                self.lost += max(0, min(one.start, self._ends[TopicPartition(*one.partition)]) - one.at)
                self._tracker.begins(one.partition, one.start)
            return {}
        except RecordTooLargeError:
            self.unreadable += 1  # aiokafka has passed over it by then.
            return {}
        except Exception:
            if not (passed := self._unpacker.step_over()):
                self._failures += 1
                raise
            for batch in passed:
                self.unreadable += min(batch.end, self._ends[TopicPartition(*batch.partition)]) - batch.at
                self._tracker.begins(batch.partition, batch.end)
            return {}
        self._failures = 0
        return dict(batches)

    def _take(self, tp: TopicPartition, record: ConsumerRecord) -> Taken:
        lease = self._tracker.take(tp.topic, tp.partition, record.offset, taken_at=self._clock.monotonic())
        return Taken(as_record(record, self._clock), lease)

    async def _commit(self) -> None:
        self._committed_at = self._clock.monotonic()
        offsets = self._tracker.committable()
        places = {p: Place(offset, self._tracker.again(p, offset)) for p, offset in offsets.items()}
        if not places:
            return
        try:
            async with asyncio.timeout(_COMMIT_SECONDS):
                await self._consumer.commit(
                    {TopicPartition(*p): (one.offset, one.metadata) for p, one in places.items()}
                )
        except (KafkaError, OSError) as error:
            logger.warning("the place in the topics could not be committed (%s)", type(error).__name__)
        else:
            self._tracker.committed(offsets)
