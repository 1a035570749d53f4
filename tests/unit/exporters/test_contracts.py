"""What every exporter of the registry obeys. A new one needs a line in `DESTINATIONS`, and a test says so."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import pytest
from aiokafka import AIOKafkaConsumer
from prometheus_client import CollectorRegistry, generate_latest

from exporters.base import Exporter, ExportError
from exporters.clients.security import Brokers, SecurityConfig
from exporters.registry import EXPORTERS, Dependencies, Entry
from exporters.result import Result
from sidecar.config import Config, build
from sidecar.record.errors import ConfigError
from tests.parts.mock_kafka import MockKafka
from tests.unit.exporters.otlp_sinks import http_sink
from tests.unit.exporters.samples import EVERY_OUTCOME, HOSTILE, SCORED, SECRET
from tests.unit.exporters.score_sinks import Backend, langfuse_sink, phoenix_sink


@dataclass
class Destination:
    """Settings that lead somewhere, and what has arrived there, as a set of texts."""

    settings: dict[str, Any]
    arrived: Callable[[], Awaitable[set[str]]]
    given: Dependencies = field(default_factory=lambda: dependencies())


@dataclass
class Opened:
    exporter: Exporter
    arrived: Callable[[], Awaitable[set[str]]]


def dependencies(servers: str = "127.0.0.1:1") -> Dependencies:
    return Dependencies(
        registry=CollectorRegistry(),
        evaluators=["faithfulness"],
        grounding_models=["embedded"],
        judge_models=[],
        received=Brokers(servers, SecurityConfig(), "receive"),
    )


Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Destination]]


@asynccontextmanager
async def prometheus() -> AsyncIterator[Destination]:
    given = dependencies()

    async def arrived() -> set[str]:
        return {line for line in generate_latest(given.registry).decode().splitlines() if not line.startswith("#")}

    yield Destination({}, arrived, given)


@asynccontextmanager
async def otlp() -> AsyncIterator[Destination]:
    with http_sink() as sink:

        async def arrived() -> set[str]:
            return {str(record) for record in sink.records}

        yield Destination({"endpoint": sink.url}, arrived)


@asynccontextmanager
async def kafka() -> AsyncIterator[Destination]:
    with MockKafka() as broker:
        broker.create_topic("results", partitions=1)

        async def arrived() -> set[str]:
            return await _read_all(broker.bootstrap_servers)

        yield Destination({"topic": "results"}, arrived, dependencies(broker.bootstrap_servers))


@asynccontextmanager
async def phoenix() -> AsyncIterator[Destination]:
    with phoenix_sink() as sink:
        yield _kept(sink, {"url": sink.url})


@asynccontextmanager
async def langfuse() -> AsyncIterator[Destination]:
    with langfuse_sink() as sink:
        yield _kept(sink, {"url": sink.url, "public_key": "pk", "secret_key": "sk"})


def _kept(sink: Backend, settings: dict[str, Any]) -> Destination:
    async def arrived() -> set[str]:
        return {str(one) for one in sink.kept.items()}

    return Destination(settings, arrived)


async def _read_all(servers: str) -> set[str]:
    consumer = AIOKafkaConsumer("results", bootstrap_servers=servers, auto_offset_reset="earliest")
    await consumer.start()
    try:
        found: set[str] = set()
        while batches := await consumer.getmany(timeout_ms=300):
            found |= {f"{r.key!r} {r.value.decode()}" for records in batches.values() for r in records}
        return found
    finally:
        await consumer.stop()


DESTINATIONS: dict[str, Opener] = {
    "prometheus": prometheus,
    "otlp": otlp,
    "kafka": kafka,
    "phoenix": phoenix,
    "langfuse": langfuse,
}
# Settings with which there is no exporter.
OFF: dict[str, dict[str, Any]] = {
    "prometheus": {"enabled": False},
    "otlp": {},
    "kafka": {},
    "phoenix": {},
    "langfuse": {},
}
every_exporter = pytest.mark.parametrize("entry", EXPORTERS, ids=lambda entry: entry.name)


@asynccontextmanager
async def opened(entry: Entry) -> AsyncIterator[Opened]:
    """An exporter built from its entry that has not been started, and where it sends to."""
    async with DESTINATIONS[entry.name]() as there:
        exporter = entry.build(entry.config.model_validate(there.settings), there.given)
        assert exporter is not None
        yield Opened(exporter, there.arrived)


def seen(exporter: Exporter, results: Sequence[Result]) -> list[Result]:
    """What delivery would hand to it."""
    return [result for result in results if exporter.every_trace or result.outcome.evaluated]


def test_every_exporter_of_the_registry_is_held_to_the_contract() -> None:
    assert {entry.name for entry in EXPORTERS} == DESTINATIONS.keys() == OFF.keys()


def test_names_and_sections_are_words_of_their_own() -> None:
    for words in ([entry.name for entry in EXPORTERS], [entry.section for entry in EXPORTERS]):
        assert len(set(words)) == len(words)
        assert all(word.isidentifier() and word.islower() for word in words)


def test_the_sections_of_the_registry_are_those_of_the_configuration() -> None:
    theirs = {
        name: field.annotation
        for name, field in Config.model_fields.items()
        if field.annotation is not None and field.annotation.__module__.startswith("exporters.")
    }
    assert theirs == {entry.section: entry.config for entry in EXPORTERS}


@every_exporter
def test_a_setting_that_nobody_knows_is_an_error_with_its_path(entry: Entry) -> None:
    with pytest.raises(ConfigError, match=rf"^{entry.section}\.nonsense: no such setting"):
        build({"receive": {"bootstrap_servers": "k:9092", "topics": ["t"]}, entry.section: {"nonsense": 1}})


@every_exporter
async def test_the_name_on_the_label_is_that_of_the_entry(entry: Entry) -> None:
    async with opened(entry) as there:
        assert there.exporter.name == entry.name


@every_exporter
def test_settings_that_want_no_exporter_make_none(entry: Entry) -> None:
    assert entry.build(entry.config.model_validate(OFF[entry.name]), dependencies()) is None


@every_exporter
async def test_results_arrive(entry: Entry) -> None:
    async with opened(entry) as there:
        await there.exporter.start()
        before = await there.arrived()
        await there.exporter.export(seen(there.exporter, EVERY_OUTCOME))
        after = await there.arrived()
        await there.exporter.stop()
    assert after > before


@every_exporter
async def test_the_same_results_again_change_nothing(entry: Entry) -> None:
    async with opened(entry) as there:
        await there.exporter.start()
        results = seen(there.exporter, EVERY_OUTCOME)
        await there.exporter.export(results)
        once = await there.arrived()
        await there.exporter.export(results)
        assert await there.arrived() == once
        await there.exporter.stop()


@every_exporter
async def test_no_user_text_leaves_by_default(entry: Entry) -> None:
    async with opened(entry) as there:
        await there.exporter.start()
        await there.exporter.export([SCORED])
        everything = "\n".join(await there.arrived())
        await there.exporter.stop()
    assert everything
    assert SECRET not in everything
    assert "Towels" not in everything


@every_exporter
async def test_what_is_no_number_never_leaves_and_nobody_is_held_up_by_it(entry: Entry) -> None:
    async with opened(entry) as there:
        await there.exporter.start()
        await there.exporter.export([HOSTILE])
        await there.exporter.export([SCORED])
        everything = "\n".join(await there.arrived()).replace('le="+Inf"', "")
        await there.exporter.stop()
    assert "faithfulness" in everything
    assert re.findall(r"(?i)\b(?:nan|inf|infinity)\b", everything) == []


@every_exporter
async def test_an_empty_push_is_nothing(entry: Entry) -> None:
    async with opened(entry) as there:
        await there.exporter.start()
        before = await there.arrived()
        await there.exporter.export([])
        assert await there.arrived() == before
        await there.exporter.stop()


@every_exporter
async def test_stopping_twice_or_without_a_start_harms_nothing(entry: Entry) -> None:
    before = asyncio.all_tasks()
    async with opened(entry) as there:
        await there.exporter.stop()
    async with opened(entry) as there:
        await there.exporter.start()
        await there.exporter.export([SCORED])
        await there.exporter.stop()
        await there.exporter.stop()
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


@every_exporter
async def test_after_a_stop_it_takes_results_or_refuses_them_and_breaks_no_other_way(entry: Entry) -> None:
    async with opened(entry) as there:
        await there.exporter.start()
        await there.exporter.stop()
        with contextlib.suppress(ExportError):
            await there.exporter.export([replace(SCORED, id="late")])
