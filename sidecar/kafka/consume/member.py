"""One aiokafka consumer from start to end: a member of the consumer group.

What aiokafka 0.14 needs to be kept safe, and how it is done here:

- `getmany` must not be cancelled or timed out from outside: its fetch counter would leak and max.poll.interval be off. It
  runs as a task of its own that outlives the poll that began it; a poll waits for it and leaves it running.
- `getmany` blocks for as long as a rebalance lasts: the same task makes that harmless.
- `pause` is forgotten at every rebalance: it is renewed in `on_partitions_assigned`.
- Every rebalance revokes everything, and what was fetched before it comes again: such records are told by their
  generation and not handed out.
- A batch that aiokafka itself cannot read makes `getmany` raise for ever: it is stepped over (unpack.py).
- `getmany` unpacks on the event loop, and knows a limit of records only: unpack.py does it in a thread, and by bytes.
- `commit` raises for partitions that are gone: offsets are filtered by the assignment.
- A partition that became ours stays paused until its position is settled (beginning.py).
- A position that the log does not hold is moved by aiokafka without a word: it is told to leave that to us (overtaken.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Awaitable, Callable, Mapping

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import KafkaError, NoOffsetForPartitionError, OffsetOutOfRangeError
from aiokafka.structs import ConsumerRecord

from sidecar.kafka.codecs import bound
from sidecar.kafka.consume.beginning import Beginning
from sidecar.kafka.consume.offsets import Partition
from sidecar.kafka.consume.options import consumer_options, milliseconds
from sidecar.kafka.consume.overtaken import Overtaken, go_on
from sidecar.kafka.consume.place import Place
from sidecar.kafka.consume.sources import SourceOffsets
from sidecar.kafka.consume.unpack import PassedOver, Unpacker, unpack_aside
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.clock import Clock

logger = logging.getLogger(__name__)

_SLACK = 0.5
_GLANCE = 0.05
# The part of the time for a stop in which it may go its own way; then its connections are closed.
_SHARE = 0.7
# Beside the longest wait of a fetch: an answer that is older says nothing of now.
_STALE_SECONDS = 1.0


class GroupMember(ConsumerRebalanceListener):  # type: ignore[misc]
    """A consumer. `on_revoked` is awaited before the group goes on. `on_assigned` is told the partitions, `on_replay` the committed offset of
    one that is read from below it, `on_overtaken` what was not in the log when it was to be read; they may not block."""

    def __init__(
        self,
        config: ReceiveConfig,
        clock: Clock,
        *,
        on_assigned: Callable[[set[Partition]], None],
        on_revoked: Callable[[GroupMember, set[Partition]], Awaitable[None]],
        on_passed_over: Callable[[PassedOver], None],
        on_replay: Callable[[Partition, Place], None],
        on_overtaken: Callable[[Overtaken], None],
    ) -> None:
        self._config = config
        self._clock = clock
        self._on_assigned = on_assigned
        self._on_revoked = on_revoked
        self._on_passed_over = on_passed_over
        self._on_overtaken = on_overtaken
        self._drained = False
        self._unpacker: Unpacker
        bound(config.most_batch_bytes)
        self._consumer = AIOKafkaConsumer(**consumer_options(config))
        config.brokers.keep_fresh(self._consumer._client)
        self.sources = SourceOffsets(self._consumer, config.repartition)
        self._paused = False
        self._generation = 0
        self._held: list[ConsumerRecord] = []
        self._handed_out: set[TopicPartition] = set()
        self._joined = asyncio.Event()
        self._fetching: asyncio.Task[tuple[int, list[ConsumerRecord]]] | None = None
        self._fetching_since = 0.0
        self._anchoring: asyncio.Task[None] | None = None
        self._beginning = Beginning(self._consumer, config, on_replay=on_replay)
        self._current: Mapping[Partition, int] = {}
        self._caught_up: Mapping[Partition, int] = {}

    async def start(self) -> None:
        """Connect and ask to join the group; does not wait for partitions. Raises KafkaError, OSError or TimeoutError."""
        async with asyncio.timeout(self._config.start_timeout_seconds):
            await self._consumer.start()
        self._unpacker = unpack_aside(self._consumer, most_bytes=self._config.fetch_max_bytes)
        with contextlib.suppress(KafkaError, OSError, TimeoutError):  # Then it is asked again when it is needed.
            async with asyncio.timeout(self._config.connect_timeout_seconds):
                await self._beginning.look()
        # Subscribing after the start keeps the start from waiting for topics and group without a limit.
        if self._config.topic_pattern:
            own = f"|{re.escape(self._config.repartition)}" if self._config.repartition else ""
            # aiokafka matches from the left only; whole names are meant.
            self._consumer.subscribe(pattern=rf"(?:{self._config.topic_pattern}{own})\Z", listener=self)
        else:
            self._consumer.subscribe(topics=list(self._config.own_names), listener=self)

    async def wait_joined(self, seconds: float) -> bool:
        """Wait until the group has given us partitions, or none; False when time is up. Raises KafkaError when it refuses us."""
        deadline = self._clock.monotonic() + seconds
        while not self._joined.is_set() and self._clock.monotonic() < deadline:
            task = self._begin_fetch()
            await asyncio.wait({task}, timeout=_GLANCE)
            if task.done() and not self._joined.is_set():
                self._fetching = None
                task.result()
        return self._joined.is_set()

    @property
    def joined(self) -> bool:
        """Whether the group has given us an assignment, be it empty, at least once."""
        return self._joined.is_set()

    def assignment(self) -> set[Partition]:
        """The partitions that are ours now."""
        return {(tp.topic, tp.partition) for tp in self._consumer.assignment()}

    def share(self) -> float:
        """Our partitions / all partitions of the topics that the group reads, 0..1; 0 where none are known yet."""
        known = [self._consumer.partitions_for_topic(topic) or () for topic in self._consumer.subscription() or ()]
        return min(1.0, len(self.assignment()) / total) if (total := sum(map(len, known))) else 0.0

    def fetch_age(self) -> float:
        """Seconds since the fetch that is under way began; 0 without one. A long one hangs."""
        return self._clock.monotonic() - self._fetching_since if self._fetching is not None else 0.0

    def caught_up(self) -> Mapping[Partition, int]:
        """Partitions of which everything written has been handed out, with their ends, as brokers said when the last fetch ended."""
        return self._caught_up

    async def fetch(self, *, paused: bool) -> list[ConsumerRecord]:
        """Records of the present generation, or none after about the poll timeout. Raises what getmany raises.

        What had been fetched when a pause began is held back until it ends.
        """
        self._paused = paused
        self._caught_up = {}
        self._apply_pause()
        if self._held and not paused:
            held, self._held = self._held, []
            return held
        task = self._begin_fetch()
        await asyncio.wait({task}, timeout=self._config.poll_timeout_seconds + _SLACK)
        if not task.done():
            return []
        self._fetching = None
        if task.cancelled():
            return []  # By `stop`, called by whoever gave this consumer up; nobody cancelled the poll itself.
        generation, records = task.result()
        if generation != self._generation:
            return []
        if self._paused:
            self._held += records
            return []
        # Nothing was awaited since that fetch ended but by the loop: what it had read is what is handed out now.
        self._caught_up = self._current
        return records

    async def commit(self, places: Mapping[Partition, Place]) -> dict[Partition, int]:
        """Commit what is ours of `places` and return the offsets. Raises KafkaError or TimeoutError."""
        mine = self.assignment()
        ours = {partition: place for partition, place in places.items() if partition in mine}
        if ours:
            await self._consumer.commit(
                {TopicPartition(*p): (place.offset, place.metadata) for p, place in ours.items()}
            )
        return {partition: place.offset for partition, place in ours.items()}

    async def ends(self) -> dict[Partition, int]:
        """The end of each partition of ours, asked of the brokers (highwater stands still while paused); of one that nobody leads, as
        the last answer said."""
        mine = self._consumer.assignment()
        lost = {tp for tp in mine if not self._led(tp)}
        ends = {tp: self._consumer.highwater(tp) for tp in lost}
        if led := list(mine - lost):
            ends.update(await self._consumer.end_offsets(led))
        return {(tp.topic, tp.partition): end for tp, end in ends.items() if end is not None}

    def leaderless(self) -> int:
        """How many partitions of ours no broker leads, as far as we have heard."""
        return sum(not self._led(tp) for tp in self._consumer.assignment())

    async def position(self, partition: Partition) -> int:
        """The offset that will be handed out next. Raises KafkaError when the partition is not ours."""
        waiting = list(self._held)
        task = self._fetching
        if task is not None and task.done() and not task.cancelled() and task.exception() is None:
            waiting += task.result()[1]
        offsets = [record.offset for record in waiting if (record.topic, record.partition) == partition]
        return min(offsets) if offsets else int(await self._consumer.position(TopicPartition(*partition)))

    async def stop(self, seconds: float) -> None:
        """Leave the group and close, within `seconds` or hardly more. Never raises; cancelled, it closes without leaving."""
        stopping = asyncio.create_task(self._consumer.stop(), name="kafka-stop")
        try:
            await asyncio.wait({stopping}, timeout=seconds * _SHARE)
            if not stopping.done():
                # It waits for an answer of the group that may not come before the rebalance ends. Closing the connections
                # under it makes it go on; aiokafka has no public way to do that, and without it they would leak.
                logger.warning("the Kafka consumer does not stop; closing its connections")
                await self._consumer._client.close()
                await asyncio.wait({stopping}, timeout=seconds * (1 - _SHARE))
        finally:
            tasks = [task for task in (stopping, self._fetching, self._anchoring) if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._fetching = self._anchoring = None
            # What was still running may have opened connections after the others were closed.
            await self._consumer._client.close()

    async def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        """Called by aiokafka when the group changes, before it goes on."""
        self._generation += 1
        self._caught_up = {}
        self._handed_out.clear()
        self._held.clear()
        await self._on_revoked(self, {(tp.topic, tp.partition) for tp in revoked})

    async def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        """Called by aiokafka when we have partitions again, before anything is fetched of them."""
        self._beginning.due(assigned)
        self._apply_pause()
        self._joined.set()
        if self._anchoring is not None:
            self._anchoring.cancel()
        self._anchoring = asyncio.create_task(self._anchor(set(assigned)), name="kafka-anchor")
        self._on_assigned({(tp.topic, tp.partition) for tp in assigned})

    def _led(self, tp: TopicPartition) -> bool:
        # aiokafka has no public way to ask; None is a partition that it has not heard of, -1 one without a leader. Who led is kept while no
        # broker answers, and the brokers are not (exporters/clients/bootstrap.py).
        cluster = self._consumer._client.cluster
        return cluster.broker_metadata(cluster.leader_for_partition(tp)) is not None

    def _begin_fetch(self) -> asyncio.Task[tuple[int, list[ConsumerRecord]]]:
        if self._fetching is None:
            self._fetching_since = self._clock.monotonic()
            self._fetching = asyncio.create_task(self._getmany(), name="kafka-fetch")
        return self._fetching

    async def _getmany(self) -> tuple[int, list[ConsumerRecord]]:
        try:
            return await self._read()
        except BaseException:
            # Positions may have moved past records that were drained and lost in it: they are no place to begin at.
            self._drained = True
            raise

    async def _read(self) -> tuple[int, list[ConsumerRecord]]:
        batches = await self._come()
        # Before anything else is awaited: what comes back while the group changes is of the generation that it was read in.
        generation = self._generation
        self._handed_out.update(batches)
        self._current = await self._read_to_the_end()
        return generation, [record for batch in batches.values() for record in batch]

    async def _come(self) -> dict[TopicPartition, list[ConsumerRecord]]:
        """What has come, past what cannot be read and what is not there. Such errors of aiokafka come in place of records, never with some."""
        try:
            return dict(
                await self._consumer.getmany(
                    timeout_ms=milliseconds(self._config.poll_timeout_seconds), max_records=self._config.max_records
                )
            )
        except NoOffsetForPartitionError:
            await asyncio.sleep(_GLANCE)  # It is being settled.
        except OffsetOutOfRangeError as error:
            for one in await go_on(self._consumer, error):
                self._on_overtaken(one)
        except Exception:
            if not (passed := self._unpacker.step_over()):
                raise
            for batch in passed:
                self._on_passed_over(batch)
        return {}

    async def _read_to_the_end(self) -> dict[Partition, int]:
        """Partitions whose position is the end of the log, and that end, by an answer of the broker that is not old. One from the future was
        given before the host's clock was set back: nobody knows how old it is."""
        now = milliseconds(self._clock.now())
        oldest = now - milliseconds(2 * self._config.fetch_max_wait_seconds + _STALE_SECONDS)
        found = {}
        for tp in self._consumer.assignment() - self._consumer.paused():
            end, answered = self._consumer.highwater(tp), self._consumer.last_poll_timestamp(tp)
            # With an end known the position is, so that asking for it does not wait.
            if (
                end is not None
                and answered is not None
                and oldest <= answered <= now + milliseconds(_STALE_SECONDS)
                and await self._consumer.position(tp) >= end
            ):
                found[tp.topic, tp.partition] = int(end)
        return found

    def _apply_pause(self) -> None:
        mine, paused = self._consumer.assignment(), self._consumer.paused()
        still = mine if self._paused else self._beginning.unsettled & mine
        self._consumer.pause(*(still - paused))
        self._consumer.resume(*((paused & mine) - still))

    async def _anchor(self, assigned: set[TopicPartition]) -> None:
        """Commit where reading begins in partitions that have no offset yet.

        Else a group that begins at the end of its topics would, after a rebalance or restart before its first commit,
        begin at a later end, and lose what lies between. Once something was taken of a partition, its own commits do this.
        """
        generation = self._generation
        await self._beginning.settle()
        self._apply_pause()
        with contextlib.suppress(KafkaError, OSError, TimeoutError):
            async with asyncio.timeout(self._config.start_timeout_seconds):
                commits = await self._consumer._coordinator.fetch_committed_offsets(sorted(assigned))
                places = {tp: await self._consumer.position(tp) for tp in assigned - commits.keys()}
                places = {tp: place for tp, place in places.items() if tp not in self._handed_out}
                if self._drained or generation != self._generation:
                    return
                if places:
                    await self._consumer.commit(places)
                self._beginning.begun()
