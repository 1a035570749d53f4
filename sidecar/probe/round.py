"""One round: every case is asked, scored with its reference, and held against the gate; and what the series say of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from exporters.serialize import rfc3339
from sidecar.config import Config
from sidecar.observe.telemetry import Telemetry
from sidecar.offline.case import read_cases
from sidecar.offline.gate import check
from sidecar.offline.record import Check, Effort, Gate, Report, Source
from sidecar.offline.report import report_of
from sidecar.offline.run import Wanted, running
from sidecar.probe.cases import Question
from sidecar.probe.send import Sender, Sent
from sidecar.probe.settings import ProbeConfig
from sidecar.record.clock import Clock

ANSWERED = "answered"
_DAY = 86_400.0
_ROUNDING = 1e-9


class Round:
    """Makes rounds of one probe. `settings` are those of the evaluators; `moved` hears of each question that is asked and of each case that is scored."""

    def __init__(
        self,
        probe: ProbeConfig,
        settings: Config,
        source: Source,
        questions: Sequence[Question],
        *,
        telemetry: Telemetry,
        clock: Clock,
        moved: Callable[[], None] = lambda: None,
    ) -> None:
        self._probe = probe
        self._settings = settings
        self._source = source
        self._questions = questions
        self._telemetry = telemetry
        self._clock = clock
        self._moved = moved
        self._series: set[tuple[str, str, str]] = set()
        self._failed = 0
        telemetry.set("rag_probe_interval_seconds", probe.every_seconds, rag_service=probe.service)
        telemetry.set("rag_probe_last_success_timestamp_seconds", 0, rag_service=probe.service)

    async def make(self) -> Report:
        """The report of one round, with its gate. Raises ConfigError where headers, models or judge cannot be had."""
        started = time.perf_counter()
        try:
            sent = await Sender(self._probe).send(self._questions, self._answered)
            report = await self._scored(sent, started)
        except Exception:
            self._ended("broken", passed=False, seconds=time.perf_counter() - started)
            raise
        self._show(report, sent)
        passed = report.gate is not None and report.gate.passed
        self._ended("passed" if passed else "failed", passed=passed, seconds=time.perf_counter() - started)
        return report

    async def _scored(self, sent: Sequence[Sent], started: float) -> Report:
        # The rows are the probe's own: a mapping of fields of production, applied to the cases as they were read, means nothing here.
        limits = self._settings.decode.model_copy(update={"mapping": {}})
        cases, unread = read_cases([one.row for one in sent if one.failure is None], limits)
        async with running(self._settings, Wanted(most_usd=self._most_usd())) as runner:
            records = await runner.run(cases, None, lambda _: self._moved())
            effort = Effort(seconds=time.perf_counter() - started, judge=runner.spent())
            report = report_of(
                records,
                source=self._source,
                settings=runner.identity,
                created=rfc3339(self._clock.now()) or "",
                effort=effort,
                unread=unread,
            )
        gate = check(report, self._probe.gate)
        own, others = self._answers(sent, len(records)), gate.checks
        if all(one.failure for one in sent):
            others = tuple(one.model_copy(update={"why": "no case was answered"}) for one in others)
        return report.model_copy(
            update={"gate": Gate(passed=gate.passed and own.status == "passed", checks=(own, *others))}
        )

    def _most_usd(self) -> float | None:
        """The part of the judge's budget of a day that a round has."""
        day = self._settings.judge.budget_usd_per_day
        return None if day is None else day * min(1.0, self._probe.every_seconds / _DAY)

    def _answers(self, sent: Sequence[Sent], answered: int) -> Check:
        """A case without an answer has no score: a service that answers one of fifty well must not pass by it."""
        limit, value = 1 - self._probe.gate.most_failed, answered / len(sent)
        reasons = _reasons(sent)
        address = urlsplit(self._probe.request.url)._replace(query="", fragment="").geturl()
        good = value >= limit - _ROUNDING
        return Check(
            metric=ANSWERED,
            limit=limit,
            value=value,
            status="passed" if good else "failed",
            why="share of the cases that were answered" + (f"; {address}: {reasons}" if reasons else ""),
        )

    def _answered(self, failure: str | None, seconds: float) -> None:
        service = self._probe.service
        self._moved()
        self._telemetry.observe("rag_probe_answer_seconds", seconds, rag_service=service)
        if failure is not None:
            self._telemetry.count("rag_probe_failures_total", rag_service=service, reason=failure)

    def _show(self, report: Report, sent: Sequence[Sent]) -> None:
        """The series of what was scored; those of a metric that has no value any more go."""
        found: dict[tuple[str, str, str], float] = {}
        for metric in report.metrics:
            if metric.mean is not None:
                found["rag_probe_score", "evaluator", metric.metric] = metric.mean
        for one in report.gate.checks if report.gate is not None else ():
            if one.status != "not_asked":
                found["rag_probe_check_passed", "check", one.metric] = one.status == "passed"
                found["rag_probe_limit", "check", one.metric] = one.limit
        failures = sum(one.failure is not None for one in sent)
        found["rag_probe_cases", "outcome", "answered"] = len(sent) - failures
        found["rag_probe_cases", "outcome", "unanswered"] = failures
        for series, label, value in self._series - found.keys():
            self._telemetry.remove(series, **{"rag_service": self._probe.service, label: value})
        for (series, label, value), amount in found.items():
            self._telemetry.set(series, amount, **{"rag_service": self._probe.service, label: value})
        self._series = set(found)

    def _ended(self, outcome: str, *, passed: bool, seconds: float) -> None:
        service, now = self._probe.service, self._clock.now()
        self._failed = 0 if passed else self._failed + 1
        self._telemetry.count("rag_probe_rounds_total", rag_service=service, outcome=outcome)
        self._telemetry.set("rag_probe_passed", passed, rag_service=service)
        self._telemetry.set("rag_probe_failed_rounds", self._failed, rag_service=service)
        self._telemetry.set("rag_probe_duration_seconds", seconds, rag_service=service)
        self._telemetry.set("rag_probe_last_round_timestamp_seconds", now, rag_service=service)
        if passed:
            self._telemetry.set("rag_probe_last_success_timestamp_seconds", now, rag_service=service)


def _reasons(sent: Sequence[Sent]) -> str:
    """The classes of those that have no answer, as the series have them, with how many and what is known of them."""
    found: dict[str, list[str | None]] = {}
    for one in sent:
        if one.failure is not None:
            found.setdefault(one.failure, []).append(one.detail)
    told = {failure: ", ".join(sorted({one for one in details if one})) for failure, details in found.items()}
    return "; ".join(
        f"{failure} {len(found[failure])}" + (f" ({detail})" if detail else "")
        for failure, detail in sorted(told.items())
    )
