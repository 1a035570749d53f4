"""Where results are read from, and the requests that they are about."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import typer

from sidecar.commands.idle import refuse_idle
from sidecar.commands.inspect import read_files
from sidecar.commands.output import refuse_overwriting
from sidecar.commands.requests import Requests, Texts, read_requests, texts_of
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
        found = read_files(self.requests, None) if self.requests else []
        if self.received:
            for topic in self.settings.receive.topic_names:
                found += asyncio.run(peek(self.settings.receive, topic, self.records))
        asked = self.received or self.requests is not None
        return TextsOf(Requests(read_requests(found, self.settings)) if asked else None, self.settings)


class TextsOf:
    """Finds the texts of results."""

    def __init__(self, requests: Requests | None, settings: Config) -> None:
        self._requests = requests
        self._redactor = cache(partial(Redactor, settings.redact))

    def request(self, row: Row) -> RagTrace | None:
        """The request of a result as it was, with nothing redacted; None where it was not read."""
        return self._requests.of(row.record.id, row.record.trace_id) if self._requests else None

    def __call__(self, row: Row) -> Texts | None:
        """What the request says, so that its result's places point into it; None where it was not read."""
        record, trace = row.record, self.request(row)
        return None if trace is None else texts_of(trace, self._redactor if record.redacted is not None else None)


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
