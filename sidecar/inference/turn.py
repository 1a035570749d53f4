"""Whose turn it is: what of several requests in flight the models read first, and how many batches of all of them run at a time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import NamedTuple

_turns = itertools.count()
_turn: ContextVar[int | None] = ContextVar("turn", default=None)


@contextmanager
def in_turn() -> Iterator[None]:
    """All that is asked of models inside, by whatever tasks, has one turn: before what is begun later, however late it is asked. What two requests
    share has the turn of the one that asks first."""
    token = _turn.set(next(_turns))
    try:
        yield
    finally:
        _turn.reset(token)


def present_turn() -> int:
    """The turn of the request at hand; outside of any the next one."""
    own = _turn.get()
    return next(_turns) if own is None else own


class _Waiting(NamedTuple):
    turn: Callable[[], int]
    granted: asyncio.Future[None]


class Slots:
    """So many places to compute in, for several models together. A free one goes to whoever would compute for the earliest turn."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[_Waiting] = []

    @asynccontextmanager
    async def one(self, turn: Callable[[], int]) -> AsyncIterator[None]:
        """A place, held inside. `turn` says of which turn it is what one would compute now."""
        if self._free and not self._waiting:
            self._free -= 1
        else:
            await self._wait(turn)
        try:
            yield
        finally:
            self._free += 1
            # Soon, so that whoever gives it back may ask for it again among the others.
            asyncio.get_running_loop().call_soon(self._give)

    async def _wait(self, turn: Callable[[], int]) -> None:
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(turn, granted))
        try:
            await granted
        except asyncio.CancelledError:
            if not granted.cancelled():  # granted and called off at once
                self._free += 1
                self._give()
            raise

    def _give(self) -> None:
        self._waiting = [one for one in self._waiting if not one.granted.done()]
        while self._free and self._waiting:
            first = min(self._waiting, key=lambda one: one.turn())
            self._waiting.remove(first)
            self._free -= 1
            first.granted.set_result(None)
