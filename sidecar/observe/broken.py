"""Errors of our own that one record, trace or request met: counted and said, by type and place, and then the next one is taken.

Messages of exceptions may quote what was read, so they are never written.
"""

from __future__ import annotations

import logging

from sidecar.observe.places import place
from sidecar.observe.said import RateLimited
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock


class Broken:
    """The one place where a barrier tells what it has stopped. `stage` is a bounded word: a label."""

    def __init__(self, logger: logging.Logger, telemetry: Telemetry, clock: Clock) -> None:
        self._telemetry = telemetry
        self._said = RateLimited(logger, clock)

    def tell(self, stage: str, error: BaseException) -> str:
        """Count it, and log it once a minute for each stage and type. Returns `Type at file:line`, which holds no text."""
        self._telemetry.count("rag_sidecar_internal_errors_total", stage=stage)
        where = place(error)
        self._said.warn(
            (stage, type(error).__name__), "%s broke: %s; what it was at is counted and passed over", stage, where
        )
        return where
