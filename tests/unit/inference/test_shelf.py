"""Models within a budget of memory: loaded when needed, the ones unused for longest unloaded, failures counted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from sidecar.inference.entry import Built
from sidecar.inference.shelf import RETRY_SECONDS, Key, Shelf
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.errors import ConfigError, RetryableInferenceError


@dataclass
class Part:
    """Remembers whether it runs."""

    running: bool = False

    async def start(self) -> None:
        self.running = True

    async def stop(self) -> None:
        self.running = False


@dataclass
class Store:
    """Models of files that a test may break; remembers which were read, in which thread."""

    telemetry: Telemetry = field(default_factory=Telemetry)
    clock: ManualClock = field(default_factory=ManualClock)
    read: list[str] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)
    parts: dict[str, Part] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    wait: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.wait.set()

    def shelf(self, limit: int, **sizes: int) -> Shelf:
        shelf = Shelf(limit_bytes=limit, telemetry=self.telemetry, clock=self.clock)
        for name, size in sizes.items():
            shelf.add(key(name), self.build(name), size_bytes=size)
        return shelf

    def build(self, name: str) -> Callable[[], Built[str]]:
        def build() -> Built[str]:
            self.wait.wait(10)
            self.read.append(name)
            self.threads.add(threading.get_ident())
            if name in self.broken:
                raise ConfigError("inference.model_dir", "damaged")
            self.parts[name] = Part()
            return Built(name, (self.parts[name],))

        return build

    def running(self) -> set[str]:
        return {name for name, part in self.parts.items() if part.running}

    def loaded_bytes(self) -> float:
        return self.telemetry.value("rag_sidecar_models_loaded_bytes")


def key(name: str) -> Key:
    return ("grounding", name)


async def use(shelf: Shelf, name: str) -> str:
    async with shelf.lease([key(name)]) as (model,):
        return str(model)


async def test_a_model_is_read_once_and_off_the_event_loop() -> None:
    store = Store()
    shelf = store.shelf(100, a=10)
    assert store.read == []
    assert await asyncio.gather(*(use(shelf, "a") for _ in range(5))) == ["a"] * 5
    assert store.read == ["a"]
    assert threading.get_ident() not in store.threads
    assert store.running() == {"a"}
    assert store.telemetry.value("rag_sidecar_models_loaded", role="grounding") == 1
    assert store.loaded_bytes() == 10


async def test_the_one_unused_for_longest_makes_room() -> None:
    store = Store()
    shelf = store.shelf(25, a=10, b=10, c=10)
    for name in ("a", "b", "a", "c"):
        await use(shelf, name)
    assert store.running() == {"a", "c"}
    assert store.loaded_bytes() == 20
    await shelf.stop()
    assert store.running() == set()


async def test_pinned_models_stay_whatever_is_loaded() -> None:
    store = Store()
    shelf = store.shelf(15, a=10)
    shelf.pin(key("default"), store.build("default")(), size_bytes=10)
    await shelf.start()
    assert await use(shelf, "a") == "a"
    assert store.running() == {"default", "a"}  # together over the budget: what is wanted alone is let in
    assert await use(shelf, "default") == "default"


async def test_a_model_in_use_is_not_unloaded_and_who_waits_comes_in_turn() -> None:
    store = Store()
    shelf = store.shelf(15, a=10, big=40)
    order: list[str] = []

    async def take(name: str) -> None:
        await use(shelf, name)
        order.append(name)

    async with shelf.lease([key("a")]):
        waiting = [asyncio.create_task(take("big")), asyncio.create_task(take("a"))]
        for _ in range(20):
            await asyncio.sleep(0)
        assert store.read == ["a"]
        assert order == []
    await asyncio.gather(*waiting)
    assert order == ["big", "a"]
    assert store.read == ["a", "big", "a"]
    assert store.running() == {"a"}


async def test_one_that_cannot_be_loaded_fails_its_requests_and_is_tried_again_later() -> None:
    store = Store(broken={"a"})
    shelf = store.shelf(100, a=10, b=10)
    for _ in range(3):
        with pytest.raises(RetryableInferenceError, match="load"):
            await use(shelf, "a")
    assert store.read == ["a"]
    assert store.telemetry.value("rag_sidecar_inference_failures_total", model="a", reason="load") == 1
    assert await use(shelf, "b") == "b"
    store.broken.clear()
    store.clock.advance(RETRY_SECONDS)
    assert await use(shelf, "a") == "a"


async def test_a_request_that_gives_up_while_a_model_loads_leaves_it_for_the_next() -> None:
    store = Store()
    shelf = store.shelf(15, a=10, b=10)
    store.wait.clear()
    first = asyncio.create_task(use(shelf, "a"))
    await asyncio.sleep(0.01)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second, other = asyncio.create_task(use(shelf, "a")), asyncio.create_task(use(shelf, "b"))
    await asyncio.sleep(0.01)
    store.wait.set()
    assert list(await asyncio.gather(second, other)) == ["a", "b"]
    assert store.read == ["a", "b"]
    assert store.running() == {"b"}
