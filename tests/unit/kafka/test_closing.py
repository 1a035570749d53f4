"""A consumer is closed whatever its stop() comes to, and whoever closes it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from aiokafka import AIOKafkaConsumer

from sidecar.kafka.closing import close_consumer
from sidecar.kafka.consume.tail import Tail
from sidecar.kafka.consume.window import Window
from sidecar.record.clock import ManualClock
from tests.unit.page.answers import RECEIVE


@dataclass
class Client:
    closed: bool = False

    async def close(self) -> None:
        self.closed = True


@dataclass
class Consumer:
    """Stops as it is told to."""

    stopping: Callable[[], Awaitable[Any]]
    _client: Client = field(default_factory=Client)

    async def stop(self) -> None:
        await self.stopping()


async def cancelled() -> None:
    """What aiokafka's stop() comes to while a fetch pauses after a failure."""
    pause = asyncio.create_task(asyncio.sleep(60))
    await asyncio.sleep(0)
    pause.cancel()
    await pause


async def broken() -> None:
    raise OSError("gone")


STOPS = {"cancelled": cancelled, "broken": broken, "never": asyncio.Event().wait, "well": lambda: asyncio.sleep(0)}


@pytest.mark.parametrize("name", STOPS)
async def test_whoever_closes_a_consumer_goes_on_and_its_connections_are_closed(name: str) -> None:
    consumer = Consumer(STOPS[name])
    async with asyncio.timeout(5):
        await close_consumer(cast("AIOKafkaConsumer", consumer), seconds=0.05)
    assert consumer._client.closed


async def test_what_reads_on_is_not_ended_by_a_consumer_that_is_closed_in_the_middle_of_a_pause() -> None:
    made = Tail(RECEIVE, RECEIVE.brokers, "results", back_seconds=0, most_back=0, clock=ManualClock())
    consumer = Consumer(cancelled)
    made._consumer = cast("AIOKafkaConsumer", consumer)
    await made.close()
    assert consumer._client.closed


async def test_a_backfill_closes_however_its_consumer_stops() -> None:
    window = Window(RECEIVE, ManualClock(), begin=0.0, end=1.0)
    own, consumer = window._consumer, Consumer(cancelled)
    window._consumer = cast("AIOKafkaConsumer", consumer)
    await window.stop()
    assert consumer._client.closed
    await own.stop()
