"""The receiver's suite on Apache Kafka, and what only a real broker has: groups of several, restarts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from sidecar.kafka.client import check_brokers
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.errors import BrokerError
from tests.kafka.harness import Reader, away, fresh, places, refusal, values
from tests.kafka.suite import GroupSuite, ReceiverSuite
from tests.parts.broker import Message, produce
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


async def test_while_no_broker_answers_no_partition_has_a_leader() -> None:
    topic, group = fresh("spans"), fresh("g")
    with KafkaBroker() as own:
        own.create_topic(topic)
        async with Reader(own.bootstrap_servers, topics=[topic], group_id=group) as reader:

            def leaderless() -> float:
                return reader.telemetry.value("rag_sidecar_leaderless_partitions")

            await reader.poll_for(2.0)
            assert (reader.telemetry.value("rag_sidecar_assigned_partitions"), leaderless()) == (4, 0)
            await away(own.stop_broker)
            await reader.poll_until(lambda: leaderless() == 4)
            await away(own.start_broker)
            await reader.poll_until(lambda: leaderless() == 0, seconds=60)


async def test_a_topic_that_does_not_exist_and_is_not_made_names_the_topic_step() -> None:
    with KafkaBroker(auto_create_topics=False) as own:
        error = await refusal(own.bootstrap_servers, {"protocol": "PLAINTEXT"}, topics=["nowhere"])
        assert error.step == "topic"
        assert "nowhere" in str(error)
        assert "receive.topics" in error.mend


async def test_what_retention_took_is_counted_and_the_rest_is_read(broker: KafkaBroker) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=1)
    settings = {"topics": [topic], "group_id": group, "auto_offset_reset": "latest"}
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        await reader.poll_for(1.0)
        await away(produce, broker, topic, [b"%d" % n for n in range(3)])
        await reader.take(3)
    await away(produce, broker, topic, [b"%d" % n for n in range(3, 60)])
    await away(broker.delete_records, topic, partition=0, before=40)
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        assert places(await reader.take(20)) == [(topic, 0, offset) for offset in range(40, 60)]
        assert reader.telemetry.value("rag_sidecar_lost_records_total", topic=topic) == 37
        # And of a log that is empty by then: it is told once.
        await away(produce, broker, topic, [b"gone"])
        await reader.poll_for(0.1, paused=True)
    await away(broker.delete_records, topic, partition=0, before=61)
    for lost in (1, 0):
        async with Reader(broker.bootstrap_servers, **settings) as reader:
            assert await reader.poll_for(2.0) == []
            await reader.receiver.commit()
            assert reader.telemetry.value("rag_sidecar_lost_records_total", topic=topic) == lost


async def test_a_partition_that_comes_later_is_read_from_its_start(broker: KafkaBroker) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic, partitions=1)
    await away(produce, broker, topic, [b"before the group"])
    settings = {"topics": [topic], "group_id": group, "auto_offset_reset": "latest", "metadata_max_age_seconds": 3.0}
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        assert await reader.poll_for(1.0) == []
        await away(broker.add_partitions, topic, to=2)
        await away(produce, broker, topic, [Message(b"before we heard of it", partition=1)])
        assert values(await reader.take(1, seconds=40)) == [b"before we heard of it"]


async def test_replicas_that_begin_together_begin_at_the_end(broker: KafkaBroker) -> None:
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic)
    await away(produce, broker, topic, [Message(b"old", partition=n % 4) for n in range(40)])
    settings = {"topics": [topic], "group_id": group, "auto_offset_reset": "latest", "lag_interval_seconds": 0.1}
    async with AsyncExitStack() as stack:
        readers = [Reader(broker.bootstrap_servers, **settings) for _ in range(3)]
        await asyncio.gather(*(stack.enter_async_context(one) for one in readers))
        spread = asyncio.gather(*(one.poll_until(lambda: all(r.receiver.assigned for r in readers)) for one in readers))
        early = [taken for some in await spread for taken in some]
        late = [taken for some in await asyncio.gather(*(one.poll_for(2.0) for one in readers)) for taken in some]
        assert early + late == []
        await away(produce, broker, topic, [Message(b"new", partition=n) for n in range(4)])
        new = [taken for some in await asyncio.gather(*(one.poll_for(3.0) for one in readers)) for taken in some]
        assert sorted(one.record.partition for one in new) == [0, 1, 2, 3]
