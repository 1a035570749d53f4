"""Logins and encryption on Apache Kafka: each way in, files that are replaced while we run, and which step a wrong setting fails at."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.kafka.client import check_brokers
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.errors import BrokerError
from tests.kafka.harness import Reader, away, eventually, fresh, refusal, released, values
from tests.parts import kafka as parts
from tests.parts.broker import produce
from tests.parts.kafka import KafkaBroker
from tests.parts.token_endpoint import TokenEndpoint
from tests.parts.tokens import Signer

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("closed_connections")]


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker(secure=True) as kafka:
        yield kafka


@pytest.fixture(autouse=True)
async def good_bye() -> AsyncIterator[None]:
    """A broker answers a login that it refuses after a tenth of a second, and TLS closes a connection when both have said so."""
    yield
    await asyncio.sleep(0.3)


def scram(broker: KafkaBroker, **changes: Any) -> dict[str, Any]:
    return {
        "protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "username": parts.SCRAM_USER,
        "password": parts.SCRAM_PASSWORD,
        "ca_file": broker.certificates.authority,
        **changes,
    }


def poor(broker: KafkaBroker) -> dict[str, Any]:
    return scram(broker, sasl_mechanism="PLAIN", username=parts.POOR_USER, password=parts.POOR_PASSWORD)


def mtls(broker: KafkaBroker, **changes: Any) -> dict[str, Any]:
    certificates = broker.certificates
    return {
        "protocol": "SSL",
        "ca_file": certificates.authority,
        "cert_file": certificates.client_certificate,
        "key_file": certificates.client_key,
        **changes,
    }


def bearer(broker: KafkaBroker, **changes: Any) -> dict[str, Any]:
    return {
        "protocol": "SASL_SSL",
        "sasl_mechanism": "OAUTHBEARER",
        "ca_file": broker.certificates.authority,
        **changes,
    }


def token(broker: KafkaBroker, user: str = parts.TOKEN_USER, **claims: Any) -> str:
    return broker.signer.sign(user, **{"aud": parts.AUDIENCE, "iss": parts.ISSUER, **claims})


def client_credentials(endpoint: TokenEndpoint) -> dict[str, Any]:
    return {"token_url": endpoint.url, "client_id": "me", "client_secret": "the-secret", "audience": parts.AUDIENCE}


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
    assert "-secret" not in "".join(lines)


async def test_scram_over_tls_reads_and_sends(broker: KafkaBroker) -> None:
    await reads(broker, broker.sasl_servers, scram(broker))


async def test_scram_sha_256_is_taken_too(broker: KafkaBroker) -> None:
    await reads(broker, broker.sasl_servers, scram(broker, sasl_mechanism="SCRAM-SHA-256"))


async def test_plain_over_tls_with_the_password_from_a_file(broker: KafkaBroker, tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text(f"{parts.PLAIN_PASSWORD}\n", encoding="utf-8")
    changes = {"sasl_mechanism": "PLAIN", "username": parts.PLAIN_USER, "password": None, "password_file": secret}
    await reads(broker, broker.sasl_servers, scram(broker, **changes))


async def test_mutual_tls_reads_and_sends(broker: KafkaBroker) -> None:
    await reads(broker, broker.mtls_servers, mtls(broker))


async def test_scram_and_a_client_certificate_read_and_send(broker: KafkaBroker) -> None:
    await reads(broker, broker.short_servers, {**mtls(broker), **scram(broker)})


async def test_a_token_from_a_file_reads_and_sends(broker: KafkaBroker, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(token(broker), encoding="utf-8")
    await reads(broker, broker.oauth_servers, bearer(broker, token_file=file))


async def test_client_credentials_read_and_send_with_one_token(broker: KafkaBroker) -> None:
    async with TokenEndpoint(lambda _: (200, {"access_token": token(broker), "expires_in": 3600})) as endpoint:
        await reads(broker, broker.oauth_servers, bearer(broker, oauth=client_credentials(endpoint)))
        assert len(endpoint.asked) == 1


async def test_records_go_on_when_tokens_expire(broker: KafkaBroker) -> None:
    """The broker closes a connection whose token has expired: the next one is made with the next token."""
    topic = fresh("spans")
    broker.create_topic(topic)

    def short(_: object) -> tuple[int, object]:
        return 200, {"access_token": token(broker, seconds=4), "expires_in": 4}

    async with TokenEndpoint(short) as endpoint:
        security = bearer(broker, oauth=client_credentials(endpoint))
        async with Reader(broker.oauth_servers, topics=[topic], group_id=fresh("g"), security=security) as reader:
            for number in range(4):
                await away(produce, broker, topic, [str(number).encode()])
                assert values(await reader.take(1)) == [str(number).encode()]
                await reader.poll_for(3.0)
        assert 3 <= len(endpoint.asked) <= 8


async def test_records_go_on_after_tokens_were_refused_for_a_while(broker: KafkaBroker) -> None:
    topic, audience = fresh("spans"), parts.AUDIENCE
    broker.create_topic(topic)

    def short(_: object) -> tuple[int, object]:
        return 200, {"access_token": token(broker, seconds=3, aud=audience), "expires_in": 1}

    async with TokenEndpoint(short) as endpoint:
        security = bearer(broker, oauth=client_credentials(endpoint))
        async with Reader(broker.oauth_servers, topics=[topic], group_id=fresh("g"), security=security) as reader:
            audience = "others"
            await reader.poll_for(5.0)
            await away(produce, broker, topic, [b"here"])
            assert await reader.poll_for(2.0) == []
            audience = parts.AUDIENCE
            assert values(await reader.take(1, seconds=60)) == [b"here"]


Change = Callable[[Path], None]


def password(broker: KafkaBroker) -> tuple[Change, Change]:
    """Another password: the broker has forgotten the old one before the file says so."""

    def forget(_: Path) -> None:
        broker.change_password("another-secret")

    return forget, lambda folder: _write(folder / "password", "another-secret\n")


def authority(broker: KafkaBroker) -> tuple[Change, Change]:
    made = broker.certificates
    return (
        lambda folder: _copy(made.other_authority, folder / "ca.crt"),
        lambda folder: _copy(made.authority, folder / "ca.crt"),
    )


def certificate(broker: KafkaBroker) -> tuple[Change, Change]:
    made = broker.certificates

    def put(crt: Path, key: Path) -> Change:
        def copy(folder: Path) -> None:
            _copy(crt, folder / "tls.crt")
            _copy(key, folder / "tls.key")

        return copy

    return put(made.stranger_certificate, made.stranger_key), put(made.client_certificate, made.client_key)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


@pytest.mark.parametrize("changes", [password, authority, certificate])
async def test_a_file_that_is_replaced_is_what_the_next_connection_uses(
    broker: KafkaBroker, tmp_path: Path, changes: Callable[[KafkaBroker], tuple[Change, Change]]
) -> None:
    """Connections of this listener end by themselves. What is wrong ends the reading, what is right begins it again, with the same consumer."""
    topic = fresh("spans")
    broker.create_topic(topic)
    broker.change_password(parts.CHANGED_PASSWORD)
    authority(broker)[1](tmp_path)
    certificate(broker)[1](tmp_path)
    _write(tmp_path / "password", parts.CHANGED_PASSWORD)
    security = {
        **scram(broker, username=parts.CHANGED_USER, password=None, password_file=tmp_path / "password"),
        "ca_file": tmp_path / "ca.crt",
        "cert_file": tmp_path / "tls.crt",
        "key_file": tmp_path / "tls.key",
    }
    spoil, mend = changes(broker)
    async with Reader(broker.short_servers, topics=[topic], group_id=fresh("g"), security=security) as reader:
        await away(produce, broker, topic, [b"before"])
        assert values(await reader.take(1)) == [b"before"]
        await away(spoil, tmp_path)
        await reader.poll_for(3.0)
        await away(produce, broker, topic, [b"after"])
        assert await reader.poll_for(2.0) == []
        await away(mend, tmp_path)
        assert values(await reader.take(1, seconds=60)) == [b"after"]
        assert list(reader.telemetry.values("rag_sidecar_receiver_restarts_total")) == []


# A wrong setting: what is given, of a broker and a folder; the step that it fails at; words of the mend.
Wrong = Callable[[KafkaBroker, Path], tuple[str, dict[str, Any]]]


def tokens(make: Callable[[KafkaBroker, Path], str]) -> Wrong:
    def given(broker: KafkaBroker, folder: Path) -> tuple[str, dict[str, Any]]:
        (folder / "token").write_text(make(broker, folder), encoding="utf-8")
        return broker.oauth_servers, bearer(broker, token_file=folder / "token")

    return given


def wrong_password(mechanism: str, user: str) -> Wrong:
    def given(broker: KafkaBroker, _: Path) -> tuple[str, dict[str, Any]]:
        wrong = {"sasl_mechanism": mechanism, "username": user, "password": "not-the-secret"}
        return broker.sasl_servers, scram(broker, **wrong)

    return given


_PASSWORD = "receive.security.username and password"
_TOKEN = "receive.security.token_file"
_PAIR = "receive.security.cert_file and key_file"
_CA = "receive.security.ca_file"
_PROTOCOL = "receive.security.protocol"
_MECHANISM = "receive.security.sasl_mechanism"
_SERVERS = "receive.bootstrap_servers"

WRONG: dict[str, tuple[Wrong, str, str]] = {
    "a name nobody knows": (lambda b, _: ("no-such-host.invalid:9093", scram(b)), "resolve", _SERVERS),
    "a port nobody listens on": (lambda b, _: ("127.0.0.1:1", scram(b)), "connect", _SERVERS),
    "an authority that did not sign": (
        lambda b, _: (b.mtls_servers, mtls(b, ca_file=b.certificates.other_authority)), "tls", _CA,
    ),
    "no client certificate": (lambda b, _: (b.mtls_servers, mtls(b, cert_file=None, key_file=None)), "tls", _PAIR),
    "a client certificate of a stranger": (
        lambda b, _: (
            b.mtls_servers,
            mtls(b, cert_file=b.certificates.stranger_certificate, key_file=b.certificates.stranger_key),
        ), "tls", _PAIR,
    ),
    "TLS on a port without it": (lambda b, _: (b.bootstrap_servers, mtls(b)), "tls", _PROTOCOL),
    "no TLS on a port that wants it": (lambda b, _: (b.mtls_servers, {"protocol": "PLAINTEXT"}), "tls", _PROTOCOL),
    "a wrong password, PLAIN": (wrong_password("PLAIN", parts.PLAIN_USER), "authenticate", _PASSWORD),
    "a wrong password, SCRAM-SHA-256": (wrong_password("SCRAM-SHA-256", parts.SCRAM_USER), "authenticate", _PASSWORD),
    "a wrong password, SCRAM-SHA-512": (wrong_password("SCRAM-SHA-512", parts.SCRAM_USER), "authenticate", _PASSWORD),
    "a user nobody knows": (wrong_password("SCRAM-SHA-512", "nobody"), "authenticate", _PASSWORD),
    "a mechanism that the port does not take": (
        lambda b, _: (b.oauth_servers, scram(b, sasl_mechanism="PLAIN")), "authenticate", _MECHANISM,
    ),
    "a login on a port that takes none": (
        lambda b, _: (b.bootstrap_servers, scram(b, protocol="SASL_PLAINTEXT", ca_file=None)),
        "authenticate", _MECHANISM,
    ),
    "no login on a port that wants one": (
        lambda b, _: (b.sasl_servers, {"protocol": "SSL", "ca_file": b.certificates.authority}),
        "authenticate", _PROTOCOL,
    ),
    "a token for others": (tokens(lambda b, _: token(b, aud="others")), "authenticate", _TOKEN),
    "a token that has expired": (tokens(lambda b, _: token(b, seconds=-600)), "authenticate", _TOKEN),
    "a token that a stranger signed": (
        tokens(lambda _, folder: Signer(folder).sign(parts.TOKEN_USER, aud=parts.AUDIENCE, iss=parts.ISSUER)),
        "authenticate", _TOKEN,
    ),
    "no token": (tokens(lambda *_: "not-a-token"), "authenticate", _TOKEN),
    "a user who may do nothing": (lambda b, _: (b.sasl_servers, poor(b)), "authorize", "DESCRIBE and READ on the topic"),
    "a token whose user may do nothing": (
        tokens(lambda b, _: token(b, parts.POOR_USER)), "authorize", "DESCRIBE and READ on the topic",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_setting_names_its_step_and_its_mend(broker: KafkaBroker, tmp_path: Path, name: str) -> None:
    """Of the start and of `check` alike; the topic is there for whoever may see it."""
    topic = fresh("spans")
    broker.create_topic(topic)
    given, step, mend = WRONG[name]
    servers, security = given(broker, tmp_path)
    error = await refusal(servers, security, topics=[topic])
    assert (error.step, mend in error.mend) == (step, True), str(error)
    config = ReceiveConfig.model_validate({"bootstrap_servers": servers, "topics": [topic], "security": security})
    with pytest.raises(BrokerError) as checked:
        await check_brokers(config)
    assert (checked.value.step, checked.value.mend) == (error.step, error.mend)
    assert "-secret" not in str(checked.value)


async def test_a_port_that_never_answers_names_the_connect_step(broker: KafkaBroker) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        servers = f"127.0.0.1:{silent.getsockname()[1]}"
        error = await refusal(servers, scram(broker), connect_timeout_seconds=1.0, start_timeout_seconds=1.0)
    assert (error.step, "receive.connect_timeout_seconds" in error.mend) == ("connect", True)


async def test_a_user_who_may_not_use_the_group_names_the_group_step(broker: KafkaBroker) -> None:
    error = await refusal(broker.sasl_servers, poor(broker), topics=[], topic_pattern="nothing.*")
    assert error.step == "group"


@pytest.mark.parametrize(
    ("answer", "problem", "mend"),
    [
        ((401, {"error": "invalid_client"}), "answered 401 (invalid_client)", "oauth.client_id and client_secret"),
        ((503, b""), "answered 503", "oauth.token_url"),
        (None, "does not answer", "oauth.token_url"),
    ],
    ids=["refused", "down", "away"],
)
async def test_an_endpoint_without_a_token_names_the_authenticate_step(
    broker: KafkaBroker, answer: tuple[int, object] | None, problem: str, mend: str
) -> None:
    async with TokenEndpoint((lambda _: answer) if answer else None) as endpoint:
        oauth = client_credentials(endpoint)
        if answer is None:
            oauth["token_url"] = "http://127.0.0.1:1/token"
        error = await refusal(broker.oauth_servers, bearer(broker, oauth=oauth))
    assert error.step == "authenticate"
    assert problem in str(error)
    assert f"receive.security.{mend}" in error.mend


async def test_a_token_that_is_refused_by_the_endpoints_own_making_names_scope_and_audience(
    broker: KafkaBroker,
) -> None:
    async with TokenEndpoint(lambda _: (200, {"access_token": token(broker, aud="others")})) as endpoint:
        error = await refusal(broker.oauth_servers, bearer(broker, oauth=client_credentials(endpoint)))
    assert error.step == "authenticate"
    assert "receive.security.oauth.scope and audience" in error.mend


async def test_many_clients_wait_for_one_token(broker: KafkaBroker) -> None:
    topic = fresh("spans")
    broker.create_topic(topic)
    async with TokenEndpoint(lambda _: (200, {"access_token": token(broker), "expires_in": 3600})) as endpoint:
        security = bearer(broker, oauth=client_credentials(endpoint))
        settings = {"bootstrap_servers": broker.oauth_servers, "topics": [topic], "security": security}
        configs = [ReceiveConfig.model_validate(settings) for _ in range(4)]
        for lines in await asyncio.gather(*(check_brokers(config) for config in configs)):
            assert f"topic {topic}: 4 partitions" in lines
        assert len(endpoint.asked) == 1
