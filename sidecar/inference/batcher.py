"""One queue a model and a token budget behind a plain `await predict(items)`.

Items of all requests in flight share batches. The next batch is built while the present ones run, from the longest
waiting items, sorted by length so that little is padding.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import InferenceError, PermanentInferenceError, RetryableInferenceError

_LOOK_AHEAD = 256
_LIKE = 0.8
_SLACK_TOKENS = 4
Item = TypeVar("Item")
Output = TypeVar("Output")


@dataclass(slots=True)
class _Waiting(Generic[Item, Output]):
    item: Item
    tokens: int
    future: asyncio.Future[Output]


class Batcher(Generic[Item, Output]):
    """`compute` runs in threads of its own, `at_once` batches at a time, and gives one output an item, in order."""

    def __init__(
        self,
        name: str,
        compute: Callable[[Sequence[Item]], Sequence[Output]],
        *,
        telemetry: Telemetry,
        tokens: Callable[[Item], int],
        most_tokens: int,
        at_once: int = 1,
    ) -> None:
        self._name = name
        self._compute = compute
        self._telemetry = telemetry
        self._tokens = tokens
        self._most_tokens = most_tokens
        self._at_once = at_once
        self._queue: deque[_Waiting[Item, Output]] = deque()
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._executor: ThreadPoolExecutor | None = None

    async def start(self) -> None:
        """Start the loops. Safe to call twice."""
        if not self._tasks:
            self._executor = ThreadPoolExecutor(self._at_once, thread_name_prefix=f"model-{self._name}")
            name = f"batcher-{self._name}"
            self._tasks = [asyncio.create_task(self._loop(), name=name) for _ in range(self._at_once)]

    async def stop(self) -> None:
        """Stop the loops; what waits fails as retryable."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        if self._executor is not None:
            self._executor.shutdown(wait=True)
            self._executor = None
        while self._queue:
            _fail(self._queue.popleft().future, RetryableInferenceError("stopped"))

    async def predict(self, items: Sequence[Item]) -> list[Output]:
        """One output an item, in order. Raises InferenceError; a cancelled caller leaves nothing behind."""
        if not self._tasks:
            raise RetryableInferenceError("stopped")
        loop = asyncio.get_running_loop()
        futures: list[asyncio.Future[Output]] = []
        for item in items:
            future: asyncio.Future[Output] = loop.create_future()
            futures.append(future)
            self._queue.append(_Waiting(item, self._tokens(item), future))
        self._wake.set()
        try:
            return list(await asyncio.gather(*futures))
        finally:
            for future in futures:
                future.cancel()

    async def _loop(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            batch = self._next()
            if not batch:
                self._wake.clear()
                continue
            started = time.perf_counter()
            try:
                outputs = await loop.run_in_executor(self._executor, self._compute, [w.item for w in batch])
            except asyncio.CancelledError:
                for waiting in batch:
                    _fail(waiting.future, RetryableInferenceError("stopped"))
                raise
            except InferenceError as error:
                self._fail_all(batch, error)
            except Exception as error:  # noqa: BLE001 - the door of the model: this batch fails, the next one runs
                self._fail_all(batch, PermanentInferenceError("runtime", type(error).__name__))
            else:
                self._telemetry.observe(
                    "rag_sidecar_inference_seconds", time.perf_counter() - started, model=self._name
                )
                self._telemetry.observe("rag_sidecar_inference_batch_size", len(batch), model=self._name)
                for waiting, output in zip(batch, outputs, strict=True):
                    if not waiting.future.done():
                        waiting.future.set_result(output)

    def _next(self) -> list[_Waiting[Item, Output]]:
        """The longest waiting item with others of a like length, so that little is padding, up to the budget."""
        while self._queue and self._queue[0].future.done():
            self._queue.popleft()
        if not self._queue:
            return []
        oldest = self._queue.popleft()
        shortest = longest = oldest.tokens
        batch = [oldest]
        passed: list[_Waiting[Item, Output]] = []
        while self._queue and len(passed) < _LOOK_AHEAD and longest * (len(batch) + 1) <= self._most_tokens:
            waiting = self._queue.popleft()
            if waiting.future.done():
                continue
            least, most = min(shortest, waiting.tokens), max(longest, waiting.tokens)
            if _LIKE * most - _SLACK_TOKENS <= least:
                batch.append(waiting)
                shortest, longest = least, most
            else:
                passed.append(waiting)
        if longest * len(batch) > self._most_tokens and len(batch) > 1:
            passed.append(batch.pop())
        self._queue.extendleft(reversed(passed))
        return batch

    def _fail_all(self, batch: Sequence[_Waiting[Item, Output]], error: InferenceError) -> None:
        self._telemetry.count("rag_sidecar_inference_failures_total", model=self._name, reason=error.reason)
        for waiting in batch:
            _fail(waiting.future, error)


def _fail(future: asyncio.Future[Output], error: InferenceError) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # mark as seen: the caller may have gone
