"""Kafka in: polls, pauses and resumes, commits what is done, sends on what nobody can read, and outlives its consumer.

One aiokafka consumer is a GroupMember (member.py). Membership (membership.py) holds one at a time; when it dies of something
unexpected, hangs, or nobody polls any more, it is given up here, and the next poll has another built, with growing pauses.
After a start that succeeded nothing here raises.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from aiokafka.errors import RecordTooLargeError
from aiokafka.structs import ConsumerRecord

from exporters.clients.producer import open_producer
from sidecar.kafka.client import missing_topics, survey
from sidecar.kafka.consume.behind import Behind
from sidecar.kafka.consume.commits import Commits
from sidecar.kafka.consume.lag import LagMeter
from sidecar.kafka.consume.leaders import Leaders
from sidecar.kafka.consume.member import GroupMember
from sidecar.kafka.consume.membership import Membership
from sidecar.kafka.consume.offsets import Lease, OffsetTracker, Partition
from sidecar.kafka.consume.overtaken import Overtaken
from sidecar.kafka.consume.place import Place
from sidecar.kafka.consume.records import as_record
from sidecar.kafka.produce.dead_letters import DeadLetters
from sidecar.kafka.produce.outbox import TRY_SECONDS, Outbox
from sidecar.kafka.produce.repartition import Repartitioner
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.memory import MemoryBudget
from sidecar.record.record import Acknowledgement, Record

logger = logging.getLogger(__name__)

_TEND_SECONDS = 1.0
_REVOKE_COMMIT_SECONDS = 5.0
_LAG_SECONDS = 5.0
_MOST_REQUEST_BYTES = 128 * 1024 * 1024
_LINGER_MS = 20
# Of what is left of the stop's time, the part that each of its steps may take: the last, leaving the group, always finds some.
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Taken:
    """A record, and the claim on its offset. The claim starts with one hold, which belongs to whoever polled. `behind`: of a record that was
    repartitioned, how many seconds its topic was behind its sources when it was written; None where that is unknown."""

    record: Record
    lease: Lease
    behind: float | None = None


class Receiver:
    """Reads records. `on_revoked` is told which partitions were taken away: what they fed comes again, here or elsewhere."""

    def __init__(
        self,
        config: ReceiveConfig,
        telemetry: Telemetry,
        clock: Clock,
        *,
        on_revoked: Callable[[set[Partition]], None],
        memory: MemoryBudget | None = None,
    ) -> None:
        """`memory` is what records that wait to be sent on share with the other buffers."""
        self._config = config
        self._telemetry = telemetry
        self._clock = clock
        self._tell_revoked = on_revoked
        self._tracker = OffsetTracker()
        self._lag = LagMeter(telemetry, clock)
        self._leaders = Leaders(telemetry)
        self._behind = Behind(config, telemetry, clock)
        self._outbox = Outbox(
            partial(
                open_producer,
                config.brokers,
                client_id=f"{config.client_id}-outbox",
                request_seconds=TRY_SECONDS,
                linger_ms=_LINGER_MS,
                max_request_size=_MOST_REQUEST_BYTES,
            ),
            telemetry,
            still_ours=self._still_ours,
            memory=memory,
        )
        self._dead_letters = self._new_dead_letters()
        self._repartitioner = self._new_repartitioner()
        self._membership = Membership(
            config,
            telemetry,
            clock,
            on_revoked=self._revoked,
            on_lost=self._lost,
            on_replay=self._replay,
            on_overtaken=self._overtaken,
            on_passed_over=lambda batch: self._tracker.begins(batch.partition, batch.end),
        )
        self._commits = Commits(
            self._tracker,
            lambda: self._membership.member,
            telemetry,
            clock,
            every_seconds=config.commits_every_seconds,
        )
        self._tending: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._polled_at = clock.monotonic()
        self._measured_at = clock.monotonic()

    @property
    def assigned(self) -> frozenset[Partition]:
        """The partitions that are ours now."""
        return self._membership.assigned

    @property
    def share(self) -> float:
        """What part of all partitions is ours, 0..1: what is shared by replicas is shared by that."""
        member = self._membership.member
        return 0.0 if member is None else member.share()

    @property
    def ready(self) -> bool:
        """Whether the group has let us in. With more replicas than partitions some have none and are ready all the same."""
        member = self._membership.member
        return member is not None and member.joined

    async def start(self) -> None:
        """Reach Kafka and join the group. Raises BrokerError naming the step that failed, or ConfigError for a file."""
        await self._check_topics()
        await self._membership.join()
        self._polled_at = self._clock.monotonic()
        self._tending = asyncio.create_task(self._tend(), name="receive-tend")
        logger.info("reading %s as group %s", self._what(), self._config.group_id)

    async def poll(self, *, paused: bool) -> list[Taken]:
        """Records that have come, or none after about the poll timeout. While `paused` none are fetched and none come,
        and the group membership lives. Never raises; must be called again and again, paused or not."""
        self._polled_at = self._clock.monotonic()
        member = self._membership.member
        if member is None:
            self._membership.rejoin()
            await asyncio.sleep(self._config.poll_timeout_seconds)
            return []
        self._telemetry.set("rag_sidecar_intake_paused", self._outbox.full, reason="outbox")
        try:
            records = await member.fetch(paused=paused or self._outbox.full)
        except RecordTooLargeError as error:
            # aiokafka has passed over one offset by then; the topic is in the error's partition map.
            for tp in error.args[1] if len(error.args) > 1 else ():
                self._telemetry.count("rag_sidecar_records_total", topic=tp.topic, outcome="too_large")
            return []
        except Exception as error:  # noqa: BLE001 - the door to aiokafka: counted, and the consumer is built anew
            if member is self._membership.member:  # Else the watchdog was quicker.
                # What aiokafka had drained of other partitions before it raised is lost in it: all is read again.
                logger.warning("the Kafka consumer failed: %s", type(error).__name__)
                self._membership.give_up(member, "failed")
            return []
        return [self._take(record) for record in records]

    def caught_up(self) -> dict[Partition, float]:
        """Partitions of which everything written was in what the last `poll` gave, or before it, and how many seconds these are behind
        source topics that are repartitioned."""
        member = self._membership.member
        ends = {} if member is None else member.caught_up()
        for one, end in ends.items():
            self._tracker.passed(one, end)
        return {one: self._behind.of(one) for one in ends}

    async def commit(self) -> None:
        """Commit what is done, when the interval has passed. Waits a second at most, goes on by itself; never raises."""
        await self._commits.when_due()

    async def dead_letter(self, record: Record, *, reason: str, detail: str) -> bool:
        """Send a record on that cannot be read. True: dead letters are off, and the caller releases its hold. False: the record waits to
        be sent, and its hold is released when it was. Never waits, never raises."""
        lease = self._tracker.lease(record.topic, record.partition, record.offset)
        if self._dead_letters is None:
            self._telemetry.count(
                "rag_sidecar_dead_letters_total", topic=record.topic, reason=reason, outcome="disabled"
            )
            return True
        if lease is not None:  # Else a rebalance took it: whoever has the partition now reads it, and sends it on.
            self._dead_letters.put(record, lease, reason=reason, detail=detail)
        return False

    def repartitions(self, topic: str) -> bool:
        """Whether records of this topic are to be split by trace and given to `forward`."""
        return self._repartitioner is not None and topic != self._config.repartition

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
        """Write the (key, value) parts of a record to the repartition topic; its hold is released when Kafka has them."""
        assert self._repartitioner is not None
        self._repartitioner.forward(taken.record, taken.lease, parts, headers=self._behind.headers())

    async def stop(self, seconds: float | None = None) -> None:
        """Send on what waits, commit, leave the group and close, within `seconds` in all, by default the settings' stop timeout. What is
        not done by then stays uncommitted. Never raises; safe twice."""
        self._stopping.set()
        left = _countdown(self._config.stop_timeout_seconds if seconds is None else seconds)
        await self._stop_tasks(left)
        await self._membership.settle(left() * _SHARE)
        await self._outbox.stop(left() * _SHARE)
        await self._commits.now(left() * _SHARE)
        await self._membership.leave(left())

    async def _stop_tasks(self, left: Callable[[], float]) -> None:
        if self._tending is not None:
            # A measurement that is cancelled while aiokafka connects would leave the connection open.
            await asyncio.wait({self._tending}, timeout=left() * _SHARE)
            self._tending.cancel()
            await asyncio.gather(self._tending, return_exceptions=True)
            self._tending = None
        await self._commits.stop()

    async def _check_topics(self) -> None:
        names = self._config.own_names
        cluster = await survey(self._config, topics=names, create=True)
        missing = [name for name in names if name not in cluster.topics]
        if missing:
            raise missing_topics(missing)

    def _new_dead_letters(self) -> DeadLetters | None:
        topic = self._config.dead_letter_topic
        return DeadLetters(self._outbox.lane("dead_letters", topic), self._telemetry) if topic else None

    def _new_repartitioner(self) -> Repartitioner | None:
        topic = self._config.repartition
        if topic is None:
            return None
        return Repartitioner(
            self._outbox.lane("repartition", topic), self._telemetry, on_refused=self._not_repartitioned
        )

    def _not_repartitioned(self, record: Record, lease: Acknowledgement) -> None:
        """The brokers will never take a part of it: it goes the way of what cannot be read, whole."""
        if self._dead_letters is None:
            lease.release()
        else:
            self._dead_letters.put(
                record, lease, reason="too_large", detail="a part of it is too large for receive.repartition"
            )

    def _what(self) -> str:
        return self._config.topic_pattern or ", ".join(self._config.topic_names)

    def _take(self, record: ConsumerRecord) -> Taken:
        taken = as_record(record, self._clock)
        partition = (record.topic, record.partition)
        self._lag.took(partition, offset=record.offset, timestamp=taken.timestamp)
        lease = self._tracker.take(*partition, record.offset, taken_at=self._clock.monotonic())
        return Taken(taken, lease, self._behind.said(taken))

    def _still_ours(self, record: Record, lease: Acknowledgement) -> bool:
        return self._tracker.lease(record.topic, record.partition, record.offset) is lease

    def _replay(self, partition: Partition, place: Place) -> None:
        self._tracker.begin(*partition, place.offset, again=place.again, until=place.until)

    def _overtaken(self, one: Overtaken) -> None:
        self._lag.forget(one.partition)
        if one.lost:
            self._tracker.begins(one.partition, one.start)

    async def _revoked(self, partitions: set[Partition]) -> None:
        await self._commits.now(_REVOKE_COMMIT_SECONDS)
        self._forget(partitions)

    def _lost(self, partitions: set[Partition]) -> None:
        self._forget(partitions | self._tracker.partitions)

    def _forget(self, partitions: set[Partition]) -> None:
        if not partitions:
            return
        self._tracker.revoke(partitions)
        for partition in partitions:
            self._lag.forget(partition)
        self._outbox.revoked()
        self._tell_revoked(set(partitions))

    async def _tend(self) -> None:
        """Once a second: see that somebody polls, that the fetch moves and who has no leader; now and then measure the lag."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _TEND_SECONDS)
                return
            now = self._clock.monotonic()
            self._telemetry.set("rag_sidecar_oldest_open_record_seconds", self._tracker.oldest_pending_age(now))
            member = self._membership.member
            if member is None or self._hangs(member):
                continue
            self._leaders.tell(member.leaderless())
            await self._behind.look(member.sources)
            if self._due(now):
                await self._lag.measure(member, _LAG_SECONDS)

    def _hangs(self, member: GroupMember) -> bool:
        """Give up a consumer that nobody polls, or whose fetch does not end."""
        limit = self._config.max_poll_interval_seconds
        if self._clock.monotonic() - self._polled_at > limit:
            logger.error("nobody has polled for %.0f s; leaving the group until somebody does", limit)
            self._membership.give_up(member, "poll_stopped")
            return True
        if member.fetch_age() > limit + self._config.rebalance_timeout_seconds:
            logger.error("a fetch has hung for %.0f s; building the consumer anew", member.fetch_age())
            self._membership.give_up(member, "fetch_hung")
            return True
        return False

    def _due(self, now: float) -> bool:
        """Whether the lag is to be measured again."""
        if now - self._measured_at < self._config.lag_interval_seconds:
            return False
        self._measured_at = now
        return True


def _countdown(seconds: float) -> Callable[[], float]:
    """How many seconds are left, never less than none."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    return lambda: max(0.0, end - loop.time())
