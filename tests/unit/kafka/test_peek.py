"""The latest records of a topic, beside every group; and what the client says where it cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exporters.clients.security import Brokers, SecurityConfig
from sidecar.kafka.client import check_results, survey
from sidecar.kafka.peek import peek, standing
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.errors import BrokerError, ConfigError
from sidecar.record.record import Record
from tests.kafka.harness import QUICK, away, fresh
from tests.parts.broker import Message, committed, produce
from tests.parts.login_proxy import LoginProxy
from tests.parts.mock_kafka import MockKafka


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


def receive(broker: MockKafka, topic: str, **settings: Any) -> ReceiveConfig:
    values = {**QUICK, "bootstrap_servers": broker.bootstrap_servers, "topics": [topic], **settings}
    return ReceiveConfig.model_validate(values)


async def test_the_latest_records_come_oldest_first_and_nothing_is_committed(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    for number in range(6):
        await away(produce, broker, topic, [Message(b"%d" % number, partition=number % 2)])
    config = receive(broker, topic)
    found = await peek(config, topic, 4)
    assert [record.value for record in found] == [b"2", b"3", b"4", b"5"]
    assert await away(committed, broker, config.group_id, topic) == {}


def test_a_record_stands_unless_a_later_one_of_its_key_and_partition_has_no_value() -> None:
    def record(offset: int, key: bytes | None, value: bytes | None, partition: int = 0) -> Record:
        return Record("results", partition, offset, 1000.0 - offset, key, value)

    # The order of time is another one than that of offsets, which alone counts.
    erased, kept, stone = record(0, b"a", b"1"), record(1, b"b", b"2"), record(2, b"a", None)
    again, other, bare = record(3, b"a", b"3"), record(1, b"a", b"4", partition=1), record(4, None, b"5")
    bare_stone, empty = record(5, None, None), record(6, b"c", b"")
    assert standing([again, stone, other, bare, bare_stone, empty, kept, erased]) == [b"3", b"4", b"5", b"2"]
    assert standing([record(1, b"a", None), erased]) == standing([]) == []


async def test_an_empty_topic_shows_nothing_and_a_missing_one_is_named(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    assert await peek(receive(broker, topic), topic, 4) == []
    with pytest.raises(BrokerError, match="topic: nowhere does not exist"):
        await peek(receive(broker, topic), "nowhere", 4)


async def test_a_missing_topic_is_named_by_its_setting_and_made_where_it_is_written_to_next(broker: MockKafka) -> None:
    config, topic = receive(broker, fresh("spans")), fresh("labels")
    with pytest.raises(BrokerError, match=rf"topic: {topic} does not exist .*labels\.topic"):
        await peek(config, topic, 4, setting="labels.topic")
    assert await peek(config, topic, 4, setting="labels.topic", create=True) == []


@pytest.mark.parametrize("kind", ["password_file", "token_file"])
async def test_a_file_that_is_not_there_is_a_wrong_setting_named_by_its_path(
    broker: MockKafka, tmp_path: Path, kind: str
) -> None:
    mechanism = {"password_file": "PLAIN", "token_file": "OAUTHBEARER"}[kind]
    user = {"username": "u"} if kind == "password_file" else {}
    security = {"protocol": "SASL_PLAINTEXT", "sasl_mechanism": mechanism, kind: tmp_path / "missing", **user}
    async with LoginProxy(broker.bootstrap_servers) as front:
        config = receive(broker, "spans", security=security, bootstrap_servers=front.servers)
        with pytest.raises(ConfigError) as caught:
            await survey(config, topics=(), create=False)
        assert caught.value.field == f"receive.security.{kind}"
        results = Brokers(front.servers, SecurityConfig.model_validate(security), "results")
        with pytest.raises(ConfigError) as caught:
            await check_results(receive(broker, "spans"), results, "results")
        assert caught.value.field == f"results.security.{kind}"


async def test_what_is_wrong_with_the_brokers_of_the_results_names_their_settings(broker: MockKafka) -> None:
    away_from_here = Brokers("127.0.0.1:1", SecurityConfig(), "results")
    with pytest.raises(BrokerError) as caught:
        await check_results(receive(broker, "spans"), away_from_here, "results")
    assert caught.value.step == "connect"
    assert "results.bootstrap_servers" in caught.value.mend
