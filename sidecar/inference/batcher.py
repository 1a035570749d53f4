"""One queue a model and a token budget behind a plain `await predict(items)`.

Items of all requests in flight share batches. The next batch is built while the present ones run, from the items of the request that
was begun first, with others of a like length so that little is padding: a request that has waited for one model does not wait anew, behind
those that came after it, for the next.
"""

from __future__ import annotations

import asyncio
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from sidecar.inference.turn import Slots, present_turn
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import InferenceError, PermanentInferenceError, RetryableInferenceError

_LOOK_AHEAD = 256
_LIKE = 0.8
_SLACK_TOKENS = 4
Item = TypeVar("Item")
Output = TypeVar("Output")


@dataclass(slots=True)
class _Waiting(Generic[Item, Output]):
    turn: int
    item: Item
    tokens: int
    future: asyncio.Future[Output]


def _by_turn(waiting: _Waiting[Item, Output]) -> int:
    return waiting.turn


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
        slots: Slots | None = None,
    ) -> None:
        """`slots` are places to compute in that other models have too; without any it computes whenever it can."""
        self._name = name
        self._compute = compute
        self._telemetry = telemetry
        self._tokens = tokens
        self._most_tokens = most_tokens
        self._at_once = at_once
        self._slots = slots or Slots(at_once)
        self._queue: list[_Waiting[Item, Output]] = []
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
            _fail(self._queue.pop().future, RetryableInferenceError("stopped"))

    async def predict(self, items: Sequence[Item]) -> list[Output]:
        """One output an item, in order. Raises InferenceError; a cancelled caller leaves nothing behind."""
        if not self._tasks:
            raise RetryableInferenceError("stopped")
        loop = asyncio.get_running_loop()
        turn = present_turn()
        mine = [_Waiting[Item, Output](turn, item, self._tokens(item), loop.create_future()) for item in items]
        at = bisect_right(self._queue, turn, key=_by_turn)
        self._queue[at:at] = mine
        self._wake.set()
        try:
            return list(await asyncio.gather(*(one.future for one in mine)))
        finally:
            for one in mine:
                one.future.cancel()

    async def _loop(self) -> None:
        while True:
            await self._wake.wait()
            if not self._queue:
                self._wake.clear()
                continue
            async with self._slots.one(self._first):
                batch = self._next()
                if batch:
                    await self._run(batch)

    async def _run(self, batch: Sequence[_Waiting[Item, Output]]) -> None:
        started, loop = time.perf_counter(), asyncio.get_running_loop()
        try:
            outputs = await loop.run_in_executor(self._executor, self._compute, [one.item for one in batch])
        except asyncio.CancelledError:
            for waiting in batch:
                _fail(waiting.future, RetryableInferenceError("stopped"))
            raise
        except InferenceError as error:
            self._fail_all(batch, error)
        except Exception as error:  # noqa: BLE001 - the door of the model: this batch fails, the next one runs
            self._fail_all(batch, PermanentInferenceError("runtime", type(error).__name__))
        else:
            self._telemetry.observe("rag_sidecar_inference_seconds", time.perf_counter() - started, model=self._name)
            self._telemetry.observe("rag_sidecar_inference_batch_size", len(batch), model=self._name)
            for waiting, output in zip(batch, outputs, strict=True):
                if not waiting.future.done():
                    waiting.future.set_result(output)

    def _first(self) -> int:
        """The turn of what would be read next."""
        return next((one.turn for one in self._queue if not one.future.done()), sys.maxsize)

    def _next(self) -> list[_Waiting[Item, Output]]:
        """The item of the request that was begun first with others of a like length, so that little is padding, up to the budget."""
        waiting = [one for one in self._queue if not one.future.done()]
        batch, passed = waiting[:1], list[_Waiting[Item, Output]]()
        shortest = longest = batch[0].tokens if batch else 0
        at = 1
        while at < len(waiting) and len(passed) < _LOOK_AHEAD and longest * (len(batch) + 1) <= self._most_tokens:
            one = waiting[at]
            at += 1
            least, most = min(shortest, one.tokens), max(longest, one.tokens)
            like = _LIKE * most - _SLACK_TOKENS <= least
            if like and most * (len(batch) + 1) <= self._most_tokens:
                batch.append(one)
                shortest, longest = least, most
            else:
                passed.append(one)
        self._queue = [*passed, *waiting[at:]]
        return batch

    def _fail_all(self, batch: Sequence[_Waiting[Item, Output]], error: InferenceError) -> None:
        self._telemetry.count("rag_sidecar_inference_failures_total", model=self._name, reason=error.reason)
        for waiting in batch:
            _fail(waiting.future, error)


def _fail(future: asyncio.Future[Output], error: InferenceError) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # mark as seen: the caller may have gone
