"""The status page of one replica shows what all of them scored, on Apache Kafka; and what reading the results topic meets there."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions

from sidecar.app import App
from sidecar.kafka.consume.tail import Tail
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.clock import SystemClock
from sidecar.record.errors import BrokerError
from tests.kafka.harness import QUICK, away, eventually, fresh
from tests.kafka.main_job import running
from tests.parts.broker import Message, produce, read
from tests.parts.kafka import KafkaBroker
from tests.unit.test_pipeline import native

pytestmark = [pytest.mark.real, pytest.mark.alone]
OWN = {"x-rag-sidecar": "1"}
GOOD, BAD = "The warranty is two years.", "The warranty is nine years and covers the moon."


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker(auto_create_topics=False) as kafka:
        yield kafka


def requests(numbers: range) -> list[Message]:
    """Every third of them is made up. Keyed, so that replicas share them."""
    context = ["The warranty is two years. It does not cover batteries."]
    found = []
    for n in numbers:
        value = native(
            n,
            question="How long is the warranty?",
            answer=BAD if n % 3 == 0 else GOOD,
            contexts=context,
            user_id="ada",
            session_id=f"s-{n % 4}",
        )
        found.append(Message(value, key=str(n).encode()))
    return found


async def get(app: App, path: str, **asked: Any) -> Any:
    async with httpx.AsyncClient(timeout=30) as client:
        answer = await client.get(f"http://127.0.0.1:{app.admin.port}/api/{path}", params=asked)
        assert answer.status_code == 200, answer.text
        return answer.json()


async def erase(app: App, **asked: Any) -> Any:
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.post(f"http://127.0.0.1:{app.admin.port}/api/erase", json=asked, headers=OWN)
        assert answer.status_code == 200, answer.text
        return answer.json()


def shows(app: App, count: int) -> Callable[[], Awaitable[bool]]:
    """Whether the page of a replica shows so many answers."""

    async def asked() -> bool:
        return bool((await get(app, "answers", list="latest", limit=500))["found"] == count)

    return asked


def series_share(apps: list[App]) -> float:
    """The share of hallucinated verdicts by the series of all replicas, which is what the rules are made of."""
    name, found = "rag_verdict_weight_total", {"hallucinated": 0.0, "grounded": 0.0}
    for app in apps:
        for family in app.telemetry.registry.collect():
            for one in family.samples:
                if one.name == name and one.labels["verdict"] in found:
                    found[one.labels["verdict"]] += one.value
    return found["hallucinated"] / sum(found.values())


async def test_each_replica_shows_the_answers_of_both_and_a_new_one_those_from_before(broker: KafkaBroker) -> None:
    topic, results, group = fresh("requests"), fresh("results"), fresh("group")
    broker.create_topic(topic, partitions=4)
    broker.create_topic(results, partitions=3)
    sections: dict[str, dict[str, Any]] = {
        "receive": {"group_id": group},
        "results": {"topic": results},
        "status_page": {"show_text": True},
    }
    async with running(broker, [topic], **sections) as first:
        async with running(broker, [topic], **sections) as second:
            async with asyncio.timeout(60):
                while not all(len(app.receiver.assigned) == 2 for app in (first, second)):  # noqa: ASYNC110 - no event for it
                    await asyncio.sleep(0.1)
            await away(produce, broker, topic, requests(range(48)))
            for app in (first, second):
                await eventually(shows(app, 48), seconds=90)
            own = [app.telemetry.value("rag_sidecar_requests_total", outcome="scored") for app in (first, second)]
            assert min(own) > 0
            assert sum(own) == 48
            for app, scored in zip((first, second), own, strict=True):
                page = await get(app, "status", service="kb")
                assert page["service"]["requests"] == scored
                assert page["service"]["headline"]["share"] == pytest.approx(series_share([first, second]))
                [other] = page["replica"]["reading"]["writers"]
                assert other["results"] == 48 - scored
                rows = (await get(app, "answers", list="worst", limit=500))["answers"]
                assert sum(row["replica"] is None for row in rows) == scored
                assert all((row["question_start"] is None) == (row["replica"] is not None) for row in rows)
                of_other = next(row for row in rows if row["replica"] is not None)
                whole = await get(app, f"answers/{of_other['id']}")
                assert (whole["question"], whole["answer"], whole["claims"][0]["text"]) == (None, None, None)
                turns = await get(app, "answers", session="s-1")
                assert (turns["found"], turns["session"]["turns"]) == (12, 12)
        share = series_share([first])
        # By user a replica knows what it scored itself; written to the topic it is forgotten by all.
        gone = await erase(first, user="ada", topic=True)
        assert gone == {"erased": own[0], "traces_in_topic": own[0]}
        async with running(broker, [topic], **sections) as third:
            await eventually(shows(third, 48 - int(own[0])), seconds=60)
            page = await get(third, "status", service="kb")
            assert page["replica"]["reading"]["caught_up"]
            # The topic is as old as the first result.
            assert first.clock.now() - 600 < page["replica"]["known_since"] < page["replica"]["started"]
            # What was counted stays counted.
            assert page["service"]["headline"]["samples"] == pytest.approx(48)
            assert page["service"]["requests"] == 0
    assert 0 < share < 1
    stones = [one for one in await away(read, broker, results, count=999, seconds=3) if one.value is None]
    assert len(stones) == own[0]


@asynccontextmanager
async def tail(broker: KafkaBroker, topic: str, **settings: Any) -> AsyncIterator[Tail]:
    config = ReceiveConfig(bootstrap_servers=broker.bootstrap_servers, topics=("unused",), **QUICK)
    given = {"back_seconds": 3600.0, "most_back": 1000, "clock": SystemClock(), **settings}
    made = Tail(config, config.brokers, topic, **given)
    await made.open()
    try:
        yield made
    finally:
        await made.close()


async def values(made: Tail, count: int) -> list[bytes]:
    found: list[bytes] = []
    async with asyncio.timeout(20):
        while len(found) < count or not made.caught_up:
            found += [one.value or b"" for one in await made.next()]
    return sorted(found)


def write(broker: KafkaBroker, topic: str, rows: list[tuple[bytes, float, int]]) -> None:
    """(value, age in seconds, partition)."""
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    for value, age, partition in rows:
        producer.produce(topic, value=value, partition=partition, timestamp=int((time.time() - age) * 1000))
    assert producer.flush(30) == 0


async def test_it_looks_back_by_time_and_by_number_and_knows_from_when_on_it_has_all(broker: KafkaBroker) -> None:
    topic = fresh("results")
    broker.create_topic(topic, partitions=2)
    rows = [(b"%d" % n, 7200.0 - 600 * n, n % 2) for n in range(12)]
    await away(write, broker, topic, rows)
    now = time.time()
    async with tail(broker, topic) as made:
        assert await values(made, 5) == [b"10", b"11", b"7", b"8", b"9"]
        assert made.whole_since == pytest.approx(now - 3600, abs=60)
        await away(write, broker, topic, [(b"live", 0, 1)])
        assert await values(made, 1) == [b"live"]
    async with tail(broker, topic, back_seconds=7500.0, most_back=6) as made:
        assert len(await values(made, 6)) == 6
        # Of one partition all of the last 40 minutes is known, of the other only that of the last half hour: it is whole from the later on.
        assert made.whole_since == pytest.approx(now - 1800, abs=60)
    async with tail(broker, topic, most_back=0) as made:
        assert await values(made, 0) == []
        assert made.whole_since == pytest.approx(time.time(), abs=60)
    async with tail(broker, topic, back_seconds=86_400.0) as made:
        assert len(await values(made, 13)) == 13
        assert made.whole_since == pytest.approx(now - 7200, abs=60)  # The topic is no older.


async def test_what_kafka_has_deleted_is_not_said_to_be_known(broker: KafkaBroker) -> None:
    topic = fresh("results")
    broker.create_topic(topic, partitions=1)
    now = time.time()
    await away(write, broker, topic, [(b"%d" % n, 3000.0 - 600 * n, 0) for n in range(4)])
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    admin.delete_records([TopicPartition(topic, 0, 2)])[TopicPartition(topic, 0, 2)].result(30)
    async with tail(broker, topic) as made:
        assert await values(made, 2) == [b"2", b"3"]
        assert made.whole_since == pytest.approx(now - 1800, abs=60)


async def test_what_was_deleted_before_it_was_read_is_not_said_to_be_known(broker: KafkaBroker) -> None:
    topic = fresh("results")
    broker.create_topic(topic, partitions=1)
    now = time.time()
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})

    def delete(before: int) -> None:
        admin.delete_records([TopicPartition(topic, 0, before)])[TopicPartition(topic, 0, before)].result(30)

    await away(write, broker, topic, [(b"first", 3000, 0)])
    async with tail(broker, topic) as made:
        assert await values(made, 1) == [b"first"]
        assert made.missed_until == -math.inf
        await made.close()
        await away(write, broker, topic, [(b"lost", 1500, 0), (b"kept", 1200, 0)])
        await away(delete, 2)
        await made.open()
        assert await values(made, 1) == [b"kept"]
        assert made.missed_until == made.whole_since == pytest.approx(now - 1200, abs=60)
        # While it reads: so large that no two are fetched at once.
        for number in range(5):
            await away(write, broker, topic, [(b"%d" % number * 200_000, 900 - number * 60, 0)])
        await away(delete, 7)
        with pytest.raises(BrokerError, match="is not there any more"):
            await values(made, 5)
        await made.close()
        await made.open()
        assert {one[:1] for one in await values(made, 1)} == {b"4"}
        assert made.missed_until == made.whole_since == pytest.approx(now - 660, abs=60)


async def test_it_goes_on_where_it_was_and_takes_in_new_partitions(broker: KafkaBroker) -> None:
    topic = fresh("results")
    broker.create_topic(topic, partitions=1)
    async with tail(broker, topic) as made:
        await away(write, broker, topic, [(b"1", 0, 0)])
        assert await values(made, 1) == [b"1"]
        await made.close()
        await away(write, broker, topic, [(b"2", 0, 0)])
        await made.open()
        assert await values(made, 1) == [b"2"]
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        admin.create_partitions([NewPartitions(topic, 2)])[topic].result(30)
        await eventually(lambda: away(_written, broker, topic), seconds=20)
        assert await values(made, 1) == [b"3"]


def _written(broker: KafkaBroker, topic: str) -> bool:
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    if any(part.leader < 0 for part in admin.list_topics(topic, timeout=10).topics[topic].partitions.values()):
        return False
    write(broker, topic, [(b"3", 0, 1)])
    return True


async def test_a_topic_that_is_missing_is_said_and_found_once_it_is_there(broker: KafkaBroker) -> None:
    topic, results = fresh("requests"), fresh("results")
    broker.create_topic(topic)
    with pytest.raises(BrokerError, match=f"{results} does not exist"):
        async with tail(broker, results):
            pass
    sections: dict[str, dict[str, Any]] = {"results": {"topic": results}, "deliver": {"required": []}}

    async def read_it(app: App) -> bool:
        reading = (await get(app, "status"))["replica"]["reading"]
        return bool(reading["problem"] is None and reading["caught_up"])

    broker.create_topic(results)
    async with running(broker, [topic], **sections) as app:
        await eventually(lambda: read_it(app), seconds=30)
        broker.stop_broker()
        await eventually(lambda: _problem(app), seconds=60)
        await away(broker.start_broker)
        await eventually(lambda: read_it(app), seconds=90)


async def _problem(app: App) -> bool:
    """Whether the page says that the topic is not read, and answers all the same."""
    return (await get(app, "status"))["replica"]["reading"]["problem"] is not None
