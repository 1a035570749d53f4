"""Threads for what models need done with text: cutting, tokenising, ranking. The event loop does none of it.

They are few, since most of this work holds the interpreter's lock; and more than one, so that short texts pass a long one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")
_executor: ThreadPoolExecutor


def _begin() -> None:
    """A pool of this process: that of a parent came without its threads."""
    global _executor
    _executor = ThreadPoolExecutor(4, thread_name_prefix="text")


_begin()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin)


async def off_loop(work: Callable[[], Result]) -> Result:
    """What `work` returns, computed in a thread. A caller that is cancelled does not stop the thread."""
    return await asyncio.get_running_loop().run_in_executor(_executor, work)


@asynccontextmanager
async def alongside(work: Coroutine[Any, Any, Result]) -> AsyncIterator[asyncio.Task[Result]]:
    """`work` begun now, to be awaited inside; called off where the context ends without."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
