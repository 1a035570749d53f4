"""RAG services on frameworks of today, with the instrumentations that people use, through Collector, Kafka and sidecar into Prometheus.

The recordings of tests/unit/decode say what instrumentations wrote when they were taken; this asks those that examples/frameworks/requirements.lock names.
"""

from __future__ import annotations

import json
import subprocess
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from rag_service.retrieval import Knowledge
from tests.parts import paths
from tests.stack.model import ROOT
from tests.stack.stack import QUICK, Stack

pytestmark = pytest.mark.real
QUESTIONS = Knowledge.read().questions
MADE_UP = len(QUESTIONS[1::2])
# By framework and instrumentation: whether what they write names the conversation.
CASES = {
    "langchain openinference": True,
    "langchain openllmetry": True,
    "langchain opentelemetry": True,
    "llamaindex openinference": True,
    "llamaindex openllmetry": False,
    "haystack openinference": True,
    "haystack haystack": False,
    "openai opentelemetry": True,
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of every service: results by service, and what Prometheus says."""

    results: dict[str, list[dict[str, Any]]]
    stack: Stack

    def value(self, promql: str) -> float:
        query = urllib.parse.urlencode({"query": f"sum({promql})"})
        with urllib.request.urlopen(f"{self.stack.url('prometheus')}/api/v1/query?{query}", timeout=20) as answer:
            found = json.load(answer)["data"]["result"]
        return float(found[0]["value"][1]) if found else 0.0


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    without = {"phoenix", "alertmanager", "rag-service"}
    with Stack(ports_free=True, without=without, environment={"sidecar": QUICK}) as stack:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda case: ask(case, stack), CASES))
        results = read_results(stack, len(CASES) * len(QUESTIONS))
        # Prometheus asks every five seconds.
        one = Seen(results, stack)
        deadline = time.monotonic() + 30
        while one.value("rag_verdicts_total") < len(CASES) * len(QUESTIONS) and time.monotonic() < deadline:
            time.sleep(0.5)
        yield one


def ask(case: str, stack: Stack) -> None:
    """Ask a service every question. Its answers are right: what is under test is what the sidecar makes of them."""
    environment = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": stack.url("collector"),
        "OTEL_SERVICE_NAME": case,
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "OPENAI_API_KEY": "none",
    }
    done = subprocess.run(
        [str(paths.find("frameworks")), "-m", "frameworks", *case.split()],
        cwd=ROOT / "examples",
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["question"] for one in said] == list(QUESTIONS)
    assert sum(one["made_up"] for one in said) == MADE_UP


def read_results(stack: Stack, count: int) -> dict[str, list[dict[str, Any]]]:
    """So many results, by service; fewer when time is up."""
    consumer = Consumer({"bootstrap.servers": f"127.0.0.1:{stack.ports[9092]}", "group.id": "test", "log_level": 0})
    found: dict[str, list[dict[str, Any]]] = {case: [] for case in CASES}
    try:
        partitions = consumer.list_topics("rag_results", timeout=10).topics["rag_results"].partitions
        consumer.assign([TopicPartition("rag_results", number, 0) for number in partitions])
        deadline = time.monotonic() + 60
        while sum(map(len, found.values())) < count and time.monotonic() < deadline:
            message = consumer.poll(0.2)
            if message is not None and not message.error():
                result = json.loads(message.value() or b"{}")
                found[result["service"]].append(result)
    finally:
        consumer.close()
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_question_is_a_request_that_is_scored(seen: Seen, case: str) -> None:
    results = seen.results[case]
    assert Counter((one["outcome"], one["reason"]) for one in results) == {("scored", None): len(QUESTIONS)}
    assert {(one["trace"]["root_seen"], one["trace"]["cut"]) for one in results} == {(True, False)}


@pytest.mark.parametrize("case", CASES)
def test_made_up_answers_are_told_from_the_others(seen: Seen, case: str) -> None:
    verdicts = Counter(one["verdict"] for one in seen.results[case])
    assert abs(verdicts["hallucinated"] - MADE_UP) <= 2, verdicts
    assert abs(verdicts["grounded"] - (len(QUESTIONS) - MADE_UP)) <= 2, verdicts


@pytest.mark.parametrize("case", CASES)
def test_documents_tokens_model_and_conversation_are_read(seen: Seen, case: str) -> None:
    results = seen.results[case]
    relevance = [e for one in results for e in one["evaluations"] if e["evaluator"] == "context_relevance"]
    assert {e["outcome"] for e in relevance} == {"scored"}
    assert all(e["documents"] for e in relevance)
    assert {one["model"] for one in results} == {"gpt-4o-mini"}
    assert all(one["tokens"]["input"] > 50 and one["tokens"]["output"] > 0 for one in results)
    assert all(
        one["durations"]["retrieval"] is not None and one["durations"]["generation"] is not None for one in results
    )
    sessions = {one["session"] for one in results}
    assert sessions == ({f"session-{n}" for n in range(len(QUESTIONS))} if CASES[case] else {None})


@pytest.mark.parametrize("case", CASES)
def test_prometheus_has_the_numbers_of_the_service(seen: Seen, case: str) -> None:
    service = f'rag_service="{case}"'
    assert seen.value(f"rag_verdicts_total{{{service}}}") == len(QUESTIONS)
    assert seen.value(f'rag_requests_total{{{service},status="success"}}') == len(QUESTIONS)
    tokens = sum(one["tokens"]["input"] for one in seen.results[case])
    assert seen.value(f'rag_tokens_total{{{service},type="input"}}') == tokens
    assert seen.value(f"rag_cost_usd_total{{{service}}}") > 0
