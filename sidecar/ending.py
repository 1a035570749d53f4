"""The one end of every request: its outcome is counted, its result made and redacted, shown on the page, and delivered."""

from __future__ import annotations

from typing import Protocol

from exporters.result import Outcome, Result
from sidecar.deliver import Deliverer
from sidecar.evaluate.engine import Evaluated
from sidecar.observe.broken import Broken
from sidecar.observe.telemetry import Telemetry
from sidecar.price import Pricer
from sidecar.record.clock import Clock
from sidecar.record.request import RagTrace
from sidecar.record.texts import Texts
from sidecar.redact.redactor import Redactor
from sidecar.results import Said, make_result, redact
from sidecar.scoring import Job

INTERNAL = "internal"


class Page(Protocol):
    """What shows results, with the texts of their requests where `with_texts` says so. `take` neither waits nor raises."""

    @property
    def with_texts(self) -> bool: ...

    def take(self, trace: RagTrace, result: Result, texts: Texts | None) -> None: ...


class Ending:
    """Ends requests. `pricer` may be replaced while it works."""

    def __init__(
        self,
        deliverer: Deliverer,
        *,
        pricer: Pricer,
        redactor: Redactor | None,
        page: Page | None,
        broken: Broken,
        telemetry: Telemetry,
        clock: Clock,
    ) -> None:
        """`redactor` is None where nothing is redacted, `page` where there is none."""
        self.pricer = pricer
        self._deliverer = deliverer
        self._redactor = redactor
        self._page = page
        self._broken = broken
        self._telemetry = telemetry
        self._clock = clock

    async def end(self, job: Job, outcome: Outcome, reason: str | None, evaluated: Evaluated | None = None) -> None:
        """Count the outcome, then deliver; the job is finished when delivery is done. Never raises for what is in a request."""
        try:
            with_texts = self._page is not None and self._page.with_texts
            said = await redact(evaluated, job.trace, self._redactor, with_texts=with_texts)
            result = self._result(job, outcome, reason, said)
        except Exception as error:  # noqa: BLE001 - the barrier of requests: without a result the outcome is counted all the same
            self._broken.tell("result", error)
            self._telemetry.count("rag_sidecar_requests_total", outcome=Outcome.FAILED, reason=INTERNAL)
            job.finish()
            return
        self._count(result)
        if self._page is not None:
            self._page.take(job.trace, result, said.texts)
        try:
            await self._deliverer.deliver(result, done=job.finish)
        except Exception as error:  # noqa: BLE001 - the same
            self._broken.tell("deliver", error)
            job.finish()

    def _count(self, result: Result) -> None:
        self._telemetry.count("rag_sidecar_requests_total", outcome=result.outcome, reason=result.reason or "")
        for kind, number in (result.redacted or {}).items():
            self._telemetry.count("rag_sidecar_redactions_total", number, kind=kind)
        if result.outcome.evaluated:
            delay = result.completed_at - result.timestamp
            self._telemetry.observe("rag_sidecar_end_to_end_delay_seconds", max(0.0, delay))

    def _result(self, job: Job, outcome: Outcome, reason: str | None, said: Said) -> Result:
        return make_result(
            job.trace,
            pricer=self.pricer,
            completed_at=self._clock.now(),
            outcome=outcome,
            reason=reason,
            evaluated=said.evaluated,
            redacted=said.redacted,
            session=said.session,
            inclusion_probability=job.decision.probability,
            completeness=job.journey.assembled.completeness,
        )
