"""What every exporter of the registry obeys. A new one needs a line in `DESTINATIONS`, and a test says so."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pytest
from aiokafka import AIOKafkaConsumer
from prometheus_client import CollectorRegistry, generate_latest

from exporters.base import Exporter, ExportError
from exporters.clients.security import Brokers, SecurityConfig
from exporters.kafka import KafkaResultsConfig, KafkaResultsExporter
from exporters.otlp import OtlpConfig, OtlpExporter
from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.registry import EXPORTERS
from exporters.result import Result
from tests.parts.mock_kafka import MockKafka
from tests.unit.exporters.otlp_sinks import http_sink
from tests.unit.exporters.samples import EVERY_OUTCOME, HOSTILE, SCORED, SECRET


@dataclass
class Destination:
    """An exporter that has not been started, and what has arrived where it sends to, as a set of texts."""

    exporter: Exporter
    arrived: Callable[[], Awaitable[set[str]]]


Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Destination]]


@asynccontextmanager
async def prometheus() -> AsyncIterator[Destination]:
    registry = CollectorRegistry()
    exporter = PrometheusExporter(PrometheusConfig(), registry, evaluators=["faithfulness"])

    async def arrived() -> set[str]:
        return {line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#")}

    yield Destination(exporter, arrived)


@asynccontextmanager
async def otlp() -> AsyncIterator[Destination]:
    with http_sink() as sink:

        async def arrived() -> set[str]:
            return {str(record) for record in sink.records}

        yield Destination(OtlpExporter(OtlpConfig(endpoint=sink.url)), arrived)


@asynccontextmanager
async def kafka() -> AsyncIterator[Destination]:
    with MockKafka() as broker:
        broker.create_topic("results", partitions=1)

        async def arrived() -> set[str]:
            return await _read_all(broker.bootstrap_servers)

        config = KafkaResultsConfig(topic="results")
        exporter = KafkaResultsExporter(config, Brokers(broker.bootstrap_servers, SecurityConfig(), "receive"))
        yield Destination(exporter, arrived)


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


DESTINATIONS: dict[type[Any], Opener] = {
    PrometheusExporter: prometheus,
    OtlpExporter: otlp,
    KafkaResultsExporter: kafka,
}
every_exporter = pytest.mark.parametrize("open_one", DESTINATIONS.values(), ids=[e.name for e in DESTINATIONS])


def seen(exporter: Exporter, results: Sequence[Result]) -> list[Result]:
    """What delivery would hand to it."""
    return [result for result in results if exporter.every_trace or result.outcome.evaluated]


def test_every_exporter_of_the_registry_is_held_to_the_contract() -> None:
    assert set(EXPORTERS) == DESTINATIONS.keys()


def test_names_are_words_of_their_own() -> None:
    names = [exporter.name for exporter in EXPORTERS]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and name.islower() for name in names)


@every_exporter
async def test_results_arrive(open_one: Opener) -> None:
    async with open_one() as there:
        await there.exporter.start()
        before = await there.arrived()
        await there.exporter.export(seen(there.exporter, EVERY_OUTCOME))
        after = await there.arrived()
        await there.exporter.stop()
    assert after > before


@every_exporter
async def test_the_same_results_again_change_nothing(open_one: Opener) -> None:
    async with open_one() as there:
        await there.exporter.start()
        results = seen(there.exporter, EVERY_OUTCOME)
        await there.exporter.export(results)
        once = await there.arrived()
        await there.exporter.export(results)
        assert await there.arrived() == once
        await there.exporter.stop()


@every_exporter
async def test_no_user_text_leaves_by_default(open_one: Opener) -> None:
    async with open_one() as there:
        await there.exporter.start()
        await there.exporter.export([SCORED])
        everything = "\n".join(await there.arrived())
        await there.exporter.stop()
    assert everything
    assert SECRET not in everything
    assert "Towels" not in everything


@every_exporter
async def test_what_is_no_number_never_leaves_and_nobody_is_held_up_by_it(open_one: Opener) -> None:
    async with open_one() as there:
        await there.exporter.start()
        await there.exporter.export([HOSTILE])
        await there.exporter.export([SCORED])
        everything = "\n".join(await there.arrived()).replace('le="+Inf"', "")
        await there.exporter.stop()
    assert "faithfulness" in everything
    assert re.findall(r"(?i)\b(?:nan|inf|infinity)\b", everything) == []


@every_exporter
async def test_an_empty_push_is_nothing(open_one: Opener) -> None:
    async with open_one() as there:
        await there.exporter.start()
        before = await there.arrived()
        await there.exporter.export([])
        assert await there.arrived() == before
        await there.exporter.stop()


@every_exporter
async def test_stopping_twice_or_without_a_start_harms_nothing(open_one: Opener) -> None:
    before = asyncio.all_tasks()
    async with open_one() as there:
        await there.exporter.stop()
    async with open_one() as there:
        await there.exporter.start()
        await there.exporter.export([SCORED])
        await there.exporter.stop()
        await there.exporter.stop()
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


@every_exporter
async def test_after_a_stop_it_takes_results_or_refuses_them_and_breaks_no_other_way(open_one: Opener) -> None:
    async with open_one() as there:
        await there.exporter.start()
        await there.exporter.stop()
        with contextlib.suppress(ExportError):
            await there.exporter.export([replace(SCORED, id="late")])
