"""What goes wrong with a broker, on the mock cluster: each is named, counted or waited for, and nothing is lost."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from sidecar.kafka.client import check_brokers
from sidecar.kafka.consume.receiver import Receiver
from sidecar.kafka.produce.outbox import MOST_WAITING
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.errors import BrokerError
from tests.kafka.harness import QUICK, Reader, away, eventually, fresh, released, values
from tests.parts.broker import Message, committed, produce, read
from tests.parts.mock_kafka import FETCH, HEARTBEAT, JOIN_GROUP, OFFSET_COMMIT, PRODUCE, MockKafka
from tests.parts.process import free_ports

TOPIC_REFUSED, GROUP_REFUSED, TOO_LARGE, NO_COORDINATOR, REBALANCING = 29, 30, 10, 15, 27


@pytest.fixture
def broker() -> Iterator[MockKafka]:
    with MockKafka() as mock:
        yield mock


async def refusal(servers: str, **settings: Any) -> BrokerError:
    values = {**QUICK, "connect_timeout_seconds": 1.0, "topics": ["x"], "bootstrap_servers": servers, **settings}
    config = ReceiveConfig.model_validate(values)
    receiver = Receiver(config, Telemetry(), SystemClock(), on_revoked=lambda _: None)
    started = time.monotonic()
    with pytest.raises(BrokerError) as caught:
        await receiver.start()
    await receiver.stop()
    assert not receiver.ready
    assert time.monotonic() - started < 5
    return caught.value


async def test_a_port_where_nobody_listens_names_the_connect_step() -> None:
    (port,) = free_ports(1)
    error = await refusal(f"127.0.0.1:{port}")
    assert error.step == "connect"
    assert f"127.0.0.1:{port}" in str(error)
    assert "receive.bootstrap_servers" in error.mend


async def test_a_server_that_accepts_and_says_nothing_names_the_connect_step() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        error = await refusal(f"127.0.0.1:{silent.getsockname()[1]}")
    assert error.step == "connect"
    assert "in time" in str(error)


async def test_a_host_that_nobody_knows_names_the_resolve_step() -> None:
    assert (await refusal("no-such-host.invalid:9092")).step == "resolve"


async def test_a_login_at_a_broker_without_one_names_the_authenticate_step(broker: MockKafka) -> None:
    security = {"protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN", "username": "u", "password": "hidden"}
    error = await refusal(broker.bootstrap_servers, security=security)
    assert error.step == "authenticate"
    assert "hidden" not in str(error)


async def test_tls_at_a_broker_without_it_names_the_tls_step(broker: MockKafka) -> None:
    assert (await refusal(broker.bootstrap_servers, security={"protocol": "SSL"})).step == "tls"


async def test_the_second_bootstrap_server_is_asked_when_the_first_is_away(broker: MockKafka) -> None:
    (port,) = free_ports(1)
    topic = fresh("spans")
    broker.create_topic(topic)
    await away(produce, broker, topic, [b"here"])
    servers = f"127.0.0.1:{port},{broker.bootstrap_servers}"
    async with Reader(servers, topics=[topic], group_id=fresh("g")) as reader:
        assert values(await reader.take(1)) == [b"here"]


async def test_a_group_that_refuses_us_names_the_group_step(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    broker.fail(JOIN_GROUP, [GROUP_REFUSED])
    error = await refusal(broker.bootstrap_servers, topics=[topic], group_id="ours")
    assert error.step == "group"
    assert "'ours'" in str(error)


async def test_check_lists_what_it_found(broker: MockKafka) -> None:
    for topic in ("spans.a", "spans.b", "other", "dead"):
        broker.create_topic(topic)
    settings = {"bootstrap_servers": broker.bootstrap_servers, "topic_pattern": "spans.*", "dead_letter_topic": "dead"}
    assert await check_brokers(ReceiveConfig.model_validate(settings)) == [
        "1 brokers, PLAINTEXT",
        "topic spans.a: 4 partitions",
        "topic spans.b: 4 partitions",
        "group rag-sidecar: allowed",
        "dead-letter topic dead: 4 partitions, these brokers do not say whether it is writable",
    ]
    with pytest.raises(BrokerError, match="no topic matches"):
        await check_brokers(ReceiveConfig.model_validate({**settings, "topic_pattern": "span"}))
    lost = {**settings, "topic_pattern": None, "topics": ["gone"], "dead_letter_topic": "too"}
    told = r"gone does not exist; the dead-letter topic too does not .*receive\.topics and receive\.dead_letter_topic"
    with pytest.raises(BrokerError, match=told):
        await check_brokers(ReceiveConfig.model_validate(lost))


async def test_a_commit_that_fails_is_counted_told_and_made_up_for(
    broker: MockKafka, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    topic, group = fresh("spans"), fresh("g")
    broker.create_topic(topic)
    await away(produce, broker, topic, [b"x"] * 3)
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group) as reader:
        taken = await reader.take(3, release=False)
        # Where reading began in the other partitions is committed in the background: that must not meet the failure.
        others = {0, 1, 2, 3} - {one.record.partition for one in taken}
        async with asyncio.timeout(20):
            while not others <= set(await away(committed, broker, group, topic)):
                await reader.receiver.poll(paused=False)
        broker.fail(OFFSET_COMMIT, [GROUP_REFUSED])
        for one in taken:
            one.lease.release()
        await reader.receiver.commit()
        assert reader.telemetry.value("rag_sidecar_commits_total", outcome="failed") == 1
        assert "offsets cannot be committed: GroupAuthorizationFailedError" in caplog.messages
        await reader.receiver.commit()
        assert sum((await away(committed, broker, group, topic)).values()) == 3
        assert caplog.messages.count("offsets are committed again") == 1


async def test_a_consumer_that_dies_is_built_anew_and_what_was_not_committed_comes_again(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    await away(produce, broker, topic, [b"first"])
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g")) as reader:
        await reader.take(1, release=False)
        broker.fail(FETCH, [TOPIC_REFUSED])
        await away(produce, broker, topic, [b"second"])
        await reader.poll_until(lambda: reader.telemetry.value("rag_sidecar_receiver_restarts_total") == 1)
        assert reader.revoked == [{(topic, number) for number in range(4)}]
        assert not reader.receiver.ready
        assert await reader.receiver.poll(paused=False) == []
        assert values(await reader.take(2)) == [b"first", b"second"]


async def test_a_broker_that_goes_away_and_comes_back_loses_nothing(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    await away(produce, broker, topic, [b"before"])
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g")) as reader:
        assert values(await reader.take(1)) == [b"before"]
        broker.go_down()
        started = time.monotonic()
        assert await reader.poll_for(1.0) == []
        await reader.receiver.commit()
        assert time.monotonic() - started < 4
        broker.come_up()
        await away(produce, broker, topic, [b"after"])
        assert values(await reader.take(1)) == [b"after"]


def letters(reader: Reader) -> tuple[float, float]:
    """How many dead letters failed, and how many were sent."""
    name = "rag_sidecar_dead_letters_total"
    return reader.telemetry.value(name, outcome="failed"), reader.telemetry.value(name, outcome="sent")


async def test_a_dead_letter_that_cannot_be_sent_waits_and_holds_its_offset(broker: MockKafka) -> None:
    topic, dead, group = fresh("spans"), fresh("dead"), fresh("g")
    broker.create_topic(topic)
    broker.create_topic(dead)
    await away(produce, broker, topic, [Message(b"poison", partition=0), Message(b"good", partition=0)])
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=group, dead_letter_topic=dead) as reader:
        bad, good = await reader.take(2, release=False)
        broker.fail(PRODUCE, [TOPIC_REFUSED] * 2)
        assert not await reader.receiver.dead_letter(bad.record, reason="json", detail="")
        good.lease.release()
        await reader.receiver.commit()
        assert not bad.lease.done
        await eventually(released(bad))
        assert letters(reader) == (2, 1)
        await reader.receiver.commit()
        assert sum((await away(committed, broker, group, topic)).values()) == 2
    (letter,) = await away(read, broker, dead, count=1)
    assert letter.value == b"poison"


async def test_a_dead_letter_that_is_too_large_for_its_topic_is_sent_without_its_value(broker: MockKafka) -> None:
    topic, dead = fresh("spans"), fresh("dead")
    broker.create_topic(topic)
    broker.create_topic(dead)
    await away(produce, broker, topic, [b"poison"])
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g"), dead_letter_topic=dead) as reader:
        (bad,) = await reader.take(1, release=False)
        broker.fail(PRODUCE, [TOO_LARGE])
        assert not await reader.receiver.dead_letter(bad.record, reason="json", detail="")
        await eventually(released(bad))
    (letter,) = await away(read, broker, dead, count=1)
    assert dict(letter.headers)["rag-sidecar.value-left-out-bytes"] == b"6"
    assert dict(letter.headers)["rag-sidecar.offset"] == b"0"


async def test_a_part_that_is_too_large_to_repartition_sends_its_record_to_the_dead_letters(broker: MockKafka) -> None:
    topic, dead, own = fresh("spans"), fresh("dead"), fresh("own")
    for name in (topic, dead, own):
        broker.create_topic(name)
    await away(produce, broker, topic, [b"whole"])
    settings = {"topics": [topic], "group_id": fresh("g"), "dead_letter_topic": dead, "repartition": own}
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        (one,) = await reader.take(1, release=False)
        broker.fail(PRODUCE, [TOO_LARGE])
        reader.receiver.forward(one, [(b"trace", b"part")])
        await eventually(released(one))
        assert reader.telemetry.value("rag_sidecar_repartitioned_records_total", outcome="refused") == 1
    (letter,) = await away(read, broker, dead, count=1)
    assert letter.value == b"whole"
    assert dict(letter.headers)["rag-sidecar.reason"] == b"too_large"


async def test_a_dead_letter_that_its_topic_will_not_take_at_all_is_counted_and_no_longer_holds_its_offset(
    broker: MockKafka,
) -> None:
    topic, dead = fresh("spans"), fresh("dead")
    broker.create_topic(topic)
    broker.create_topic(dead)
    await away(produce, broker, topic, [b"poison"])
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g"), dead_letter_topic=dead) as reader:
        (bad,) = await reader.take(1, release=False)
        broker.fail(PRODUCE, [TOO_LARGE] * 2)
        assert not await reader.receiver.dead_letter(bad.record, reason="json", detail="")
        await eventually(released(bad))
        assert reader.telemetry.value("rag_sidecar_dead_letters_total", reason="json", outcome="refused") == 1


async def test_a_fetch_that_hangs_blocks_no_poll_and_is_given_up(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    await away(produce, broker, topic, [b"x"])
    settings = {"topics": [topic], "group_id": fresh("g"), "max_poll_interval_seconds": 0.5}
    settings |= {"rebalance_timeout_seconds": 0.5, "stop_timeout_seconds": 0.5, "session_timeout_seconds": 1.0}
    async with Reader(broker.bootstrap_servers, **settings) as reader:
        await reader.take(1, release=False)
        # A rebalance that does not end: getmany waits for it, without a limit.
        broker.fail(JOIN_GROUP, [NO_COORDINATOR] * 200)
        broker.fail(HEARTBEAT, [REBALANCING])
        slowest, deadline = 0.0, time.monotonic() + 15
        while not reader.telemetry.value("rag_sidecar_receiver_restarts_total", reason="fetch_hung"):
            assert time.monotonic() < deadline
            started = time.monotonic()
            await reader.receiver.poll(paused=False)
            slowest = max(slowest, time.monotonic() - started)
        assert slowest < 1.5
        broker.heal(JOIN_GROUP)
        assert values(await reader.take(1)) == [b"x"]


async def test_a_stop_is_quick_and_safe_twice_also_when_the_broker_is_away(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    reader = Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g"), stop_timeout_seconds=1.0)
    await reader.receiver.start()
    broker.go_down()
    await asyncio.sleep(0.2)
    started = time.monotonic()
    await reader.receiver.stop()
    await reader.receiver.stop()
    assert time.monotonic() - started < 8
    assert reader.receiver.assigned == frozenset()


async def test_the_time_for_a_stop_is_for_all_that_waits_together(broker: MockKafka) -> None:
    topic, dead, own = fresh("spans"), fresh("dead"), fresh("own")
    for name in (topic, dead, own):
        broker.create_topic(name)
    await away(produce, broker, topic, [b"a", b"b"])
    settings = {"topics": [topic], "group_id": fresh("g"), "dead_letter_topic": dead, "repartition": own}
    reader = Reader(broker.bootstrap_servers, stop_timeout_seconds=60.0, lag_interval_seconds=0.1, **settings)
    await reader.receiver.start()
    first, second = await reader.take(2, release=False)
    broker.go_down()
    reader.receiver.forward(first, [(b"key", b"value")])
    assert not await reader.receiver.dead_letter(second.record, reason="json", detail="")
    async with asyncio.timeout(5):
        await reader.receiver.stop(1.0)
    assert not first.lease.done
    assert not second.lease.done


async def test_intake_that_waits_for_the_dead_letter_topic_says_so(broker: MockKafka) -> None:
    topic, dead = fresh("spans"), fresh("dead")
    for name in (topic, dead):
        broker.create_topic(name)
    await away(produce, broker, topic, [b"junk"] * MOST_WAITING)
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g"), dead_letter_topic=dead) as reader:
        taken = await reader.take(MOST_WAITING, release=False)
        broker.go_down()
        for one in taken:
            await reader.receiver.dead_letter(one.record, reason="json", detail="")
        assert await reader.receiver.poll(paused=False) == []
        assert reader.telemetry.value("rag_sidecar_intake_paused", reason="outbox") == 1
        broker.come_up()
        await reader.poll_until(lambda: not reader.telemetry.value("rag_sidecar_intake_paused", reason="outbox"))


async def test_a_poll_that_is_cancelled_loses_nothing(broker: MockKafka) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g")) as reader:
        await reader.poll_for(0.3)
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await reader.receiver.poll(paused=False)
        await away(produce, broker, topic, [b"x"])
        assert values(await reader.take(1)) == [b"x"]
