"""The start, while Kafka may not be there yet: what may pass by itself is tried again without end, what cannot ends the process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from sidecar.kafka.backoff import Backoff
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.errors import BrokerError

logger = logging.getLogger(__name__)


class Arrival:
    """Waits for the brokers. `problem` is what the last attempt met, None before the first and after the last."""

    def __init__(self, telemetry: Telemetry, clock: Clock, *, backoff: Backoff | None = None) -> None:
        self._telemetry = telemetry
        self._clock = clock
        self._backoff = backoff or Backoff()
        self.problem: str | None = None

    async def until(self, attempt: Callable[[], Awaitable[None]]) -> None:
        """Call `attempt` until it succeeds, with growing pauses. Raises what it raises, but for a BrokerError that may pass."""
        started = self._clock.monotonic()
        while True:
            try:
                await attempt()
            except BrokerError as error:
                if not error.passing:
                    raise
                self._met(error)
            else:
                break
            await asyncio.sleep(self._backoff.next())
        if self.problem is not None:
            logger.info("Kafka is there, after %.0f s", self._clock.monotonic() - started)
            self.problem = None

    def _met(self, error: BrokerError) -> None:
        self._telemetry.count("rag_sidecar_kafka_failures_total", client="start", error_type=error.step)
        if str(error) != self.problem:
            logger.warning("waiting for Kafka: %s", error)
        self.problem = str(error)
