"""A model that several roles read: loaded when the first asks for it, running and in memory for as long as any of them holds it."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable

from sidecar.inference.pairs import PairModel


class Common:
    """One PairModel for all. `load` blocks and raises ConfigError."""

    def __init__(self, load: Callable[[], PairModel]) -> None:
        self._load = load
        self._loading = threading.Lock()
        self._held: weakref.ref[Held] | None = None

    def lease(self) -> Lease:
        """A part that keeps the model in memory, and running between its start and its stop. Blocks; may be called from any thread."""
        with self._loading:
            held = self._held() if self._held else None
            if held is None:
                held = Held(self._load())
                self._held = weakref.ref(held)
        return Lease(held)


class Held:
    """A loaded model, and by how many it is used."""

    def __init__(self, model: PairModel) -> None:
        self.model = model
        self._users = 0
        self._turn = asyncio.Lock()

    async def use(self, change: int) -> None:
        """One user more, or one less: the first starts the model, the last stops it."""
        async with self._turn:
            before, self._users = self._users, self._users + change
            if before == 0 and self._users:
                await self.model.start()
            elif before and self._users == 0:
                await self.model.stop()


class Lease:
    """sidecar.inference.entry.Running: one role's hold on a model."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self._started = False

    @property
    def model(self) -> PairModel:
        """The model."""
        return self._held.model

    async def start(self) -> None:
        """Start the model where nobody has. Safe to call twice."""
        if not self._started:
            self._started = True
            await self._held.use(1)

    async def stop(self) -> None:
        """Stop the model where nobody else holds it."""
        if self._started:
            self._started = False
            await self._held.use(-1)
