"""The main job on Apache Kafka, and with the OpenTelemetry Collector in front of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from tests.kafka.harness import fresh
from tests.kafka.main_job import MainJobSuite, running, until
from tests.parts.collector import Collector
from tests.parts.kafka import KafkaBroker
from tests.unit.decode.recordings import FOLDER

pytestmark = pytest.mark.real
RECORDED = (
    "oi_langchain_ok",
    "oi_llamaindex_ok",
    "tl_langchain_ok",
    "otel_genai_ok",
    "langfuse_langchain_ok",
    "haystack_native_ok",
)


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as kafka:
        yield kafka


class TestMainJobOnKafka(MainJobSuite):
    """On a real broker."""

    replicas = 2


@pytest.mark.parametrize("encoding", ["proto", "json"])
async def test_recorded_spans_sent_through_the_collector_become_scores(broker: KafkaBroker, encoding: str) -> None:
    proto, plain = fresh("otlp"), fresh("otlp-json")
    for topic in (proto, plain):
        broker.create_topic(topic)
    with Collector(broker.bootstrap_servers, topic=proto, json_topic=plain) as collector:
        async with running(broker, [proto if encoding == "proto" else plain]) as app, httpx.AsyncClient() as client:
            for name in RECORDED:
                body = (FOLDER / f"{name}.pb").read_bytes()
                headers = {"content-type": "application/x-protobuf"}
                answer = await client.post(f"{collector.http_endpoint}/v1/traces", content=body, headers=headers)
                assert answer.status_code == 200
            await until(app, len(RECORDED))
            await asyncio.sleep(1)
            outcomes = {
                labels["outcome"]: value for labels, value in app.telemetry.values("rag_sidecar_requests_total")
            }
            spans = app.telemetry.value("rag_sidecar_spans_total")
    assert outcomes == {"scored": len(RECORDED)}
    assert spans == sum(_spans(name) for name in RECORDED)


def _spans(name: str) -> int:
    data = TracesData.FromString((FOLDER / f"{name}.pb").read_bytes())
    return sum(len(scope.spans) for resource in data.resource_spans for scope in resource.scope_spans)
