"""The receiver's suite on Apache Kafka, and what only a real broker has: groups of several, restarts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sidecar.kafka.client import check_brokers
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.errors import BrokerError
from tests.kafka.harness import Reader, away, fresh, refusal, values
from tests.kafka.suite import GroupSuite, ReceiverSuite
from tests.parts.broker import produce
from tests.parts.kafka import KafkaBroker

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as kafka:
        yield kafka


class TestReceiverOnKafka(ReceiverSuite):
    """The same as on the mock."""


class TestGroupOnKafka(GroupSuite):
    """Groups of several members."""


async def test_check_names_topics_that_do_not_exist_and_makes_none(broker: KafkaBroker) -> None:
    here, missing, dead = fresh("spans"), fresh("missing"), fresh("dead")
    broker.create_topic(here)
    config = ReceiveConfig(bootstrap_servers=broker.bootstrap_servers, topics=(here, missing))
    for _ in range(2):
        with pytest.raises(BrokerError, match=f"topic: {missing} does not exist"):
            await check_brokers(config)
    config = ReceiveConfig(bootstrap_servers=broker.bootstrap_servers, topics=(here,), dead_letter_topic=dead)
    with pytest.raises(BrokerError, match=f"dead-letter topic {dead} does not exist"):
        await check_brokers(config)


async def test_records_go_on_after_the_broker_was_away() -> None:
    topic, group = fresh("spans"), fresh("g")
    with KafkaBroker() as own:
        own.create_topic(topic)
        await away(produce, own, topic, [b"before"])
        async with Reader(own.bootstrap_servers, topics=[topic], group_id=group) as reader:
            assert values(await reader.take(1)) == [b"before"]
            await away(own.stop_broker)
            assert await reader.poll_for(3.0) == []
            await away(own.start_broker)
            await away(produce, own, topic, [b"after"])
            assert values(await reader.take(1, seconds=60)) == [b"after"]


async def test_a_topic_that_does_not_exist_and_is_not_made_names_the_topic_step() -> None:
    with KafkaBroker(auto_create_topics=False) as own:
        error = await refusal(own.bootstrap_servers, {"protocol": "PLAINTEXT"}, topics=["nowhere"])
        assert error.step == "topic"
        assert "nowhere" in str(error)
        assert "receive.topics" in error.mend
