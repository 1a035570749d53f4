"""The host's clock is set forward or back while the sidecar runs: no trace ends by it, and what is read stays read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from sidecar.kafka.consume.receiver import Receiver
from sidecar.record.clock import SystemClock
from tests.kafka.harness import Reader, fresh
from tests.parts.broker import produce
from tests.parts.mock_kafka import MockKafka

HOUR = 3600.0


class SetClock(SystemClock):
    """The host's clock after somebody set it; monotonic time knows nothing of that."""

    shift = 0.0

    def now(self) -> float:
        return super().now() + self.shift


@pytest.fixture(scope="module")
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


async def read_to_the_end(reader: Reader, *, seconds: float = 10.0) -> bool:
    """Whether every partition is said to be read to its end within a time."""
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        await reader.receiver.poll(paused=False)
        if len(reader.receiver.caught_up()) == 4:
            return True
    return False


@pytest.mark.parametrize("shift", [HOUR, -HOUR], ids=["forward", "back"])
async def test_an_answer_of_before_the_clock_was_set_does_not_say_that_all_is_read(
    broker: MockKafka, shift: float
) -> None:
    topic, clock = fresh("spans"), SetClock()
    broker.create_topic(topic)
    reader = Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("group"))
    reader.receiver = Receiver(reader.config, reader.telemetry, clock, on_revoked=reader.revoked.append)
    async with reader:
        produce(broker, topic, [b"one", b"two"])
        await reader.take(2)
        assert await read_to_the_end(reader)
        clock.shift = shift
        await reader.poll_for(0.5)
        assert reader.receiver.caught_up() == {}
        clock.shift = 0.0
        assert await read_to_the_end(reader)
