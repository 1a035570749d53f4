"""The main job, end to end: spans on Kafka become scores. One suite, run on the mock cluster and on Apache Kafka."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import orjson
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sidecar import config
from sidecar.app import App
from sidecar.commands.demo.corpus import Corpus, Kind
from sidecar.commands.demo.spans import SpanMaker, to_otlp_json
from sidecar.decode.conventions import genai, openinference
from sidecar.decode.native import fields as native
from tests.kafka.harness import QUICK, fresh
from tests.parts.broker import Broker, Message, committed, produce, read

POISON = (
    b"\x0a\xff\xff truncated",
    b"{not json",
    b"\xff\xfe\x00",
    b"[" * 3000,
    orjson.dumps({"request_id": "x", "model": "m"}),
)


@asynccontextmanager
async def running(broker: Broker, topics: list[str], **sections: dict[str, Any]) -> AsyncIterator[App]:
    """A sidecar at work; at the end it is stopped as by SIGTERM."""
    values: dict[str, dict[str, Any]] = {
        "receive": {
            "bootstrap_servers": broker.bootstrap_servers,
            "topics": topics,
            "group_id": fresh("sidecar"),
            **QUICK,
            # Nobody dies here. A busy machine may leave us out for seconds, and a member that is missed begins again: nothing would come just once.
            "session_timeout_seconds": 45.0,
        },
        "assemble": {"quiet_seconds": 0.5, "quiet_without_root_seconds": 2},
        "admin": {"host": "127.0.0.1", "port": 0},
    }
    for name, section in sections.items():
        values[name] = {**values.get(name, {}), **section}
    async with App(config.build(values)) as app:
        work = asyncio.create_task(app.run())
        while not app.receiver.ready and not work.done():  # noqa: ASYNC110 - a state, no event
            await asyncio.sleep(0.02)
        try:
            yield app
        finally:
            app.stop()
            await work


async def until(app: App, requests: int, *, seconds: float = 60.0) -> None:
    """Wait until so many requests have an outcome."""
    deadline = time.monotonic() + seconds
    while app.telemetry.value("rag_sidecar_requests_total") < requests:
        assert time.monotonic() < deadline, (
            f"{app.telemetry.value('rag_sidecar_requests_total')} of {requests} requests ended"
        )
        await asyncio.sleep(0.1)


def traffic(kinds: list[Kind]) -> dict[str, list[Message]]:
    """Requests of the kinds, by encoding: OTLP protobuf, OTLP JSON, native JSON in turn."""
    corpus, spans = Corpus(3), SpanMaker(3)
    made: dict[str, list[Message]] = {"proto": [], "json": [], "native": []}
    for number, kind in enumerate(kinds):
        request = corpus.compose(kind)
        if number % 3 == 2:
            trace_id, record = spans.native(request, time.time())
            made["native"].append(Message(record, key=trace_id.encode()))
            continue
        trace_id, data = (spans.openinference, spans.genai)[number % 2](request, time.time())
        value = data.SerializeToString() if number % 3 == 0 else to_otlp_json(data)
        made["proto" if number % 3 == 0 else "json"].append(Message(value, key=trace_id.encode()))
    return made


class MainJobSuite:
    """A subclass gives the fixture `broker`. `replicas` is how many sidecars a group may have there."""

    replicas = 1

    async def test_spans_of_every_encoding_become_scores_and_every_request_is_accounted_for(
        self, broker: Broker
    ) -> None:
        names = {encoding: fresh(encoding) for encoding in ("proto", "json", "native")}
        for name in names.values():
            broker.create_topic(name)
        kinds = [Kind.FAITHFUL, Kind.HALLUCINATED, Kind.ABSTAINING, Kind.OFF_TOPIC, Kind.FAILING] * 6
        async with running(broker, list(names.values())) as app:
            for encoding, messages in traffic(kinds).items():
                await asyncio.to_thread(produce, broker, names[encoding], messages)
            await until(app, len(kinds))
            async with httpx.AsyncClient() as client:
                text = (await client.get(f"http://127.0.0.1:{app.admin.port}/metrics")).text
                ready = await client.get(f"http://127.0.0.1:{app.admin.port}/readyz")
            outcomes = {
                labels["outcome"]: value
                for labels, value in app.telemetry.values("rag_sidecar_requests_total")
                if value
            }
        assert ready.status_code == 200
        assert sum(outcomes.values()) == len(kinds)
        lines = [line for line in text.splitlines() if line.startswith("rag_requests_total{")]
        assert sum(float(line.rpartition(" ")[2]) for line in lines) == len(kinds)
        assert sum(float(line.rpartition(" ")[2]) for line in lines if 'status="error"' in line) == 6
        abstained = [
            line
            for line in text.splitlines()
            if line.startswith("rag_verdicts_total{") and 'verdict="abstained"' in line
        ]
        assert sum(float(line.rpartition(" ")[2]) for line in abstained) == 6
        assert "Rotterdam" not in text

    async def test_poison_goes_untouched_to_the_dead_letter_topic_and_what_follows_is_scored(
        self, broker: Broker
    ) -> None:
        topic, dead, results = fresh("spans"), fresh("dead"), fresh("results")
        for name in (topic, dead, results):
            broker.create_topic(name)
        good = traffic([Kind.FAITHFUL] * 3)
        messages = [*(Message(value) for value in POISON), *good["proto"], *good["json"], *good["native"]]
        async with running(broker, [topic], receive={"dead_letter_topic": dead}, results={"topic": results}) as app:
            await asyncio.to_thread(produce, broker, topic, messages)
            await until(app, 3)
            letters = await asyncio.to_thread(read, broker, dead, count=len(POISON))
            scored = await asyncio.to_thread(read, broker, results, count=3)
            group = app.config.receive.group_id
        assert sorted(letter.value or b"" for letter in letters) == sorted(POISON)
        assert all(dict(letter.headers)["rag-sidecar.reason"] for letter in letters)
        for one in scored:
            result = json.loads(one.value or b"")
            assert (result["schema"], result["outcome"]) == ("rag-sidecar.result.v1", "scored")
            assert all(claim["text"] is None for evaluation in result["evaluations"] for claim in evaluation["claims"])
        offsets = await asyncio.to_thread(committed, broker, group, topic)
        assert sum(offsets.values()) == len(messages)

    async def test_what_was_not_done_at_a_stop_is_done_by_the_next_start_once(self, broker: Broker) -> None:
        topic, results, group = fresh("spans"), fresh("results"), fresh("group")
        for name in (topic, results):
            broker.create_topic(name)
        # The mock cluster lets a group that was left wait for so long.
        receive = {"group_id": group, "session_timeout_seconds": 6}
        spans = SpanMaker(5)
        trace_id, data = spans.openinference(Corpus(5).compose(Kind.FAITHFUL), time.time())
        halves = _halves(data.SerializeToString())
        slow: dict[str, dict[str, Any]] = {
            "assemble": {"quiet_seconds": 30, "quiet_without_root_seconds": 30},
            "results": {"topic": results},
        }
        async with running(broker, [topic], receive=receive, **slow) as app:
            await asyncio.to_thread(produce, broker, topic, [Message(halves[0], key=trace_id.encode())])
            while not app.telemetry.value("rag_sidecar_open_traces"):  # noqa: ASYNC110 - a gauge, not an event
                await asyncio.sleep(0.05)
        quick: dict[str, dict[str, Any]] = {"results": {"topic": results}}
        async with running(broker, [topic], receive=receive, **quick) as app:
            await asyncio.to_thread(produce, broker, topic, [Message(halves[1], key=trace_id.encode())])
            await until(app, 1)
            [one] = await asyncio.to_thread(read, broker, results, count=1)
        result = json.loads(one.value or b"")
        assert result["trace_id"] == trace_id
        assert {e["evaluator"] for e in result["evaluations"] if e["score"] is not None} >= {
            "faithfulness",
            "context_relevance",
        }

    async def test_inspect_shows_the_latest_records_of_a_topic_and_commits_nothing(self, broker: Broker) -> None:
        topic = fresh("spans")
        broker.create_topic(topic)
        made = traffic([Kind.FAITHFUL] * 9)
        await asyncio.to_thread(produce, broker, topic, [*made["proto"], *made["json"]])
        await asyncio.sleep(0.01)
        await asyncio.to_thread(produce, broker, topic, made["native"])
        servers = ("--bootstrap-servers", broker.bootstrap_servers)

        def inspect(*more: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", "sidecar", "inspect", *servers, *more]
            return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

        done = await asyncio.to_thread(inspect, "--topic", topic, "--json")
        assert done.returncode == 0, done.stderr
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert len({one["trace_id"] for one in found}) == 9
        assert {one["convention"] for one in found} == {openinference.NAME, genai.NAME, native.NAME}
        fewer = await asyncio.to_thread(inspect, "--topic", topic, "--records", "2", "--json")
        assert [json.loads(line)["convention"] for line in fewer.stdout.splitlines()] == [native.NAME] * 2
        missing = await asyncio.to_thread(inspect, "--topic", "no-such-topic")
        assert missing.returncode == 3
        assert "no-such-topic does not exist" in missing.stderr

    async def test_sampled_out_requests_are_counted_with_their_traffic_and_not_scored(self, broker: Broker) -> None:
        topic = fresh("native")
        broker.create_topic(topic)
        record = {
            "question": "Is it blue?",
            "answer": "It is blue.",
            "contexts": ["It is blue."],
            "service": "kb",
            "latency_ms": 900,
        }
        messages = [
            Message(orjson.dumps({**record, "request_id": uuid.UUID(int=n).hex, "timestamp": time.time()}))
            for n in range(200)
        ]
        async with running(broker, [topic], sample={"rate": 0.25, "budget": {"enabled": False}}) as app:
            await asyncio.to_thread(produce, broker, topic, messages)
            await until(app, 200)
            outcomes = {
                labels["outcome"]: value for labels, value in app.telemetry.values("rag_sidecar_requests_total")
            }
        assert sum(outcomes.values()) == 200
        assert 25 <= outcomes["scored"] <= 75

    async def test_traces_scattered_over_partitions_and_replicas_are_whole_again(self, broker: Broker) -> None:
        topic, through, results, group = fresh("spans"), fresh("by-trace"), fresh("results"), fresh("group")
        for name in (topic, through, results):
            broker.create_topic(name)
        # The end of the topic is where reading begins; what replicas write to each other is read from the beginning.
        receive = {"group_id": group, "repartition": through, "auto_offset_reset": "latest"}
        sections: dict[str, dict[str, Any]] = {"receive": receive, "results": {"topic": results}}
        messages, traces = _scattered(24)
        async with AsyncExitStack() as stack:
            apps = [await stack.enter_async_context(running(broker, [topic], **sections)) for _ in range(self.replicas)]
            # All have joined and found their places: "latest" is the end of the topic as each finds it, and a rebalance in the middle
            # would hold back half of a trace for longer than it is waited for.
            async with asyncio.timeout(60):
                while any(len(app.receiver.assigned) != 8 // self.replicas for app in apps):  # noqa: ASYNC110 - no event for it
                    await asyncio.sleep(0.1)
                while len(await asyncio.to_thread(committed, broker, group, topic)) < 4:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            await asyncio.to_thread(produce, broker, topic, messages)
            found = await asyncio.to_thread(read, broker, results, count=traces, seconds=150)
            completions = [v for app in apps for v in app.telemetry.values("rag_sidecar_traces_assembled_total")]
            sent = sum(app.telemetry.value("rag_sidecar_repartitioned_records_total") for app in apps)
        assert all(labels["completion"] == "complete" for labels, count in completions if count)
        ended = [json.loads(one.value or b"") for one in found]
        assert len({one["trace_id"] for one in ended}) == traces
        assert {one["outcome"] for one in ended} == {"scored"}
        assert sent == len(messages)
        offsets = await asyncio.to_thread(committed, broker, group, topic)
        assert sum(offsets.values()) == len(messages)


def _scattered(traces: int) -> tuple[list[Message], int]:
    """Each span of some traces in a message without a key, several traces to a message, over four partitions."""
    corpus, spans = Corpus(9), SpanMaker(9)
    single: list[TracesData] = []
    for _ in range(traces):
        _, data = spans.openinference(corpus.compose(Kind.FAITHFUL), time.time())
        for n in range(len(data.resource_spans[0].scope_spans[0].spans)):
            one = TracesData.FromString(data.SerializeToString())
            own = one.resource_spans[0].scope_spans[0]
            kept = own.spans[n]
            del own.spans[:]
            own.spans.append(kept)
            single.append(one)
    messages = []
    for number, first in enumerate(range(0, len(single), 2)):
        joined = TracesData()
        for one in single[first : first + 2]:
            joined.MergeFrom(one)
        value = joined.SerializeToString() if number % 2 else to_otlp_json(joined)
        messages.append(Message(value, partition=number % 4))
    return messages, traces


def _halves(value: bytes) -> tuple[bytes, bytes]:
    """The spans of one trace as two messages: the retriever's, then the others."""
    one, two = TracesData.FromString(value), TracesData.FromString(value)
    del one.resource_spans[0].scope_spans[0].spans[1:]
    del two.resource_spans[0].scope_spans[0].spans[:1]
    return one.SerializeToString(), two.SerializeToString()
