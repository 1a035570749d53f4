"""The one place where an exporter is called: whatever it raises becomes a Pushed, and changes of state are logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from exporters.base import Exporter, ExportError, PermanentExportError, RetryableExportError
from exporters.result import Result
from sidecar.observe.said import RateLimited
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import Clock

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pushed:
    """How a push ended.

    retry      it may work later; `retry_after_seconds` is what the destination asks to wait
    closed     the destination takes nothing until someone changes something there or here
    refused    how many results were, when it ended for good; `mend` is what to do about it, where that is known
    answered   the destination works: it said of some results that it refuses these
    """

    retry: bool = False
    refused: int = 0
    error_type: str | None = None
    closed: bool = False
    retry_after_seconds: float | None = None
    answered: bool = False
    mend: str = ""


class Door:
    """Calls one exporter, times it, and counts what became of results."""

    def __init__(self, exporter: Exporter, telemetry: Telemetry, clock: Clock, tracing: Tracing | None = None) -> None:
        self._exporter = exporter
        self._tracing = tracing or Tracing()
        self._clock = clock
        self._telemetry = telemetry
        self._trouble: str | None = None
        self._said = RateLimited(logger, clock)
        self.name = exporter.name

    def wants(self, result: Result) -> bool:
        """Whether this exporter sees such results."""
        return self._exporter.every_trace or result.outcome.evaluated

    async def push_once(self, results: Sequence[Result]) -> None:
        """Push without retry and count the outcome."""
        pushed = await self.push(results, timeout_seconds=None)
        self.ended(len(results), pushed, lost=len(results) if pushed.retry else pushed.refused)

    async def push(self, results: Sequence[Result], *, timeout_seconds: float | None) -> Pushed:
        """Push once."""
        started = self._clock.monotonic()
        with self._tracing.span(f"export {self.name}") as tell:
            pushed = await self._call(results, timeout_seconds)
            tell({"rag_sidecar.results": len(results), "error.type": pushed.error_type})
        if timeout_seconds is not None:
            self._telemetry.observe("rag_sidecar_export_seconds", self._clock.monotonic() - started, exporter=self.name)
        if pushed.error_type is not None:
            self._telemetry.count("rag_sidecar_export_failures_total", exporter=self.name, error_type=pushed.error_type)
        self._say(None if pushed.answered else pushed.error_type)
        return pushed

    def count(self, outcome: str, results: int) -> None:
        """Count what became of some results."""
        if results:
            self._telemetry.count("rag_sidecar_exports_total", results, exporter=self.name, outcome=outcome)

    def ended(self, results: int, pushed: Pushed, *, lost: int) -> None:
        """Of so many results so many were refused for good: count both, and say what is lost."""
        self.count("ok", results - lost)
        self.count("dropped_permanent", lost)
        if lost:
            why, mend = pushed.error_type, f"; {pushed.mend}" if pushed.mend else ""
            self._said.warn((str(why),), "exporter %s drops results for good, since they are refused: %s%s", self.name, why, mend)  # fmt: skip

    async def _call(self, results: Sequence[Result], timeout_seconds: float | None) -> Pushed:
        whole = len(results)
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._exporter.export(results)
        except RetryableExportError as error:
            return Pushed(retry=True, error_type=error.error_type, retry_after_seconds=error.retry_after_seconds)
        except TimeoutError:
            return Pushed(retry=True, error_type="timeout")
        except PermanentExportError as error:
            refused = whole if error.rejected is None else min(error.rejected, whole)
            answered = error.rejected is not None
            return Pushed(
                refused=refused, error_type=error.error_type, closed=error.closed, answered=answered, mend=error.mend
            )
        except ExportError as error:
            return Pushed(refused=whole, error_type=error.error_type)
        except Exception as error:  # noqa: BLE001 - the door of the exporters: one that breaks must not stop the others
            return Pushed(refused=whole, error_type=type(error).__name__)
        return Pushed()

    def _say(self, trouble: str | None) -> None:
        """Log changes of state, never single results."""
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if trouble is None:
            logger.info("exporter %s works again", self.name)
        else:
            logger.warning("exporter %s fails: %s", self.name, trouble)
