"""A probe that stays: a round, then the next one when its time has come, and /metrics meanwhile. A composition root, as app.py is for the sidecar."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from sidecar.config import Config
from sidecar.observe.admin import Admin, serving
from sidecar.observe.telemetry import Telemetry
from sidecar.offline.record import Report, Source
from sidecar.offline.run import judge_seconds
from sidecar.probe.cases import Question
from sidecar.probe.round import ANSWERED, Round
from sidecar.probe.series import SERIES
from sidecar.probe.settings import ProbeConfig
from sidecar.record.clock import Clock, SystemClock
from sidecar.record.errors import ConfigError

logger = logging.getLogger(__name__)

# Intervals, each with the time-out of a request and of a question to the judge, in which nothing moves before the process counts as stuck.
_MISSED = 3


class Probe:
    """One probe. `once` makes a round, `run` makes them until it is cancelled."""

    def __init__(
        self,
        probe: ProbeConfig,
        settings: Config,
        source: Source,
        questions: Sequence[Question],
        *,
        clock: Clock | None = None,
    ) -> None:
        self._probe = probe
        asking = 0.0 if settings.judge.url is None else judge_seconds(settings)
        self._longest = _MISSED * (probe.every_seconds + probe.request.timeout_seconds + asking)
        self._clock = clock or SystemClock()
        self.telemetry = Telemetry(series=SERIES)
        self.telemetry.watch_process()
        self._round = Round(
            probe, settings, source, questions, telemetry=self.telemetry, clock=self._clock, moved=self._move
        )
        self._move()
        self.admin = Admin(probe.admin, self.telemetry.registry, alive=self.problem, ready=self.problem)

    async def once(self) -> Report:
        """One round. Raises ConfigError."""
        return await self._round.make()

    async def run(self, told: Callable[[Report], None]) -> None:
        """Rounds on their schedule; one that takes longer than that delays the next. `told` hears of each report. Raises ConfigError where the
        first round finds that something cannot be had: later ones say so in the log, and go on."""
        async with serving(self.admin):
            first = True
            while True:
                began = self._clock.monotonic()
                try:
                    report = await self.once()
                    _log(report)
                    told(report)
                except Exception as error:
                    if first:
                        raise
                    logger.warning(
                        "a round broke: %s", error if isinstance(error, ConfigError) else type(error).__name__
                    )
                first = False
                self._move()
                await asyncio.sleep(max(0.0, began + self._probe.every_seconds - self._clock.monotonic()))

    def problem(self) -> str | None:
        """What is wrong with the schedule, or None. A round that takes long is no problem as long as it goes on."""
        still = self._clock.monotonic() - self._moved
        return f"nothing was asked or scored for {still:.0f} s" if still > self._longest else None

    def _move(self) -> None:
        self._moved = self._clock.monotonic()


def _log(report: Report) -> None:
    checks = report.gate.checks if report.gate is not None else ()
    failed = [
        f"{one.metric} ({one.why})" if one.metric == ANSWERED else one.metric
        for one in checks
        if one.status == "failed"
    ]
    if failed:
        logger.warning("the gate failed over %d answered cases: %s", report.cases, ", ".join(failed))
    else:
        logger.info("the gate passed over %d answered cases", report.cases)
