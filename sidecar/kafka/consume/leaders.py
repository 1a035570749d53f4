"""Partitions of ours that no broker leads now: nothing is read of them, and nobody can write to them, until one does."""

from __future__ import annotations

import logging

from sidecar.observe.telemetry import Telemetry

logger = logging.getLogger(__name__)


class Leaders:
    """Shows how many partitions have no leader, and says so when that changes."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._missing = 0

    def tell(self, missing: int) -> None:
        """So many of our partitions have none now."""
        self._telemetry.set("rag_sidecar_leaderless_partitions", missing)
        if missing > self._missing:
            logger.warning("%d of our partitions have no leader: their brokers are down, their records wait", missing)
        elif self._missing and not missing:
            logger.info("every partition of ours has a leader again")
        self._missing = missing
