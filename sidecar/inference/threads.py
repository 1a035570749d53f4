"""Threads for what models need done with text: cutting, tokenising, ranking. The event loop does none of it.

They are few, since most of this work holds the interpreter's lock; and more than one, so that short texts pass a long one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")
_EXECUTOR = ThreadPoolExecutor(4, thread_name_prefix="text")


async def off_loop(work: Callable[[], Result]) -> Result:
    """What `work` returns, computed in a thread. A caller that is cancelled does not stop the thread."""
    return await asyncio.get_running_loop().run_in_executor(_EXECUTOR, work)


@asynccontextmanager
async def alongside(work: Coroutine[Any, Any, Result]) -> AsyncIterator[asyncio.Task[Result]]:
    """`work` begun now, to be awaited inside; called off where the context ends without."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
