"""A Kafka producer is opened and closed here, whoever it writes for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, ProducerClosed
from aiokafka.producer.message_accumulator import MessageAccumulator

from exporters.clients.security import Brokers

logger = logging.getLogger(__name__)


class KafkaProducer:
    """A producer that has connected. It asks for the acknowledgement of all in-sync replicas."""

    def __init__(self, producer: AIOKafkaProducer) -> None:
        self._producer = producer

    async def send(
        self, topic: str, *, key: bytes | None, value: bytes | None, headers: Sequence[tuple[str, bytes]] = ()
    ) -> asyncio.Future[Any]:
        """Queue a message; the future is its acknowledgement. Waits for room and metadata. Raises KafkaError, both do."""
        sent: asyncio.Future[Any] = await self._producer.send(topic, key=key, value=value, headers=list(headers))
        return sent

    async def partitions_for(self, topic: str) -> None:
        """Look for a topic. Raises KafkaError where it is missing or not ours to see."""
        await self._producer.partitions_for(topic)

    async def close(self, seconds: float) -> None:
        """Flush and close within `seconds`; what the brokers do not take in time is given up. Never raises; leaves no task behind."""
        try:
            async with asyncio.timeout(seconds):
                await self._producer.stop()
        except (KafkaError, OSError, TimeoutError) as error:
            if seconds:
                logger.warning("a Kafka producer did not stop cleanly (%s)", type(error).__name__)
        finally:
            # Where the brokers do not answer, or we are cancelled, stop() leaves tasks of its own behind.
            await self._producer._sender.close()
            _give_up(self._producer._message_accumulator)
            await self._producer.client.close()


async def open_producer(brokers: Brokers, *, client_id: str, request_seconds: float, **options: Any) -> KafkaProducer:
    """Connect. `options` are more of aiokafka's. Files of the settings are read anew each time.

    Raises KafkaError or OSError (UnreadableFileError is one), and leaves nothing open then, nor when it is cancelled.
    """
    producer = AIOKafkaProducer(
        client_id=client_id,
        acks="all",
        request_timeout_ms=int(request_seconds * 1000),
        **brokers.client_options(),
        **options,
    )
    brokers.keep_fresh(producer.client)
    try:
        await producer.start()
    except BaseException:
        # A producer whose start failed cannot be started again.
        await KafkaProducer(producer).close(0.0)
        raise
    return KafkaProducer(producer)


def _give_up(accumulator: MessageAccumulator) -> None:
    """Fail all that was not sent. aiokafka's own way reports each batch that waited for another attempt as an error that nobody took: it is
    looked for among those on their way, and nobody waits for its turn."""
    waiting = [batch for batches in accumulator._batches.values() for batch in batches]
    accumulator._pending_batches.update(waiting)
    accumulator.fail_all(ProducerClosed())
    for batch in waiting:
        batch._drain_waiter.exception()
