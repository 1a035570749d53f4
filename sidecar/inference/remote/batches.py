"""Items of all requests in flight share calls to a server; how many may wait is bounded, whatever the server does."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import InferenceError, RetryableInferenceError

Item = TypeVar("Item")
Output = TypeVar("Output")


@dataclass(slots=True)
class _Waiting(Generic[Item, Output]):
    item: Item
    future: asyncio.Future[Output]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Items in a call, calls at the same time, and items that may wait."""

    batch_size: int
    in_flight: int
    most_waiting: int


class Batches(Generic[Item, Output]):
    """`send` gives one output an item, in order; it raises InferenceError and nothing else."""

    def __init__(
        self,
        name: str,
        send: Callable[[Sequence[Item]], Awaitable[Sequence[Output]]],
        *,
        bounds: Bounds,
        telemetry: Telemetry,
    ) -> None:
        self._name = name
        self._send = send
        self._bounds = bounds
        self._telemetry = telemetry
        self._queue: deque[_Waiting[Item, Output]] = deque()
        self._wake = asyncio.Semaphore(0)
        self._workers: list[asyncio.Task[None]] = []

    @property
    def waiting(self) -> int:
        """Items that no call has taken yet."""
        return len(self._queue)

    async def start(self) -> None:
        """Begin to send. Safe to call twice."""
        for n in range(len(self._workers), self._bounds.in_flight):
            self._workers.append(asyncio.create_task(self._work(), name=f"remote-{self._name}-{n}"))

    async def stop(self) -> None:
        """What waits fails as retryable."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        while self._queue:
            _fail(self._queue.popleft().future, RetryableInferenceError("stopped"))

    async def predict(self, items: Sequence[Item]) -> list[Output]:
        """One output an item, in order. Raises InferenceError, with the reason busy where too much waits already; a caller that is
        cancelled leaves nothing behind."""
        if not self._workers:
            raise RetryableInferenceError("stopped")
        if self._queue and len(self._queue) + len(items) > self._bounds.most_waiting:
            raise RetryableInferenceError("busy")
        loop = asyncio.get_running_loop()
        mine = [_Waiting[Item, Output](item, loop.create_future()) for item in items]
        self._queue.extend(mine)
        for _ in range(-(-len(mine) // self._bounds.batch_size)):
            self._wake.release()
        try:
            return list(await asyncio.gather(*(one.future for one in mine)))
        finally:
            left = {id(one) for one in mine if not one.future.done()}
            for one in mine:
                one.future.cancel()
            if left:
                self._queue = deque(one for one in self._queue if id(one) not in left)

    async def _work(self) -> None:
        while True:
            await self._wake.acquire()
            batch: list[_Waiting[Item, Output]] = []
            while self._queue and len(batch) < self._bounds.batch_size:
                one = self._queue.popleft()
                if not one.future.done():
                    batch.append(one)
            if batch:
                await self._call(batch)

    async def _call(self, batch: Sequence[_Waiting[Item, Output]]) -> None:
        started = time.perf_counter()
        try:
            outputs = await self._send([one.item for one in batch])
        except asyncio.CancelledError:
            for one in batch:
                _fail(one.future, RetryableInferenceError("stopped"))
            raise
        except InferenceError as error:
            self._telemetry.count("rag_sidecar_inference_failures_total", model=self._name, reason=error.reason)
            for one in batch:
                _fail(one.future, error)
        else:
            self._telemetry.observe("rag_sidecar_inference_seconds", time.perf_counter() - started, model=self._name)
            self._telemetry.observe("rag_sidecar_inference_batch_size", len(batch), model=self._name)
            for one, output in zip(batch, outputs, strict=True):
                if not one.future.done():
                    one.future.set_result(output)


def _fail(future: asyncio.Future[Output], error: InferenceError) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # mark as seen: the caller may have gone
