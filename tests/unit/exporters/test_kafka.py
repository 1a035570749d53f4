"""The results topic, on the mock cluster."""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.structs import ConsumerRecord
from pydantic import ValidationError

from exporters.base import DestinationError, PermanentExportError, RetryableExportError
from exporters.clients.security import Brokers, SecurityConfig
from exporters.kafka import KafkaResultsConfig, KafkaResultsExporter
from exporters.result import Evaluation, Outcome, Result
from tests.parts.login_proxy import LoginProxy
from tests.parts.mock_kafka import PRODUCE, MockKafka
from tests.unit.exporters.samples import HOSTILE, SCORED, SECRET

TOPIC = "rag-results"
# Kafka's numbers of errors.
TOO_LARGE, NOT_AUTHORIZED, NOT_LEADER, OUT_OF_ORDER = 10, 29, 6, 45


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        mock.create_topic(TOPIC, partitions=2)
        yield mock


@asynccontextmanager
async def running(broker: MockKafka, *, writer: str = "", **settings: Any) -> AsyncIterator[KafkaResultsExporter]:
    config = KafkaResultsConfig(topic=TOPIC, **settings)
    brokers = Brokers(broker.bootstrap_servers, SecurityConfig(), "receive")
    exporter = KafkaResultsExporter(config, brokers, writer=writer)
    await exporter.start()
    try:
        yield exporter
    finally:
        await exporter.stop()


async def read(broker: MockKafka, count: int) -> list[ConsumerRecord]:
    """The first `count` records of the topic."""
    consumer = AIOKafkaConsumer(TOPIC, bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest")
    await consumer.start()
    try:
        async with asyncio.timeout(10):
            return [await consumer.getone() for _ in range(count)]
    finally:
        await consumer.stop()


def huge(result: Result) -> Result:
    label = "x" * 5_000_000
    return replace(result, evaluations=(Evaluation(evaluator="e", outcome=Outcome.SCORED, score=1.0, label=label),))


async def test_a_result_arrives_as_json_under_its_trace_id(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        await exporter.export([SCORED])
    (record,) = await read(broker, 1)
    value = orjson.loads(record.value)
    assert record.key == SCORED.trace_id.encode()
    assert dict(record.headers)["content-type"] == b"application/json"
    assert (value["schema"], value["id"], value["verdict"]) == ("rag-sidecar.result.v1", SCORED.id, "hallucinated")
    assert SECRET.encode() not in record.value


async def test_a_result_says_in_a_header_who_wrote_it_where_that_is_given(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        await exporter.export([SCORED])
    async with running(broker, writer="pod-a/01ab") as exporter:
        await exporter.export([SCORED])
    first, second = await read(broker, 2)
    assert "writer" not in dict(first.headers)
    assert dict(second.headers)["writer"] == b"pod-a/01ab"


async def test_texts_go_along_on_request_and_redacted(broker: MockKafka) -> None:
    async with running(broker, include_text=True, redact=(r"\d+ Magrathea",)) as exporter:
        await exporter.export([SCORED])
    (record,) = await read(broker, 1)
    assert b"Zaphod Beeblebrox lives at [redacted] Lane" in record.value


async def test_hostile_results_go_out_as_valid_json(broker: MockKafka) -> None:
    async with running(broker, compression="gzip") as exporter:
        await exporter.export([HOSTILE])
    (record,) = await read(broker, 1)
    assert orjson.loads(record.value)["id"] == HOSTILE.id


async def test_results_of_one_trace_keep_their_order(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        await exporter.export([replace(SCORED, id=str(n)) for n in range(50)])
    records = await read(broker, 50)
    assert [orjson.loads(record.value)["id"] for record in records] == [str(n) for n in range(50)]


async def test_one_result_that_is_too_large_is_refused_alone(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        with pytest.raises(PermanentExportError) as caught:
            await exporter.export([replace(SCORED, id="1"), huge(SCORED), replace(SCORED, id="2")])
    assert (caught.value.rejected, caught.value.error_type) == (1, "MessageSizeTooLargeError")
    assert "max.message.bytes" in caught.value.mend
    assert "results.include_text" in caught.value.mend
    assert {orjson.loads(record.value)["id"] for record in await read(broker, 2)} == {"1", "2"}


async def test_a_passing_trouble_of_the_broker_is_got_over(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        broker.fail(PRODUCE, [NOT_LEADER])
        await exporter.export([SCORED])
    assert len(await read(broker, 1)) == 1


async def test_a_missing_permission_is_permanent(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        broker.fail(PRODUCE, [NOT_AUTHORIZED] * 5)
        with pytest.raises(PermanentExportError) as caught:
            await exporter.export([SCORED])
    assert (caught.value.rejected, caught.value.error_type) == (None, "TopicAuthorizationFailedError")
    assert caught.value.closed, "the next result would be refused as well"


async def test_a_permission_that_is_given_back_is_used_at_the_next_attempt(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        broker.fail(PRODUCE, [NOT_AUTHORIZED])
        with pytest.raises(PermanentExportError):
            await exporter.export([SCORED])
        broker.heal(PRODUCE)
        await exporter.export([SCORED])
    assert len(await read(broker, 1)) == 1


async def test_a_producer_that_lost_its_sequence_is_made_anew(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        broker.fail(PRODUCE, [OUT_OF_ORDER])
        with pytest.raises(RetryableExportError) as caught:
            await exporter.export([SCORED])
        assert caught.value.error_type == "OutOfOrderSequenceNumber"
        broker.heal(PRODUCE)
        await exporter.export([SCORED])
    assert len(await read(broker, 1)) == 1


async def test_a_result_still_on_its_way_is_waited_for_and_not_sent_twice(broker: MockKafka) -> None:
    async with running(broker) as exporter:
        broker.fail(PRODUCE, [NOT_LEADER] * 8)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await exporter.export([SCORED])
        await exporter.export([SCORED])
        await exporter.export([replace(SCORED, id="last")])
    records = await read(broker, 2)
    assert [orjson.loads(record.value)["id"] for record in records] == [SCORED.id, "last"]


async def test_brokers_that_do_not_answer_fail_the_start_naming_the_field() -> None:
    config = KafkaResultsConfig(topic=TOPIC, bootstrap_servers="127.0.0.1:1")
    exporter = KafkaResultsExporter(config, Brokers("unused:1", SecurityConfig(), "receive"))
    with pytest.raises(DestinationError, match=r"results\.bootstrap_servers: 127\.0\.0\.1:1: KafkaConnectionError"):
        await exporter.start()
    await exporter.stop()


async def test_a_stop_ends_although_the_brokers_are_gone_and_leaves_no_task(broker: MockKafka) -> None:
    before = asyncio.all_tasks()
    async with running(broker) as exporter:
        broker.go_down()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await exporter.export([SCORED])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await exporter.stop()
    await asyncio.sleep(0.05)
    assert asyncio.all_tasks() == before


async def test_results_given_up_at_a_stop_between_two_attempts_leave_no_error_that_nobody_took(
    broker: MockKafka,
) -> None:
    troubles: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(str(context)))
    for after in (0.2, 0.25, 0.3, 0.35):
        async with running(broker) as exporter:
            broker.go_down()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(after):
                    await exporter.export([SCORED])
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await exporter.stop()
        broker.come_up()
    del exporter
    gc.collect()
    await asyncio.sleep(0.05)
    assert troubles == []


async def test_without_a_start_results_may_be_pushed_later(broker: MockKafka) -> None:
    config = KafkaResultsConfig(topic=TOPIC, bootstrap_servers="127.0.0.1:1")
    exporter = KafkaResultsExporter(config, Brokers("unused:1", SecurityConfig(), "receive"))
    with pytest.raises(RetryableExportError):
        await exporter.export([SCORED])


@pytest.mark.parametrize("topic", ["", "no good", "a/b", "x" * 250])
def test_a_name_that_is_no_topic_is_refused(topic: str) -> None:
    with pytest.raises(ValidationError):
        KafkaResultsConfig(topic=topic)


def test_a_pattern_that_is_no_regular_expression_is_refused() -> None:
    with pytest.raises(ValidationError, match=re.escape("is no regular expression")):
        KafkaResultsConfig(redact=("(",))


SECRET_LOGIN = SecurityConfig.model_validate(
    {"protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN", "username": "u", "password": "hidden"}
)
OWN_LOGIN = {"protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN", "username": "own", "password": "own-secret"}


@pytest.mark.parametrize(
    ("settings", "servers", "user", "section"),
    [
        ({}, "a:1,b:2", "u", "receive"),
        ({"bootstrap_servers": "b:2,a:1"}, "b:2,a:1", "u", "receive"),
        ({"bootstrap_servers": "c:3"}, "c:3", None, "results"),
        ({"bootstrap_servers": "a:1,c:3"}, "a:1,c:3", None, "results"),
        ({"bootstrap_servers": "c:3", "security": OWN_LOGIN}, "c:3", "own", "results"),
        ({"security": OWN_LOGIN}, "a:1,b:2", "own", "results"),
    ],
)
def test_the_login_of_receive_is_inherited_only_where_no_other_brokers_are_named(
    settings: dict[str, Any], servers: str, user: str | None, section: str
) -> None:
    found = KafkaResultsConfig.model_validate({"topic": TOPIC, **settings}).brokers(
        Brokers("a:1,b:2", SECRET_LOGIN, "receive")
    )
    assert (found.servers, found.security.username, found.section) == (servers, user, section)
    assert found.security.protocol == ("SASL_PLAINTEXT" if user else "PLAINTEXT")


async def test_the_brokers_of_receive_are_shown_its_login(broker: MockKafka) -> None:
    async with LoginProxy(broker.bootstrap_servers) as front:
        exporter = KafkaResultsExporter(
            KafkaResultsConfig(topic=TOPIC), Brokers(front.servers, SECRET_LOGIN, "receive")
        )
        await exporter.start()
        await exporter.export([SCORED])
        await exporter.stop()
    assert front.logins
    assert all(b"hidden" in login for login in front.logins)


async def test_other_brokers_are_shown_no_login_of_receive_though_they_ask_for_one(broker: MockKafka) -> None:
    async with LoginProxy(broker.bootstrap_servers) as front:
        config = KafkaResultsConfig(topic=TOPIC, bootstrap_servers=front.servers)
        exporter = KafkaResultsExporter(config, Brokers("unused:1", SECRET_LOGIN, "receive"))
        with pytest.raises(DestinationError, match=r"results\.security"):
            await exporter.start()
        await exporter.stop()
    assert front.logins == []


async def test_a_missing_file_fails_the_start_naming_its_own_setting(broker: MockKafka, tmp_path: Path) -> None:
    security = {"protocol": "SASL_PLAINTEXT", "username": "u", "password_file": tmp_path / "missing"}
    config = KafkaResultsConfig.model_validate({"topic": TOPIC, "security": security})
    exporter = KafkaResultsExporter(config, Brokers(broker.bootstrap_servers, SecurityConfig(), "receive"))
    with pytest.raises(DestinationError) as caught:
        await exporter.start()
    assert caught.value.field == "results.security.password_file"


async def test_a_file_that_is_away_for_a_moment_is_a_push_to_try_again(broker: MockKafka, tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("hidden")
    security = {"protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN", "username": "u", "password_file": secret}
    async with LoginProxy(broker.bootstrap_servers) as front:
        received = Brokers(front.servers, SecurityConfig.model_validate(security), "receive")
        exporter = KafkaResultsExporter(KafkaResultsConfig(topic=TOPIC), received)
        await exporter.start()
        broker.fail(PRODUCE, [OUT_OF_ORDER])
        with pytest.raises(RetryableExportError):
            await exporter.export([SCORED])
        broker.heal(PRODUCE)
        secret.unlink()
        with pytest.raises(RetryableExportError) as caught:
            await exporter.export([SCORED])
        assert caught.value.error_type == "UnreadableFileError"
        secret.write_text("changed")
        await exporter.export([SCORED])
        await exporter.stop()
    assert b"changed" in front.logins[-1]
    assert len(await read(broker, 1)) == 1
