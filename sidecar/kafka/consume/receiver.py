"""Kafka in: polls, pauses and resumes, commits what is done, sends on what nobody can read, and outlives its consumer.

One aiokafka consumer is a GroupMember (kafka_member.py). The Receiver holds one at a time; when it dies of something
unexpected, hangs, or nobody polls any more, it is given up, and the next poll builds another, with growing pauses.
After a start that succeeded nothing here raises.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aiokafka.errors import (
    GroupAuthorizationFailedError,
    KafkaError,
    RecordTooLargeError,
    TopicAuthorizationFailedError,
)
from aiokafka.structs import ConsumerRecord

from exporters.clients.security import UnreadableFileError
from sidecar.kafka.client import check_brokers, explain, missing_topics, refused_group, refused_topics, survey
from sidecar.kafka.consume.lag import LagMeter
from sidecar.kafka.consume.member import GroupMember, unreadable
from sidecar.kafka.consume.offsets import Lease, OffsetTracker, Partition
from sidecar.kafka.produce.dead_letters import DeadLetters
from sidecar.kafka.produce.repartition import Repartitioner
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.errors import SidecarError
from sidecar.record.trace import Record

__all__ = ["ReceiveConfig", "Receiver", "Taken", "check_brokers"]

logger = logging.getLogger(__name__)

_TEND_SECONDS = 1.0
_COMMIT_SECONDS = 10.0
_REVOKE_COMMIT_SECONDS = 5.0
_COMMIT_PATIENCE = 1.0
_LAG_SECONDS = 5.0
_FIRST_BACKOFF = 0.5
_LONGEST_BACKOFF = 30.0
# Of what is left of the stop's time, the part that each of its steps may take: the last, leaving the group, always finds some.
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Taken:
    """A record, and the claim on its offset. The claim starts with one hold, which belongs to whoever polled."""

    record: Record
    lease: Lease


class Receiver:
    """Reads records. `on_revoked` is told which partitions were taken away: what they fed comes again, here or elsewhere."""

    def __init__(
        self,
        config: ReceiveConfig,
        telemetry: Telemetry,
        clock: Clock,
        *,
        on_revoked: Callable[[set[Partition]], None],
    ) -> None:
        self._config = config
        self._telemetry = telemetry
        self._clock = clock
        self._tell_revoked = on_revoked
        self._tracker = OffsetTracker()
        self._lag = LagMeter(telemetry, clock)
        self._dead_letters = (
            DeadLetters(config, config.dead_letter_topic, telemetry, still_ours=self._still_ours)
            if config.dead_letter_topic
            else None
        )
        self._repartitioner = (
            Repartitioner(config, config.repartition, telemetry, still_ours=self._still_ours)
            if config.repartition
            else None
        )
        self._member: GroupMember | None = None
        self._restarting: asyncio.Task[None] | None = None
        self._committing: asyncio.Task[None] | None = None
        self._tending: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._careful = False
        self._closing: set[asyncio.Task[None]] = set()
        self._polled_at = clock.monotonic()
        self._committed_at = clock.monotonic()
        self._measured_at = clock.monotonic()

    @property
    def assigned(self) -> frozenset[Partition]:
        """The partitions that are ours now."""
        return frozenset(self._member.assignment()) if self._member else frozenset()

    @property
    def ready(self) -> bool:
        """Whether the group has let us in. With more replicas than partitions some have none and are ready all the same."""
        return self._member is not None and self._member.joined

    async def start(self) -> None:
        """Reach Kafka and join the group. Raises BrokerError naming the step that failed, or ConfigError for a file."""
        await self._check_topics()
        await self._join()
        self._polled_at = self._clock.monotonic()
        self._tending = asyncio.create_task(self._tend(), name="receive-tend")
        logger.info("reading %s as group %s", self._what(), self._config.group_id)

    async def poll(self, *, paused: bool) -> list[Taken]:
        """Records that have come, or none after about the poll timeout. While `paused` none are fetched and none come,
        and the group membership lives. Never raises; must be called again and again, paused or not."""
        self._polled_at = self._clock.monotonic()
        member = self._member
        if member is None:
            self._begin_restart()
            await asyncio.sleep(self._config.poll_timeout_seconds)
            return []
        full = any(one is not None and one.full for one in (self._dead_letters, self._repartitioner))
        try:
            records = await member.fetch(paused=paused or full)
        except RecordTooLargeError as error:
            # aiokafka has passed over one offset by then; the topic is in the error's partition map.
            for tp in error.args[1] if len(error.args) > 1 else ():
                self._telemetry.count("rag_sidecar_records_total", topic=tp.topic, outcome="too_large")
            return []
        except Exception as error:  # noqa: BLE001 - the door to aiokafka: counted, and the consumer is built anew
            if member is not self._member:
                return []  # The watchdog was quicker.
            # What aiokafka had drained of other partitions before it raised is lost in it: all is read again.
            self._careful = unreadable(error)
            logger.warning("the Kafka consumer failed: %s", type(error).__name__)
            self._give_up(member, "unreadable_record" if self._careful else "failed")
            return []
        return [self._take(record) for record in records]

    async def commit(self) -> None:
        """Commit what is done, when the interval has passed. Waits a second at most, goes on by itself; never raises."""
        now = self._clock.monotonic()
        if now - self._committed_at >= self._config.commit_interval_seconds and self._committing is None:
            self._committed_at = now
            self._committing = asyncio.create_task(self._commit(_COMMIT_SECONDS), name="kafka-commit")
        if self._committing is not None:
            await asyncio.wait({self._committing}, timeout=_COMMIT_PATIENCE)
            if self._committing.done():
                self._committing = None

    async def dead_letter(self, record: Record, *, reason: str, detail: str) -> bool:
        """Send a record on that cannot be read. True: it is sent, or dead letters are off; the caller releases its hold.
        False: it waits for the topic to come back, and its hold is released here when it was sent. Never raises."""
        if self._dead_letters is None:
            self._telemetry.count(
                "rag_sidecar_dead_letters_total", topic=record.topic, reason=reason, outcome="disabled"
            )
            return True
        lease = self._tracker.lease(record.topic, record.partition, record.offset)
        return await self._dead_letters.send(record, lease, reason=reason, detail=detail)

    def repartitions(self, topic: str) -> bool:
        """Whether records of this topic are to be split by trace and given to `forward`."""
        return self._repartitioner is not None and topic != self._config.repartition

    def forward(self, taken: Taken, parts: Sequence[tuple[bytes, bytes]]) -> None:
        """Write the (key, value) parts of a record to the repartition topic; its hold is released when Kafka has them."""
        assert self._repartitioner is not None
        self._repartitioner.forward(taken.record, taken.lease, parts)

    async def stop(self, seconds: float | None = None) -> None:
        """Commit, leave the group and close, within `seconds` in all, by default the settings' stop timeout. What is not done
        by then stays uncommitted. Never raises; safe twice."""
        self._stopping.set()
        left = _countdown(self._config.stop_timeout_seconds if seconds is None else seconds)
        await self._stop_tasks(left)
        if self._repartitioner is not None:
            await self._repartitioner.stop(left() * _SHARE)
        await self._commit(left() * _SHARE)
        if self._dead_letters is not None:
            await self._dead_letters.stop(left() * _SHARE)
        member, self._member = self._member, None
        if member is not None:
            await member.stop(left())
            logger.info("left the group %s", self._config.group_id)

    async def _stop_tasks(self, left: Callable[[], float]) -> None:
        if self._tending is not None:
            # A measurement that is cancelled while aiokafka connects would leave the connection open.
            await asyncio.wait({self._tending}, timeout=left() * _SHARE)
        if self._closing:
            await asyncio.wait(self._closing, timeout=left() * _SHARE)
        tasks = [
            task for task in (self._tending, self._restarting, self._committing, *self._closing) if task is not None
        ]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tending = self._restarting = self._committing = None

    async def _check_topics(self) -> None:
        names = self._config.own_names
        cluster = await survey(self._config, topics=names, create=True)
        missing = [name for name in names if name not in cluster.topics]
        if missing:
            raise missing_topics(missing)

    async def _join(self) -> None:
        """Join the group for the first time. What may pass by itself is tried again until the start's time is up."""
        deadline = self._clock.monotonic() + self._config.start_timeout_seconds
        while True:
            member: GroupMember | None = None
            try:
                member = self._member = self._new_member()
                await member.start()
                if not await member.wait_joined(max(0.0, deadline - self._clock.monotonic())):
                    logger.warning("no answer of the group %s yet; starting without partitions", self._config.group_id)
                return
            except BaseException as error:
                self._member = None
                if member is not None:
                    await member.stop(self._config.stop_timeout_seconds)
                if not isinstance(error, (KafkaError, OSError, TimeoutError)):
                    raise
                refused = isinstance(error, (GroupAuthorizationFailedError, TopicAuthorizationFailedError))
                if refused or self._clock.monotonic() >= deadline:
                    raise self._explain(error) from error
            await asyncio.sleep(_FIRST_BACKOFF)

    def _new_member(self) -> GroupMember:
        return GroupMember(
            self._config,
            self._clock,
            on_assigned=self._assigned,
            on_revoked=self._revoked,
            on_passed_over=self._passed_over,
            careful=self._careful,
        )

    def _explain(self, error: Exception) -> SidecarError:
        if isinstance(error, GroupAuthorizationFailedError):
            return refused_group(self._config.group_id)
        if isinstance(error, TopicAuthorizationFailedError):
            return refused_topics(self._config.topic_names)
        return explain(error, self._config.brokers, self._config.bootstrap_servers)

    def _what(self) -> str:
        return self._config.topic_pattern or ", ".join(self._config.topic_names)

    def _take(self, record: ConsumerRecord) -> Taken:
        # A producer may leave the time out, which Kafka writes as -1.
        timestamp = record.timestamp / 1000 if record.timestamp >= 0 else self._clock.now()
        partition = (record.topic, record.partition)
        self._lag.took(partition, offset=record.offset, timestamp=timestamp)
        lease = self._tracker.take(*partition, record.offset, taken_at=self._clock.monotonic())
        taken = Record(
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
            timestamp=timestamp,
            key=record.key,
            value=record.value,
            headers=tuple((name, value or b"") for name, value in record.headers),
        )
        return Taken(taken, lease)

    def _still_ours(self, record: Record, lease: Lease) -> bool:
        return self._tracker.lease(record.topic, record.partition, record.offset) is lease

    async def _commit(self, seconds: float) -> None:
        member, offsets = self._member, self._tracker.committable()
        if member is None or not offsets:
            return
        try:
            async with asyncio.timeout(seconds):
                committed = await member.commit(offsets)
        except (KafkaError, OSError, TimeoutError):
            self._telemetry.count("rag_sidecar_commits_total", outcome="failed")
            return
        if committed:
            self._tracker.committed(committed)
            self._telemetry.count("rag_sidecar_commits_total", outcome="ok")

    def _assigned(self) -> None:
        self._telemetry.count("rag_sidecar_rebalances_total")
        self._telemetry.set("rag_sidecar_assigned_partitions", len(self.assigned))
        logger.info("%d partitions assigned", len(self.assigned))

    def _passed_over(self, partition: Partition, offset: int) -> None:
        self._careful = False
        logger.error(
            "partition %d of %s: offset %d is no Kafka record; passed over", partition[1], partition[0], offset
        )
        self._telemetry.count("rag_sidecar_records_total", topic=partition[0], outcome="unreadable")

    async def _revoked(self, member: GroupMember, partitions: set[Partition]) -> None:
        if member is not self._member:
            return  # A consumer that was given up has lost everything already.
        await self._commit(_REVOKE_COMMIT_SECONDS)
        self._forget(partitions)

    def _forget(self, partitions: set[Partition]) -> None:
        if not partitions:
            return
        self._tracker.revoke(partitions)
        for partition in partitions:
            self._lag.forget(partition)
        self._tell_revoked(set(partitions))

    def _give_up(self, member: GroupMember, reason: str) -> None:
        """Let a consumer go. Everything it had is revoked at once; it is closed in the background."""
        if self._member is not member:
            return
        self._member = None
        self._telemetry.count("rag_sidecar_receiver_restarts_total", reason=reason)
        self._telemetry.set("rag_sidecar_assigned_partitions", 0)
        self._forget(member.assignment() | set(self._tracker.partitions))
        self._closing.add(
            task := asyncio.create_task(member.stop(self._config.stop_timeout_seconds), name="kafka-close")
        )
        task.add_done_callback(self._closing.discard)

    def _begin_restart(self) -> None:
        if self._restarting is None or self._restarting.done():
            self._restarting = asyncio.create_task(self._restart(), name="kafka-restart")

    async def _restart(self) -> None:
        backoff = _FIRST_BACKOFF
        while self._member is None:
            await asyncio.sleep(backoff)
            backoff = min(backoff * 2, _LONGEST_BACKOFF)
            member: GroupMember | None = None
            try:
                member = self._new_member()
                await member.start()
            except BaseException as error:
                if member is not None:
                    await member.stop(self._config.stop_timeout_seconds)
                if not isinstance(error, Exception):
                    raise
                self._telemetry.count(
                    "rag_sidecar_kafka_failures_total", client="consumer", error_type=type(error).__name__
                )
                where = (
                    f"{type(error).__name__}, {error.field}"
                    if isinstance(error, UnreadableFileError)
                    else type(error).__name__
                )
                logger.warning("the Kafka consumer cannot be built anew (%s); trying again", where)
            else:
                self._member = member

    async def _tend(self) -> None:
        """Once a second: see that somebody polls and that the fetch moves; now and then measure the lag."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _TEND_SECONDS)
                return
            now = self._clock.monotonic()
            self._telemetry.set("rag_sidecar_oldest_open_record_seconds", self._tracker.oldest_pending_age(now))
            member = self._member
            if member is None:
                continue
            limit = self._config.max_poll_interval_seconds
            if now - self._polled_at > limit:
                logger.error("nobody has polled for %.0f s; leaving the group until somebody does", limit)
                self._give_up(member, "poll_stopped")
            elif member.fetch_age() > limit + self._config.rebalance_timeout_seconds:
                logger.error("a fetch has hung for %.0f s; building the consumer anew", member.fetch_age())
                self._give_up(member, "fetch_hung")
            elif now - self._measured_at >= self._config.lag_interval_seconds:
                self._measured_at = now
                await self._measure(member)

    async def _measure(self, member: GroupMember) -> None:
        try:
            async with asyncio.timeout(_LAG_SECONDS):
                ends = await member.ends()
                positions = {partition: await member.position(partition) for partition in self._lag.unread(ends)}
        except (KafkaError, OSError, TimeoutError):
            return
        self._lag.show(ends, positions)


def _countdown(seconds: float) -> Callable[[], float]:
    """How many seconds are left, never less than none."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    return lambda: max(0.0, end - loop.time())
