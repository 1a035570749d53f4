"""A real Prometheus scrapes the running sidecar; PromQL and the project's own rules give the hallucination ratio back."""

from __future__ import annotations

import json
import math
import random
import re
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from dashboards import generate, promql
from dashboards.objectives import Windows
from dashboards.preview import ask
from tests.parts.broker import Message, produce
from tests.parts.judge_server import Asked, in_a_thread
from tests.parts.mock_kafka import MockKafka
from tests.parts.process import Server, free_ports
from tests.parts.prometheus import Prometheus
from tests.unit.ops import asked
from tests.unit.ops.promql import Use, uses

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
SHORT = Windows(fast="60s", fast_check="10s", slow="120s", slow_check="30s")
RULES = generate.rules_yaml(SHORT, interval="1s")
FIRST = 30
REQUESTS = 280
ALL = FIRST + REQUESTS
RATE = 0.5
JUDGE_RATE = 0.5
RATIO = 'rag_service:rag_hallucination:ratio_rate120s{rag_service="support"}'
# Panels of what does not happen here: an error each, or a setting that is off. Their queries are run all the same.
MAY_BE_EMPTY = {
    "Why requests were not scored",
    "Failed evaluations",
    "Consumers built anew",
    "Failed batches",
    "Failed pushes",
    "Repartitioned records",
    "Repartitioning behind its sources",
    "Waits for sources given up",
    "Labels that are full",
    "Unknown weights",
    "Traces given up at a rebalance",
    "Errors of our own",
    "Failed attempts of Kafka clients",
    "Values redacted",
    "Settings read again",
    "Models away",
    # The judge here is well.
    "Judge paused",
    "Texts that speak to the judge",
    "How often the judge is right",
    "How often the verdict is right",
    "Labelled answers behind that",
    "How often the verdict is right by labels, and how many these are",
    # There are no days before.
    "Rise against the days before",
}
# Series that begin with what does not happen here.
MAY_BE_ABSENT = {
    "rag_sidecar_export_failures_total",
    "rag_sidecar_inference_failures_total",
    "rag_sidecar_native_fields_unread_total",
    "rag_sidecar_receiver_restarts_total",
    "rag_sidecar_repartition_behind_seconds",
    "rag_sidecar_repartition_waits_given_up_total",
    "rag_sidecar_repartitioned_records_total",
    "rag_label_overflow_total",
    "rag_sidecar_config_reloads_total",
    "rag_sidecar_internal_errors_total",
    "rag_sidecar_kafka_failures_total",
    "rag_sidecar_redactions_total",
    "rag_sidecar_revoked_traces_total",
    "rag_sidecar_unknown_weights_total",
    "rag_sidecar_model_away",
    "rag_sidecar_detector_labelled",
    "rag_sidecar_detector_rate",
    "rag_sidecar_label_rate",
    "rag_sidecar_labelled_answers",
    "rag_sidecar_labels_expiry_timestamp_seconds",
    "rag_sidecar_judge_detector_labelled",
    "rag_sidecar_judge_detector_rate",
    "rag_sidecar_judge_paused",
    "rag_sidecar_judge_suspicious_texts_total",
}
# What does not happen here: nobody measured errors of the judge, labelled anything or sends probes, and there are no days before.
MAY_BE_UNRECORDED = re.compile(".+:rag_judge_errors:|.+:rag_label(led|_rates):|.+:rag_verdict_share:rise_|rag_probe_")
# Alerts about services have no job and no instance.
MAY_BE_EMPTY_LABELS = {"ALERTS": {"job", "instance"}}

DOCUMENT = (
    "The warranty of the Lumen lamp is two years. It starts on the day of purchase and covers the bulb and the switch."
)
GROUNDED = "The warranty of the Lumen lamp is two years, starting on the day of purchase."
HALLUCINATED = "Captain Nemo sold the submarine to a museum in Oslo for nine thousand crowns in 1987."
ABSTAINED = "I don't know."
POISON = Message(b'{"question": ', key=b"poison")


@dataclass(frozen=True, slots=True)
class Setting:
    """The sidecar at work and the Prometheus that watches it. `at` is when all had come: a busy machine may take longer over
    the tests than the windows are wide."""

    prometheus: Prometheus
    trace_ids: frozenset[str]
    hallucinated: float
    at: float


def record(answer: str, trace_id: str, *, model: str, variant: str) -> Message:
    request = {
        "request_id": trace_id,
        "trace_id": trace_id,
        "timestamp": time.time(),
        "service": "support",
        "model": model,
        "variant": variant,
        "question": "How long is the warranty of the Lumen lamp?",
        "answer": answer,
        "contexts": [DOCUMENT],
        "usage": {"prompt_tokens": 310, "completion_tokens": 12},
        "latency_ms": 800,
        "retrieval_latency_ms": 90,
        "generation_latency_ms": 700,
        "ttft_ms": 120,
    }
    return Message(json.dumps(request).encode(), key=trace_id.encode())


def something_else() -> Message:
    """A trace of OpenTelemetry that holds no RAG request."""
    trace_id, now = uuid.uuid4().hex, time.time_ns()
    span = {"traceId": trace_id, "spanId": "00f067aa0ba902b7", "name": "GET /health", "kind": 2}
    span |= {"startTimeUnixNano": str(now - 1_000_000), "endTimeUnixNano": str(now)}
    data = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [span]}]}]}
    return Message(json.dumps(data).encode(), key=trace_id.encode())


def traffic(count: int, *, seed: int) -> list[Message]:
    """A quarter of the answers that are not abstentions is hallucinated; ids are the same in every run, and so is the sample."""
    chance = random.Random(seed)
    answers = (HALLUCINATED, GROUNDED, GROUNDED, ABSTAINED, GROUNDED)
    models = ("gpt-4o-mini", "gpt-4o-mini", "a-model-without-a-price")
    return [
        record(
            answers[n % len(answers)],
            uuid.UUID(int=chance.getrandbits(128)).hex,
            model=models[n % len(models)],
            variant="ab"[n % 2],
        )
        for n in range(count)
    ]


def says(asked: Asked) -> object:
    """A judge that knows the truth."""
    return {"reason": "it knows", "rating": 0 if asked.data["answer"] == HALLUCINATED else 2}


def settings(folder: Path, servers: str, port: int, *, rate: float = RATE, judge: str | None = None) -> Path:
    path = folder / "config.yaml"
    receive = {
        "bootstrap_servers": servers,
        "topics": ["requests"],
        "auto_offset_reset": "earliest",
        "lag_interval_seconds": 1.0,
    }
    values = {
        "receive": receive,
        "assemble": {"quiet_seconds": 1.0},
        "admin": {"host": "127.0.0.1", "port": port},
        "sample": {"rate": rate},
        "results": {"topic": "results"},
    }
    if judge:
        # A purse begins empty, and this one is filled at once.
        values["judge"] = {"url": judge, "model": "judge", "budget_usd_per_hour": 1000, "budget_usd_per_day": None}
        values["price"] = {"models": {"judge": {"input": 0.1, "output": 0.2}}}
        values["evaluate"] = {"groundedness": {"by": "both", "judge_rate": JUDGE_RATE}}
    path.write_text(yaml.safe_dump(values), encoding="utf-8")
    return path


def ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def wait_for_requests(prometheus: Prometheus, count: int) -> None:
    # A scrape may see one of the two before the other.
    prometheus.wait_for(
        f"sum(rag_requests_total) >= {count} and sum(rag_sidecar_requests_total) >= {count}", seconds=90
    )


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    folder = tmp_path_factory.mktemp("prometheus")
    rules = folder / "rules.yml"
    rules.write_text(RULES, encoding="utf-8")
    (port,) = free_ports(1)
    with MockKafka() as broker, in_a_thread(says) as judge:
        broker.create_topic("requests")
        broker.create_topic("results")
        config = settings(folder, broker.bootstrap_servers, port, judge=judge.url)
        command = [sys.executable, "-m", "sidecar", "run", "--config", str(config)]
        sidecar = Server("rag-sidecar", command, log=folder / "sidecar.log", cwd=ROOT)
        try:
            sidecar.wait_until(lambda: ready(port), seconds=60)
            with Prometheus({"rag-sidecar": f"127.0.0.1:{port}"}, rule_files=[rules]) as prometheus:
                # Series begin with the first requests; what PromQL can see is their rise after the first scrape.
                first, more = traffic(FIRST, seed=1), traffic(REQUESTS, seed=2)
                produce(broker, "requests", [POISON, *(something_else() for _ in range(3)), *first])
                wait_for_requests(prometheus, len(first))
                before = _hallucinated_share(prometheus)
                produce(broker, "requests", more)
                wait_for_requests(prometheus, len(first) + len(more))
                share = _hallucinated_share(prometheus, minus=before)
                # A rule's value is as old as its last evaluation, on a busy machine seconds: one made after all had come is wanted.
                prometheus.wait_for(f"{RATIO} and timestamp({RATIO}) > {time.time()}")
                ids = frozenset((message.key or b"").decode() for message in (*first, *more))
                yield Setting(prometheus, ids, share[0] / (share[0] + share[1]), time.time())
        finally:
            sidecar.stop()


def _hallucinated_share(prometheus: Prometheus, *, minus: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
    """Weights of hallucinated and grounded answers as the counters say, less what they were before."""
    found = {
        labels["verdict"]: value for labels, value in prometheus.query("sum by (verdict) (rag_verdict_weight_total)")
    }
    return found["hallucinated"] - minus[0], found["grounded"] - minus[1]


def one(prometheus: Prometheus, promql: str) -> float:
    ((_, value),) = prometheus.wait_for(promql)
    return value


def test_the_rules_give_back_the_hallucination_ratio_of_the_traffic(setting: Setting) -> None:
    ratio = one(setting.prometheus, RATIO)
    assert ratio == pytest.approx(setting.hallucinated, abs=0.03)
    assert ratio == pytest.approx(0.25, abs=0.1)
    lower, upper = (one(setting.prometheus, RATIO.replace(":ratio_", f":{bound}_")) for bound in ("lower95", "upper95"))
    assert lower < ratio < upper


def test_the_judge_on_half_of_the_sample_anchors_the_ratio(setting: Setting) -> None:
    names = (RATIO.replace(":ratio_", f":anchored_{word}_") for word in ("ratio", "lower95", "upper95"))
    ratio, lower, upper = (one(setting.prometheus, name) for name in names)
    assert lower < ratio < upper
    assert lower < 0.25 < upper
    saw = one(setting.prometheus, "sum(rag_judged_verdicts_total)")
    assert saw == pytest.approx(JUDGE_RATE * one(setting.prometheus, "sum(rag_verdicts_total)"), rel=0.35)
    assert one(setting.prometheus, "sum(rag_judged_verdict_weight_total)") == pytest.approx(saw / RATE / JUDGE_RATE)


def test_the_weights_estimate_all_requests_from_half_of_them(setting: Setting) -> None:
    raw = one(setting.prometheus, "sum(rag_verdicts_total)")
    weighted = one(setting.prometheus, "sum(rag_verdict_weight_total)")
    assert raw < 0.7 * ALL
    assert weighted == pytest.approx(raw / RATE)
    assert weighted == pytest.approx(ALL, rel=0.25)


def test_the_funnel_adds_up_to_all_requests(setting: Setting) -> None:
    assert one(setting.prometheus, "sum(rag_sidecar_requests_total)") == ALL
    assert one(setting.prometheus, 'sum(rag_sidecar_requests_total{outcome=~"shed|failed"}) or vector(0)') == 0


def test_exemplars_lead_to_traces(setting: Setting) -> None:
    found = setting.prometheus.get(
        "/api/v1/query_exemplars",
        query="rag_evaluation_score_bucket",
        start=str(time.time() - 600),
        end=str(time.time()),
    )
    ids = {example["labels"]["trace_id"] for series in found for example in series["exemplars"]}
    assert ids
    assert ids <= setting.trace_ids


def test_every_rule_evaluates_without_error(setting: Setting) -> None:
    groups = setting.prometheus.get("/api/v1/rules")["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert len(rules) > 20
    assert {rule["name"]: rule.get("lastError") for rule in rules if rule["health"] != "ok"} == {}


def test_the_warning_begins_when_a_quarter_is_hallucinated_and_nothing_else_does(setting: Setting) -> None:
    setting.prometheus.wait_for('ALERTS{alertname="RagHallucinationRateHigh",rag_service="support"}')
    about_the_sidecar = setting.prometheus.query('ALERTS{alertname=~"RagSidecar.+"}')
    assert about_the_sidecar == []


def as_grafana_sends_it(expression: str) -> str:
    span = ask.Span(0.0, 0.0, step=1.0, rate_interval="120s", windows={"1h": "120s"})
    return ask.prepare(expression, span, variants=("a", "b"))


@pytest.mark.parametrize("record", [rule["record"] for rule in asked.rules(RULES) if "record" in rule])
def test_every_recording_rule_gives_data(setting: Setting, record: str) -> None:
    expression = f"max_over_time({record}[1h])"  # of a short window the last may be that of no traffic: NaN
    if MAY_BE_UNRECORDED.match(record):
        assert setting.prometheus.query(expression) == []
        return
    assert [labels for labels, value in setting.prometheus.wait_for(expression) if not math.isnan(value)]


@pytest.mark.parametrize(
    "alert", [rule for rule in asked.rules(RULES) if "alert" in rule], ids=lambda one: one["alert"]
)
def test_every_alert_reads_series_that_are_there(setting: Setting, alert: dict[str, Any]) -> None:
    setting.prometheus.query(alert["expr"])
    for use in uses(alert["expr"]):
        assert exists(setting.prometheus, use), use.text


@pytest.mark.parametrize("name", asked.boards())
def test_no_panel_annotation_or_variable_asks_for_a_series_or_label_that_is_not_there(
    setting: Setting, name: str
) -> None:
    for expression in asked.expressions()[name]:
        sent = as_grafana_sends_it(expression)
        setting.prometheus.query(sent)
        for use in uses(sent):
            assert exists(setting.prometheus, use), use.text


@pytest.mark.parametrize("name", asked.boards())
def test_every_variable_has_something_to_choose(setting: Setting, name: str) -> None:
    for variable in asked.boards()[name]["templating"]["list"]:
        if variable["type"] == "query":
            found = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"])
            assert found
            values = setting.prometheus.get(
                f"/api/v1/label/{found[2]}/values", **{"match[]": as_grafana_sends_it(found[1])}
            )
            assert values, variable["name"]


def exists(prometheus: Prometheus, use: Use) -> bool:
    """Whether the series that a selector names is there, with every label that the selector names."""
    if use.series in MAY_BE_ABSENT or MAY_BE_UNRECORDED.match(use.series):
        return True
    named = {name for name, _ in use.matchers} - MAY_BE_EMPTY_LABELS.get(use.series, set())
    labels = ",".join(f'{name}!=""' for name in sorted(named))
    return prometheus.query(f"count(last_over_time({use.series}{{{labels}}}[1h]))") != []


def panels() -> list[Any]:
    """Every panel that asks, with its dashboard and title as the name of its test."""
    return [
        pytest.param(panel, id=f"{path.stem}: {panel['title']} ({panel['type']})")
        for path in generate.DASHBOARDS
        for panel in json.loads((ROOT / path).read_text(encoding="utf-8"))["panels"]
        if panel.get("targets")
    ]


@pytest.mark.parametrize("panel", panels())
def test_every_panel_shows_something(setting: Setting, panel: dict[str, Any]) -> None:
    for target in panel["targets"]:
        query = as_grafana_sends_it(target["expr"])
        found = [value for _, value in setting.prometheus.query(query, at=setting.at) if not math.isnan(value)]
        asks = uses(query)
        absent = any(use.series in MAY_BE_ABSENT for use in asks) or all(
            MAY_BE_UNRECORDED.match(use.series) for use in asks
        )
        assert found or absent or panel["title"] in MAY_BE_EMPTY, query


def test_panels_that_may_be_empty_exist() -> None:
    assert {param.values[0]["title"] for param in panels()} >= MAY_BE_EMPTY


def test_the_difference_of_two_variants_lies_in_its_interval(setting: Setting) -> None:
    a, b = 'variant="a"', 'variant="b"'
    difference = one(setting.prometheus, promql.difference("120s", a, b))
    lower = one(setting.prometheus, promql.difference_bound("120s", a, b, upper=False))
    upper = one(setting.prometheus, promql.difference_bound("120s", a, b, upper=True))
    assert -1 <= lower < difference < upper <= 1
    assert lower < 0 < upper, "both variants hallucinate alike"
