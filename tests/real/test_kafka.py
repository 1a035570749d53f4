"""The receiver's suite on Apache Kafka, and what only a real broker has: groups of several, logins, TLS, restarts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from sidecar.kafka.client import check_brokers
from sidecar.kafka.consume.receiver import Receiver
from sidecar.kafka.settings import ReceiveConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import SystemClock
from sidecar.record.errors import BrokerError
from tests.kafka.harness import QUICK, Reader, away, eventually, fresh, released, values
from tests.kafka.suite import GroupSuite, ReceiverSuite
from tests.parts import kafka as parts
from tests.parts.broker import produce
from tests.parts.kafka import KafkaBroker

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker(secure=True) as kafka:
        yield kafka


class TestReceiverOnKafka(ReceiverSuite):
    """The same as on the mock."""


class TestGroupOnKafka(GroupSuite):
    """Groups of several members."""


def scram(broker: KafkaBroker, **changes: Any) -> dict[str, Any]:
    return {
        "protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "username": parts.SCRAM_USER,
        "password": parts.SCRAM_PASSWORD,
        "ca_file": broker.certificates.authority,
        **changes,
    }


def mtls(broker: KafkaBroker, **changes: Any) -> dict[str, Any]:
    certificates = broker.certificates
    return {
        "protocol": "SSL",
        "ca_file": certificates.authority,
        "cert_file": certificates.client_certificate,
        "key_file": certificates.client_key,
        **changes,
    }


async def reads(broker: KafkaBroker, servers: str, security: dict[str, Any]) -> None:
    topic, dead = fresh("spans"), fresh("dead")
    broker.create_topic(topic)
    broker.create_topic(dead)
    await away(produce, broker, topic, [b"secret"])
    settings = {"topics": [topic], "group_id": fresh("g"), "security": security, "dead_letter_topic": dead}
    async with Reader(servers, **settings) as reader:
        (one,) = await reader.take(1, release=False)
        assert one.record.value == b"secret"
        assert not await reader.receiver.dead_letter(one.record, reason="json", detail="")
        await eventually(released(one))
    lines = await check_brokers(reader.config)
    assert f"topic {topic}: 4 partitions" in lines


async def test_scram_over_tls_reads_and_sends(broker: KafkaBroker) -> None:
    await reads(broker, broker.sasl_servers, scram(broker))


async def test_scram_sha_256_is_taken_too(broker: KafkaBroker) -> None:
    await reads(broker, broker.sasl_servers, scram(broker, sasl_mechanism="SCRAM-SHA-256"))


async def test_plain_over_tls_with_the_password_from_a_file(broker: KafkaBroker, tmp_path: Any) -> None:
    secret = tmp_path / "password"
    secret.write_text(f"{parts.PLAIN_PASSWORD}\n", encoding="utf-8")
    changes = {"sasl_mechanism": "PLAIN", "username": parts.PLAIN_USER, "password": None, "password_file": secret}
    await reads(broker, broker.sasl_servers, scram(broker, **changes))


async def test_mutual_tls_reads_and_sends(broker: KafkaBroker) -> None:
    await reads(broker, broker.mtls_servers, mtls(broker))


async def refusal(servers: str, security: dict[str, Any], **settings: Any) -> BrokerError:
    """The error of a start that must fail, within ten seconds."""
    values = {**QUICK, "topics": ["x"], "bootstrap_servers": servers, "security": security, **settings}
    receiver = Receiver(ReceiveConfig(**values), Telemetry(), SystemClock(), on_revoked=lambda _: None)
    started = time.monotonic()
    with pytest.raises(BrokerError) as caught:
        await receiver.start()
    await receiver.stop()
    assert time.monotonic() - started < 10
    assert "secret" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
async def test_a_wrong_password_names_the_authenticate_step(broker: KafkaBroker, mechanism: str) -> None:
    user = parts.PLAIN_USER if mechanism == "PLAIN" else parts.SCRAM_USER
    wrong = scram(broker, sasl_mechanism=mechanism, username=user, password="not-the-secret")
    error = await refusal(broker.sasl_servers, wrong)
    assert error.step == "authenticate"
    assert "receive.security.username and password" in error.mend


async def test_a_login_on_a_port_that_takes_none_names_the_authenticate_step(broker: KafkaBroker) -> None:
    login = scram(broker, protocol="SASL_PLAINTEXT", ca_file=None)
    assert (await refusal(broker.bootstrap_servers, login)).step == "authenticate"


async def test_tls_without_the_login_that_the_port_wants_names_the_authenticate_step(broker: KafkaBroker) -> None:
    security = {"protocol": "SSL", "ca_file": broker.certificates.authority}
    assert (await refusal(broker.sasl_servers, security)).step == "authenticate"


async def test_a_missing_client_certificate_names_the_tls_step(broker: KafkaBroker) -> None:
    error = await refusal(broker.mtls_servers, mtls(broker, cert_file=None, key_file=None))
    assert error.step == "tls"
    assert "cert_file" in error.mend


async def test_an_authority_that_is_not_trusted_names_the_tls_step(broker: KafkaBroker) -> None:
    error = await refusal(broker.mtls_servers, mtls(broker, ca_file=broker.certificates.other_authority))
    assert error.step == "tls"
    assert "ca_file" in error.mend


async def test_tls_on_a_port_without_it_names_the_tls_step(broker: KafkaBroker) -> None:
    assert (await refusal(broker.bootstrap_servers, mtls(broker))).step == "tls"


async def test_no_tls_on_a_port_that_wants_it_names_the_tls_step(broker: KafkaBroker) -> None:
    assert (await refusal(broker.mtls_servers, {"protocol": "PLAINTEXT"})).step == "tls"


async def test_a_user_who_may_not_read_the_topic_names_the_authorize_step(broker: KafkaBroker) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    poor = scram(broker, sasl_mechanism="PLAIN", username=parts.POOR_USER, password=parts.POOR_PASSWORD)
    error = await refusal(broker.sasl_servers, poor, topics=[topic])
    assert error.step == "authorize"
    assert topic in str(error)
    settings = {"bootstrap_servers": broker.sasl_servers, "topics": [topic], "security": poor}
    config = ReceiveConfig.model_validate(settings)
    with pytest.raises(BrokerError, match="not allowed to read"):
        await check_brokers(config)


async def test_a_user_who_may_not_use_the_group_names_the_group_step(broker: KafkaBroker) -> None:
    poor = scram(broker, sasl_mechanism="PLAIN", username=parts.POOR_USER, password=parts.POOR_PASSWORD)
    error = await refusal(broker.sasl_servers, poor, topics=[], topic_pattern="nothing.*")
    assert error.step == "group"


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
