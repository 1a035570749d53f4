"""Requests on their way from assembling to their outcome: the queue, the workers of each lane, and what waits over it.

A worker of the local lane never waits for what is outside the process. Where there are slow evaluators (a judge), a request goes on to
their lane when its local evaluations are made, and the worker takes the next one; the request ends once, with what both say of it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from exporters.result import Abstention, Evaluation
from sidecar.assemble import Assembled
from sidecar.evaluate.base import Lane
from sidecar.evaluate.engine import Engine, Evaluated, summarise
from sidecar.observe.broken import Broken
from sidecar.observe.telemetry import Telemetry
from sidecar.observe.tracing import Tracing
from sidecar.record.clock import Clock
from sidecar.record.deadline import Deadline
from sidecar.record.memory import MemoryBudget, trace_bytes
from sidecar.record.request import RagTrace
from sidecar.sample.rules import Decision

BUFFER = "scoring"
_QUEUES = {Lane.LOCAL: "evaluate", Lane.SLOW: "evaluate-slow"}


class Journey:
    """One ended trace on its way: settled when each of its requests has finished."""

    __slots__ = ("_left", "_settle", "assembled")

    def __init__(self, assembled: Assembled, settle: Callable[[Assembled], None]) -> None:
        self.assembled = assembled
        self._settle = settle
        self._left = len(assembled.requests)
        if not self._left:
            settle(assembled)

    def finished(self) -> None:
        """One of its requests has its outcome and is delivered."""
        self._left -= 1
        if not self._left:
            self._settle(self.assembled)


@dataclass(slots=True)
class Job:
    """One request on its way. `size` is what it holds of the budget while it waits for scoring, `drawn` which slow evaluators see it, each with
    the probability that the request was kept and drawn."""

    trace: RagTrace
    decision: Decision
    journey: Journey
    size: int = 0
    evaluations: tuple[Evaluation, ...] = ()
    abstention: Abstention | None = None
    drawn: Mapping[str, float] = field(default_factory=dict)
    ended: bool = False

    def finish(self) -> None:
        """It has its outcome and is delivered; calls after the first do nothing."""
        if not self.ended:
            self.ended = True
            self.journey.finished()


Close: TypeAlias = Callable[[Job, Evaluated | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many requests wait, and how many are evaluated at once: `queue` and `workers` of the local lane, `slow_queue` and
    `slow_workers` of the slow one; `backlog` may wait over the queue."""

    queue: int
    workers: int
    backlog: int
    slow_queue: int
    slow_workers: int


class Scoring:
    """Takes jobs and calls `close` once for each, with what was found, or None where we broke on it."""

    def __init__(
        self,
        limits: Limits,
        *,
        engine: Engine,
        close: Close,
        memory: MemoryBudget,
        broken: Broken,
        telemetry: Telemetry,
        tracing: Tracing,
        clock: Clock,
    ) -> None:
        self._limits = limits
        self._engine = engine
        self._close = close
        self._memory = memory
        self._broken = broken
        self._telemetry = telemetry
        self._tracing = tracing
        self._clock = clock
        self._backlog: deque[Job] = deque()
        self._queue: asyncio.Queue[Job] = asyncio.Queue(limits.queue)
        self._slow: asyncio.Queue[Job] = asyncio.Queue(limits.slow_queue)
        self._tasks: list[asyncio.Task[None]] = []
        self._finished = 0
        telemetry.set("rag_sidecar_queue_capacity", limits.queue, queue=_QUEUES[Lane.LOCAL])
        if Lane.SLOW in engine.lanes:
            telemetry.set("rag_sidecar_queue_capacity", limits.slow_queue, queue=_QUEUES[Lane.SLOW])

    @property
    def full(self) -> bool:
        """Whether nothing more should be taken in. The slow lane never says so."""
        return bool(self._backlog) or self._queue.full()

    @property
    def fill(self) -> float:
        """How full the queue of the local lane is; over 1 with a backlog."""
        return (self._queue.qsize() + len(self._backlog)) / self._limits.queue

    def take_finished(self) -> int:
        """How many requests the local lane has finished with since it was last asked."""
        finished, self._finished = self._finished, 0
        return finished

    def start(self) -> None:
        """Start the workers of every lane."""
        for number in range(self._limits.workers):
            self._start(self._work(self._queue, self._local), f"evaluate-{number}")
        if Lane.SLOW in self._engine.lanes:
            for number in range(self._limits.slow_workers):
                self._start(self._work(self._slow, self._slowly), f"evaluate-slow-{number}")

    async def stop(self) -> None:
        """End the workers. What they have in hand is not closed: its records are read again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self, deadline: Deadline) -> int:
        """Wait until every lane is empty, or the deadline. How many requests are left."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(deadline.left()):
                while self._backlog:
                    await self._queue.put(self._backlog.popleft())
                await self._queue.join()
                await self._slow.join()
        return len(self._backlog) + self._queue.qsize() + self._slow.qsize()

    def put(self, job: Job) -> str | None:
        """Queue a job. Where there is no room for it, why: the caller closes it."""
        size = trace_bytes(job.trace)
        if len(self._backlog) > self._limits.backlog:
            return "backlog"
        if not self._memory.take(BUFFER, size):
            return "memory"
        job.size = size
        self._backlog.append(job)
        return None

    def refill(self) -> None:
        """Move what waits over the queue into it."""
        while self._backlog and not self._queue.full():
            self._queue.put_nowait(self._backlog.popleft())
        waiting = self._queue.qsize() + len(self._backlog)
        self._telemetry.set("rag_sidecar_queue_length", waiting, queue=_QUEUES[Lane.LOCAL])

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._tasks.append(asyncio.create_task(work, name=name))

    async def _work(self, queue: asyncio.Queue[Job], step: Callable[[Job], Awaitable[None]]) -> None:
        while True:
            job = await queue.get()
            try:
                await step(job)
            finally:
                queue.task_done()

    async def _local(self, job: Job) -> None:
        """The local evaluations. A request whose partitions were taken away while it waited is given up: it comes again."""
        if job.journey.assembled.revoked:
            self._telemetry.count("rag_sidecar_revoked_traces_total", stage="scoring")
            self._memory.give(BUFFER, job.size)
            job.finish()
            return
        started = self._clock.monotonic()
        well = await self._evaluate(job, Lane.LOCAL)
        self._finished += 1
        self._telemetry.observe("rag_sidecar_scoring_seconds", self._clock.monotonic() - started)
        if well and Lane.SLOW in self._engine.lanes:
            kept = job.decision.probability
            job.drawn = {name: kept * p for name, p in self._engine.draw(job.trace).items()}
            for name, p in self._engine.present.items():
                self._telemetry.set("rag_sidecar_judge_rate", p, evaluator=name)
        if not job.drawn:
            await self._end(job, well)
        elif self._slow.full():
            job.evaluations += self._engine.refused(Lane.SLOW, "lane_full", job.drawn)
            await self._end(job, well)
        else:
            self._slow.put_nowait(job)
            self._show_slow()

    async def _slowly(self, job: Job) -> None:
        self._show_slow()
        if not await self._evaluate(job, Lane.SLOW):
            job.evaluations += self._engine.refused(Lane.SLOW, "internal", job.drawn)
        await self._end(job, True)

    async def _evaluate(self, job: Job, lane: Lane) -> bool:
        """Add what a lane says of a request. False where we broke on it."""
        try:
            with self._tracing.evaluation(job.trace.trace_id, job.trace.span_id):
                drawn = job.drawn if lane is Lane.SLOW else None
                evaluated = await self._engine.evaluate(job.trace, lane=lane, drawn=drawn)
            job.evaluations += evaluated.evaluations
            job.abstention = evaluated.abstention or job.abstention
        except Exception as error:  # noqa: BLE001 - the barrier of scoring
            self._broken.tell("evaluate", error)
            return False
        return True

    async def _end(self, job: Job, well: bool) -> None:
        self._memory.give(BUFFER, job.size)
        await self._close(job, summarise(job.evaluations, job.abstention) if well else None)

    def _show_slow(self) -> None:
        self._telemetry.set("rag_sidecar_queue_length", self._slow.qsize(), queue=_QUEUES[Lane.SLOW])
