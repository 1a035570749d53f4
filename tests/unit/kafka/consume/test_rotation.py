"""Secrets are replaced while we run: a file that is away for a moment costs no record, no task and no offset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kafka.harness import Reader, away, eventually, fresh, released, values
from tests.parts.broker import Message, committed, produce, read
from tests.parts.login_proxy import LoginProxy
from tests.parts.mock_kafka import FETCH, MockKafka

TOPIC_REFUSED = 29


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


def login(secret: Path, kind: str) -> dict[str, Any]:
    who = {"username": "u"} if kind == "password_file" else {}
    mechanism = "PLAIN" if kind == "password_file" else "OAUTHBEARER"
    return {"protocol": "SASL_PLAINTEXT", "sasl_mechanism": mechanism, kind: secret, **who}


def failures(reader: Reader, client: str) -> float:
    return reader.telemetry.value("rag_sidecar_kafka_failures_total", client=client)


@pytest.mark.parametrize("kind", ["password_file", "token_file"])
async def test_dead_letters_and_parts_wait_for_the_file_and_are_sent_when_it_is_back(
    broker: MockKafka, tmp_path: Path, kind: str
) -> None:
    topic, dead, own, group = fresh("spans"), fresh("dead"), fresh("own"), fresh("g")
    for name in (topic, dead, own):
        broker.create_topic(name)
    await away(produce, broker, topic, [Message(b"poison", partition=0), Message(b"whole", partition=0)])
    secret = tmp_path / "secret"
    secret.write_text("before")
    async with LoginProxy(broker.bootstrap_servers) as front:
        settings = {"topics": [topic], "group_id": group, "dead_letter_topic": dead, "repartition": own}
        async with Reader(front.servers, security=login(secret, kind), **settings) as reader:
            poison, whole = await reader.take(2, release=False)
            secret.unlink()
            assert not await reader.receiver.dead_letter(poison.record, reason="json", detail="")
            reader.receiver.forward(whole, [(b"trace", b"part")])
            await reader.poll_until(lambda: failures(reader, "outbox") >= 2)
            assert not poison.lease.done
            assert not whole.lease.done
            secret.write_text("after")
            await eventually(released(poison))
            await eventually(released(whole))
            await reader.receiver.commit()
            assert sum((await away(committed, broker, group, topic)).values()) == 2
        assert b"after" in front.logins[-1]
    assert [one.value for one in await away(read, broker, dead, count=1)] == [b"poison"]
    assert [one.value for one in await away(read, broker, own, count=1)] == [b"part"]


@pytest.mark.parametrize("kind", ["password_file", "token_file"])
async def test_a_consumer_is_built_anew_when_the_file_is_back(broker: MockKafka, tmp_path: Path, kind: str) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    await away(produce, broker, topic, [b"first"])
    secret = tmp_path / "secret"
    secret.write_text("before")
    async with LoginProxy(broker.bootstrap_servers) as front:
        security = login(secret, kind)
        async with Reader(front.servers, topics=[topic], group_id=fresh("g"), security=security) as reader:
            assert values(await reader.take(1)) == [b"first"]
            secret.unlink()
            broker.fail(FETCH, [TOPIC_REFUSED])
            await away(produce, broker, topic, [b"second"])
            await reader.poll_until(lambda: failures(reader, "consumer") >= 1)
            secret.write_text("after")
            assert values(await reader.take(1)) == [b"second"]
        assert b"after" in front.logins[-1]


@pytest.mark.parametrize("kind", ["password_file", "token_file"])
async def test_a_consumer_that_must_log_in_again_lives_through_a_file_that_is_away(
    broker: MockKafka, tmp_path: Path, kind: str
) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    secret = tmp_path / "secret"
    secret.write_text("before")
    async with LoginProxy(broker.bootstrap_servers) as front:
        security = login(secret, kind)
        async with Reader(front.servers, topics=[topic], group_id=fresh("g"), security=security) as reader:
            secret.unlink()
            front.hang_up()
            assert await reader.poll_for(2.0) == []
            secret.write_text("after")
            await away(produce, broker, topic, [b"here"])
            assert values(await reader.take(1)) == [b"here"]
            assert failures(reader, "consumer") == 0
        assert b"after" in front.logins[-1]
