"""The real Collector in front: OTLP in, through its Kafka exporter and Apache Kafka, to the receiver."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from tests.kafka.harness import Reader, away, fresh
from tests.parts.collector import Collector
from tests.parts.kafka import KafkaBroker

pytestmark = pytest.mark.real

TRACES = [bytes([number]) * 16 for number in range(1, 6)]


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as kafka:
        yield kafka


def export(collector: Collector, traces: list[bytes]) -> None:
    """One OTLP request with two spans of each trace, their traces mixed, as an SDK's batches are."""
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = "shop"
    scope = resource.scope_spans.add()
    for number in range(2):
        for trace in traces:
            span = scope.spans.add(trace_id=trace, span_id=bytes([number + 1]) * 8, name=f"span-{number}")
            span.attributes.add(key="input.value").value.string_value = "How tall is it? 高い？"
    headers = {"content-type": "application/x-protobuf"}
    url = f"{collector.http_endpoint}/v1/traces"
    with urllib.request.urlopen(
        urllib.request.Request(url, request.SerializeToString(), headers), timeout=10
    ) as answer:
        assert answer.status == 200


async def test_each_trace_comes_as_one_protobuf_record_with_its_id_as_key(broker: KafkaBroker) -> None:
    topic, other = fresh("otlp"), fresh("otlp-json")
    broker.create_topic(topic)
    broker.create_topic(other)
    with Collector(broker.bootstrap_servers, topic=topic, json_topic=other) as collector:
        await away(export, collector, TRACES)
        async with Reader(broker.bootstrap_servers, topics=[topic], group_id=fresh("g")) as reader:
            taken = await reader.take(len(TRACES))
    found = {}
    for one in taken:
        assert one.record.value is not None
        assert one.record.key is not None
        data = TracesData.FromString(one.record.value)
        found[one.record.key.decode()] = [
            (span.trace_id, span.name, span.attributes[0].value.string_value)
            for resource in data.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        assert data.resource_spans[0].resource.attributes[0].value.string_value == "shop"
    question = "How tall is it? 高い？"
    assert found == {trace.hex(): [(trace, "span-0", question), (trace, "span-1", question)] for trace in TRACES}


async def test_the_json_encoding_comes_as_one_record_of_the_whole_batch(broker: KafkaBroker) -> None:
    topic, other = fresh("otlp"), fresh("otlp-json")
    broker.create_topic(topic)
    broker.create_topic(other)
    with Collector(broker.bootstrap_servers, topic=topic, json_topic=other) as collector:
        await away(export, collector, TRACES)
        async with Reader(broker.bootstrap_servers, topics=[other], group_id=fresh("g")) as reader:
            (one,) = await reader.take(1)
    assert one.record.key is None
    assert one.record.value is not None
    spans = [
        span
        for resource in json.loads(one.record.value)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    assert len(spans) == 2 * len(TRACES)
    assert {span["traceId"] for span in spans} == {trace.hex() for trace in TRACES}
    assert {span["attributes"][0]["value"]["stringValue"] for span in spans} == {"How tall is it? 高い？"}
