"""The series about the RAG services."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.result import Outcome, Result, Verdict
from exporters.series import SERIES, SUBJECT
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from tests.unit.exporters.exposition import exemplars, exposed, label_values, value
from tests.unit.exporters.samples import (
    EVERY_OUTCOME,
    FAILED,
    FAITHFULNESS,
    GROUNDEDNESS,
    HOSTILE,
    MODEL,
    SAMPLED_OUT,
    SCORED,
    SECRET,
    SHED,
    UNSCORABLE,
)

VERDICTS = ("rag_verdicts_total", "rag_verdict_weight_total", "rag_verdict_weight_squared_total")
BOT = {"rag_service": "support-bot", "model": "gpt-4o", "variant": "b"}


async def counted(results: Sequence[Result], config: PrometheusConfig | None = None) -> CollectorRegistry:
    registry = CollectorRegistry()
    await make(registry, config).export(results)
    return registry


def make(registry: CollectorRegistry, config: PrometheusConfig | None = None) -> PrometheusExporter:
    return PrometheusExporter(
        config or PrometheusConfig(),
        registry,
        evaluators=["faithfulness", "groundedness"],
        grounding_models=["embedded"],
        judge_models=["judge"],
    )


def numbered(result: Result, count: int) -> list[Result]:
    return [replace(result, id=f"{result.id}-{n}") for n in range(count)]


async def test_traffic_is_counted_for_every_outcome() -> None:
    registry = await counted([*EVERY_OUTCOME, replace(SHED, id="e", error_class="timeout")])
    assert value(registry, "rag_requests_total", **BOT, status="success") == 5
    assert value(registry, "rag_requests_total", **BOT, status="error") == 1
    assert value(registry, "rag_request_duration_seconds_count", **BOT) == 6
    assert value(registry, "rag_request_duration_seconds_sum", **BOT) == 12.0
    assert value(registry, "rag_retrieval_duration_seconds_bucket", **BOT, le="0.1") == 0
    assert value(registry, "rag_retrieval_duration_seconds_bucket", **BOT, le="0.25") == 6
    assert value(registry, "rag_generation_duration_seconds_sum", **BOT) == 9.0
    assert value(registry, "rag_time_to_first_token_seconds_bucket", **BOT, le="0.1") == 6
    assert value(registry, "rag_retrieved_documents_bucket", **BOT, le="3.0") == 6
    assert value(registry, "rag_retrieved_documents_bucket", **BOT, le="1.0") == 0


async def test_token_types_add_up_to_the_total() -> None:
    registry = await counted([SCORED])
    kinds = {"input": 300, "cached_input": 600, "cache_write": 100, "output": 60, "reasoning": 40}
    assert {k: value(registry, "rag_tokens_total", **BOT, type=k) for k in kinds} == kinds
    assert sum(kinds.values()) == SCORED.tokens["input"] + SCORED.tokens["output"]


async def test_cost_is_counted_by_type_and_unpriced_tokens_apart() -> None:
    registry = await counted([SCORED, replace(SCORED, id="u", cost_usd=None, unpriced_tokens=77)])
    assert value(registry, "rag_cost_usd_total", **BOT, type="input") == 0.25
    assert value(registry, "rag_cost_usd_total", **BOT, type="output") == 0.125
    assert value(registry, "rag_unpriced_tokens_total") == 77
    assert label_values(registry, "rag_unpriced_tokens_total", "model") == {"gpt-4o"}


async def test_a_score_counts_for_the_requests_it_stands_for() -> None:
    registry = await counted([SCORED, replace(SCORED, id="two", inclusion_probability=1.0, upstream_adjusted_count=8)])
    score = {**BOT, "evaluator": "faithfulness"}
    assert value(registry, "rag_evaluation_score_count", **score) == 4 + 8
    assert value(registry, "rag_evaluation_score_sum", **score) == 12 * 0.5
    assert value(registry, "rag_evaluation_score_bucket", **score, le="0.3") == 0
    assert value(registry, "rag_evaluation_score_bucket", **score, le="0.5") == 12
    assert value(registry, "rag_evaluation_score_bucket", **score, le="+Inf") == 12
    assert value(registry, "rag_evaluations_total", **score, outcome="scored", reason="") == 2


async def test_an_evaluation_with_a_probability_of_its_own_stands_for_more_requests_than_the_others() -> None:
    first, *others = SCORED.evaluations
    rare = replace(SCORED, evaluations=(replace(first, inclusion_probability=0.125), *others))
    registry = await counted([rare])
    assert value(registry, "rag_evaluation_score_count", **BOT, evaluator=first.evaluator) == 8
    assert value(registry, "rag_evaluation_score_count", **BOT, evaluator="groundedness") == 4
    assert value(registry, "rag_verdict_weight_total", **BOT, verdict="hallucinated") == 4


async def test_verdicts_are_counted_raw_weighted_and_squared() -> None:
    registry = await counted([SCORED, replace(SCORED, id="two", inclusion_probability=0.5)])
    assert value(registry, "rag_verdicts_total", **BOT, verdict="hallucinated") == 2
    assert value(registry, "rag_verdict_weight_total", **BOT, verdict="hallucinated") == 6
    assert value(registry, "rag_verdict_weight_squared_total", **BOT, verdict="hallucinated") == 16 + 4


async def test_a_verdict_names_the_model_that_gave_it() -> None:
    other = replace(GROUNDEDNESS, model=replace(MODEL, name="hhem"), label="grounded", score=0.9)
    results = [
        SCORED,
        replace(SCORED, id="two", verdict=Verdict.GROUNDED, evaluations=(FAITHFULNESS, other)),
        replace(SCORED, id="three", verdict=Verdict.ABSTAINED, evaluations=()),
    ]
    registry = await counted(results)
    assert label_values(registry, "rag_verdicts_total", "grounding_model") == {"embedded", "hhem", "unknown"}
    for verdict, model in [("hallucinated", "embedded"), ("grounded", "hhem"), ("abstained", "unknown")]:
        assert value(registry, "rag_verdicts_total", verdict=verdict, grounding_model=model) == 1
        assert value(registry, "rag_verdict_weight_squared_total", verdict=verdict, grounding_model=model) == 16
    assert value(registry, "rag_verdicts_total", verdict="grounded", grounding_model="embedded") == 0


async def test_a_verdict_that_differs_from_what_its_evaluation_said_keeps_the_model() -> None:
    registry = await counted([replace(SCORED, verdict=Verdict.GROUNDED)])
    assert value(registry, "rag_verdicts_total", verdict="grounded", grounding_model="embedded") == 1


async def test_a_model_that_was_seen_once_starts_at_zero_for_new_subjects() -> None:
    other = replace(GROUNDEDNESS, model=replace(MODEL, name="hhem"))
    registry = await counted([replace(SCORED, evaluations=(other,)), replace(SAMPLED_OUT, service="new")])
    assert value(registry, "rag_verdicts_total", rag_service="new", verdict="hallucinated", grounding_model="hhem") == 0


async def test_a_verdict_by_another_version_model_or_threshold_has_another_identity() -> None:
    others = [
        GROUNDEDNESS,
        replace(GROUNDEDNESS, version="other"),
        replace(GROUNDEDNESS, method="other"),
        replace(GROUNDEDNESS, threshold=0.123),
        replace(GROUNDEDNESS, model=replace(MODEL, sha256="0" * 64)),
        replace(GROUNDEDNESS, score=0.1, explanation="of the text"),
    ]
    results = [replace(SCORED, id=str(n), evaluations=(one,)) for n, one in enumerate(others)]
    registry = await counted(results)
    identities = label_values(registry, "rag_verdicts_total", "identity") - {""}
    assert len(identities) == 5
    assert all(len(one) == 8 and int(one, 16) >= 0 for one in identities)
    counts = [value(registry, "rag_verdicts_total", verdict="hallucinated", identity=one) or 0 for one in identities]
    assert sorted(counts) == [1, 1, 1, 1, 2]


async def test_identities_are_few() -> None:
    results = [replace(SCORED, id=str(n), evaluations=(replace(GROUNDEDNESS, threshold=n / 1000),)) for n in range(60)]
    registry = await counted(results)
    assert len(label_values(registry, "rag_verdicts_total", "identity")) == 50 + len({"", "__other__"})


async def test_pairs_of_local_verdict_and_judge_start_at_zero_before_the_judge_has_spoken() -> None:
    registry = await counted([SAMPLED_OUT])
    for name in ("rag_judged_verdicts_total", "rag_judged_verdict_weight_total"):
        assert exposed(registry)[name] == {
            frozenset(
                {**BOT, "local": local, "judge": judge, "grounding_model": "embedded", "judge_model": "judge"}.items()
            ): 0
            for local in ("grounded", "hallucinated")
            for judge in ("grounded", "hallucinated")
        }


async def test_a_pair_of_models_that_is_seen_for_the_first_time_starts_at_zero_with_all_its_verdicts() -> None:
    judged = replace(GROUNDEDNESS, evaluator="groundedness_judge", model=replace(MODEL, name="other"), judged=True)
    registry = await counted([replace(SCORED, evaluations=(GROUNDEDNESS, judged)), replace(SAMPLED_OUT, service="new")])
    said = {"judge_model": "other", "grounding_model": "embedded"}
    assert value(registry, "rag_judged_verdicts_total", **BOT, local="hallucinated", judge="hallucinated", **said) == 1
    assert value(registry, "rag_judged_verdicts_total", **BOT, local="grounded", judge="hallucinated", **said) == 0
    assert (
        value(registry, "rag_judged_verdicts_total", rag_service="new", local="grounded", judge="grounded", **said) == 0
    )


async def test_beside_a_judge_a_local_model_that_failed_gave_no_verdict() -> None:
    judged = replace(GROUNDEDNESS, evaluator="groundedness_judge", model=replace(MODEL, name="judge"), judged=True)
    failed = replace(GROUNDEDNESS, outcome=Outcome.FAILED, reason="timeout", score=None, label=None)
    registry = await counted([replace(SCORED, verdict=None, evaluations=(failed, judged))])
    said = {"local": "none", "judge": "hallucinated", "judge_model": "judge"}
    assert value(registry, "rag_judged_verdicts_total", **BOT, **said, grounding_model="unknown") == 1


async def test_models_of_verdicts_are_few() -> None:
    results = [
        replace(SCORED, id=str(n), evaluations=(replace(GROUNDEDNESS, model=replace(MODEL, name=f"m{n}")),))
        for n in range(30)
    ]
    registry = await counted(results)
    names = label_values(registry, "rag_verdicts_total", "grounding_model")
    # Two of ten places are those of the models that were known before.
    assert len(names) == 8 + len({"unknown", "__other__"})
    others = [
        dict(labels) for labels in exposed(registry)["rag_verdicts_total"] if ("grounding_model", "__other__") in labels
    ]
    assert len({one["identity"] for one in others}) == 22, (
        "what is no name of its own is an identity of its own all the same"
    )


async def test_evaluations_are_counted_with_outcome_and_reason() -> None:
    registry = await counted([SCORED, UNSCORABLE, FAILED])
    count = [
        value(registry, "rag_evaluations_total", **BOT, evaluator=evaluator, outcome=outcome, reason=reason)
        for evaluator, outcome, reason in [
            ("answer_relevancy", "unscorable", "no_question"),
            ("context_precision", "failed", "timeout"),
        ]
    ]
    assert count == [2, 2]
    assert value(registry, "rag_evaluation_score_count", **BOT, evaluator="answer_relevancy") is None


async def test_quality_is_silent_about_requests_that_were_not_evaluated() -> None:
    registry = await counted([SAMPLED_OUT, SHED])
    assert label_values(registry, "rag_verdicts_total", "verdict") == {"abstained"}
    assert value(registry, "rag_verdicts_total", **BOT, verdict="abstained") == 0
    assert "rag_evaluation_score_count" not in exposed(registry)


async def test_a_new_subject_starts_at_zero_for_every_verdict_that_is_known() -> None:
    registry = await counted([SCORED, replace(SAMPLED_OUT, id="new", service="new")])
    for name in VERDICTS:
        assert value(registry, name, rag_service="new", verdict="hallucinated", grounding_model="embedded") == 0
        assert value(registry, name, rag_service="new", verdict="grounded", grounding_model="embedded") == 0
        assert (
            value(registry, name, rag_service="new", verdict="abstained", grounding_model="unknown", identity="") == 0
        )
    assert value(registry, "rag_evaluations_total", **BOT, evaluator="groundedness", outcome="scored", reason="") == 1


async def test_traffic_and_quality_carry_the_same_subjects() -> None:
    registry = await counted([SCORED, replace(SCORED, id="2", model=None, variant=None)])
    subjects = {
        frozenset((k, v) for k, v in key if k in SUBJECT)
        for name, samples in exposed(registry).items()
        if name in ("rag_requests_total", "rag_verdict_weight_total", "rag_evaluation_score_count")
        for key in samples
    }
    assert len(subjects) == 2
    assert frozenset({("rag_service", "support-bot"), ("model", "unknown"), ("variant", "unknown")}) in subjects


async def test_a_result_that_comes_again_is_not_counted_again() -> None:
    registry = CollectorRegistry()
    exporter = make(registry)
    await exporter.export([SCORED])
    before = generate_latest(registry)
    await exporter.export([SCORED])
    assert generate_latest(registry) == before


async def test_only_the_latest_results_are_remembered() -> None:
    registry = CollectorRegistry()
    exporter = make(registry, PrometheusConfig(remembered_results=10))
    many = numbered(SAMPLED_OUT, 100)
    await exporter.export(many)
    await exporter.export(many[-10:])
    assert value(registry, "rag_requests_total", **BOT, status="success") == 100
    await exporter.export(many[:10])
    assert value(registry, "rag_requests_total", **BOT, status="success") == 110


async def test_label_values_beyond_the_limit_become_other_and_are_counted() -> None:
    config = PrometheusConfig(most_services=2, most_models=1)
    registry = await counted([replace(SCORED, id=str(n), service=f"s{n}", model=f"m{n}") for n in range(5)], config)
    assert label_values(registry, "rag_requests_total", "rag_service") == {"s0", "s1", "__other__"}
    assert label_values(registry, "rag_requests_total", "model") == {"m0", "__other__"}
    assert value(registry, "rag_label_overflow_total", label="rag_service") == 3
    assert value(registry, "rag_label_overflow_total", label="model") == 4
    assert value(registry, "rag_label_overflow_total", label="variant") == 0


async def test_values_that_are_not_on_an_allow_list_become_other() -> None:
    config = PrometheusConfig(variants=("a", "b"), services=("support-bot",))
    registry = await counted([SCORED, replace(SCORED, id="2", variant="user-4711", service="x")], config)
    assert label_values(registry, "rag_requests_total", "variant") == {"b", "__other__"}
    assert label_values(registry, "rag_requests_total", "rag_service") == {"support-bot", "__other__"}


async def test_combinations_of_labels_are_limited_too() -> None:
    results = [replace(SCORED, id=f"{s}{m}", service=f"s{s}", model=f"m{m}") for s in range(10) for m in range(10)]
    registry = await counted(results, PrometheusConfig(most_subjects=7))
    requests = exposed(registry)["rag_requests_total"]
    assert len({frozenset((k, v) for k, v in key if k in SUBJECT) for key in requests}) == 8
    assert sum(requests.values()) == 100
    assert value(registry, "rag_label_overflow_total", label="subject") == 93


async def test_a_silent_subject_is_forgotten_and_makes_room() -> None:
    clock = ManualClock()
    registry = CollectorRegistry()
    config = PrometheusConfig(most_services=1, idle_seconds=100)
    exporter = PrometheusExporter(config, registry, evaluators=[], monotonic=clock.monotonic)
    await exporter.export([replace(SCORED, unpriced_tokens=5)])
    clock.advance(101)
    await exporter.export([replace(SCORED, id="2", service="new", model="other-model")])
    assert label_values(registry, "rag_requests_total", "rag_service") == {"new"}
    assert "rag_unpriced_tokens_total" not in exposed(registry)


async def test_hostile_values_poison_nothing() -> None:
    registry = await counted([HOSTILE, SCORED])
    text = generate_latest(registry).decode("utf-8")
    assert "NaN" not in text
    assert "inf" not in text.replace("+Inf", "")
    assert value(registry, "rag_request_duration_seconds_count") == 1
    assert all(v >= 0 for samples in exposed(registry).values() for v in samples.values())
    assert max(len(s) for s in label_values(registry, "rag_requests_total", "rag_service")) == 128
    assert (
        value(registry, "rag_verdict_weight_total", verdict="grounded", model="unknown", grounding_model="unknown") == 1
    )


async def test_an_exemplar_names_the_trace_of_an_observation() -> None:
    registry = await counted([SCORED])
    shown = exemplars(registry, "rag_evaluation_score")
    assert {tuple(e.labels.items()) for e in shown} == {(("trace_id", SCORED.trace_id),)}
    assert [e.value for e in shown] == [0.5, 0.25, 0.5]
    assert float(shown[0].timestamp or 0) == SCORED.completed_at
    assert len(exemplars(registry, "rag_request_duration_seconds")) == 1


@pytest.mark.parametrize(
    "result",
    [replace(SCORED, trace_sampled=False), replace(SCORED, trace_id="t" * 121), replace(SCORED, trace_id="")],
    ids=["not sampled", "too long", "none"],
)
async def test_there_is_no_exemplar_where_it_would_lead_nowhere(result: Result) -> None:
    registry = await counted([result])
    assert exemplars(registry, "rag_evaluation_score") == []
    assert value(registry, "rag_evaluation_score_count", evaluator="faithfulness") == 4


async def test_an_exemplar_may_be_as_long_as_openmetrics_allows() -> None:
    registry = await counted([replace(SCORED, trace_id="\ud800" + "t" * 119)])
    assert len(exemplars(registry, "rag_evaluation_score")) == 3


async def test_every_threshold_is_a_bucket_edge() -> None:
    registry = CollectorRegistry()
    config = PrometheusConfig(thresholds=(0.72, 7.0))
    exporter = PrometheusExporter(config, registry, evaluators=[], thresholds=[0.33])
    await exporter.export([SCORED])
    edges = label_values(registry, "rag_evaluation_score_bucket", "le")
    assert {"0.72", "0.33", "0.1", "0.9", "+Inf"} <= edges
    assert "7.0" not in edges


async def test_no_user_text_and_no_id_is_exposed() -> None:
    text = generate_latest(await counted([SCORED])).decode()
    assert SECRET not in text
    assert SCORED.trace_id not in text
    assert "doc-1" not in text


async def test_nothing_else_than_the_table_is_exposed() -> None:
    registry = await counted(EVERY_OUTCOME)
    bases = {name.removesuffix("_bucket").removesuffix("_count").removesuffix("_sum") for name in exposed(registry)}
    assert bases <= {row.name for row in SERIES}
    assert not any(name.endswith("_created") for name in exposed(registry))


def test_it_shares_a_registry_with_our_own_series() -> None:
    telemetry = Telemetry()
    make(telemetry.registry)
    with pytest.raises(ValueError, match="Duplicated"):
        make(telemetry.registry)


def test_our_own_series_have_no_created_twins_either() -> None:
    telemetry = Telemetry()
    telemetry.count("rag_sidecar_records_total", topic="t", outcome="ok")
    telemetry.observe("rag_sidecar_scoring_seconds", 1.0)
    assert not any(name.endswith("_created") for name in exposed(telemetry.registry))


@pytest.mark.skipif(sys.platform != "linux", reason="prometheus_client reads /proc")
def test_memory_and_cpu_of_the_process_stand_beside_our_own_series() -> None:
    telemetry = Telemetry()
    telemetry.watch_process()
    assert {"process_resident_memory_bytes", "process_cpu_seconds_total"} <= set(exposed(telemetry.registry))


async def test_rendering_in_a_thread_sees_whole_histograms() -> None:
    registry = CollectorRegistry()
    exporter = make(registry)
    stop = threading.Event()
    broken: list[str] = []

    def render() -> None:
        while not stop.is_set():
            found = exposed(registry)
            count = sum(found.get("rag_request_duration_seconds_count", {}).values())
            if sum(found.get("rag_request_duration_seconds_sum", {}).values()) != 2.0 * count:
                broken.append("sum and count differ")

    thread = threading.Thread(target=render)
    thread.start()
    for n in range(40):
        await exporter.export([replace(SAMPLED_OUT, id=f"{n}-{m}") for m in range(50)])
        await asyncio.sleep(0.002)
    stop.set()
    thread.join()
    assert broken == []
    assert value(registry, "rag_requests_total", status="success") == 2000


def test_outcomes_are_known() -> None:
    assert {result.outcome for result in EVERY_OUTCOME} == set(Outcome)
