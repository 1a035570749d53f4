"""Where results are read from, and the requests that they are about."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import typer

from sidecar.commands.idle import refuse_idle
from sidecar.commands.output import refuse_overwriting
from sidecar.commands.requests import Made, Requests, Texts, read_request_file, read_requests, texts_of
from sidecar.commands.results.read import Row
from sidecar.config import Config, load
from sidecar.kafka.peek import follow, peek, standing
from sidecar.record.errors import ConfigError
from sidecar.record.request import RagTrace
from sidecar.redact.redactor import Redactor
from sidecar.settings.input_file import read_input


@dataclass(frozen=True, slots=True)
class Source:
    """Results in a file, or the latest `records` of a topic; requests in a file, or in the topics that are received."""

    settings: Config
    file: Path | None
    topic: str
    named_by: str
    records: int
    requests: Path | None
    received: bool

    def lines(self) -> Iterable[bytes]:
        """The lines there are, without what was erased. Raises ConfigError or BrokerError."""
        if self.file is None:
            return standing(
                asyncio.run(peek(self.settings.receive_results, self.topic, self.records, setting=self.named_by))
            )
        return read_input(self.file, "give a readable file of results").splitlines()

    async def batches(self) -> AsyncIterator[list[bytes]]:
        """The same of a topic, and then what comes to it. Raises BrokerError."""
        async for batch in follow(self.settings.receive_results, self.topic, self.records, setting=self.named_by):
            yield standing(batch)

    def texts(self) -> TextsOf:
        """The texts of the requests. Raises ConfigError or BrokerError."""
        asked = self.received or self.requests is not None
        found = read_request_file(self.requests, self.settings) if self.requests else []
        if self.received:
            topics = self.settings.receive.topic_names
            records = [one for name in topics for one in asyncio.run(peek(self.settings.receive, name, self.records))]
            found += read_requests(records, self.settings)
        return TextsOf(found if asked else None, self.settings)


class TextsOf:
    """Finds the texts of results."""

    def __init__(self, requests: Sequence[RagTrace] | None, settings: Config) -> None:
        self._redactor = cache(partial(Redactor, settings.redact))
        self._requests = None if requests is None else Requests(requests, self._redactor)

    def request(self, row: Row) -> RagTrace | None:
        """The request of a result as it was, with nothing redacted; None where it was not read."""
        return self._requests.of(_made(row)) if self._requests else None

    def has(self, row: Row) -> bool:
        """Whether any request has the id of a result, be it surely its own or not."""
        return self._requests is not None and self._requests.has(_made(row))

    def told(self) -> str | None:
        """What is to be known of results of which no request is surely theirs."""
        return self._requests.told() if self._requests else None

    def __call__(self, row: Row) -> Texts | None:
        """What the request says, so that its result's places point into it; None where it was not read."""
        record, trace = row.record, self.request(row)
        return None if trace is None else texts_of(trace, self._redactor if record.redacted is not None else None)


def _made(row: Row) -> Made:
    record = row.record
    return Made(record.id, record.trace_id, record.request_digest, redacted=record.redacted is not None)


def refuse_records(context: typer.Context, file: Path | None, *, received: bool) -> None:
    """Raises ConfigError where --records is given and no topic is read."""
    if file is not None and not received:
        refuse_idle(context, ("records",), "a file is read, and no topic")


def open_source(
    file: Path | None, topic: str | None, records: int, requests: Path | None, received: bool, config: Path | None
) -> Source:
    """What the command line names. Raises ConfigError naming what is missing."""
    refuse_overwriting((file, requests, config), None)
    settings = load(config, kafka=received or file is None)
    if file is not None and topic is not None:
        raise ConfigError("results", "a file and --topic are given", "give one of them")
    named_by = "--topic" if topic else "results.topic"
    if file is None and (topic := topic or settings.results.topic) is None:
        raise ConfigError("results", "none are named", "give a file, results.topic or --topic")
    if received and not settings.receive.topic_names:
        raise ConfigError("--received", "receive.topics names no topic", "name them, or give a file with --requests")
    return Source(settings, file, topic or "", named_by, records, requests, received)
