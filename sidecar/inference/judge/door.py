"""Whether the judge may be asked now: the pause after a refusal, and the circuit breaker.

closed ──refused, or failed again and again──► paused ──time is up──► one question is let through ──► closed, or paused for longer
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.errors import RetryableInferenceError

logger = logging.getLogger(__name__)

GAUGE = "rag_sidecar_judge_paused"
# Why the judge may be paused: those that a person must mend, and a breaker that opened by itself.
REFUSED = ("unauthorized", "payment", "forbidden", "not_found", "quota", "key_file")
FAILING = "failing"
REASONS = (*REFUSED, FAILING)
_MENDS = {
    "unauthorized": "check judge.api_key",
    "payment": "look at the account",
    "forbidden": "check what judge.api_key may do",
    "not_found": "check judge.url and judge.model",
    "quota": "look at the account",
    "key_file": "name a file that can be read as judge.api_key_file",
    FAILING: "it did not answer again and again",
}


class Door:
    """Questions are asked within `entered`, and it is told what came of them: `answered`, `failed` or `refused`."""

    def __init__(
        self, telemetry: Telemetry, clock: Clock, *, failures: int, first_seconds: float, longest_seconds: float
    ) -> None:
        self._telemetry = telemetry
        self._clock = clock
        self._failures = failures
        self._first = first_seconds
        self._longest = longest_seconds
        self._failed = 0
        self._pause = first_seconds
        self._until = 0.0
        self._trying = False
        self.reason: str | None = None
        for reason in REASONS:
            telemetry.set(GAUGE, 0, reason=reason)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Raises RetryableInferenceError(judge_paused) where nothing may be asked."""
        if self.reason is None:
            yield
            return
        if self._trying or self._clock.monotonic() < self._until:
            raise RetryableInferenceError("judge_paused", self.reason)
        self._trying = True
        try:
            yield
        finally:
            self._trying = False

    def answered(self) -> None:
        """The judge answered, whatever it said."""
        self._failed = 0
        self._pause = self._first
        if self.reason is not None:
            logger.info("the judge answers again")
            self._show(None)

    def failed(self) -> None:
        """It did not answer, with all retries."""
        self._failed += 1
        if self.reason is None and self._failed < self._failures:
            return
        self._until = self._clock.monotonic() + self._pause
        self._pause = min(2 * self._pause, self._longest)
        self._show(self.reason or FAILING)

    def refused(self, reason: str) -> None:
        """It refuses us, of REFUSED, and will until someone changes something."""
        self._until = self._clock.monotonic() + self._longest
        self._show(reason)

    def _show(self, reason: str | None) -> None:
        if reason == self.reason:
            return
        self.reason = reason
        for one in REASONS:
            self._telemetry.set(GAUGE, one == reason, reason=one)
        if reason is not None:
            logger.error("the judge is paused (%s): %s; local scoring goes on", reason, _MENDS[reason])
