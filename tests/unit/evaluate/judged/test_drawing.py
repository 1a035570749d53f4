"""Which requests the judge sees, what stands in their results, and what the exporters make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from exporters.prometheus import PrometheusConfig, PrometheusExporter
from exporters.result import Evaluation, Outcome, Verdict
from sidecar.evaluate.base import Lane
from sidecar.evaluate.draw import Draws
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.base import UNREACHABLE, FloatArray
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import RetryableInferenceError
from sidecar.record.request import RagTrace
from sidecar.sample.rules import SampleConfig, Sampler
from tests.parts.judge_server import Asked
from tests.unit.evaluate.fakes import IDENTITY, models, request
from tests.unit.evaluate.judged.scripted import Angles, engine, only
from tests.unit.exporters.samples import SCORED

BOTH = {"evaluators": ["groundedness"], "references": "off", "groundedness": {"by": "both", "judge_rate": 0.25}}
CHINESE = request(question="它是什么？", answer="它是蓝色的灯。", documents=("这盏灯是蓝色的。",))


def full(_: Asked) -> object:
    return {"reason": "r", "rating": 2}


def numbered(number: int) -> RagTrace:
    return replace(request(), trace_id=f"{number:032x}")


def test_requests_are_drawn_with_the_probability_that_is_said_and_the_same_ones_each_time() -> None:
    left = 1.0
    draws = Draws({"a": 0.3, "b": 0.1}, salt="judge", factor=lambda: left)
    drawn = [draws.draw(numbered(n)) for n in range(20_000)]
    assert sum("a" in one for one in drawn) / 20_000 == pytest.approx(0.3, abs=0.015)
    assert all("a" in one for one in drawn if "b" in one)
    assert {one["a"] for one in drawn if "a" in one} == {0.3}
    assert drawn[:100] == [draws.draw(numbered(n)) for n in range(100)]
    left = 0.5
    fewer = [draws.draw(numbered(n)) for n in range(20_000)]
    assert sum("a" in one for one in fewer) / 20_000 == pytest.approx(0.15, abs=0.015)
    assert all("a" in before for before, after in zip(drawn, fewer, strict=True) if "a" in after)
    assert {one["a"] for one in fewer if "a" in one} == {0.15}


def test_the_draw_has_nothing_to_do_with_the_samplers() -> None:
    sampler = Sampler(SampleConfig(rate=0.5, salt="same"), Telemetry())
    draws = Draws({"a": 0.5}, salt="same", factor=lambda: 1.0)
    kept = [n for n in range(10_000) if sampler.decide(numbered(n)).keep]
    assert sum(bool(draws.draw(numbered(n))) for n in kept) / len(kept) == pytest.approx(0.5, abs=0.03)


async def test_what_was_drawn_says_its_probability_and_nothing_else_is_said_of_the_others() -> None:
    async with engine(full, BOTH) as (made, server):
        found = [await made.evaluate_all(numbered(n), kept=0.5) for n in range(60)]
    judged = [one for result in found for one in result.evaluations if one.judged]
    assert 5 <= len(judged) <= 28
    assert len(server.asked) <= 2 * len(judged)
    assert {one.inclusion_probability for one in judged} == {0.125}
    assert {len(result.evaluations) for result in found} == {1, 2}
    assert all(result.verdict is Verdict.GROUNDED for result in found)


async def test_judged_evaluators_are_built_as_the_settings_say() -> None:
    for by, names in (
        ("local", ["groundedness"]),
        ("both", ["groundedness", "groundedness_judge"]),
        ("judge", ["groundedness_judge"]),
    ):
        settings = {"evaluators": ["groundedness"], "references": "off", "groundedness": {"by": by}}
        async with engine(full, settings) as (made, _):
            assert [one.name for one in made.evaluators] == names
            assert (Lane.SLOW in made.lanes) == (by != "local")
    config = EvaluateConfig.model_validate({"groundedness": {"by": "both"}})
    assert config.judged == {"groundedness_judge": 0.1}
    assert EvaluateConfig.model_validate(only("groundedness")).judged == {"groundedness_judge": 1.0}


def test_without_a_judge_everything_local_works() -> None:
    made = Engine(EvaluateConfig.model_validate(BOTH), models())
    assert [one.name for one in made.evaluators] == ["groundedness"]
    assert made.lanes == (Lane.LOCAL,)
    assert made.draw(request()) == {}


async def test_chinese_is_judged_where_no_local_model_reads_it_and_gives_the_verdict() -> None:
    settings = {"evaluators": ["groundedness"], "groundedness": {"by": "both", "judge_rate": 1}}
    async with engine(full, settings) as (made, _):
        found = await made.evaluate_all(CHINESE)
    local, judged = found.evaluations
    assert (local.outcome, local.reason) == (Outcome.UNSCORABLE, "language")
    assert (judged.score, judged.label) == (1.0, "grounded")
    assert found.verdict is Verdict.GROUNDED


async def test_questions_are_not_compared_by_an_embedding_model_that_does_not_read_them() -> None:
    said = {"questions": [{"question": "这是什么？", "noncommittal": False}]}
    async with engine(lambda _: said, only("answer_relevancy"), reads=frozenset({"en"})) as (made, _):
        found = await made.evaluate_all(CHINESE)
    assert found.reason == "language"


async def test_questions_are_compared_by_what_stands_in_where_the_embedding_model_went_away() -> None:
    class Going(Angles):
        async def embed(self, texts: Sequence[str]) -> FloatArray:
            if not calls:
                calls.append(texts)
                raise RetryableInferenceError(UNREACHABLE)
            return await Angles({"What is blue?": 0.5}).embed(texts)

    calls: list[Sequence[str]] = []
    said = {"questions": [{"question": "What is blue?", "noncommittal": False}]}
    async with engine(lambda _: said, only("answer_relevancy"), embedder=Going({})) as (made, server):
        found = await made.evaluate_all(request())
    [one] = found.evaluations
    assert one.score == pytest.approx(0.5)
    assert one.other_models == (IDENTITY,)
    assert len(server.asked) == 1


async def test_a_rate_is_live() -> None:
    async with engine(full, BOTH) as (made, _):
        made.reconfigure(EvaluateConfig.model_validate({**BOTH, "groundedness": {"by": "both", "judge_rate": 1}}))
        assert made.draw(request()) == {"groundedness_judge": 1.0}
        assert [one.name for one in made.evaluators] == ["groundedness", "groundedness_judge"]


async def test_prompts_are_part_of_what_an_evaluator_is() -> None:
    async with engine(full, only("faithfulness")) as (made, _):
        assert made.evaluators[-1].version == "1+claims-1+verify-1"
        assert made.evaluators[-1].method == "claims_llm"


async def test_too_long_a_request_is_not_sent() -> None:
    async with engine(full, only("groundedness"), most_chars=100) as (made, server):
        found = await made.evaluate_all(request(documents=("It is blue. " * 20,)))
        assert found.reason == "too_long"
    assert server.asked == []


def verdict(name: str, label: str | None, *, judged: bool, p: float | None = None) -> Evaluation:
    return Evaluation(
        evaluator=name,
        outcome=Outcome.SCORED if label else Outcome.UNSCORABLE,
        score=0.5 if label else None,
        reason=None if label else "language",
        label=label,
        decides_verdict=True,
        judged=judged,
        inclusion_probability=p,
    )


async def test_local_and_judge_are_compared_with_the_weight_of_the_draw() -> None:
    registry = CollectorRegistry()
    exporter = PrometheusExporter(PrometheusConfig(), registry, evaluators=())
    pairs = [("grounded", "grounded"), ("grounded", "hallucinated"), ("hallucinated", None), (None, "grounded")]
    for number, (local, judge) in enumerate(pairs):
        evaluations = [verdict("groundedness", local, judged=False)]
        if judge:
            evaluations.append(verdict("groundedness_judge", judge, judged=True, p=0.05))
        result = replace(
            SCORED,
            id=f"{number}",
            evaluations=tuple(evaluations),
            inclusion_probability=0.5,
            upstream_adjusted_count=None,
        )
        await exporter.export([result])

    def value(name: str, **labels: str) -> float:
        return sum(
            sample.value
            for family in registry.collect()
            for sample in family.samples
            if sample.name == name and all(sample.labels[key] == one for key, one in labels.items())
        )

    assert value("rag_judged_verdicts_total") == 3
    seen = verdict("groundedness_judge", None, judged=True, p=0.05)
    abstained = replace(
        SCORED,
        id="abstained",
        verdict=Verdict.ABSTAINED,
        evaluations=(replace(seen, reason="abstained"),),
        inclusion_probability=0.5,
        upstream_adjusted_count=None,
    )
    await exporter.export([abstained])
    assert value("rag_verdict_weight_total", verdict="abstained") == pytest.approx(20)
    assert value("rag_judged_verdict_weight_total", local="grounded", judge="hallucinated") == pytest.approx(20)
    assert value("rag_judged_verdict_weight_squared_total", local="grounded", judge="grounded") == pytest.approx(400)
    assert value("rag_judged_verdicts_total", local="none", judge="grounded") == 1
