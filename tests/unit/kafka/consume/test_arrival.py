"""The start without Kafka: what may pass is waited for, what cannot pass ends it."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Iterator

import httpx
import pytest
from aiokafka.errors import (
    AuthenticationFailedError,
    IncompatibleBrokerVersion,
    KafkaConnectionError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)

from exporters.clients.security import Brokers, SecurityConfig
from sidecar import config
from sidecar.app import App
from sidecar.commands.demo.corpus import Kind
from sidecar.kafka.backoff import Backoff
from sidecar.kafka.client import explain, missing_topics, refused_group, refused_topics
from sidecar.kafka.consume.arrival import Arrival
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.errors import BrokerError
from tests.kafka.harness import QUICK, fresh
from tests.kafka.main_job import traffic, until
from tests.parts.broker import produce
from tests.parts.mock_kafka import MockKafka


class Quick(Backoff):
    """Pauses that a test can wait for."""

    def next(self) -> float:
        return super().next() / 1000


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


def attempts(*outcomes: Exception | None) -> tuple[list[Exception | None], Arrival, Telemetry]:
    telemetry = Telemetry()
    return list(outcomes), Arrival(telemetry, SystemClock(), backoff=Quick()), telemetry


async def test_what_may_pass_is_tried_again_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    down = BrokerError("connect", "k:9092: no connection", "is it up?", passing=True)
    left, arrival, telemetry = attempts(down, down, missing_topics(["spans"]), None)
    seen: list[str | None] = []

    async def attempt() -> None:
        seen.append(arrival.problem)
        if (outcome := left.pop(0)) is not None:
            raise outcome

    with caplog.at_level(logging.INFO):
        await arrival.until(attempt)
    assert seen == [None, str(down), str(down), str(missing_topics(["spans"]))]
    assert arrival.problem is None
    assert [record.getMessage() for record in caplog.records] == [
        "waiting for Kafka: connect: k:9092: no connection (is it up?)",
        "waiting for Kafka: topic: spans does not exist (create it, or correct receive.topics)",
        "Kafka is there, after 0 s",
    ]
    assert telemetry.value("rag_sidecar_kafka_failures_total", client="start", error_type="connect") == 2


async def test_what_cannot_pass_ends_the_start_at_once() -> None:
    left, arrival, _ = attempts(refused_group("g"))

    async def attempt() -> None:
        raise left.pop(0) or AssertionError

    with pytest.raises(BrokerError, match="grant READ on the group"):
        await arrival.until(attempt)


def from_tls(cause: Exception) -> KafkaConnectionError:
    error = KafkaConnectionError("closed")
    error.__cause__ = cause
    return error


def untrusted() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError()
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (ConnectionRefusedError(), True),
        (TimeoutError(), True),
        (OSError("no route"), True),
        (KafkaConnectionError("closed"), True),
        (from_tls(ConnectionResetError()), True),
        (from_tls(ssl.SSLEOFError()), True),
        (from_tls(ssl.SSLError()), False),
        (untrusted(), False),
        (SaslAuthenticationFailed(), False),
        (AuthenticationFailedError(), False),
        (UnsupportedSaslMechanismError(), False),
        (IncompatibleBrokerVersion(), False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_wrong_login_or_certificate_does_not_pass_a_lost_connection_may(error: Exception, passing: bool) -> None:
    found = explain(error, Brokers("k:9092", SecurityConfig(), "receive"), "k:9092")
    assert isinstance(found, BrokerError)
    assert found.passing is passing


def test_rights_do_not_pass_by_themselves_and_a_topic_may_come() -> None:
    assert not refused_topics(["a"]).passing
    assert not refused_group("g").passing
    assert missing_topics(["a"]).passing


async def test_a_sidecar_that_starts_before_its_brokers_is_alive_not_ready_and_works_once_they_are_there(
    broker: MockKafka,
) -> None:
    topic, results = fresh("spans"), fresh("results")
    for name in (topic, results):
        broker.create_topic(name)
    broker.go_down()
    settings = config.build(
        {
            "receive": {
                "bootstrap_servers": broker.bootstrap_servers, "topics": [topic], **QUICK, "connect_timeout_seconds": 1
            },
            "results": {"topic": results},
            "assemble": {"quiet_seconds": 0.5},
            "pipeline": {"stalled_seconds": 0.2},
            "admin": {"host": "127.0.0.1", "port": 0},
        }
    )  # fmt: skip
    async with App(settings) as app:
        work = asyncio.create_task(app.run())
        while app.arrival.problem is None:
            assert not work.done()
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{app.admin.probe_port}") as client:
            alive, ready = await client.get("/livez"), await client.get("/readyz")
        assert (alive.status_code, ready.status_code) == (200, 503)
        assert ready.text.startswith("waiting for Kafka: connect: 127.0.0.1:")
        broker.come_up()
        messages = traffic([Kind.FAITHFUL] * 3)
        await asyncio.to_thread(produce, broker, topic, messages["proto"] + messages["json"] + messages["native"])
        await until(app, 3)
        assert app.receiver.ready
        app.stop()
        await work
    assert app.telemetry.value("rag_sidecar_exports_total", exporter="kafka", outcome="ok") == 3


async def test_a_stop_while_kafka_is_waited_for_ends_the_run(broker: MockKafka) -> None:
    broker.go_down()
    settings = config.build(
        {
            "receive": {"bootstrap_servers": broker.bootstrap_servers, "topics": ["a"], **QUICK},
            "admin": {"host": "127.0.0.1", "port": 0},
        }
    )
    async with App(settings) as app:
        work = asyncio.create_task(app.run())
        while app.arrival.problem is None:
            assert not work.done()
            await asyncio.sleep(0.05)
        app.stop()
        await asyncio.wait_for(work, 10)
