"""Our place in the consumer group: one consumer at a time, built anew with growing pauses when it was given up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from aiokafka.errors import GroupAuthorizationFailedError, KafkaError, TopicAuthorizationFailedError

from exporters.clients.files import UnreadableFileError
from sidecar.kafka.backoff import Backoff
from sidecar.kafka.client import explain, refused_group, refused_topics
from sidecar.kafka.consume.member import GroupMember
from sidecar.kafka.consume.offsets import Partition
from sidecar.kafka.consume.overtaken import Overtaken
from sidecar.kafka.consume.place import Place
from sidecar.kafka.consume.unpack import PassedOver
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.errors import SidecarError

logger = logging.getLogger(__name__)

# Of the time for a stop, what consumers given up earlier may use to close.
_SHARE = 0.5
_LOST = "rag_sidecar_lost_records_total"


class Membership:
    """Holds the present consumer. `on_revoked` is awaited before the group goes on; `on_lost` is told what a consumer that was given up
    had. Partitions that went in either way come again, here or elsewhere. `on_replay` is told the committed offset of one that is read from below it,
    `on_overtaken` what was not in the log when it was to be read, `on_passed_over` what nobody can read."""

    def __init__(
        self,
        config: ReceiveConfig,
        telemetry: Telemetry,
        clock: Clock,
        *,
        on_revoked: Callable[[set[Partition]], Awaitable[None]],
        on_lost: Callable[[set[Partition]], None],
        on_replay: Callable[[Partition, Place], None],
        on_overtaken: Callable[[Overtaken], None],
        on_passed_over: Callable[[PassedOver], None],
    ) -> None:
        self._config = config
        self._telemetry = telemetry
        self._clock = clock
        self._on_revoked = on_revoked
        self._on_lost = on_lost
        self._on_replay = on_replay
        self._on_overtaken = on_overtaken
        self._on_passed_over = on_passed_over
        self._restarting: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self.member: GroupMember | None = None

    @property
    def assigned(self) -> frozenset[Partition]:
        """The partitions that are ours now."""
        return frozenset(self.member.assignment()) if self.member else frozenset()

    async def join(self) -> None:
        """Join for the first time. What may pass by itself is tried again until the start's time is up; then BrokerError or ConfigError."""
        deadline = self._clock.monotonic() + self._config.start_timeout_seconds
        backoff = Backoff()
        while True:
            try:
                self.member = await self._open()
                if not await self.member.wait_joined(max(0.0, deadline - self._clock.monotonic())):
                    logger.warning("no answer of the group %s yet; starting without partitions", self._config.group_id)
                return
            except BaseException as error:
                member, self.member = self.member, None
                if member is not None:
                    await member.stop(self._config.stop_timeout_seconds)
                if not isinstance(error, (KafkaError, OSError)):
                    raise
                refused = isinstance(error, (GroupAuthorizationFailedError, TopicAuthorizationFailedError))
                if refused or self._clock.monotonic() >= deadline:
                    raise self._explain(error) from error
            await asyncio.sleep(backoff.next())

    def rejoin(self) -> None:
        """Begin to build another consumer, unless that is under way. Never waits."""
        if self._restarting is None or self._restarting.done():
            self._restarting = asyncio.create_task(self._restart(), name="kafka-restart")

    def give_up(self, member: GroupMember, reason: str) -> None:
        """Let a consumer go. Everything it had is lost at once; it is closed in the background."""
        if self.member is not member:
            return
        self.member = None
        self._telemetry.count("rag_sidecar_receiver_restarts_total", reason=reason)
        self._telemetry.set("rag_sidecar_assigned_partitions", 0)
        self._on_lost(member.assignment())
        task = asyncio.create_task(member.stop(self._config.stop_timeout_seconds), name="kafka-close")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def settle(self, seconds: float) -> None:
        """Build no more consumers, and close those that were given up, within `seconds`. Never raises."""
        if self._closing:
            await asyncio.wait(self._closing, timeout=seconds)
        tasks = [task for task in (self._restarting, *self._closing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._restarting = None

    async def leave(self, seconds: float) -> None:
        """Leave the group and close, within `seconds`. Never raises; safe twice."""
        member, self.member = self.member, None
        if member is not None:
            await member.stop(seconds)
            logger.info("left the group %s", self._config.group_id)

    async def _restart(self) -> None:
        backoff = Backoff()
        while self.member is None:
            await asyncio.sleep(backoff.next())
            try:
                self.member = await self._open()
            except Exception as error:  # noqa: BLE001 - the door to aiokafka and to files: counted, and tried again
                kind = type(error).__name__
                self._telemetry.count("rag_sidecar_kafka_failures_total", client="consumer", error_type=kind)
                where = f"{kind}, {error.field}" if isinstance(error, UnreadableFileError) else kind
                logger.warning("the Kafka consumer cannot be built anew (%s); trying again", where)

    async def _open(self) -> GroupMember:
        """A consumer that has asked to join. Raises KafkaError or OSError, and leaves nothing open then."""
        member = GroupMember(
            self._config,
            self._clock,
            on_assigned=self._assigned,
            on_revoked=self._revoked,
            on_passed_over=self._passed_over,
            on_replay=self._on_replay,
            on_overtaken=self._overtaken,
        )
        try:
            await member.start()
        except BaseException:
            await member.stop(self._config.stop_timeout_seconds)
            raise
        return member

    def _explain(self, error: Exception) -> SidecarError:
        if isinstance(error, GroupAuthorizationFailedError):
            return refused_group(self._config.group_id)
        if isinstance(error, TopicAuthorizationFailedError):
            return refused_topics(self._config.topic_names)
        return explain(error, self._config.brokers, self._config.bootstrap_servers)

    def _assigned(self, partitions: set[Partition]) -> None:
        self._telemetry.count("rag_sidecar_rebalances_total")
        self._telemetry.set("rag_sidecar_assigned_partitions", len(partitions))
        for topic in {topic for topic, _ in partitions}:
            self._telemetry.count(_LOST, 0, topic=topic)  # A series that begins above 0 has no increase.
        logger.info("%d partitions assigned", len(partitions))

    def _passed_over(self, batch: PassedOver) -> None:
        self._telemetry.count(
            "rag_sidecar_records_total", batch.end - batch.at, topic=batch.partition[0], outcome="unreadable"
        )
        self._on_passed_over(batch)

    def _overtaken(self, one: Overtaken) -> None:
        self._telemetry.count(_LOST, one.lost, topic=one.partition[0])
        self._on_overtaken(one)

    async def _revoked(self, member: GroupMember, partitions: set[Partition]) -> None:
        # A consumer that was given up has lost everything already.
        if member is self.member:
            await self._on_revoked(partitions)
