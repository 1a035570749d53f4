"""Spans written to a topic of our own by trace id, so that one replica gets all spans of a trace.

At least once: a source record's offset is released when the broker has every part of it. What cannot be sent is tried again for
ever, and when too much waits, `full` says so and intake pauses.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from sidecar.kafka.consume.offsets import Lease
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.trace import Record

logger = logging.getLogger(__name__)

_MOST_WAITING_BYTES = 64 * 1024 * 1024
_MOST_WAITING = 2000
_MOST_REQUEST_BYTES = 128 * 1024 * 1024
_LINGER_MS = 20
_TRY_SECONDS = 10.0
_FIRST_BACKOFF = 0.5
_LONGEST_BACKOFF = 30.0
# What any foreign call may raise here. AssertionError and ValueError come from aiokafka's own argument checks.
_FAILURES = (KafkaError, OSError, TimeoutError, ValueError, AssertionError)


class Repartitioner:
    """Sends parts by key. `still_ours` says whether a lease still counts after all rebalances since."""

    def __init__(
        self, config: ReceiveConfig, topic: str, telemetry: Telemetry, *, still_ours: Callable[[Record, Lease], bool]
    ) -> None:
        self._config = config
        self._topic = topic
        self._telemetry = telemetry
        self._still_ours = still_ours
        self._producer: AIOKafkaProducer | None = None
        self._starting = asyncio.Lock()
        self._running: set[asyncio.Task[None]] = set()
        self._waiting_bytes = 0

    @property
    def full(self) -> bool:
        """Whether so much is on its way that nothing more should be taken."""
        return len(self._running) >= _MOST_WAITING or self._waiting_bytes >= _MOST_WAITING_BYTES

    def forward(self, record: Record, lease: Lease, parts: Sequence[tuple[bytes, bytes]]) -> None:
        """Send (key, value) parts in the background; then the lease is released once. Never raises."""
        size = sum(len(value) for _, value in parts)
        self._waiting_bytes += size
        task = asyncio.create_task(self._forward(record, lease, parts), name="repartition")
        self._running.add(task)

        def done(_: asyncio.Task[None]) -> None:
            self._running.discard(task)
            self._waiting_bytes -= size

        task.add_done_callback(done)

    async def stop(self, seconds: float) -> None:
        """Wait for what is on its way, and close, within `seconds`. What was not sent stays uncommitted."""
        if self._running:
            await asyncio.wait(self._running, timeout=seconds / 2)
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._close(self._producer, seconds / 2)

    async def _forward(self, record: Record, lease: Lease, parts: Sequence[tuple[bytes, bytes]]) -> None:
        backoff = _FIRST_BACKOFF
        while self._still_ours(record, lease):
            try:
                async with asyncio.timeout(2 * _TRY_SECONDS):
                    producer = await self._ready()
                    sent = [await producer.send(self._topic, value=value, key=key) for key, value in parts]
                    await asyncio.gather(*sent)
            except _FAILURES as error:
                self._telemetry.count("rag_sidecar_repartitioned_records_total", topic=record.topic, outcome="failed")
                logger.warning("the topic %s takes nothing (%s); its records wait", self._topic, type(error).__name__)
                await asyncio.sleep(backoff)
                backoff = min(backoff * 2, _LONGEST_BACKOFF)
            else:
                self._telemetry.count("rag_sidecar_repartitioned_records_total", topic=record.topic, outcome="sent")
                lease.release()
                return

    async def _ready(self) -> AIOKafkaProducer:
        async with self._starting:
            if self._producer is None:
                producer = AIOKafkaProducer(
                    client_id=f"{self._config.client_id}-repartition",
                    acks="all",
                    linger_ms=_LINGER_MS,
                    max_request_size=_MOST_REQUEST_BYTES,
                    request_timeout_ms=int(_TRY_SECONDS * 1000),
                    **self._config.brokers.client_options(),
                )
                try:
                    await producer.start()
                except BaseException:
                    # A producer whose start failed cannot be started again.
                    await self._close(producer, self._config.stop_timeout_seconds)
                    raise
                self._producer = producer
            return self._producer

    async def _close(self, producer: AIOKafkaProducer | None, seconds: float) -> None:
        if producer is None:
            return
        try:
            async with asyncio.timeout(seconds):
                await producer.stop()
        except _FAILURES as error:
            logger.warning("the repartition producer did not stop cleanly (%s)", type(error).__name__)
