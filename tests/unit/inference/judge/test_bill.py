"""What calls cost where replies count no tokens, or where there is no reply: the budget holds all the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sidecar.inference.judge.bill import estimate
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import InferenceError
from tests.parts.judge_server import Said
from tests.unit.inference.judge.made import CENT, RIGHT, judging, question

COST = "rag_sidecar_judge_cost_usd_total"
TOKENS = "rag_sidecar_judge_tokens_total"
ESTIMATED = "rag_sidecar_judge_estimated_tokens_total"
# A call is foreseen to cost more than 400 tokens of output, at a cent each, and what is held of an hour's purse is a tenth, of which one begins with a
# tenth: the second call finds nothing.
LITTLE = 100 * 3.0
NO_CHOICES = b'{"choices": [], "usage": {"prompt_tokens": 5000, "completion_tokens": 0}}'


async def asked_until_it_refuses(said: object, telemetry: Telemetry, **settings: Any) -> list[str]:
    """What came of five questions, one after the other, with a purse for one."""
    came = []
    async with judging(
        lambda _: said, telemetry=telemetry, budget_usd_per_hour=LITTLE, breaker_failures=50, **settings
    ) as (judge, _):
        for number in range(5):
            try:
                await judge.ask(question(f"{number}"))
            except InferenceError as error:
                came.append(error.reason)
            else:
                came.append("ok")
    return came


@pytest.mark.parametrize(
    ("said", "first"),
    [
        (Said(RIGHT, usage={"prompt_tokens": 350, "completion_tokens": 20}), "ok"),
        (Said("word " * 2000, usage={}), "judge_invalid"),
        (Said("word " * 2000, usage={"prompt_tokens": "many", "completion_tokens": -7}), "judge_invalid"),
        (Said(NO_CHOICES), "judge_answer"),
        (Said(b"<html>" + b"log in " * 800), "judge_answer"),
    ],
    ids=["counted", "no counts", "no numbers", "no choices", "no completion"],
)
async def test_whatever_an_answer_is_it_is_paid_for(said: Said, first: str) -> None:
    telemetry = Telemetry()
    came = await asked_until_it_refuses(said, telemetry)
    assert came == [first, *["judge_budget"] * 4]
    assert telemetry.value(COST) >= 3.0


async def test_a_call_that_was_sent_and_never_answered_keeps_what_was_set_aside() -> None:
    telemetry = Telemetry()
    came = await asked_until_it_refuses(Said(RIGHT, after=30), telemetry, timeout_seconds=0.3)
    assert came == ["judge_timeout", *["judge_budget"] * 4]
    assert telemetry.value(TOKENS, type="output") == 400
    assert telemetry.value(ESTIMATED) == telemetry.value(TOKENS)


async def test_a_gateway_that_gave_up_waiting_is_no_refusal() -> None:
    telemetry = Telemetry()
    came = await asked_until_it_refuses(Said({}, status=504, headers={"retry-after": "0"}), telemetry, attempts=1)
    assert came == ["judge_unavailable", *["judge_budget"] * 4]


@pytest.mark.parametrize("status", [400, 429, 500, 503])
async def test_a_refusal_costs_nothing(status: int) -> None:
    telemetry = Telemetry()
    said = Said({"message": "no"}, status=status, headers={"retry-after": "0"})
    assert "judge_budget" not in await asked_until_it_refuses(said, telemetry, attempts=1)
    assert telemetry.value(COST) == 0


async def test_a_server_that_is_not_there_costs_nothing() -> None:
    telemetry = Telemetry()
    came = await asked_until_it_refuses(RIGHT, telemetry, attempts=1, url="http://127.0.0.1:1/v1")
    assert came == ["judge_unavailable"] * 5
    assert telemetry.value(COST) == 0


async def test_what_is_not_counted_is_estimated_by_the_texts_and_said_to_be() -> None:
    telemetry = Telemetry()
    async with judging(lambda _: Said(RIGHT, usage={}), telemetry=telemetry) as (judge, server):
        await judge.ask(question())
    sent = estimate(server.asked[0].body["messages"])
    got = len(json.dumps(RIGHT)) // 4
    assert {labels["type"]: n for labels, n in telemetry.values(TOKENS)} == {"input": sent, "output": got}
    assert telemetry.value(ESTIMATED) == sent + got
    assert telemetry.value(COST) == pytest.approx(CENT * (sent + got))


async def test_the_part_that_is_counted_is_taken_as_it_is() -> None:
    telemetry = Telemetry()
    async with judging(lambda _: Said(RIGHT, usage={"prompt_tokens": 300}), telemetry=telemetry) as (judge, _):
        await judge.ask(question())
    assert telemetry.value(TOKENS, type="input") == 300
    assert telemetry.value(ESTIMATED) == len(json.dumps(RIGHT)) // 4
