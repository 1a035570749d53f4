"""Results to every exporter: a queue each, retry where it may help, drop and count where not.

A slow or broken exporter never blocks another. Exporters into this process (Prometheus) are called at once, without a queue. Of the others
some are *required*: a record's offset waits for these alone, and when one of them takes nothing intake pauses and nothing is
dropped. What the rest cannot take is dropped for it and counted.

Outcomes, one for each result and exporter: ok, dropped_permanent (the destination refused it), abandoned (required; the deadline of a stop
passed: its record is read again after the start), and for those not required dropped_queue_full, dropped_retries (all
attempts failed), dropped_memory (buffers were full) and dropped_stop (the deadline of a stop passed).
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from exporters.base import DestinationError, Exporter
from exporters.result import Result
from sidecar.deliver.door import Door
from sidecar.deliver.lane import Lane
from sidecar.deliver.settings import DeliverConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import Clock
from sidecar.record.deadline import Deadline
from sidecar.record.errors import BrokerError, ConfigError
from sidecar.record.memory import MemoryBudget

logger = logging.getLogger(__name__)

# Of the time for a stop: the queues; the exporters themselves have what is left.
_FLUSH_SHARE = 0.8


@dataclass(slots=True)
class _Receipt:
    """Calls `done` when the last of those that it waits for is finished with one result."""

    left: int
    done: Callable[[], None]

    def finish(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.done()


class Deliverer:
    """Hands results to exporters. `deliver` never waits for anything outside the process."""

    def __init__(
        self,
        config: DeliverConfig,
        exporters: Sequence[Exporter],
        *,
        telemetry: Telemetry,
        clock: Clock,
        required: Collection[str] = (),
        memory: MemoryBudget | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        """`required` are the names of those that offsets wait for; `memory` is what the queues share with the other buffers, by default
        without an end."""
        memory = memory or MemoryBudget(sys.maxsize)
        self._exporters = list(exporters)
        self._unstarted = list(exporters)
        self._required = frozenset(required)
        self._clock = clock
        self._doors = [Door(exporter, telemetry, clock) for exporter in exporters if exporter.local]
        self._lanes = [
            Lane(
                config,
                one,
                required=one.name in required,
                memory=memory,
                telemetry=telemetry,
                clock=clock,
                tracing=tracing,
            )
            for one in exporters
            if not one.local
        ]

    @property
    def full(self) -> bool:
        """Whether a required exporter has as many results waiting as it may, so that nothing more should be taken in."""
        return any(lane.required and lane.full for lane in self._lanes)

    async def start(self) -> None:
        """Start every exporter. Raises ConfigError naming the field: a wrong destination fails here, not later. Raises BrokerError
        where a required one is not up yet; the next call starts those that are left, and one after a success does nothing."""
        late: DestinationError | None = None
        for exporter in list(self._unstarted):
            try:
                await exporter.start()
            except DestinationError as error:
                if not error.passing:
                    raise ConfigError(error.field, error.problem, error.mend) from error
                if exporter.name in self._required:
                    late = late or error
                    continue
                logger.warning("exporter %s is not up yet (%s); nobody waits for it", exporter.name, error.problem)
            self._unstarted.remove(exporter)
        if late is not None:
            raise BrokerError("connect", f"{late.field}: {late.problem}", late.mend, passing=True) from late
        for lane in self._lanes:
            lane.start()

    async def deliver(self, result: Result, *, done: Callable[[], None]) -> None:
        """Hand on one result.

        `done` is called exactly once, after every local and every required exporter has taken or refused it; it is not called where a
        stop abandoned it.
        """
        lanes = [lane for lane in self._lanes if lane.door.wants(result)]
        receipt = _Receipt(1 + sum(lane.required for lane in lanes), done)
        for door in self._doors:
            if door.wants(result):
                await door.push_once([result])
        size = result_bytes(result) if lanes else 0
        for lane in lanes:
            lane.put(result, size, receipt.finish if lane.required else _nobody_waits)
        receipt.finish()

    async def stop(self, deadline_seconds: float) -> None:
        """Flush the queues and stop the exporters, both by the deadline. Never raises; safe to call twice."""
        deadline = Deadline(deadline_seconds, self._clock)
        await asyncio.gather(*(lane.stop(deadline.share(_FLUSH_SHARE)) for lane in self._lanes))
        await asyncio.gather(*(_stop(exporter, deadline.left()) for exporter in self._exporters))


def result_bytes(result: Result) -> int:
    """About what a result holds in memory: most of it are the claims, which quote the answer."""
    found = 2000
    for one in result.evaluations:
        found += 600 + 2 * len(one.explanation or "") + 200 * len(one.documents)
        found += sum(400 + 2 * len(claim.text) for claim in one.claims)
    return found


def _nobody_waits() -> None:
    """What an exporter that is not required tells when it is finished."""


async def _stop(exporter: Exporter, deadline_seconds: float) -> None:
    """Stop one exporter. Whatever goes wrong is logged: a stop must come to its end."""
    try:
        async with asyncio.timeout(deadline_seconds):
            await exporter.stop()
    except Exception as error:  # noqa: BLE001 - the door of the exporters
        logger.warning("exporter %s did not stop cleanly (%s)", exporter.name, type(error).__name__)
