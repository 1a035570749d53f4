"""Records that nobody could read go, untouched, to a topic of their own, with the cause in headers.

A record that cannot be sent now waits here, with its lease, and is tried again for ever: its offset is not committed
before. When too much waits, `full` says so, and intake pauses instead of growing.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, MessageSizeTooLargeError

from sidecar.kafka.consume.offsets import Lease
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.trace import Record

logger = logging.getLogger(__name__)

_MOST_WAITING = 1000
_MOST_WAITING_BYTES = 64 * 1024 * 1024
_MOST_REQUEST_BYTES = 128 * 1024 * 1024
_MOST_DETAIL = 1000
_TRY_SECONDS = 10.0
_FIRST_BACKOFF = 0.5
_LONGEST_BACKOFF = 30.0
# What any foreign call may raise here. AssertionError and ValueError come from aiokafka's own argument checks.
_FAILURES = (KafkaError, OSError, TimeoutError, ValueError, AssertionError)


@dataclass(frozen=True, slots=True)
class _Letter:
    record: Record
    reason: str
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    lease: Lease | None

    @property
    def size(self) -> int:
        return len(self.value or b"") + len(self.record.key or b"")


class DeadLetters:
    """Sends to the dead-letter topic. `still_ours` says whether a lease still counts after all rebalances since."""

    def __init__(
        self, config: ReceiveConfig, topic: str, telemetry: Telemetry, *, still_ours: Callable[[Record, Lease], bool]
    ) -> None:
        self._config = config
        self._topic = topic
        self._telemetry = telemetry
        self._still_ours = still_ours
        self._producer: AIOKafkaProducer | None = None
        self._waiting: deque[_Letter] = deque()
        self._waiting_bytes = 0
        self._retrying: asyncio.Task[None] | None = None

    @property
    def full(self) -> bool:
        """Whether so much waits that nothing more should be taken."""
        return len(self._waiting) >= _MOST_WAITING or self._waiting_bytes >= _MOST_WAITING_BYTES

    @property
    def waiting(self) -> int:
        """How many records wait to be sent."""
        return len(self._waiting)

    async def send(self, record: Record, lease: Lease | None, *, reason: str, detail: str) -> bool:
        """True when the broker has it. False when it waits: then its lease is released here once it was sent."""
        letter = _letter(record, lease, reason, detail)
        # Once one waits, the others queue up behind it: no time is lost on a broker that is known to be away.
        if not self._waiting and await self._try(letter):
            return True
        self._count(letter, "failed")
        self._waiting.append(letter)
        self._waiting_bytes += letter.size
        if self._retrying is None or self._retrying.done():
            logger.warning("the dead-letter topic %s takes nothing; its records wait", self._topic)
            self._retrying = asyncio.create_task(self._retry(), name="dead-letters")
        return False

    async def stop(self, seconds: float) -> None:
        """Close, within `seconds`. What still waits stays uncommitted, and is read again after the next start."""
        if self._retrying is not None:
            self._retrying.cancel()
            await asyncio.gather(self._retrying, return_exceptions=True)
        await self._close(seconds)

    async def _retry(self) -> None:
        backoff = _FIRST_BACKOFF
        while self._waiting:
            letter = self._waiting[0]
            if letter.lease is not None and not self._still_ours(letter.record, letter.lease):
                # Whoever has the partition now reads the record again, and sends it.
                self._drop_first()
            elif await self._try(letter):
                self._drop_first()
                backoff = _FIRST_BACKOFF
                if letter.lease is not None:
                    letter.lease.release()
            else:
                await asyncio.sleep(backoff)
                backoff = min(backoff * 2, _LONGEST_BACKOFF)
        logger.info("the dead-letter topic %s takes records again", self._topic)

    def _drop_first(self) -> None:
        self._waiting_bytes -= self._waiting.popleft().size

    async def _try(self, letter: _Letter) -> bool:
        try:
            async with asyncio.timeout(2 * _TRY_SECONDS):
                await self._deliver(letter)
        except _FAILURES:
            # A producer whose start failed cannot be started again; one that lost its broker may as well be made anew.
            await self._close(self._config.stop_timeout_seconds)
            return False
        self._count(letter, "sent")
        return True

    async def _deliver(self, letter: _Letter) -> None:
        try:
            await self._send(letter)
        except MessageSizeTooLargeError:
            # The broker let it into its own topic but not into this one. Where it came from is in the headers.
            size = str(letter.size).encode("ascii")
            headers = (*letter.headers, ("rag-sidecar.value-left-out-bytes", size))
            await self._send(replace(letter, value=None, headers=headers))

    async def _send(self, letter: _Letter) -> None:
        if self._producer is None:
            self._producer = AIOKafkaProducer(
                client_id=f"{self._config.client_id}-dead-letters",
                acks="all",
                max_request_size=_MOST_REQUEST_BYTES,
                request_timeout_ms=int(_TRY_SECONDS * 1000),
                **self._config.brokers.client_options(),
            )
            await self._producer.start()
        value = letter.value
        if value is None and letter.record.key is None:
            # Kafka allows it, aiokafka does not: a record of neither key nor value becomes one of an empty value.
            value = b""
        await self._producer.send_and_wait(
            self._topic, value=value, key=letter.record.key, headers=list(letter.headers)
        )

    async def _close(self, seconds: float) -> None:
        producer, self._producer = self._producer, None
        if producer is None:
            return
        try:
            async with asyncio.timeout(seconds):
                await producer.stop()
        except _FAILURES as error:
            logger.warning("the dead-letter producer did not stop cleanly (%s)", type(error).__name__)

    def _count(self, letter: _Letter, outcome: str) -> None:
        self._telemetry.count(
            "rag_sidecar_dead_letters_total", topic=letter.record.topic, reason=letter.reason, outcome=outcome
        )


def _letter(record: Record, lease: Lease | None, reason: str, detail: str) -> _Letter:
    """The record with its headers and ours. Its time becomes a header: as the message's own, it might expire it at once."""
    ours = {
        "reason": reason,
        "detail": detail[:_MOST_DETAIL],
        "topic": record.topic,
        "partition": str(record.partition),
        "offset": str(record.offset),
        "timestamp": f"{record.timestamp:.3f}",
    }
    headers = tuple((f"rag-sidecar.{name}", value.encode("utf-8", "replace")) for name, value in ours.items())
    return _Letter(record, reason, record.value, (*record.headers, *headers), lease)
