"""A start before Kafka is there, or before its topics are, on a real broker that makes no topics by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sidecar import config
from sidecar.app import App
from sidecar.commands.demo.corpus import Kind
from sidecar.record.errors import BrokerError
from tests.kafka.harness import QUICK, away, fresh
from tests.kafka.main_job import traffic, until
from tests.parts import kafka as parts
from tests.parts.broker import produce, read
from tests.parts.kafka import KafkaBroker

pytestmark = pytest.mark.real


@pytest.fixture
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker(secure=True, auto_create_topics=False) as kafka:
        yield kafka


def settings(servers: str, topic: str, **sections: Any) -> config.Config:
    receive = {"bootstrap_servers": servers, "topics": [topic], **QUICK, **sections.pop("receive", {})}
    return config.build(
        {
            "receive": receive,
            "assemble": {"quiet_seconds": 0.5},
            "admin": {"host": "127.0.0.1", "port": 0},
            **sections,
        }
    )


async def holds(condition: Callable[[], bool], work: asyncio.Task[None]) -> None:
    async with asyncio.timeout(90):
        while not condition():
            assert not work.done(), work.exception()
            await asyncio.sleep(0.1)


async def test_brokers_and_topics_that_come_after_the_sidecar_are_waited_for_and_nothing_is_lost(
    broker: KafkaBroker,
) -> None:
    topic, results = fresh("spans"), fresh("results")
    broker.create_topic(results)
    await away(broker.stop_broker)
    async with App(settings(broker.bootstrap_servers, topic, results={"topic": results})) as app:
        work = asyncio.create_task(app.run())
        await holds(lambda: "connect:" in (app.arrival.problem or ""), work)
        await away(broker.start_broker)
        await holds(lambda: f"topic: {topic} does not exist" in (app.arrival.problem or ""), work)
        await away(broker.create_topic, topic)
        messages = traffic([Kind.FAITHFUL] * 3)
        await away(produce, broker, topic, messages["proto"] + messages["json"] + messages["native"])
        await until(app, 3)
        found = await away(read, broker, results, count=3)
        app.stop()
        await work
    assert len(found) == 3


@pytest.mark.parametrize(
    ("changes", "step"),
    [
        ({"password": "wrong"}, "authenticate"),
        ({"sasl_mechanism": "PLAIN", "username": parts.POOR_USER, "password": parts.POOR_PASSWORD}, "authorize"),
        ({"ca_file": None}, "tls"),
    ],
    ids=["wrong password", "no right to read", "certificate not trusted"],
)
async def test_what_cannot_pass_ends_the_run_with_its_step(
    broker: KafkaBroker, changes: dict[str, Any], step: str
) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    security = {
        "protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512", "username": parts.SCRAM_USER,
        "password": parts.SCRAM_PASSWORD, "ca_file": broker.certificates.authority, **changes,
    }  # fmt: skip
    async with App(settings(broker.sasl_servers, topic, receive={"security": security})) as app:
        with pytest.raises(BrokerError) as caught:
            await app.run()
    assert (caught.value.step, caught.value.passing) == (step, False)
