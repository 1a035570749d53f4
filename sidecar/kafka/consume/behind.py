"""How far the topic that we repartition through is behind its sources.

That all of it has been read says nothing of what lies unread in a source topic, at a replica that lags or was killed. So every replica asks the
brokers, again and again, where all source partitions end, and later what the group has committed of them: a source record is
committed when every part of it is written. Once the commits have come to all of those ends, whatever lay in the sources when these were asked for
is in our topic, and will not be written to it again. Ages are measured on the one clock of whoever measures them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from aiokafka.errors import KafkaError

from sidecar.kafka.consume.offsets import Partition
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.record import Record

logger = logging.getLogger(__name__)

_HEADER = "rag-sidecar-through"
_SERIES = "rag_sidecar_repartition_behind_seconds"
_GIVEN_UP = "rag_sidecar_repartition_waits_given_up_total"
_ASK_SECONDS = 5.0
# Once a second one is added: where commits stand still for longer, the oldest ones and the latest tell enough.
_MOST_MARKS = 120
# Beside twice the wait of a fetch: so old may be an answer by which a partition counts as read to its end.
_STALE_SECONDS = 1.0


class Sources(Protocol):
    """A consumer that can be asked about all partitions of the source topics. Both may raise KafkaError, OSError or TimeoutError."""

    async def source_ends(self) -> Mapping[Partition, int]:
        """Where each ends now."""
        ...

    async def source_commits(self) -> Mapping[Partition, int]:
        """What the group has committed of each; those without a commit are left out."""
        ...


@dataclass(frozen=True, slots=True)
class _Passed:
    """All that lay in the sources at `through` had been written at `known`."""

    through: float
    known: float


class Behind:
    """Measures it, and writes it on the records that go to our topic: who reads those later knows how it was when they were written. Never more
    than `receive.repartition_wait_seconds`: what a source holds back for longer is not waited for."""

    def __init__(self, config: ReceiveConfig, telemetry: Telemetry, clock: Clock) -> None:
        self._topic = config.repartition
        self._most = config.repartition_wait_seconds
        self._settling = 2 * config.fetch_max_wait_seconds + _STALE_SECONDS
        self._telemetry = telemetry
        self._clock = clock
        self._began = clock.monotonic()
        self._marks: deque[tuple[float, Mapping[Partition, int]]] = deque()
        self._passed: deque[_Passed] = deque()
        self._gave_up = False

    async def look(self, sources: Sources) -> None:
        """Ask the brokers, where there is a topic of our own. Takes five seconds at most, never raises for Kafka."""
        if self._topic is None:
            return
        try:
            async with asyncio.timeout(_ASK_SECONDS):
                asked = self._clock.monotonic()
                ends = await sources.source_ends()
                self.hear(asked, ends, await sources.source_commits())
        except (KafkaError, OSError, TimeoutError):
            pass
        self._show()

    def hear(self, asked: float, ends: Mapping[Partition, int], commits: Mapping[Partition, int]) -> None:
        """The answers: `ends` were asked for at `asked`, `commits` after them. Partitions that are gone are waited for no more."""
        if len(self._marks) == _MOST_MARKS:
            self._marks.pop()
        self._marks.append((asked, ends))
        while self._marks:
            through, mark = self._marks[0]
            if any(commits.get(one, 0) < end for one, end in mark.items() if one in ends):
                return
            self._passed.append(_Passed(through, self._clock.monotonic()))
            self._marks.popleft()
            self._settled()

    def of(self, partition: Partition) -> float:
        """How many seconds ago the sources held what has surely come with all that was read of a partition of ours by now; 0 of any
        other topic."""
        if partition[0] != self._topic:
            return 0.0
        return self._since(self._settled())

    def headers(self) -> tuple[tuple[str, bytes], ...]:
        """What a record of our topic says that is written now."""
        through = self._clock.now() - self._since(self._passed[-1].through if self._passed else None)
        return ((_HEADER, str(int(through * 1000)).encode()),)

    def said(self, record: Record) -> float | None:
        """How far our topic was behind when this record was written to it; None where it does not say."""
        if record.topic == self._topic:
            for name, value in record.headers:
                if name == _HEADER and value.isdigit():
                    return min(self._most, max(0.0, record.timestamp - int(value) / 1000))
        return None

    def _settled(self) -> float | None:
        """The last that was known when the oldest answer was given by which a partition counts as read to its end."""
        by = self._clock.monotonic() - self._settling
        while len(self._passed) > 1 and self._passed[1].known <= by:
            self._passed.popleft()
        return self._passed[0].through if self._passed and self._passed[0].known <= by else None

    def _since(self, through: float | None) -> float:
        return self._most if through is None else min(self._most, self._clock.monotonic() - through)

    def _show(self) -> None:
        behind = self._clock.monotonic() - (self._passed[-1].through if self._passed else self._began)
        self._telemetry.set(_SERIES, behind)
        if (gives_up := behind > self._most) == self._gave_up:
            return
        self._gave_up = gives_up
        if gives_up:
            self._telemetry.count(_GIVEN_UP)
            logger.warning(
                "records have lain in the source topics for over %.0f s without being written to %s: their traces are not waited for",
                self._most,
                self._topic,
            )
        else:
            logger.info("the source topics are written to %s as they come again", self._topic)
