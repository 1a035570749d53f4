"""The results topic: one JSON object a request, keyed by trace id, so that a compacted topic keeps the latest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

import aiokafka.errors
import orjson
from aiokafka import AIOKafkaProducer
from pydantic import BaseModel, ConfigDict, Field, field_validator

from exporters.base import ExportError, PermanentExportError, RetryableExportError
from exporters.result import Result
from exporters.serialize import clean, result_to_json

_HEADERS = [("content-type", b"application/json"), ("schema", b"rag-sidecar.result.v1")]


class KafkaResultsConfig(BaseModel):
    """Settings of the results topic."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str | None = Field(default=None, min_length=1, description="Topic for results; none turns the exporter off.")
    bootstrap_servers: str | None = Field(default=None, description="Brokers; by default those of `receive`.")
    include_text: bool = Field(
        default=False, description="Put claims and explanations, which are user text, into the results."
    )
    redact: tuple[str, ...] = Field(
        default=(), description="Regular expressions; what they match becomes [redacted] in texts."
    )

    @field_validator("redact")
    @classmethod
    def _compile(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
        return patterns


class KafkaResultsExporter:
    """Exporter to a Kafka topic, idempotent producer, acks from all in-sync replicas."""

    name = "kafka"
    every_trace = False
    local = False

    def __init__(self, config: KafkaResultsConfig, *, bootstrap_servers: str, security: Mapping[str, Any]) -> None:
        self._config = config
        self._options = {"bootstrap_servers": config.bootstrap_servers or bootstrap_servers, **security}
        self._redact = [re.compile(pattern) for pattern in config.redact]
        self._producer: AIOKafkaProducer | None = None

    async def start(self) -> None:
        """Connect. Raises RetryableExportError where no broker answers."""
        producer = AIOKafkaProducer(
            enable_idempotence=True, acks="all", linger_ms=20, max_request_size=4_000_000, **self._options
        )
        try:
            await producer.start()
        except aiokafka.errors.KafkaError as error:
            await producer.stop()
            raise map_error(error) from error
        self._producer = producer

    async def export(self, results: Sequence[Result]) -> None:
        """Send and wait for the acknowledgements. Raises RetryableExportError or PermanentExportError."""
        producer, topic = self._producer, self._config.topic
        if producer is None or topic is None:
            raise PermanentExportError("the producer is not started", error_type="not_started")
        try:
            futures = [
                await producer.send(
                    topic, value=self._value(result), key=clean(result.trace_id).encode(), headers=_HEADERS
                )
                for result in results
            ]
            await asyncio.gather(*futures)
        except aiokafka.errors.KafkaError as error:
            raise map_error(error) from error

    async def stop(self) -> None:
        """Flush and close."""
        if self._producer is not None:
            producer, self._producer = self._producer, None
            await producer.stop()

    def _value(self, result: Result) -> bytes:
        return orjson.dumps(result_to_json(result, with_text=self._config.include_text, redact=self._redact))


def map_error(error: aiokafka.errors.KafkaError) -> ExportError:
    """aiokafka's errors say themselves whether trying again may help; those of the client are about us or the network."""
    kind = type(error).__name__
    permanent = isinstance(
        error,
        aiokafka.errors.MessageSizeTooLargeError
        | aiokafka.errors.TopicAuthorizationFailedError
        | aiokafka.errors.InvalidTopicError
        | aiokafka.errors.ClusterAuthorizationFailedError
        | aiokafka.errors.UnsupportedVersionError,
    )
    if permanent:
        return PermanentExportError(f"Kafka refuses the results: {kind}", error_type=kind)
    return RetryableExportError(f"Kafka does not take the results: {kind}", error_type=kind)
