"""A cluster that is gone from where it was is found again at the addresses of the settings: here another one that has taken over."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest

from exporters.base import RetryableExportError
from exporters.clients.producer import open_producer
from exporters.clients.security import Brokers, SecurityConfig
from exporters.kafka import KafkaResultsConfig, KafkaResultsExporter
from tests.kafka.harness import Reader, away, fresh, values
from tests.parts.broker import produce, read
from tests.parts.login_proxy import LoginProxy
from tests.parts.mock_kafka import MockKafka
from tests.unit.exporters.samples import SCORED

TOPIC = "rag"


@pytest.fixture
def clusters() -> Iterator[tuple[MockKafka, MockKafka]]:
    with MockKafka() as first, MockKafka() as second:
        for one in (first, second):
            one.create_topic(TOPIC)
        second.go_down()
        yield first, second


def move(clusters: tuple[MockKafka, MockKafka]) -> None:
    """The second takes over."""
    first, second = clusters
    first.go_down()
    second.come_up()


def both(clusters: tuple[MockKafka, MockKafka]) -> str:
    return ",".join(one.bootstrap_servers for one in clusters)


async def test_results_are_delivered_where_every_known_broker_is_gone(clusters: tuple[MockKafka, MockKafka]) -> None:
    exporter = KafkaResultsExporter(
        KafkaResultsConfig(topic=TOPIC), Brokers(both(clusters), SecurityConfig(), "receive")
    )
    await exporter.start()
    move(clusters)
    async with asyncio.timeout(20):
        delivered = False
        while not delivered:
            # A producer's number is the other cluster's: it is made anew.
            with suppress(RetryableExportError):
                await exporter.export([SCORED])
                delivered = True
    await exporter.stop()
    assert [orjson.loads(one.value or b"")["id"] for one in await away(read, clusters[1], TOPIC, count=1)] == [
        SCORED.id
    ]


async def test_a_message_of_the_outbox_is_delivered_by_the_producer_that_has_it(
    clusters: tuple[MockKafka, MockKafka],
) -> None:
    producer = await open_producer(
        Brokers(both(clusters), SecurityConfig(), "receive"), client_id="outbox", request_seconds=10
    )
    await (await producer.send(TOPIC, key=None, value=b"before"))
    move(clusters)
    await (await producer.send(TOPIC, key=None, value=b"after"))
    await producer.close(5)
    assert [one.value for one in await away(read, clusters[1], TOPIC, count=1)] == [b"after"]


async def test_records_are_read_where_every_known_broker_is_gone(clusters: tuple[MockKafka, MockKafka]) -> None:
    await away(produce, clusters[0], TOPIC, [b"before"])
    async with Reader(both(clusters), topics=[TOPIC], group_id=fresh("g"), metadata_max_age_seconds=300.0) as reader:
        assert values(await reader.take(1)) == [b"before"]
        move(clusters)
        await away(produce, clusters[1], TOPIC, [b"after"])
        assert values(await reader.take(1, seconds=60)) == [b"after"]


async def test_the_addresses_are_asked_with_the_password_of_the_file(
    clusters: tuple[MockKafka, MockKafka], tmp_path: Path
) -> None:
    """A client that reads its password anew goes back to them as any other does."""
    secret = tmp_path / "password"
    secret.write_text("one")
    login: dict[str, Any] = {
        "protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "username": "u",
        "password_file": secret,
    }
    first, second = clusters
    async with LoginProxy(first.bootstrap_servers) as front, LoginProxy(second.bootstrap_servers) as back:
        brokers = Brokers(f"{front.servers},{back.servers}", SecurityConfig.model_validate(login), "receive")
        producer = await open_producer(brokers, client_id="c", request_seconds=10)
        await (await producer.send(TOPIC, key=None, value=b"before"))
        secret.write_text("two")
        move(clusters)
        await (await producer.send(TOPIC, key=None, value=b"after"))
        await producer.close(5)
    assert back.logins
    assert all(b"two" in login for login in back.logins)
