"""Models that are loaded, within a budget of memory.

Pinned models are loaded at start and stay. Others are loaded when a request first needs them, in a thread; where they would
not fit, those unused for longest go first. Requests whose models must be waited for are served in the order they came, so
that a large model is not passed over for ever; requests for pinned models alone never wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sidecar.inference.entry import Built
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.errors import ConfigError, RetryableInferenceError

logger = logging.getLogger(__name__)

RETRY_SECONDS = 30.0
Key = tuple[str, str]


@dataclass(slots=True)
class _Slot:
    """A model that may be loaded. `users` are requests that hold it now."""

    key: Key
    build: Callable[[], Built[Any]]
    size_bytes: int
    pinned: bool = False
    built: Built[Any] | None = None
    loading: asyncio.Task[None] | None = None
    users: int = 0
    failed_at: float | None = None

    @property
    def there(self) -> bool:
        return self.built is not None or self.loading is not None

    @property
    def busy(self) -> bool:
        return self.users > 0 or self.loading is not None


class Shelf:
    """Models by (role, name). `changed` is called with a key and what was loaded under it."""

    def __init__(
        self,
        *,
        limit_bytes: int,
        telemetry: Telemetry,
        clock: Clock,
        changed: Callable[[Key, Built[Any]], None] = lambda _, __: None,
    ) -> None:
        self._limit_bytes = limit_bytes
        self._telemetry = telemetry
        self._clock = clock
        self._changed = changed
        self._slots: OrderedDict[Key, _Slot] = OrderedDict()
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()

    def add(self, key: Key, build: Callable[[], Built[Any]], *, size_bytes: int) -> None:
        """A model that is loaded when it is needed. `build` blocks."""
        if key not in self._slots:
            self._slots[key] = _Slot(key, build, size_bytes)

    def pin(self, key: Key, built: Built[Any], *, size_bytes: int) -> None:
        """A model that is loaded, and stays."""
        self._slots[key] = _Slot(key, lambda: built, size_bytes, pinned=True, built=built)

    def away(self, key: Key) -> str | None:
        """Why a model cannot be asked now; None where it can, or is not loaded."""
        built = self._slots[key].built
        return None if built is None else built.away()

    async def start(self) -> None:
        """Start the pinned models."""
        for slot in self._slots.values():
            if slot.built is not None:
                await _start(slot.built)
                self._changed(slot.key, slot.built)
        self._show()

    async def stop(self) -> None:
        """Unload all but the pinned models, and stop those."""
        loading = [slot.loading for slot in self._slots.values() if slot.loading is not None]
        await asyncio.gather(*loading, return_exceptions=True)
        for slot in self._slots.values():
            if slot.built is not None:
                await _stop(slot.built)
                slot.built = slot.built if slot.pinned else None
        self._show()

    @asynccontextmanager
    async def lease(self, keys: Sequence[Key]) -> AsyncIterator[list[Any]]:
        """The models of these keys, loaded while the context is open. Raises RetryableInferenceError("load")."""
        slots = [self._slots[key] for key in keys]
        wanted = [slot for slot in slots if not slot.pinned]
        if wanted:
            async with self._turn:
                await self._take(wanted)
        try:
            yield [slot.built.model for slot in slots if slot.built is not None]
        finally:
            for slot in wanted:
                slot.users -= 1
            self._freed.set()

    async def _take(self, slots: Sequence[_Slot]) -> None:
        await self._make_room(slots)
        for slot in slots:
            if slot.built is None:
                await self._load(slot)
        for slot in slots:
            slot.users += 1
            self._slots.move_to_end(slot.key)

    async def _make_room(self, wanted: Sequence[_Slot]) -> None:
        """Unload what is idle, longest unused first; wait for what is in use. Where nothing of others is left, what is wanted
        alone is over the budget, and is let in."""
        needed = sum(slot.size_bytes for slot in wanted if not slot.there)
        while needed and self._held() + needed > self._limit_bytes:
            others = [s for s in self._slots.values() if s.there and not s.pinned and s not in wanted]
            idle = next((slot for slot in others if not slot.busy), None)
            if idle is not None:
                await self._unload(idle)
            elif others:
                self._freed.clear()
                await self._freed.wait()
            else:
                break

    async def _load(self, slot: _Slot) -> None:
        if slot.loading is None:
            if slot.failed_at is not None and self._clock.monotonic() - slot.failed_at < RETRY_SECONDS:
                raise RetryableInferenceError("load")
            slot.loading = asyncio.create_task(self._read(slot), name=f"load-{slot.key[1]}")
        # A request that gives up does not stop the thread that reads: whoever comes next has the model.
        await asyncio.shield(slot.loading)
        if slot.built is None:
            raise RetryableInferenceError("load")

    async def _read(self, slot: _Slot) -> None:
        try:
            built = await asyncio.to_thread(slot.build)
            await _start(built)
        except Exception as error:  # noqa: BLE001 - the door of the files: a model that cannot be loaded fails its requests
            slot.failed_at = self._clock.monotonic()
            said = str(error) if isinstance(error, ConfigError) else type(error).__name__
            logger.error("%s model %s could not be loaded: %s", *slot.key, said)
            self._telemetry.count("rag_sidecar_inference_failures_total", model=slot.key[1], reason="load")
        else:
            slot.built, slot.failed_at = built, None
            self._changed(slot.key, built)
        finally:
            slot.loading = None
            self._freed.set()
            self._show()

    async def _unload(self, slot: _Slot) -> None:
        built, slot.built = slot.built, None
        if built is not None:
            await _stop(built)
        logger.info("%s model %s unloaded: others need the memory", *slot.key)
        self._show()

    def _held(self) -> int:
        return _bytes(slot for slot in self._slots.values() if slot.there)

    def _show(self) -> None:
        for role in {role for role, _ in self._slots}:
            loaded = [s for s in self._slots.values() if s.key[0] == role and s.built is not None]
            self._telemetry.set("rag_sidecar_models_loaded", len(loaded), role=role)
            self._telemetry.set("rag_sidecar_models_loaded_bytes", _bytes(loaded), role=role)


def _bytes(slots: Iterable[_Slot]) -> int:
    return sum(slot.size_bytes for slot in slots)


async def _start(built: Built[Any]) -> None:
    for part in built.parts:
        await part.start()


async def _stop(built: Built[Any]) -> None:
    for part in reversed(built.parts):
        await part.stop()
