"""A few records that somebody waits for, by a producer of their own: labels, erasures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from aiokafka.errors import KafkaError

from exporters.clients.producer import open_producer
from exporters.clients.security import Brokers
from sidecar.kafka.client import explain
from sidecar.kafka.settings import ReceiveConfig

_REQUEST_SECONDS, _STOP_SECONDS = 10.0, 5.0


async def send_now(
    config: ReceiveConfig, brokers: Brokers, topic: str, records: Sequence[tuple[str, bytes | None]], *, client: str
) -> None:
    """Write (key, value) and wait until all in-sync replicas have them. Raises BrokerError naming the step that failed, or ConfigError.
    `client` goes into the name that brokers know us by."""
    try:
        async with asyncio.timeout(config.start_timeout_seconds):
            producer = await open_producer(
                brokers,
                client_id=f"{config.client_id}-{client}",
                request_seconds=_REQUEST_SECONDS,
                enable_idempotence=True,
            )
            try:
                sent = [await producer.send(topic, key=key.encode(), value=value) for key, value in records]
                await asyncio.gather(*sent)
            finally:
                await producer.close(_STOP_SECONDS)
    except (KafkaError, OSError, TimeoutError) as error:
        raise explain(error, brokers, brokers.servers) from error
