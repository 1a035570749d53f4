"""A judge that does not answer: what is tried again, what pauses it, and when it is left alone."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from sidecar.inference.judge.door import GAUGE
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.errors import PermanentInferenceError, RetryableInferenceError
from tests.parts.judge_server import Asked, Said
from tests.unit.inference.judge.made import RIGHT, judging, question, then


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    said = then(Said({"message": "busy"}, status=status, headers={"retry-after": "0"}), RIGHT)
    async with judging(lambda _: next(said)) as (judge, server):
        assert (await judge.ask(question())).rating == 2
    assert len(server.asked) == 2


async def test_a_wait_that_the_deadline_does_not_leave_is_not_waited() -> None:
    async with judging(lambda _: Said({}, status=429, headers={"retry-after": "3600"})) as (judge, server):
        with pytest.raises(RetryableInferenceError, match="judge_unavailable: 429"):
            await judge.ask(question())
    assert len(server.asked) == 1


async def test_attempts_come_to_an_end() -> None:
    async with judging(lambda _: Said({}, status=503, headers={"retry-after": "0"}), attempts=3) as (judge, server):
        with pytest.raises(RetryableInferenceError, match="judge_unavailable: 503"):
            await judge.ask(question())
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("status", "error", "reason"),
    [
        (401, {}, "unauthorized"),
        (402, {}, "payment"),
        (403, {}, "forbidden"),
        (404, {"code": "model_not_found"}, "not_found"),
        (307, {}, "not_found"),
        (429, {"code": "insufficient_quota", "message": "You exceeded your current quota"}, "quota"),
    ],
)
async def test_a_refusal_that_does_not_pass_pauses_the_judge_and_says_why(
    status: int, error: dict[str, str], reason: str
) -> None:
    telemetry, clock = Telemetry(), ManualClock()
    said = then(Said(error, status=status), RIGHT)
    async with judging(lambda _: next(said), telemetry=telemetry, clock=clock, pause_seconds=60) as (judge, server):
        with pytest.raises(PermanentInferenceError, match="judge_refused"):
            await judge.ask(question("one"))
        assert telemetry.value(GAUGE, reason=reason) == 1
        with pytest.raises(RetryableInferenceError, match="judge_paused"):
            await judge.ask(question("two"))
        assert len(server.asked) == 1
        clock.advance(61)
        assert (await judge.ask(question("three"))).rating == 2
        assert telemetry.value(GAUGE) == 0


_GOOGLE = "You exceeded your current quota, please check your plan and billing details."
PASSING: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "retry-after": ({"code": 429, "message": _GOOGLE}, {"retry-after": "0"}),
    "retry delay": (
        {"message": _GOOGLE, "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.01s"}]}, {},
    ),
    "status": ({"message": _GOOGLE, "status": "RESOURCE_EXHAUSTED"}, {}),
    "a minute's limit": ({"message": _GOOGLE, "quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("passing", PASSING)
async def test_a_limit_that_passes_is_no_empty_account_whatever_its_words(passing: str) -> None:
    error, headers = PASSING[passing]
    body = json.dumps([{"error": error}]).encode()
    said = then(Said(body, status=429, headers=headers), RIGHT)
    async with judging(lambda _: next(said)) as (judge, server):
        assert (await judge.ask(question())).rating == 2
        assert judge.paused is None
    assert len(server.asked) == 2


async def test_a_wait_that_google_names_in_the_body_is_kept() -> None:
    body = json.dumps([{"error": {"message": _GOOGLE, "details": [{"retryDelay": "3600s"}]}}]).encode()
    async with judging(lambda _: Said(body, status=429)) as (judge, server):
        with pytest.raises(RetryableInferenceError, match="judge_unavailable: 429"):
            await judge.ask(question())
        assert judge.paused is None
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("error", "headers"),
    [
        ({"code": "insufficient_quota", "message": _GOOGLE}, {"retry-after": "1"}),
        ({"type": "insufficient_quota", "message": "no money"}, {}),
        ({"message": f"upstream said: {_GOOGLE}"}, {}),
        ({"code": "quota_exceeded"}, {}),
    ],
)
async def test_an_empty_account_pauses_the_judge(error: dict[str, str], headers: dict[str, str]) -> None:
    async with judging(lambda _: Said(error, status=429, headers=headers)) as (judge, server):
        with pytest.raises(PermanentInferenceError, match="judge_refused: quota"):
            await judge.ask(question())
        assert judge.paused == "quota"
    assert len(server.asked) == 1


async def test_a_call_that_hangs_is_tried_again_after_the_time_for_an_attempt() -> None:
    said = then(Said(RIGHT, after=30), RIGHT)
    async with judging(lambda _: next(said), attempt_seconds=0.2) as (judge, server):
        assert (await judge.ask(question())).rating == 2
    assert len(server.asked) == 2


async def test_without_a_time_for_an_attempt_a_call_that_hangs_has_all_of_it() -> None:
    async with judging(lambda _: Said(RIGHT, after=30), timeout_seconds=0.4) as (judge, server):
        with pytest.raises(RetryableInferenceError, match="judge_timeout"):
            await judge.ask(question())
    assert len(server.asked) == 1


async def test_a_question_that_is_refused_by_itself_pauses_nothing() -> None:
    said = then(Said({"code": "context_length_exceeded", "message": "too long"}, status=400), RIGHT)
    async with judging(lambda _: next(said)) as (judge, _):
        with pytest.raises(PermanentInferenceError, match="judge_refused: 400"):
            await judge.ask(question("one"))
        assert (await judge.ask(question("two"))).rating == 2


async def test_a_judge_that_fails_again_and_again_is_left_alone_and_tried_with_one_question() -> None:
    telemetry, clock = Telemetry(), ManualClock()
    broken = True

    def answer(_: Asked) -> object:
        return Said({}, status=500, headers={"retry-after": "0"}) if broken else Said(RIGHT, after=0.05)

    async with judging(
        answer, telemetry=telemetry, clock=clock, attempts=1, breaker_failures=3, breaker_seconds=10
    ) as (judge, server):
        for number in range(3):
            with pytest.raises(RetryableInferenceError, match="judge_unavailable"):
                await judge.ask(question(f"{number}"))
        assert judge.paused == "failing"
        clock.advance(11)
        with pytest.raises(RetryableInferenceError, match="judge_unavailable"):
            await judge.ask(question("probe"))
        clock.advance(11)
        with pytest.raises(RetryableInferenceError, match="judge_paused"):
            await judge.ask(question("too early: the pause has grown"))
        clock.advance(10)
        broken = False
        before = len(server.asked)
        found = await asyncio.gather(*(judge.ask(question(f"p{n}")) for n in range(4)), return_exceptions=True)
        assert len(server.asked) == before + 1
        assert sum(not isinstance(one, Exception) for one in found) == 1
        assert judge.paused is None


async def test_a_slow_judge_is_given_up_at_the_deadline() -> None:
    telemetry = Telemetry()
    async with judging(lambda _: Said(RIGHT, after=30), telemetry=telemetry, timeout_seconds=0.2) as (judge, _):
        with pytest.raises(RetryableInferenceError, match=r"judge_timeout|judge_unavailable"):
            await judge.ask(question())
    assert telemetry.value("rag_sidecar_judge_requests_total", evaluator="groundedness_judge") == 1
