"""A model that several roles read: loaded when the first asks for it, running for as long as any of them does."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from sidecar.inference.pairs import PairModel


class Common:
    """One PairModel for all. `load` blocks and raises ConfigError."""

    def __init__(self, load: Callable[[], PairModel]) -> None:
        self._load = load
        self._users = 0

    @cached_property
    def model(self) -> PairModel:
        """The model, loaded."""
        return self._load()

    def lease(self) -> Lease:
        """A part that keeps the model running between its start and its stop."""
        return Lease(self)

    async def _use(self, change: int) -> None:
        before, self._users = self._users, self._users + change
        if before == 0 and self._users:
            await self.model.start()
        elif before and self._users == 0:
            await self.model.stop()


class Lease:
    """sidecar.inference.entry.Running: one role's hold on a model."""

    def __init__(self, common: Common) -> None:
        self._common = common
        self._held = False

    async def start(self) -> None:
        """Start the model where nobody has. Safe to call twice."""
        if not self._held:
            self._held = True
            await self._common._use(1)

    async def stop(self) -> None:
        """Stop the model where nobody else holds it."""
        if self._held:
            self._held = False
            await self._common._use(-1)
