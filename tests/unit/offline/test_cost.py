"""What the judge will be asked, before it is: each evaluator's own count, over what each case brings."""

from __future__ import annotations

from typing import Any

import pytest

from sidecar.decode.config import DecodeConfig
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.inference.judge.wire import Used
from sidecar.offline.case import read_cases
from sidecar.offline.cost import foresee
from tests.unit.evaluate.judged.scripted import engine, only

ROW: dict[str, Any] = {"question": "How long?", "answer": "Two years.", "contexts": ["It is two years.", "It is red."]}


def price(provider: str | None, model: str, used: Used) -> float | None:
    return 0.001 * (used.input + used.output)


@pytest.mark.parametrize(
    ("name", "row", "calls"),
    [
        ("faithfulness", ROW, 2),
        ("groundedness", ROW, 2),
        ("context_precision", ROW, 2),  # one for each document
        ("context_precision", {**ROW, "contexts": [*"abcde"]}, 5),
        ("context_precision", {**ROW, "contexts": ["a b c"] * 5}, 1),  # and the same one once
        ("answer_relevancy", ROW, 1),
        ("faithfulness", {**ROW, "contexts": []}, 0),
        ("context_recall", ROW, 0),
        ("context_recall", {**ROW, "reference": "Two years."}, 2),
    ],
)
async def test_calls_are_those_that_the_evaluator_makes_where_the_case_has_what_it_needs(
    name: str, row: dict[str, Any], calls: int
) -> None:
    cases, _ = read_cases([row], DecodeConfig())
    async with engine(lambda _: {}, only(name)) as (one, server):
        found = foresee(one, cases, JudgeConfig(), price)
    assert found.calls == calls
    assert found.cost_usd == pytest.approx(0.001 * found.tokens)
    assert (found.tokens > 100 * calls) is (calls > 0)
    assert server.asked == []


async def test_each_vote_is_a_call() -> None:
    own = {"kind": "aspect", "definition": "Is the answer kind to whoever asked?", "votes": 5, "judge_rate": 1}
    cases, _ = read_cases([ROW], DecodeConfig())
    settings = {"evaluators": ["groundedness"], "references": "off", "metrics": {"kindness": own}}
    async with engine(lambda _: {}, settings) as (one, _):
        assert foresee(one, cases, JudgeConfig(), price).calls == 5


async def test_a_verdict_on_each_document_is_a_call() -> None:
    cases, _ = read_cases([{**ROW, "contexts": [*"abcde"]}], DecodeConfig())
    async with engine(lambda _: {}, only("context_relevance", judge_method="fraction")) as (one, _):
        assert foresee(one, cases, JudgeConfig(), price).calls == 5


@pytest.mark.parametrize(("topics", "calls"), [(["a", "b", "c"], 5), (["a"], 4)])
async def test_topics_are_reckoned_by_what_is_wanted_and_by_turns(topics: list[str], calls: int) -> None:
    talk = [{"role": role, "content": "Hello there."} for role in ("user", "assistant") * 2]
    cases, _ = read_cases([{"messages": talk, "reference_topics": topics}], DecodeConfig())
    async with engine(lambda _: {}, only("topic_adherence")) as (one, _):
        assert foresee(one, cases, JudgeConfig(), price).calls == calls


async def test_what_a_judge_is_shown_costs_tokens() -> None:
    talk = [{"role": "user", "content": "Please. " * 400}, {"role": "assistant", "content": "Yes."}]
    rows = [{"messages": talk, "reference": "It is done."}, {**ROW, "reference": "Two years. " * 400}]
    found = []
    for name, row in zip(("agent_goal_accuracy", "context_recall"), rows, strict=True):
        cases, _ = read_cases([row], DecodeConfig())
        async with engine(lambda _: {}, only(name)) as (one, _):
            found.append(foresee(one, cases, JudgeConfig(), price).tokens)
    assert min(found) > 2 * 800  # twice the long text, a token for four characters
