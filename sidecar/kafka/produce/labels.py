"""The labels topic: what people said of answers, one JSON object each, keyed by the id of the result, so that compaction keeps the latest."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from aiokafka.errors import KafkaError
from pydantic import BaseModel, ConfigDict, Field

from exporters.clients.producer import open_producer
from sidecar.kafka.client import explain
from sidecar.kafka.settings import ReceiveConfig

_REQUEST_SECONDS, _STOP_SECONDS = 10.0, 5.0


class LabelsConfig(BaseModel):
    """Settings of labels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str | None = Field(
        default=None,
        pattern=r"^[a-zA-Z0-9._-]{1,249}$",
        description="Topic that `rag-sidecar label` writes labels to, on the brokers of `receive`, and reads what was labelled from; none: files alone.",
    )
    file: Path | None = Field(
        default=None,
        description="File of labels that the page /label and `rag-sidecar label` add to and read what was labelled from, where that names no other.",
    )


async def send_labels(config: ReceiveConfig, topic: str, labels: Sequence[tuple[str, bytes]]) -> None:
    """Write (key, label) and wait until all in-sync replicas have them. Raises BrokerError naming the step that failed, or ConfigError."""
    try:
        async with asyncio.timeout(config.start_timeout_seconds):
            producer = await open_producer(
                config.brokers,
                client_id=f"{config.client_id}-label",
                request_seconds=_REQUEST_SECONDS,
                enable_idempotence=True,
            )
            try:
                sent = [await producer.send(topic, key=key.encode(), value=value) for key, value in labels]
                await asyncio.gather(*sent)
            finally:
                await producer.close(_STOP_SECONDS)
    except (KafkaError, OSError, TimeoutError) as error:
        raise explain(error, config.brokers, config.bootstrap_servers) from error
