"""Why intake pauses: scoring has enough to do, buffers are short of memory, or a required exporter takes nothing.
The receiver pauses by itself for its outbox."""

from __future__ import annotations

from sidecar import deliver, scoring
from sidecar.deliver import Deliverer
from sidecar.observe.telemetry import Telemetry
from sidecar.record.memory import MemoryBudget
from sidecar.scoring import Scoring

# What open traces still take while intake is paused must fit above this.
_FULL = 0.8
# Buffers that empty by themselves while intake is paused, and what must be in them for a pause to be of use.
_DRAINING = (scoring.BUFFER, deliver.BUFFER)
_DRAINING_SHARE = 0.1


class Pauses:
    """Asks each of those that may pause intake, and shows which does."""

    def __init__(self, scoring: Scoring, deliverer: Deliverer, memory: MemoryBudget, *, telemetry: Telemetry) -> None:
        self._scoring = scoring
        self._deliverer = deliverer
        self._memory = memory
        self._telemetry = telemetry

    def wanted(self) -> bool:
        """Whether nothing should be taken in now."""
        reasons = {"scoring": self._scoring.full, "exporter": self._deliverer.full, "memory": self._is_memory_short()}
        for reason, holds in reasons.items():
            self._telemetry.set("rag_sidecar_intake_paused", holds, reason=reason)
        return any(reasons.values())

    def _is_memory_short(self) -> bool:
        """Whether a pause would make room. Open traces do not end while nothing is read: of these the oldest has to go, and that happens
        when more is read."""
        if self._memory.fill <= _FULL:
            return False
        taken = self._memory.by_buffer()
        draining = sum(taken.get(buffer, 0) for buffer in _DRAINING)
        return draining > _DRAINING_SHARE * self._memory.most_bytes
