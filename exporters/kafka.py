"""The results topic: one JSON object a request, keyed by trace id, so that whoever knows that alone can erase all of a trace. A compacted topic keeps
the latest result of a trace id, not of a request (docs/results.md).

The producer is idempotent and asks for the acknowledgement of all in-sync replicas. aiokafka never gives up on what an
idempotent producer has taken, so a result that is pushed again while it is still on its way is waited for, not sent twice.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, field_validator

from exporters.base import DestinationError, ExportError, PermanentExportError, RetryableExportError
from exporters.clients.files import UnreadableFileError
from exporters.clients.kafka_errors import FAILURES, Kind, kind_of
from exporters.clients.producer import KafkaProducer, open_producer
from exporters.clients.security import Brokers, SecurityConfig, refuse_schemes
from exporters.result import SCHEMA, Result
from exporters.serialize import result_to_json
from exporters.text import Patterns, clean

logger = logging.getLogger(__name__)

# The header that says who wrote a result: a replica, or the command that scores past windows again.
WRITER, BACKFILL = "writer", "backfill"
_HEADERS = [("content-type", b"application/json"), ("schema", SCHEMA.encode())]
_REQUEST_SECONDS = 10.0
_START_SECONDS = 20.0
_STOP_SECONDS = 10.0
_MOST_REQUEST_BYTES = 4_000_000
_TOO_LARGE = {"MessageSizeTooLargeError", "RecordListTooLargeError", "RecordTooLargeError"}
_SMALLER = "raise max.message.bytes of the results topic (4 MB is the most that is sent), or leave texts out (results.include_text: false)"


class KafkaResultsConfig(BaseModel):
    """Settings of the results topic."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str | None = Field(
        default=None,
        pattern=r"^[a-zA-Z0-9._-]{1,249}$",
        description="Topic for results; none turns the exporter off.",
    )
    bootstrap_servers: str | None = Field(
        default=None, description="Brokers as host:port, separated by commas; by default those of `receive`."
    )
    security: SecurityConfig | None = Field(
        default=None,
        description="Encryption and login; by default those of `receive`, and none where bootstrap_servers names other brokers.",
    )
    compression: Literal["none", "gzip", "snappy", "lz4", "zstd"] = Field(
        default="none", description="Compression of the records: none, gzip, snappy, lz4 or zstd."
    )
    include_text: bool = Field(
        default=False, description="Put claims and explanations, which are user text, into the results."
    )
    redact: Patterns = Field(
        default=(), description="Regular expressions; what they match becomes [redacted] in texts."
    )

    @field_validator("bootstrap_servers")
    @classmethod
    def _servers(cls, value: str | None) -> str | None:
        refuse_schemes((value or "").split(","))
        return value

    def brokers(self, received: Brokers) -> Brokers:
        """The brokers of the results. The login for those that are `received` from is never shown to others."""
        named = Brokers(self.bootstrap_servers or received.servers, self.security or SecurityConfig(), "results")
        if self.security is not None or named.others(received):
            return named
        return replace(received, servers=named.servers)


class KafkaResultsExporter:
    """Exporter to a Kafka topic. `received` are the brokers that the sidecar reads from, `writer` says in a header who wrote."""

    name = "kafka"
    every_trace = False
    local = False

    def __init__(self, config: KafkaResultsConfig, received: Brokers, *, writer: str = "") -> None:
        self._config = config
        self._headers = [*_HEADERS, (WRITER, writer.encode())] if writer else _HEADERS
        self._brokers = config.brokers(received)
        self._redact = [re.compile(pattern) for pattern in config.redact]
        self._producer: KafkaProducer | None = None
        self._on_their_way: dict[str, asyncio.Future[Any]] = {}
        self._stopped = False

    async def start(self) -> None:
        """Connect and look for the topic. Raises DestinationError where no broker answers or the topic is missing."""
        field = "results.bootstrap_servers"
        mend = f"start the brokers, or check address and {self._brokers.section}.security"
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._connect()
                field, mend = "results.topic", "create it, or allow the user to describe it and write to it"
                await self._require().partitions_for(self._topic)
        except UnreadableFileError as error:
            raise DestinationError(error.field, error.problem, error.mend) from error
        except FAILURES as error:
            await self._disconnect()
            where = self._brokers.servers if field.endswith("servers") else self._topic
            passing = kind_of(error) in (Kind.RETRYABLE, Kind.RENEW)
            raise DestinationError(field, f"{where}: {type(error).__name__}", mend, passing=passing) from error

    async def export(self, results: Sequence[Result]) -> None:
        """Send and wait for the acknowledgements. Raises RetryableExportError or PermanentExportError."""
        if self._stopped:
            raise PermanentExportError("stopped", error_type="stopped")
        if self._producer is None:
            await self._reconnect()
        self._forget_all_but({result.id for result in results})
        failures: dict[str, Exception] = {}
        for result in results:
            if result.id in self._on_their_way:
                continue
            try:
                self._on_their_way[result.id] = await self._require().send(
                    self._topic, value=self._value(result), key=clean(result.trace_id).encode(), headers=self._headers
                )
            except FAILURES as error:
                failures[result.id] = error
                if kind_of(error) is not Kind.REFUSED:
                    break
        sent = {r.id: self._on_their_way[r.id] for r in results if r.id in self._on_their_way}
        if sent:
            await asyncio.wait(sent.values())
        for name, future in sent.items():
            del self._on_their_way[name]
            failure = _error_of(future)
            if failure is not None:
                failures[name] = failure
        await self._judge(list(failures.values()))

    async def stop(self) -> None:
        """Flush and close; what the brokers do not take in time is given up."""
        self._stopped = True
        await self._disconnect()

    async def _judge(self, failures: Sequence[Exception]) -> None:
        """Raise the one error that says what to do about all of these."""
        kinds = {kind_of(error): type(error).__name__ for error in failures}
        # A login or a right that was mended shows to a new producer.
        if kinds.keys() & {Kind.RENEW, Kind.PERMANENT}:
            await self._disconnect()
        for kind in (Kind.RENEW, Kind.RETRYABLE):
            if kind in kinds:
                raise RetryableExportError(f"Kafka does not take results now: {kinds[kind]}", error_type=kinds[kind])
        if Kind.PERMANENT in kinds:
            name = kinds[Kind.PERMANENT]
            raise PermanentExportError(f"Kafka refuses the results: {name}", error_type=name, closed=True)
        if failures:
            name = kinds[Kind.REFUSED]
            raise PermanentExportError(
                f"Kafka refuses a result: {name}",
                error_type=name,
                rejected=len(failures),
                mend=_SMALLER if name in _TOO_LARGE else "",
            )

    async def _reconnect(self) -> None:
        try:
            await self._connect()
        except FAILURES as error:
            raise export_error(error) from error

    async def _connect(self) -> None:
        self._producer = await open_producer(
            self._brokers,
            client_id="rag-sidecar-results",
            request_seconds=_REQUEST_SECONDS,
            enable_idempotence=True,
            linger_ms=5,
            compression_type=None if self._config.compression == "none" else self._config.compression,
            max_request_size=_MOST_REQUEST_BYTES,
        )

    async def _disconnect(self) -> None:
        producer, self._producer = self._producer, None
        self._forget_all_but(set())
        if producer is not None:
            await producer.close(_STOP_SECONDS)

    def _forget_all_but(self, ids: set[str]) -> None:
        """Let go of the results that nobody waits for any more: delivery gave them up, or the producer is gone."""
        for name in self._on_their_way.keys() - ids:
            self._on_their_way.pop(name).add_done_callback(_error_of)

    def _require(self) -> KafkaProducer:
        if self._producer is None:
            raise RetryableExportError("the producer is not started", error_type="not_started")
        return self._producer

    @property
    def _topic(self) -> str:
        if self._config.topic is None:
            raise DestinationError("results.topic", "is not set", "name the topic")
        return self._config.topic

    def _value(self, result: Result) -> bytes:
        return orjson.dumps(result_to_json(result, with_text=self._config.include_text, redact=self._redact))


def export_error(error: Exception) -> ExportError:
    """One of aiokafka's errors as one of ours. `error_type` is the name of its class, never its text."""
    name = type(error).__name__
    if kind_of(error) in (Kind.RETRYABLE, Kind.RENEW):
        return RetryableExportError(f"Kafka does not take results now: {name}", error_type=name)
    return PermanentExportError(f"Kafka refuses the results: {name}", error_type=name, closed=True)


def _error_of(future: asyncio.Future[Any]) -> Exception | None:
    """How a send ended; asking also keeps asyncio from reporting the error as never looked at."""
    if future.cancelled():
        return TimeoutError()
    error = future.exception()
    return error if isinstance(error, Exception) or error is None else TimeoutError()
