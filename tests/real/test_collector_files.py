"""What the sidecar sends over OTLP, read back from the files of a real Collector: events, EVALUATOR spans, its own spans with their links."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from exporters.otlp import OtlpConfig, OtlpExporter
from exporters.result import Result
from sidecar.decode.config import DecodeConfig
from sidecar.decode.decoder import Decoder
from sidecar.observe.telemetry import Telemetry
from sidecar.record.record import Record
from tests.parts.collector import Collector
from tests.real.own_spans import EVALUATORS, JUDGED, PRODUCER, ROOTS, SPANS, TREE, score_one
from tests.unit.exporters.samples import SCORED

pytestmark = pytest.mark.real
Row = dict[str, Any]


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector(None) as one:
        yield one


def attributes(row: Row) -> Row:
    """Of a span, a log record or a resource."""
    return {one["key"]: next(iter(one["value"].values())) for one in row.get("attributes", [])}


def rows(collector: Collector, signal: Literal["traces", "logs"]) -> list[tuple[Row, Row]]:
    """Spans or log records, each with what its resource says."""
    resource, scope, leaf = {
        "traces": ("resourceSpans", "scopeSpans", "spans"),
        "logs": ("resourceLogs", "scopeLogs", "logRecords"),
    }[signal]
    return [
        (row, attributes(one["resource"]))
        for request in collector.written(signal)
        for one in request[resource]
        for part in one[scope]
        for row in part[leaf]
    ]


async def until(read: Callable[[], list[tuple[Row, Row]]], least: int) -> list[tuple[Row, Row]]:
    """What `read` gives once there is as much."""
    deadline = time.monotonic() + 60
    while len(found := read()) < least and time.monotonic() < deadline:  # noqa: ASYNC110 - a file, no event
        await asyncio.sleep(0.1)
    assert len(found) >= least, found
    return found


async def export(config: OtlpConfig, *results: Result) -> None:
    exporter = OtlpExporter(config)
    await exporter.start()
    try:
        await exporter.export(results)
    finally:
        await exporter.stop()


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
async def test_each_evaluation_is_an_event_on_the_evaluated_span_and_an_evaluator_span_that_links_to_it(
    collector: Collector, protocol: Literal["grpc", "http/protobuf"]
) -> None:
    endpoint = collector.grpc_endpoint if protocol == "grpc" else collector.http_endpoint
    await export(OtlpConfig(endpoint=endpoint, protocol=protocol, evaluator_spans=True), SCORED)
    events = await until(lambda: rows(collector, "logs"), len(SCORED.evaluations))
    at = {"faithfulness": SCORED.span_id, "groundedness": SCORED.span_id, "answer_relevancy": SCORED.span_id,
          "context_relevance": SCORED.retrieval_span_id, "context_precision": SCORED.retrieval_span_id}  # fmt: skip
    told = {attributes(row)["gen_ai.evaluation.name"]: row for row, _ in events}
    assert {name: (row["traceId"], row["spanId"]) for name, row in told.items()} == {
        name: (SCORED.trace_id, span) for name, span in at.items()
    }
    assert {row["eventName"] for row in told.values()} == {"gen_ai.evaluation.result"}
    assert {resource["service.name"] for _, resource in events} == {"rag-sidecar"}
    groundedness = attributes(told["groundedness"])
    assert groundedness["gen_ai.evaluation.score.value"] == 0.25
    assert groundedness["gen_ai.evaluation.score.label"] == "hallucinated"
    assert attributes(told["context_precision"])["error.type"] == "timeout"
    assert "gen_ai.evaluation.score.value" not in attributes(told["context_precision"])
    spans = {row["name"]: row for row, _ in await until(lambda: rows(collector, "traces"), len(at) + 1)}
    assert {name: [(one["traceId"], one["spanId"]) for one in spans[name]["links"]] for name in at} == {
        name: [(SCORED.trace_id, span)] for name, span in at.items()
    }
    assert {attributes(row)["openinference.span.kind"] for row in spans.values()} == {"EVALUATOR"}
    assert {row["traceId"] for row in spans.values()}.isdisjoint({SCORED.trace_id})
    assert {spans[name]["parentSpanId"] for name in at} == {spans["evaluate"]["spanId"]}


async def test_a_sidecars_own_spans_link_to_the_producer_and_to_the_evaluated_span(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.http_endpoint,
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=staging",
    }
    scored = await score_one(monkeypatch, variables)
    found = await until(lambda: rows(collector, "traces"), SPANS)
    mine = [row for row, _ in found if "openinference.span.kind" not in attributes(row)]
    own, names = {row["name"]: row for row in mine}, {row["spanId"]: row["name"] for row in mine}
    tree = {name: parent.format(topic=scored.topic) for name, parent in TREE.items()}
    assert {name: names[own[name]["parentSpanId"]] for name in tree} == tree
    roots = {name.format(topic=scored.topic) for name in ROOTS}
    assert {row["name"] for row in mine if not row.get("parentSpanId")} == roots
    record, evaluation = own[f"process {scored.topic}"], own["evaluate"]
    assert [(one["traceId"], one["spanId"]) for one in record["links"]] == [PRODUCER]
    assert [one["traceId"] for one in evaluation["links"]] == [scored.trace_id]
    assert (record["kind"], own["chat judge-1"]["kind"]) == (5, 3)
    assert {row["traceId"] for row in mine}.isdisjoint({scored.trace_id, PRODUCER[0]})
    assert {resource["deployment.environment.name"] for _, resource in found} == {"staging"}
    names_of_events = {attributes(row)["gen_ai.evaluation.name"] for row, _ in rows(collector, "logs")}
    assert names_of_events == {*EVALUATORS, JUDGED}
    # Whoever sends all of it to Kafka as well has none of it scored.
    decoder = Decoder(DecodeConfig(), Telemetry())
    for request in [*collector.written("traces"), *collector.written("logs")]:
        decoded = decoder.decode(Record("spans", 0, 0, 1.76e9, None, json.dumps(request).encode()))
        assert (list(decoded.spans), list(decoded.requests)) == ([], [])
