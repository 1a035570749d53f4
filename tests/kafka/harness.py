"""Starts receivers, polls them and stops them again."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any

import pytest
from aiokafka.conn import create_conn
from aiokafka.protocol.produce import ProduceRequest
from aiokafka.record.default_records import DefaultRecordBatchBuilder
from aiokafka.record.legacy_records import LegacyRecordBatchBuilder
from aiokafka.record.util import calc_crc32c

from sidecar.kafka.consume.offsets import Partition
from sidecar.kafka.consume.receiver import Receiver, Taken
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.errors import BrokerError
from tests.parts.broker import Broker

# Short enough for a test; the floor is what brokers accept.
QUICK: dict[str, Any] = {
    "auto_offset_reset": "earliest",
    "session_timeout_seconds": 3.0,
    "heartbeat_interval_seconds": 0.3,
    "rebalance_timeout_seconds": 10.0,
    "connect_timeout_seconds": 5.0,
    "start_timeout_seconds": 15.0,
    "metadata_max_age_seconds": 1.0,
    "commit_interval_seconds": 0.0,
    "poll_timeout_seconds": 0.1,
    "fetch_max_wait_seconds": 0.1,
}


def fresh(name: str) -> str:
    """A name that no other test uses."""
    return f"{name}-{uuid.uuid4().hex[:8]}"


class Reader:
    """A receiver of a test, with what it was told. `async with Reader(...) as reader`."""

    def __init__(self, servers: str, **settings: Any) -> None:
        self.config = ReceiveConfig(bootstrap_servers=servers, **{**QUICK, **settings})
        self.telemetry = Telemetry()
        self.revoked: list[set[Partition]] = []
        self.receiver = Receiver(self.config, self.telemetry, SystemClock(), on_revoked=self.revoked.append)

    async def __aenter__(self) -> Reader:
        await self.receiver.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.receiver.stop()

    async def take(self, count: int, *, seconds: float = 20.0, release: bool = True) -> list[Taken]:
        """Poll until `count` records have come. Raises AssertionError when time is up first."""
        found: list[Taken] = []
        deadline = time.monotonic() + seconds
        while len(found) < count:
            assert time.monotonic() < deadline, f"only {len(found)} of {count} records came"
            found += await self.receiver.poll(paused=False)
        if release:
            for taken in found:
                taken.lease.release()
            await self.receiver.commit()
        return found

    async def poll_for(self, seconds: float, *, paused: bool = False) -> list[Taken]:
        """Whatever comes in a time."""
        found: list[Taken] = []
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found += await self.receiver.poll(paused=paused)
        return found

    async def poll_until(
        self, condition: Callable[[], bool], *, seconds: float = 20.0, paused: bool = False
    ) -> list[Taken]:
        """Poll until a condition holds. Raises AssertionError when time is up first."""
        found: list[Taken] = []
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the condition never held"
            found += await self.receiver.poll(paused=paused)
        return found


def places(taken: list[Taken]) -> list[tuple[str, int, int]]:
    """Where each record lies."""
    return [(one.record.topic, one.record.partition, one.record.offset) for one in taken]


def values(taken: list[Taken]) -> list[bytes]:
    """The values, sorted: partitions come in any order."""
    return sorted(one.record.value or b"" for one in taken)


async def away(function: Callable[..., Any], *words: Any, **named: Any) -> Any:
    """Run a blocking call of the test's own client without stopping the receivers."""
    return await asyncio.to_thread(function, *words, **named)


async def eventually(condition: Callable[[], Awaitable[bool]], *, seconds: float = 10.0) -> None:
    """Wait until a condition holds. Raises AssertionError when time is up first."""
    deadline = time.monotonic() + seconds
    while not await condition():
        assert time.monotonic() < deadline, "the condition never held"
        await asyncio.sleep(0.05)


def released(taken: Taken) -> Callable[[], Awaitable[bool]]:
    """Whether nobody holds a record any more."""

    async def done() -> bool:
        return taken.lease.done

    return done


async def refusal(servers: str, security: dict[str, Any], **settings: Any) -> BrokerError:
    """The error of a start that must fail, within ten seconds."""
    values = {**QUICK, "topics": ["x"], "bootstrap_servers": servers, "security": security, **settings}
    receiver = Receiver(ReceiveConfig(**values), Telemetry(), SystemClock(), on_revoked=lambda _: None)
    started = time.monotonic()
    with pytest.raises(BrokerError) as caught:
        await receiver.start()
    await receiver.stop()
    assert time.monotonic() - started < 10
    assert "-secret" not in str(caught.value)
    return caught.value


async def produce_unreadable(broker: Broker, topic: str, *, partition: int) -> int:
    """Write a record whose header name is not UTF-8: brokers take it, aiokafka cannot parse it. Returns its offset."""
    builder = _batch()
    builder.append(0, int(time.time() * 1000), key=b"key", value=b"value", headers=[("NAME", b"")])
    batch = bytearray(bytes(builder.build()).replace(b"NAME", b"\xff\xfe\xfd\xfc"))
    batch[17:21] = calc_crc32c(bytes(batch[21:])).to_bytes(4, "big")
    return await _send(broker, topic, partition, bytes(batch))


async def produce_together(broker: Broker, topic: str, values: Sequence[bytes], *, partition: int) -> int:
    """Write values in one batch with gzip, which no client's batching cuts. Returns the first offset."""
    builder = _batch(compression_type=LegacyRecordBatchBuilder.CODEC_GZIP)
    for number, value in enumerate(values):
        assert builder.append(number, int(time.time() * 1000), key=None, value=value, headers=[]) is not None
    return await _send(broker, topic, partition, bytes(builder.build()))


def _batch(compression_type: int = 0) -> DefaultRecordBatchBuilder:
    return DefaultRecordBatchBuilder(
        magic=2,
        compression_type=compression_type,
        is_transactional=0,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=16_000_000,
    )


async def _send(broker: Broker, topic: str, partition: int, batch: bytes) -> int:
    """Write a batch as it is. Returns its first offset."""
    host, _, port = broker.bootstrap_servers.partition(":")
    connection = await create_conn(host, int(port))
    try:
        answer = await connection.send(ProduceRequest(None, -1, 5000, [(topic, [(partition, batch)])]))
    finally:
        connection.close()
    ((_, ((_, error, offset, *_),)),) = answer.topics
    assert error == 0
    return int(offset)
