"""Closing a consumer that is in no group, whatever it was at."""

from __future__ import annotations

import asyncio
import logging

from aiokafka import AIOKafkaConsumer

logger = logging.getLogger(__name__)


async def close_consumer(consumer: AIOKafkaConsumer, *, seconds: float) -> None:
    """Stop it within `seconds`, and close its connections. Raises nothing but our own cancellation.

    aiokafka's stop() cancels its fetches and awaits them: one that pauses after a failure then raises CancelledError, which would end whoever closes
    and leave the connections open. So it has a task of its own.
    """
    stopping = asyncio.create_task(consumer.stop(), name="kafka-stop")
    try:
        await asyncio.wait({stopping}, timeout=seconds)
    finally:
        stopping.cancel()
        await asyncio.wait({stopping})
        await consumer._client.close()
    if not stopping.cancelled() and (error := stopping.exception()) is not None:
        logger.warning("a Kafka consumer did not stop cleanly (%s)", type(error).__name__)
