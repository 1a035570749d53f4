"""The results topic on Apache Kafka: logins, missing topics and rights, and a broker that goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import orjson
import pytest

from exporters.base import DestinationError, PermanentExportError
from exporters.clients.security import Brokers, SecurityConfig
from exporters.kafka import KafkaResultsConfig, KafkaResultsExporter
from exporters.result import Evaluation, Outcome, Result
from sidecar.deliver import DeliverConfig, Deliverer
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from tests.kafka.harness import fresh
from tests.parts import kafka as parts
from tests.parts.broker import read
from tests.parts.kafka import KafkaBroker
from tests.unit.exporters.samples import SCORED

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("closed_connections")]


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker(secure=True, auto_create_topics=False) as kafka:
        yield kafka


@pytest.fixture
def topic(broker: KafkaBroker) -> str:
    name = fresh("results")
    broker.create_topic(name)
    return name


def exporter(broker: KafkaBroker, topic: str, *, login: dict[str, Any] | None = None) -> KafkaResultsExporter:
    received = Brokers(broker.bootstrap_servers, SecurityConfig(), "receive")
    if login is not None:
        secure = {"protocol": "SASL_SSL", "ca_file": broker.certificates.authority, **login}
        received = Brokers(broker.sasl_servers, SecurityConfig.model_validate(secure), "receive")
    return KafkaResultsExporter(KafkaResultsConfig(topic=topic, compression="zstd"), received)


def results(count: int) -> list[Result]:
    return [replace(SCORED, id=f"r{n}", trace_id=f"{n:032x}") for n in range(count)]


async def arrived(broker: KafkaBroker, topic: str, count: int) -> list[str]:
    """The ids of the results in the topic, sorted: `count` of them, or more where some came twice."""
    messages = await asyncio.to_thread(read, broker, topic, count=count + 1, seconds=3)
    return sorted(orjson.loads(message.value or b"{}")["id"] for message in messages)


async def test_results_arrive_each_once(broker: KafkaBroker, topic: str) -> None:
    sink = exporter(broker, topic)
    await sink.start()
    await sink.export(results(300))
    await sink.stop()
    assert await arrived(broker, topic, 300) == sorted(f"r{n}" for n in range(300))


async def test_a_login_by_scram_over_tls_is_let_in(broker: KafkaBroker, topic: str) -> None:
    sink = exporter(broker, topic, login={"username": parts.SCRAM_USER, "password": parts.SCRAM_PASSWORD})
    await sink.start()
    await sink.export(results(1))
    await sink.stop()
    assert await arrived(broker, topic, 1) == ["r0"]


async def test_a_wrong_password_fails_the_start_naming_the_brokers(broker: KafkaBroker, topic: str) -> None:
    sink = exporter(broker, topic, login={"username": parts.SCRAM_USER, "password": "wrong"})
    with pytest.raises(DestinationError, match=r"results\.bootstrap_servers"):
        await sink.start()
    await sink.stop()


async def test_a_missing_topic_fails_the_start_naming_the_topic(broker: KafkaBroker) -> None:
    sink = exporter(broker, "no-such-topic")
    with pytest.raises(DestinationError, match=r"results\.topic: no-such-topic"):
        await sink.start()
    await sink.stop()


async def test_a_user_without_rights_fails_the_start(broker: KafkaBroker, topic: str) -> None:
    login = {"sasl_mechanism": "PLAIN", "username": parts.POOR_USER, "password": parts.POOR_PASSWORD}
    sink = exporter(broker, topic, login=login)
    with pytest.raises(DestinationError):
        await sink.start()
    await sink.stop()


async def test_a_result_that_is_too_large_does_not_take_others_with_it(broker: KafkaBroker, topic: str) -> None:
    sink = exporter(broker, topic)
    await sink.start()
    label = Evaluation(evaluator="e", outcome=Outcome.SCORED, score=1.0, label="x" * 5_000_000)
    with pytest.raises(PermanentExportError) as caught:
        await sink.export([*results(3), replace(SCORED, evaluations=(label,))])
    assert caught.value.rejected == 1
    await sink.stop()
    assert await arrived(broker, topic, 3) == ["r0", "r1", "r2"]


async def test_no_result_is_lost_or_doubled_while_the_broker_restarts(broker: KafkaBroker, topic: str) -> None:
    telemetry = Telemetry()
    config = DeliverConfig(timeout_seconds=2, most_attempts=100, backoff_seconds=0.1, linger_seconds=0)
    results_topic = exporter(broker, topic)
    deliverer = Deliverer(
        config, [results_topic], required=[results_topic.name], telemetry=telemetry, clock=SystemClock()
    )
    await deliverer.start()
    done: list[str] = []

    async def deliver(some: list[Result]) -> None:
        for result in some:
            await deliverer.deliver(result, done=partial(done.append, result.id))

    everything = results(90)
    await deliver(everything[:30])
    async with asyncio.timeout(30):
        while len(done) < 30:  # noqa: ASYNC110 - a count, not an event
            await asyncio.sleep(0.05)
    await asyncio.to_thread(broker.stop_broker)
    await deliver(everything[30:60])
    await asyncio.sleep(3)
    assert len(done) == 30
    await asyncio.to_thread(broker.start_broker)
    await deliver(everything[60:])
    await deliverer.stop(60)
    assert sorted(done) == sorted(result.id for result in everything)
    assert await arrived(broker, topic, 90) == sorted(result.id for result in everything)
    outcomes = {labels["outcome"]: value for labels, value in telemetry.values("rag_sidecar_exports_total")}
    assert outcomes == {"ok": 90}
