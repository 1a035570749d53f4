"""Tokens a minute: calls wait for their turn, first come first served."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sidecar.record.clock import Clock


class Pace:
    """A bucket that fills with `per_minute` x `share` tokens a minute and holds a sixth of a minute's. Where nothing is limited `take` never
    waits."""

    def __init__(
        self,
        per_minute: int | None,
        clock: Clock,
        *,
        share: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._per_second = None if per_minute is None else per_minute / 60
        self._clock = clock
        self._share = share
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._level = 0.0 if self._per_second is None else 10 * self._per_second
        self._at = clock.monotonic()

    async def take(self, tokens: int) -> None:
        """Wait until so many tokens may be sent. One that is larger than the bucket waits for it to be full, and leaves a debt."""
        if self._per_second is None:
            return
        async with self._turn:
            while (short := min(tokens, self._most()) - self._filled()) > 1e-9:
                await self._sleep(max(0.01, short / max(self._rate(), 1e-9)) if self._rate() else 1.0)
            self._level -= tokens

    def give_back(self, tokens: int) -> None:
        """Of what was taken so many were not used; more were used where it is negative."""
        if self._per_second is not None:
            self._level = min(self._level + tokens, self._most())

    def _rate(self) -> float:
        return (self._per_second or 0.0) * self._share()

    def _most(self) -> float:
        return 10 * self._rate()

    def _filled(self) -> float:
        now = self._clock.monotonic()
        self._level = min(self._most(), self._level + (now - self._at) * self._rate())
        self._at = now
        return self._level
