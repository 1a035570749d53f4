"""The rights that docs/security.md grants are enough on a broker with ACLs: the commands of the page are what is granted."""

from __future__ import annotations

import asyncio
import itertools
import re
import shlex
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._acl import AclBinding, AclBindingFilter, AclOperation, AclPermissionType
from confluent_kafka.admin._resource import ResourcePatternType, ResourceType

from sidecar import config
from sidecar.commands.check import check_labels, read_results
from sidecar.commands.demo.corpus import Corpus, Kind
from sidecar.commands.demo.spans import SpanMaker
from sidecar.kafka.client import check_brokers, check_results
from sidecar.labels.store import Topic
from sidecar.record.errors import BrokerError, ConfigError
from tests.kafka.harness import eventually
from tests.kafka.main_job import running, until
from tests.parts import kafka as parts
from tests.parts.broker import Message, produce, read
from tests.parts.kafka import KafkaBroker
from tests.unit.test_pipeline import native

pytestmark = pytest.mark.real
PAGE = Path(__file__).parents[2] / "docs/security.md"
TOPICS = ("otlp_spans", "rag_dead_letters", "rag_spans_by_trace", "rag_results")


@dataclass(frozen=True, slots=True)
class Right:
    """One operation on one topic or group."""

    operation: str
    kind: str
    name: str

    @property
    def binding(self) -> AclBinding:
        return AclBinding(
            ResourceType[self.kind.upper()],
            self.name,
            ResourcePatternType.LITERAL,
            f"User:{parts.POOR_USER}",
            "*",
            AclOperation[self.operation.upper()],
            AclPermissionType.ALLOW,
        )


def rights() -> list[Right]:
    """Those of the commands on the page."""
    found = []
    for line in re.findall(r"^kafka-acls .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        words = shlex.split(line)
        said = list(itertools.pairwise(words))
        [(kind, name)] = [(key[2:], value) for key, value in said if key in ("--topic", "--group")]
        found += [Right(value, kind, name) for key, value in said if key == "--operation"]
    return found


RIGHTS = rights()


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker(secure=True, auto_create_topics=False) as kafka:
        for topic in TOPICS:
            kafka.create_topic(topic, partitions=1)
        yield kafka


@pytest.fixture
def granted(broker: KafkaBroker) -> Iterator[AdminClient]:
    """Every right of the page, for the user who has none else."""
    admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0})
    for done in admin.create_acls([right.binding for right in RIGHTS]).values():
        done.result(10)
    yield admin
    take(admin, *RIGHTS)


def take(admin: AdminClient, *gone: Right) -> None:
    """Take rights away."""
    filters = [
        AclBindingFilter(
            one.restype,
            one.name,
            one.resource_pattern_type,
            one.principal,
            one.host,
            one.operation,
            one.permission_type,
        )
        for one in (right.binding for right in gone)
    ]
    for done in admin.delete_acls(filters).values():
        done.result(10)


def sections(broker: KafkaBroker) -> dict[str, dict[str, Any]]:
    security = {
        "protocol": "SASL_SSL",
        "sasl_mechanism": "PLAIN",
        "username": parts.POOR_USER,
        "password": parts.POOR_PASSWORD,
        "ca_file": str(broker.certificates.authority),
    }
    receive = {
        "bootstrap_servers": broker.sasl_servers,
        "group_id": "rag-sidecar",
        "dead_letter_topic": "rag_dead_letters",
        "repartition": "rag_spans_by_trace",
        "security": security,
        "auto_offset_reset": "earliest",
        "start_timeout_seconds": 5.0,
    }
    return {"receive": receive, "results": {"topic": "rag_results"}}


def send(broker: KafkaBroker) -> Callable[[], bool]:
    """Spans of a trace and a record that cannot be read, and whether a result and a dead letter came of them. They are its own: what a
    run without some right left in a topic is read by the next."""
    own = uuid.uuid4()
    trace_id, spans = SpanMaker(own.int).openinference(Corpus(1).compose(Kind.FAITHFUL), time.time())
    junk = b"junk " + own.bytes
    produce(broker, "otlp_spans", [Message(spans.SerializeToString(), key=trace_id.encode()), Message(junk)])

    def done() -> bool:
        results = read(broker, "rag_results", count=99, seconds=2)
        dead = read(broker, "rag_dead_letters", count=99, seconds=2)
        scored = any(orjson.loads(one.value or b"")["trace_id"] == trace_id for one in results)
        return scored and any(one.value == junk for one in dead)

    return done


async def test_the_rights_of_the_page_are_enough(broker: KafkaBroker, granted: AdminClient) -> None:
    assert {right.name for right in RIGHTS} == {*TOPICS, "rag-sidecar"}
    done = send(broker)
    async with running(broker, ["otlp_spans"], **sections(broker)) as app:
        await eventually(lambda: asyncio.to_thread(done), seconds=40)
    assert app.telemetry.value("rag_sidecar_commits_total", outcome="ok") > 0


async def test_without_read_on_the_results_the_page_says_so_until_it_is_granted_and_scoring_goes_on(
    broker: KafkaBroker, granted: AdminClient
) -> None:
    produce(broker, "otlp_spans", [Message(native(5))])
    more = Right("read", "topic", "rag_results")
    try:
        async with running(broker, ["otlp_spans"], **sections(broker)) as app:
            reading = app.watching.reading if app.watching is not None else None
            assert reading is not None
            await until(app, 1)
            await eventually(lambda: _is("not allowed to read rag_results", reading.problem))
            with pytest.raises(BrokerError, match="not allowed to read rag_results"):
                await read_results(app.config, "rag_results")
            granted.create_acls([more.binding])[more.binding].result(10)
            await eventually(lambda: _is("", reading.problem), seconds=60)
            assert await read_results(app.config, "rag_results") != []
    finally:
        take(granted, more)


async def test_check_says_which_right_on_the_labels_is_missing(broker: KafkaBroker, granted: AdminClient) -> None:
    broker.create_topic("rag_labels", partitions=1)
    labels = Topic(
        "rag_labels",
        config.build(sections(broker) | {"receive": {**sections(broker)["receive"], "topics": ["otlp_spans"]}}).receive,
    )
    rights = [Right(operation, "topic", "rag_labels") for operation in ("describe", "write", "read")]
    try:
        for right, told in zip(rights, ("read", "write to", "read"), strict=True):
            with pytest.raises(BrokerError, match=f"authorize: not allowed to {told} rag_labels"):
                await check_labels(labels)
            granted.create_acls([right.binding])[right.binding].result(10)
        assert await check_labels(labels) == ["topic rag_labels: 1 partition, SASL_SSL, writable, readable"]
    finally:
        take(granted, *rights)


@pytest.mark.parametrize(
    ("topic", "asked"),
    [("rag_results", "results"), ("rag_dead_letters", "receive"), ("rag_spans_by_trace", "receive")],
)
async def test_check_asks_for_the_right_to_write_and_writes_nothing(
    broker: KafkaBroker, granted: AdminClient, topic: str, asked: str
) -> None:
    settings = config.build(sections(broker) | {"receive": {**sections(broker)["receive"], "topics": ["otlp_spans"]}})
    receive, before = settings.receive, len(await asyncio.to_thread(read, broker, topic, count=99, seconds=2))

    async def check() -> list[str]:
        if asked == "receive":
            return await check_brokers(receive)
        return await check_results(receive, settings.results.brokers(receive.brokers), topic)

    assert any(topic in line and line.endswith("writable") for line in await check())
    seen = Right("describe", "topic", topic)
    granted.create_acls([seen.binding])[seen.binding].result(10)
    take(granted, Right("write", "topic", topic))
    try:
        with pytest.raises(BrokerError, match=f"authorize: not allowed to write to {topic}"):
            await check()
    finally:
        take(granted, seen)
    assert len(await asyncio.to_thread(read, broker, topic, count=99, seconds=2)) == before


async def _is(words: str, problem: str | None) -> bool:
    return words in problem if words and problem else problem is None and not words


@pytest.mark.parametrize("right", RIGHTS, ids=lambda right: f"{right.operation} {right.name}")
async def test_none_of_them_is_too_much(broker: KafkaBroker, granted: AdminClient, right: Right) -> None:
    take(granted, right)
    done = send(broker)
    with pytest.raises((BrokerError, ConfigError, TimeoutError, AssertionError)):
        async with asyncio.timeout(20), running(broker, ["otlp_spans"], **sections(broker)):
            await eventually(lambda: asyncio.to_thread(done))
    assert not await asyncio.to_thread(done)
