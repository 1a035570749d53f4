"""Cases through the evaluators that the service runs: the same engine, the same models, every judged evaluator over every case."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial

import orjson

from exporters.result import WHOLE
from exporters.serialize import result_to_json
from exporters.text import clean
from sidecar import __version__
from sidecar.config import Config
from sidecar.evaluate.base import Lane
from sidecar.evaluate.engine import Engine, Evaluated, summarise
from sidecar.inference.judge.bill import Prices
from sidecar.inference.judge.judge import Judge
from sidecar.inference.runtime import ModelRuntime
from sidecar.judging import judge_of, prices_of
from sidecar.observe.telemetry import Telemetry
from sidecar.offline.case import Case
from sidecar.offline.cost import Foreseen, foresee
from sidecar.offline.ids import NO_TIME
from sidecar.offline.journal import Journal
from sidecar.offline.record import CaseRecord, Judged
from sidecar.offline.turns import with_turns
from sidecar.price import Pricer
from sidecar.redact.redactor import Redactor, redactor_of
from sidecar.redact.session import Session
from sidecar.results import make_result, redact

# Somebody waits for all of them: a case that waits for the models is not given up as one of the stream is.
_PATIENCE_SECONDS = 3600.0
# The same for a question to the judge, whose deadline holds the wait for the questions before it.
_JUDGE_SECONDS = 120.0
# Of the judge's settings, those that change nothing of what it says: logins, pace and budget.
_NO_CONTENT = frozenset(
    {
        "api_key", "api_key_file", "headers", "ca_file", "cert_file", "key_file", "timeout_seconds", "attempts", "concurrency", "tokens_per_minute",
        "budget_usd_per_hour", "budget_usd_per_day", "pause_seconds", "breaker_failures", "breaker_seconds", "cache_megabytes", "salt",
    }
)  # fmt: skip
Progress = Callable[[CaseRecord], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a run goes: how many cases at once, US dollars for the judge (None: those of the settings for a day), and whether records keep texts."""

    concurrency: int = 8
    most_usd: float | None = None
    texts: bool = True


class Runner:
    """Made by `running`; belongs to one event loop."""

    def __init__(self, settings: Config, wanted: Wanted) -> None:
        self._telemetry = Telemetry()
        evaluate, only = with_turns(settings.evaluate)
        self._settings = _patient(settings.model_copy(update={"evaluate": evaluate}), wanted)
        self._wanted = wanted
        redaction = settings.redact
        self._redactor = Redactor(redaction) if redaction.enabled and redaction.score_files else None
        self.runtime = ModelRuntime(
            self._settings.inference, self._telemetry, redactor=partial(redactor_of, self._settings.redact)
        )
        self.judge: Judge | None = judge_of(
            self._settings.judge,
            self._settings.price,
            self._telemetry,
            redactor=cache(partial(redactor_of, self._settings.redact)),
            paced=False,
        )
        self.engine = Engine(self._settings.evaluate, self.runtime.router, judge=self.judge, only=only)
        self._pricer = Pricer(self._settings.price)
        self.prices: Prices = prices_of(self._pricer)
        self._slow_room = asyncio.Semaphore(max(1, self._settings.judge.concurrency // 2))

    @property
    def identity(self) -> str:
        """A hash of who judges: evaluators with their versions and methods, models, settings. What it does not hold changes no score."""
        told = {
            "version": __version__,
            "evaluators": sorted((one.name, one.version, one.method) for one in self.engine.evaluators),
            "models": [str(identity) for _, identity in self.runtime.infos()],
            "settings": settings_hash(self._settings),
            "texts": self._wanted.texts,
        }
        return _hash(told)

    def foresee(self, cases: Sequence[Case]) -> Foreseen:
        """What the judge will take for these cases."""
        return foresee(self.engine, cases, self._settings.judge, self.prices)

    @property
    def most_usd(self) -> float | None:
        """What the judge may cost; None is no limit."""
        judge = self._settings.judge
        return judge.budget_usd_per_hour if judge.budget_usd_per_day is None else judge.budget_usd_per_day

    def spent(self) -> tuple[Judged, ...]:
        """What the judge took up to now, by evaluator."""
        found: dict[str, dict[str, float]] = {}
        for series, key in (("requests_total", "questions"), ("tokens_total", "tokens"), ("cost_usd_total", "cost")):
            for labels, value in self._telemetry.values(f"rag_sidecar_judge_{series}"):
                own = found.setdefault(labels["evaluator"], {})
                own[key] = own.get(key, 0.0) + value
        return tuple(
            Judged(
                evaluator=name,
                questions=int(own.get("questions", 0)),
                tokens=int(own.get("tokens", 0)),
                cost_usd=own.get("cost") if own.get("tokens") else 0.0,
            )
            for name, own in sorted(found.items())
        )

    async def run(
        self, cases: Sequence[Case], journal: Journal[CaseRecord] | None, progress: Progress
    ) -> list[CaseRecord]:
        """The records of all cases, in their order; those that the journal has are taken from it. Cancelled it leaves in the journal what is done."""
        done = {} if journal is None else journal.done
        room = asyncio.Semaphore(self._wanted.concurrency)

        async def one(case: Case) -> CaseRecord:
            known = done.get(case.digest)
            if known is not None:
                progress(known)
                return known
            async with room:
                record = await self._evaluate(case)
            if journal is not None:
                journal.add(record)
            progress(record)
            return record

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(case)) for case in cases]
        return [task.result() for task in tasks]

    async def _evaluate(self, case: Case) -> CaseRecord:
        started = time.perf_counter()
        parts = await asyncio.gather(*(self._lane(case, lane) for lane in self.engine.lanes))
        abstention = next((one.abstention for one in parts if one.abstention is not None), None)
        evaluated = summarise([said for one in parts for said in one.evaluations], abstention)
        return await self._record(case, evaluated, time.perf_counter() - started)

    async def _lane(self, case: Case, lane: Lane) -> Evaluated:
        if lane is Lane.LOCAL:
            return await self.engine.evaluate(case.trace)
        async with self._slow_room:
            return await self.engine.evaluate(case.trace, lane=lane)

    async def _record(self, case: Case, evaluated: Evaluated, seconds: float) -> CaseRecord:
        trace = case.trace
        said = await redact(evaluated, trace, self._redactor)
        result = make_result(
            trace,
            pricer=self._pricer,
            completed_at=time.time(),
            outcome=evaluated.outcome,
            reason=evaluated.reason,
            evaluated=said.evaluated,
            redacted=said.redacted,
            session=said.session,
            completeness=WHOLE,
        )
        own: dict[str, object] = {
            "id": case.id,
            "key": case.key,
            "digest": case.digest,
            "kind": case.kind,
            "origin": case.origin,
        }
        if trace.timestamp == NO_TIME:
            own["timestamp"] = None
        texts = await self._texts(case)
        written = result_to_json(result, with_text=self._wanted.texts)
        return CaseRecord.model_validate({**written, **own, **texts, "seconds": seconds})

    async def _texts(self, case: Case) -> Mapping[str, object]:
        """The texts as they may be written: by the pseudonyms that the claims have."""
        trace = case.trace
        plain = [trace.question, *(document.text for document in trace.documents), trace.answer]
        if not self._wanted.texts:
            return {"documents": [{"id": None if d.id is None else clean(d.id)} for d in trace.documents]}

        def cleaned(text: str | None) -> str | None:
            return None if text is None else clean(text)

        def work(session: Session | None) -> Mapping[str, object]:
            def told(text: str | None) -> str | None:
                return cleaned(text) if session is None or text is None else session.redact(text).text

            def named(own: str | None) -> str | None:
                return cleaned(own) if session is None or own is None else session.redact_id(own)

            documents = [{"id": named(d.id), "text": told(d.text)} for d in trace.documents]
            return {
                "question": told(trace.question),
                "answer": told(trace.answer),
                "reference": told(trace.reference),
                "documents": documents,
            }

        if self._redactor is None:
            return work(None)
        return await self._redactor.run(work, [text for text in plain if text])


@asynccontextmanager
async def running(settings: Config, wanted: Wanted) -> AsyncIterator[Runner]:
    """A runner with its models and its judge started. Raises ConfigError."""
    runner = Runner(settings, wanted)
    await runner.runtime.start()
    try:
        if runner.judge is not None:
            await runner.judge.start()
        yield runner
    finally:
        if runner.judge is not None:
            await runner.judge.stop()
        await runner.runtime.stop()


def settings_hash(own: Config) -> str:
    """A hash of all settings that a record of a case may depend on."""
    told = own.model_dump(mode="json", include={"evaluate", "inference", "redact", "price"})
    return _hash({**told, "judge": own.judge.model_dump(mode="json", exclude=set(_NO_CONTENT))})


def _hash(told: Mapping[str, object]) -> str:
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS, default=str)).hexdigest()[:32]


def judge_seconds(settings: Config) -> float:
    """How long a question to the judge may take."""
    return max(settings.judge.timeout_seconds, _JUDGE_SECONDS)


def _patient(settings: Config, wanted: Wanted) -> Config:
    evaluate = settings.evaluate.model_copy(update={"timeout_seconds": _PATIENCE_SECONDS})
    judge = settings.judge.model_copy(update={"timeout_seconds": judge_seconds(settings)})
    if wanted.most_usd is not None:
        judge = judge.model_copy(update={"budget_usd_per_day": wanted.most_usd, "budget_usd_per_hour": None})
    return settings.model_copy(update={"evaluate": evaluate, "judge": judge})
