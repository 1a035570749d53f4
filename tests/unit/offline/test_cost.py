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
        ("context_precision", {**ROW, "contexts": ["a b c"] * 5}, 5),
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
