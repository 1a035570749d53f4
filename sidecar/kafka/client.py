"""Finds out whether Kafka can be reached, and if not, which step failed: aiokafka itself only says "unable to bootstrap".

One connection is made by hand, step by step: resolve, connect, tls, authenticate, authorize, topic, group. Foreign errors
become BrokerError here, and nowhere else.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiokafka.conn import AIOKafkaConnection, create_conn
from aiokafka.errors import (
    AuthenticationFailedError,
    AuthenticationMethodNotSupported,
    BrokerResponseError,
    GroupAuthorizationFailedError,
    IllegalSaslStateError,
    IncompatibleBrokerVersion,
    KafkaConnectionError,
    KafkaError,
    LeaderNotAvailableError,
    SaslAuthenticationFailed,
    TopicAuthorizationFailedError,
    UnsupportedSaslMechanismError,
    for_code,
)
from aiokafka.protocol.coordination import FindCoordinatorRequest
from aiokafka.protocol.metadata import MetadataRequest

from exporters.clients.files import UnreadableFileError
from exporters.clients.oauth import TokenError
from exporters.clients.security import Brokers, SecurityConfig
from exporters.text import many
from sidecar.kafka.rights import may_write
from sidecar.kafka.settings import ReceiveConfig
from sidecar.record.errors import BrokerError, ConfigError, SidecarError

_SETTING_UP = 0.3


@dataclass(frozen=True, slots=True)
class Cluster:
    """What one broker says of its cluster. `topics` maps a name to its number of partitions."""

    brokers: tuple[tuple[str, int], ...]
    topics: Mapping[str, int]


async def survey(
    config: ReceiveConfig, *, topics: Sequence[str], create: bool, brokers: Brokers | None = None
) -> Cluster:
    """Ask the first bootstrap server that answers about `topics` (none = all). Raises BrokerError naming the step, or ConfigError
    for a file that cannot be read.

    With `create` the broker may make topics that are missing, where it is set up so, as for any consumer. `brokers` are those
    that are read from, unless others are given.
    """
    asked = brokers or config.brokers
    async with _first_connection(config, asked) as (connection, address):
        deadline = asyncio.get_running_loop().time() + config.start_timeout_seconds
        while True:
            answer = await _ask(connection, MetadataRequest(list(topics) or None, create), asked, address)
            if not answer.brokers and asked.security.sasl and asked.security.sasl_mechanism == "OAUTHBEARER":
                # aiokafka takes a token that is refused for one that is taken; the broker then answers everything with nothing.
                raise explain(SaslAuthenticationFailed(), asked, address)
            waiting = [topic[1] for topic in answer.topics if for_code(topic[0]) is LeaderNotAvailableError]
            if not waiting or asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(_SETTING_UP)
    advertised = tuple((broker[1], broker[2]) for broker in answer.brokers)
    await _reach_advertised(config, asked, advertised, bootstrap=address)
    return Cluster(advertised, _topics(answer.topics, wanted=frozenset(topics)))


async def check_brokers(config: ReceiveConfig) -> list[str]:
    """Reach the brokers as `run` would, without joining the group or making topics. One line for each thing found.

    Raises BrokerError naming the step that failed, or ConfigError for a file that cannot be read.
    """
    cluster = await survey(config, topics=(), create=False)
    lines = [f"{len(cluster.brokers)} brokers, {config.security.protocol}"]
    wanted = {name: count for name, count in cluster.topics.items() if config.wants(name)}
    missing = [name for name in config.own_names if name not in wanted]
    if missing:
        # A user who may not describe a topic does not see it in the list of all: asking for it by name tells the two apart.
        await survey(config, topics=missing, create=False)
    dead = config.dead_letter_topic
    lost = []
    if missing:
        lost.append((f"{', '.join(sorted(missing))} does not exist", "receive.topics"))
    if not (missing or wanted):
        lost.append((f"no topic matches {config.topic_pattern}", "receive.topic_pattern"))
    if dead is not None and dead not in cluster.topics:
        lost.append((f"the dead-letter topic {dead} does not exist", "receive.dead_letter_topic"))
    if lost:
        problems, settings = zip(*lost, strict=True)
        raise BrokerError("topic", "; ".join(problems), f"create it, or correct {' and '.join(settings)}")
    lines += [f"topic {name}: {many(count, 'partition')}" for name, count in sorted(wanted.items())]
    if config.repartition:
        lines.append(
            f"spans to {config.repartition}: {await _check_writing(config, config.brokers, config.repartition)}"
        )
    await _check_group(config)
    lines.append(f"group {config.group_id}: allowed")
    if dead is None:
        lines.append("dead letters: off, records that cannot be read are counted and passed over")
    else:
        writing = await _check_writing(config, config.brokers, dead)
        lines.append(f"dead-letter topic {dead}: {many(cluster.topics[dead], 'partition')}, {writing}")
    return lines


async def check_results(
    config: ReceiveConfig, brokers: Brokers, topic: str, *, create: bool = False, section: str = "results"
) -> list[str]:
    """Reach the brokers of the results, or of what else is written, by its section, look for their topic, without making it unless `create`,
    and ask whether we may write to it. One line for each thing found.

    Raises BrokerError naming the step that failed, or ConfigError for a file that cannot be read.
    """
    cluster = await survey(config, topics=[topic], create=create, brokers=brokers)
    if topic not in cluster.topics:
        problem = f"the {section} topic {topic} does not exist"
        raise BrokerError("topic", problem, f"create it, or correct {section}.topic", passing=True)
    writing = await _check_writing(config, brokers, topic)
    lines = [f"topic {topic}: {many(cluster.topics[topic], 'partition')}, {brokers.security.protocol}, {writing}"]
    if brokers.security.protocol == "PLAINTEXT" != config.security.protocol:
        lines.append(
            "other brokers than those of receive are sent no login and nothing is encrypted; results.security gives them their own"
        )
    return lines


async def _check_group(config: ReceiveConfig) -> None:
    """Ask for the coordinator of our group. Raises BrokerError when we may not use it."""
    async with _first_connection(config, config.brokers) as (connection, address):
        answer = await _ask(connection, FindCoordinatorRequest(config.group_id, 0), config.brokers, address)
    if for_code(answer.error_code) is GroupAuthorizationFailedError:
        raise refused_group(config.group_id)


async def _check_writing(config: ReceiveConfig, brokers: Brokers, topic: str) -> str:
    """Ask whether we may write to a topic, and say so. Raises BrokerError where we may not."""
    async with _first_connection(config, brokers) as (connection, address):
        try:
            may = await may_write(connection, topic)
        except (KafkaError, OSError, TimeoutError) as error:
            raise explain(error, brokers, address) from error
    if may is False:
        raise BrokerError("authorize", f"not allowed to write to {topic}", "grant WRITE on the topic to this user")
    return "writable" if may else "these brokers do not say whether it is writable"


def refused_group(group: str) -> BrokerError:
    """The error of a group that we may not join."""
    return BrokerError("group", f"not allowed to use the consumer group {group!r}", "grant READ on the group")


def refused_topics(names: Sequence[str]) -> BrokerError:
    """The error of topics that we may not read."""
    listed = ", ".join(sorted(names))
    return BrokerError(
        "authorize", f"not allowed to read {listed}", "grant DESCRIBE and READ on the topic to this user"
    )


def missing_topics(names: Sequence[str], setting: str = "receive.topics") -> BrokerError:
    """The error of topics that do not exist; `setting` names them."""
    listed = ", ".join(sorted(names))
    return BrokerError("topic", f"{listed} does not exist", f"create it, or correct {setting}", passing=True)


@asynccontextmanager
async def _first_connection(config: ReceiveConfig, brokers: Brokers) -> AsyncIterator[tuple[AIOKafkaConnection, str]]:
    """A connection to the first server that lets us in; the error of the first one when none does."""
    failed: BrokerError | None = None
    for address in brokers.addresses:
        try:
            connection = await _connect(config, brokers, address)
        except BrokerError as error:
            failed = failed or error
            continue
        try:
            yield connection, address
        finally:
            connection.close()
        return
    if failed is not None:
        raise failed


async def _connect(config: ReceiveConfig, brokers: Brokers, address: str) -> AIOKafkaConnection:
    host, _, port = address.rpartition(":")
    try:
        async with asyncio.timeout(config.connect_timeout_seconds):
            return await create_conn(
                host.strip("[]"),
                int(port),
                client_id=config.client_id,
                request_timeout_ms=int(config.connect_timeout_seconds * 1000),
                **brokers.security.client_options(f"{brokers.section}.security"),
            )
    except (KafkaError, OSError, TimeoutError, ValueError) as error:
        raise explain(error, brokers, address) from error


async def _ask(connection: AIOKafkaConnection, request: Any, brokers: Brokers, address: str) -> Any:
    try:
        return await connection.send(request)
    except (KafkaError, OSError, TimeoutError) as error:
        raise explain(error, brokers, address) from error


async def _reach_advertised(
    config: ReceiveConfig, brokers: Brokers, advertised: Sequence[tuple[str, int]], *, bootstrap: str
) -> None:
    """Consumers speak to the addresses that the cluster advertises, which may be others than the bootstrap servers."""
    addresses = [f"{host}:{port}" for host, port in advertised]
    failed: BrokerError | None = None
    for address in addresses:
        if address == bootstrap:
            return
        try:
            (await _connect(config, brokers, address)).close()
        except BrokerError as error:
            failed = failed or error
        else:
            return
    if failed is not None:
        raise BrokerError(
            failed.step,
            f"{bootstrap} answers, but the cluster advertises {', '.join(addresses)}, which cannot be reached",
            "set advertised.listeners of the brokers to addresses that clients can reach",
            passing=failed.passing,
        ) from failed


def _topics(rows: Sequence[tuple[Any, ...]], *, wanted: frozenset[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    refused: list[str] = []
    for row in rows:
        error, name, partitions = for_code(row[0]), row[1], row[-1]
        if error is TopicAuthorizationFailedError and name in wanted:
            refused.append(name)
        elif partitions:
            found[name] = len(partitions)
    if refused:
        raise refused_topics(refused)
    return found


_LOGIN_REFUSED = (SaslAuthenticationFailed, AuthenticationFailedError)
_LOGIN_UNKNOWN = (
    UnsupportedSaslMechanismError,
    IllegalSaslStateError,
    AuthenticationMethodNotSupported,
    IncompatibleBrokerVersion,
)


def explain(error: Exception, brokers: Brokers, address: str) -> SidecarError:
    """The step that an error of a connection belongs to, and the mend: a BrokerError, or a ConfigError where it is a file that
    cannot be read. The one table for foreign errors."""
    if isinstance(error, UnreadableFileError):
        return ConfigError(error.field, error.problem, error.mend)
    if isinstance(error, TokenError):
        problem = f"no token to log in to {address} with: {error.problem}"
        return BrokerError("authenticate", problem, error.mend.format(section=brokers.section))
    step, problem, mend = _found(error, brokers.security)
    return BrokerError(step, f"{address}: {problem}", mend.format(section=brokers.section), passing=_may_pass(error))


def _may_pass(error: Exception) -> bool:
    """Whether an error may pass by itself. A connection that is closed in the middle of a login or handshake may: a balancer in front of
    a broker that starts does so."""
    cause = error.__cause__ if isinstance(error, KafkaConnectionError) else error
    if isinstance(cause, ssl.SSLError):
        return isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError)
    return not isinstance(cause, (*_LOGIN_REFUSED, *_LOGIN_UNKNOWN))


_CERTIFICATE_MEND = "set {section}.security.ca_file to the authority that signed it, and use its host name"
_MECHANISM_MEND = "check {section}.security.sasl_mechanism and protocol"
_PROTOCOL_MEND = "does this port speak TLS? check {section}.security.protocol"
_TIME_MEND = "check address, firewall and {section}.connect_timeout_seconds"
_UP_MEND = "is the broker up? check {section}.bootstrap_servers"


def _found(error: Exception, security: SecurityConfig) -> tuple[str, str, str]:
    found: tuple[str, str, str]
    if isinstance(error, socket.gaierror):
        found = ("resolve", "the host name is not known", "correct {section}.bootstrap_servers")
    elif isinstance(error, ssl.SSLCertVerificationError):
        found = ("tls", f"the broker's certificate is not trusted: {error.verify_message}", _CERTIFICATE_MEND)
    elif isinstance(error, ssl.SSLError) or (isinstance(error, ConnectionResetError) and security.tls):
        found = ("tls", "the TLS handshake failed", _PROTOCOL_MEND)
    elif isinstance(error, _LOGIN_REFUSED):
        found = ("authenticate", *_refused_login(security))
    elif isinstance(error, _LOGIN_UNKNOWN):
        found = ("authenticate", f"the broker does not take {security.sasl_mechanism} here", _MECHANISM_MEND)
    elif isinstance(error, TimeoutError):
        found = ("connect", "no answer in time", _TIME_MEND)
    elif isinstance(error, KafkaConnectionError):
        found = _closed(error, security)
    elif isinstance(error, BrokerResponseError):
        found = ("connect", f"the broker answered {type(error).__name__}", "see the broker's log")
    else:
        found = ("connect", f"no connection ({type(error).__name__})", _UP_MEND)
    return found


def _refused_login(security: SecurityConfig) -> tuple[str, str]:
    if security.sasl_mechanism != "OAUTHBEARER":
        return "the broker refused user or password", "check {section}.security.username and password"
    mend = (
        "check {section}.security.oauth.scope and audience" if security.oauth else "check {section}.security.token_file"
    )
    return "the broker refused the token", f"{mend}: who signed it, for whom, until when"


def _closed(error: KafkaConnectionError, security: SecurityConfig) -> tuple[str, str, str]:
    """A broker that does not like how we speak closes the connection without a word; what we were about to do tells more."""
    if isinstance(error.__cause__, ssl.SSLError) or (security.tls and isinstance(error.__cause__, ConnectionError)):
        problem = (
            "the broker refused our client certificate" if security.cert_file else "the broker wants a certificate"
        )
        return "tls", problem, "set {section}.security.cert_file and key_file to a pair that it trusts"
    if security.sasl and security.sasl_mechanism == "OAUTHBEARER":
        return "authenticate", *_refused_login(security)
    if security.sasl:
        return "authenticate", "the broker closed the connection at login", _MECHANISM_MEND
    if security.tls:
        return (
            "authenticate",
            "the broker closed the connection",
            "does it want a login? set {section}.security.protocol to SASL_SSL",
        )
    return "tls", "the broker closed the connection", "does it want TLS or a login? set {section}.security.protocol"
