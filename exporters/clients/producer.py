"""A Kafka producer is opened and closed here, whoever it writes for."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, ProducerClosed

from exporters.clients.security import Brokers

logger = logging.getLogger(__name__)


async def open_producer(
    brokers: Brokers, *, client_id: str, request_seconds: float, **options: Any
) -> AIOKafkaProducer:
    """A producer that has connected and asks for the acknowledgement of all in-sync replicas.

    `options` are more of aiokafka's. Files of the settings are read anew each time. Raises KafkaError or OSError (UnreadableFileError
    is one), and leaves nothing open then, nor when it is cancelled.
    """
    producer = AIOKafkaProducer(
        client_id=client_id,
        acks="all",
        request_timeout_ms=int(request_seconds * 1000),
        **brokers.client_options(),
        **options,
    )
    try:
        await producer.start()
    except BaseException:
        # A producer whose start failed cannot be started again.
        await close_producer(producer, 0.0)
        raise
    return producer


async def close_producer(producer: AIOKafkaProducer, seconds: float) -> None:
    """Flush and close within `seconds`; what the brokers do not take in time is given up. Never raises; leaves no task behind."""
    try:
        async with asyncio.timeout(seconds):
            await producer.stop()
    except (KafkaError, OSError, TimeoutError) as error:
        if seconds:
            logger.warning("a Kafka producer did not stop cleanly (%s)", type(error).__name__)
    finally:
        # Where the brokers do not answer, or we are cancelled, stop() leaves tasks of its own behind.
        await producer._sender.close()
        producer._message_accumulator.fail_all(ProducerClosed())
        await producer.client.close()
