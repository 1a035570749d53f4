"""A sidecar scores one request while it sends its own spans, as the standard variables say, and its EVALUATOR spans."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from sidecar.commands.demo.corpus import Corpus, Kind
from sidecar.commands.demo.spans import SpanMaker
from tests.kafka.harness import fresh
from tests.kafka.main_job import running, until
from tests.parts.broker import Message, produce
from tests.parts.judge_server import JudgeServer
from tests.parts.mock_kafka import MockKafka

# The span that the record was sent in.
PRODUCER = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
EVALUATORS = ("answer_relevancy", "context_precision", "context_relevance", "faithfulness", "groundedness")
JUDGED = "groundedness_judge"
# Span, and the one that it is below.
TREE = {
    "decode": "process {topic}", "assemble": "process {topic}",
    **{f"evaluate {name}": "evaluate" for name in (*EVALUATORS, JUDGED)}, "chat judge-1": f"evaluate {JUDGED}",
}  # fmt: skip
ROOTS = ("process {topic}", "evaluate", "export otlp")
# The judge's lane has a span `evaluate` of its own, and asks twice; then a span for each evaluation, and one above them.
SPANS = len(TREE) + len(ROOTS) + 2 + len(EVALUATORS) + 2


@dataclass(frozen=True, slots=True)
class Scored:
    """The request that was scored: `spans` is its trace as OTLP."""

    topic: str
    trace_id: str
    spans: bytes


async def score_one(monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str], **sections: Any) -> Scored:
    """Score one request of a trace, and end."""
    for name, value in {"OTEL_BSP_SCHEDULE_DELAY": "200", **variables}.items():
        monkeypatch.setenv(name, value)
    topic = fresh("spans")
    trace_id, data = SpanMaker(7).openinference(Corpus(7).compose(Kind.HALLUCINATED), time.time())
    sent = Message(
        data.SerializeToString(),
        key=trace_id.encode(),
        headers=(("traceparent", f"00-{'-'.join(PRODUCER)}-01".encode()),),
    )
    async with JudgeServer(lambda _: {"reason": "So.", "rating": 1}) as judge:
        settings = {
            "otlp": {"evaluator_spans": True},
            "judge": {"url": judge.url, "model": "judge-1", "budget_usd_per_hour": None, "budget_usd_per_day": None},
            "evaluate": {"groundedness": {"by": "both", "judge_rate": 1.0}},
            **sections,
        }
        with MockKafka() as broker:
            broker.create_topic(topic)
            async with running(broker, [topic], **settings) as app:
                await asyncio.to_thread(produce, broker, topic, [sent])
                await until(app, 1)
    return Scored(topic, trace_id, data.SerializeToString())
