"""The worked examples of the literature, W1 to W48: each has a test, and those that need real models or prices are here."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from exporters.result import Evaluation
from sidecar.evaluate.engine import Engine
from sidecar.evaluate.settings import EvaluateConfig
from sidecar.inference.runtime import InferenceConfig, ModelRuntime
from sidecar.observe.telemetry import Telemetry
from sidecar.price import ModelPrice, PriceConfig, Pricer
from sidecar.record.request import ModelCall, Tokens
from tests.unit.evaluate.fakes import request

GOLDEN = Path(__file__).parents[2] / "golden"
# Tested elsewhere by what they are about: the splitter's examples have no field for a reason, an aspect is tested with the metrics of one's own.
ELSEWHERE = {20: "tests/golden/evaluate/claims.jsonl", 40: "tests/unit/evaluate/judged/test_own.py"}
SUPER_BOWL = "The first Super Bowl was held on 15 January 1967."
FHA = "What is the minimum down payment of an FHA loan?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[Engine]:
    runtime = ModelRuntime(InferenceConfig(), Telemetry())
    await runtime.start()
    config = EvaluateConfig(evaluators=("answer_relevancy", "faithfulness"), timeout_seconds=600)
    yield Engine(config, runtime.router)
    await runtime.stop()


def test_every_worked_example_has_a_test() -> None:
    files = [*(GOLDEN / "evaluate").glob("*.jsonl"), *(GOLDEN / "judge").glob("*.jsonl"), Path(__file__)]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    found = {int(number) for number in re.findall(r"(?:\bW|test_w)(\d+)(?:\b|_)", text)}
    assert set(range(1, 49)) - found - set(ELSEWHERE) == set()


async def relevancy(engine: Engine, question: str, answer: str) -> float:
    made = await engine.evaluate(request(question=question, answer=answer, documents=()))
    one: Evaluation = next(one for one in made.evaluations if one.evaluator == "answer_relevancy")
    assert one.score is not None
    return one.score


@pytest.mark.asyncio(loop_scope="module")
async def test_w29_a_direct_answer_is_more_relevant_than_praise(engine: Engine) -> None:
    """The literature gives 1.0 and 0.6, which is an opinion: the order is what holds."""
    direct = await relevancy(engine, FHA, "The minimum down payment of an FHA loan is 3.5 %.")
    assert direct > await relevancy(engine, FHA, "FHA loans are a good choice for many people.")


@pytest.mark.asyncio(loop_scope="module")
async def test_w30_a_direct_answer_is_relevant(engine: Engine) -> None:
    """The literature gives .9165 by models that it does not name."""
    assert await relevancy(engine, "When was the first Super Bowl?", SUPER_BOWL) > 0.8


@pytest.mark.asyncio(loop_scope="module")
async def test_w29_and_w30_in_chinese(engine: Engine) -> None:
    """By the Chinese model, whose scale is its own: the order is what holds."""
    asked = "FHA贷款的最低首付是多少？"
    direct = await relevancy(engine, asked, "FHA贷款的最低首付是3.5%。")
    assert direct > await relevancy(engine, asked, "很多人都觉得这种贷款是不错的选择。")
    bowl = await relevancy(engine, "第一届超级碗是什么时候举行的？", "第一届超级碗于1967年1月15日举行。")
    assert bowl > 0.8


def test_w48_cost_by_the_prices_of_the_example() -> None:
    price = ModelPrice(input=10.0, output=30.0)
    priced = Pricer(PriceConfig(models={"example": price})).price([ModelCall(None, "example", Tokens(10_000, 2_000))])
    assert priced.cost_usd is not None
    assert sum(priced.cost_usd.values()) == pytest.approx(0.16, abs=1e-6)
