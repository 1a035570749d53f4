"""Commits what is done, and says why when that fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from aiokafka.errors import KafkaError

from sidecar.kafka.consume.member import GroupMember
from sidecar.kafka.consume.offsets import OffsetTracker
from sidecar.kafka.consume.place import Place
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock

logger = logging.getLogger(__name__)

_COMMIT_SECONDS = 10.0
_PATIENCE_SECONDS = 1.0


class Commits:
    """Of what a tracker has, through the consumer that `member` names. Nothing here raises for Kafka."""

    def __init__(
        self,
        tracker: OffsetTracker,
        member: Callable[[], GroupMember | None],
        telemetry: Telemetry,
        clock: Clock,
        *,
        every_seconds: float,
    ) -> None:
        self._tracker = tracker
        self._member = member
        self._telemetry = telemetry
        self._clock = clock
        self._every_seconds = every_seconds
        self._task: asyncio.Task[None] | None = None
        self._committed_at = clock.monotonic()
        self._trouble: str | None = None

    async def when_due(self) -> None:
        """Commit when the interval has passed. Waits a second at most, and goes on by itself."""
        now = self._clock.monotonic()
        if now - self._committed_at >= self._every_seconds and self._task is None:
            self._committed_at = now
            self._task = asyncio.create_task(self.now(_COMMIT_SECONDS), name="kafka-commit")
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_PATIENCE_SECONDS)
            if self._task.done():
                self._task = None

    async def now(self, seconds: float) -> None:
        """Commit within `seconds`."""
        member, offsets, tracker = self._member(), self._tracker.committable(), self._tracker
        if member is None or not offsets:
            return
        places = {p: Place(at, tracker.again(p, at), tracker.until(p, at)) for p, at in offsets.items()}
        try:
            async with asyncio.timeout(seconds):
                committed = await member.commit(places)
        except (KafkaError, OSError) as error:
            self._telemetry.count("rag_sidecar_commits_total", outcome="failed")
            self._say(type(error).__name__)
            return
        if committed:
            tracker.committed(committed, said={p: place.again for p, place in places.items()})
            self._telemetry.count("rag_sidecar_commits_total", outcome="ok")
            self._say(None)

    async def stop(self) -> None:
        """Let go of a commit that is under way."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _say(self, trouble: str | None) -> None:
        """Log changes of state, never single commits."""
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if trouble is None:
            logger.info("offsets are committed again")
        else:
            logger.warning("offsets cannot be committed: %s", trouble)
