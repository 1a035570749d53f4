"""The judge over real HTTP: what is sent, what is taken, what is tried again and what is not."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from sidecar.inference.judge.door import GAUGE
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import ManualClock
from sidecar.record.errors import InferenceError, PermanentInferenceError, RetryableInferenceError
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from tests.parts.judge_server import Asked, Said
from tests.unit.inference.judge.made import CENT, KEY, RIGHT, judging, question


def right(_: Asked) -> object:
    return RIGHT


def then(*said: object) -> Iterator[object]:
    """One after the other, the last for ever."""
    yield from said
    while True:
        yield said[-1]


async def test_a_question_is_posted_as_openai_has_it_and_the_verdict_comes_back() -> None:
    async with judging(right, api_key=SecretStr(KEY), parameters={"seed": 7}) as (judge, server):
        said = await judge.ask(question())
    assert (said.rating, said.reason) == (2, "It is.")
    [asked] = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body["model"] == "judge-1"
    assert (asked.body["temperature"], asked.body["seed"], asked.body["max_tokens"]) == (0.0, 7, 1500)
    assert asked.schema == "Rating"
    schema = asked.body["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["additionalProperties"] is False
    assert schema["schema"]["required"] == ["reason", "rating"]
    assert asked.system == "Rate it."
    assert asked.data == {"answer": "It is blue."}


async def test_azure_is_asked_by_its_own_address_and_header() -> None:
    async with judging(right) as (judge, server):
        address = f"{server.url}/openai/deployments/four/chat/completions?api-version=2024-10-21"
        config = judge.config.model_copy(update={"url": address, "headers": {"api-key": SecretStr(KEY)}})
        assert config.endpoint == address
        async with judging(right, headers={"api-key": KEY}) as (other, there):
            await other.ask(question())
    [asked] = there.asked
    assert asked.headers["api-key"] == KEY
    assert "authorization" not in asked.headers


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"),
        ("https://a.b/chat/completions?api-version=1", "https://a.b/chat/completions?api-version=1"),
        ("https://a.b/v1?key=2", "https://a.b/v1/chat/completions?key=2"),
    ],
)
def test_the_address_is_that_of_the_api_or_of_the_call(url: str, endpoint: str) -> None:
    assert JudgeConfig(url=url).endpoint == endpoint


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"url": "api.openai.com"}, "http://"),
        ({"url": "https://me:secret@a.b"}, "no login"),
        ({"url": "https://a.b", "parameters": {"messages": []}}, "messages"),
        ({"api_key": "a", "api_key_file": "b"}, "either"),
    ],
)
def test_a_wrong_setting_is_refused_and_says_what_to_write(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        JudgeConfig.model_validate(settings)


async def test_a_key_in_a_file_is_read_for_each_call(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("first\n")
    async with judging(right, api_key_file=file) as (judge, server):
        await judge.ask(question("one"))
        file.write_text("second")
        await judge.ask(question("two"))
        file.unlink()
        with pytest.raises(PermanentInferenceError):
            await judge.ask(question("three"))
        assert judge.paused == "key_file"
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer first", "Bearer second"]


async def test_a_server_without_schemas_is_asked_for_an_object_and_one_without_objects_for_text() -> None:
    def answer(asked: Asked) -> object:
        wanted = asked.body.get("response_format", {}).get("type")
        if wanted is None:
            return f"Well, here it is:\n```json\n{json.dumps(RIGHT)}\n```"
        return Said({"message": f"response_format.type {wanted} is not supported", "code": None}, status=400)

    async with judging(answer) as (judge, server):
        assert (await judge.ask(question("one"))).rating == 2
        assert (await judge.ask(question("two"))).rating == 2
    kinds = [asked.body.get("response_format", {}).get("type") for asked in server.asked]
    assert kinds == ["json_schema", "json_object", None, None]


async def test_fields_that_a_server_does_not_take_are_said_otherwise_or_left_out() -> None:
    def answer(asked: Asked) -> object:
        if "max_tokens" in asked.body:
            return Said({"message": "Unsupported parameter: use 'max_completion_tokens' instead."}, status=400)
        if "temperature" in asked.body:
            return Said({"message": "Unsupported value: 'temperature' does not support 0."}, status=400)
        return RIGHT

    async with judging(answer) as (judge, server):
        await judge.ask(question("one"))
        await judge.ask(question("two"))
    assert len(server.asked) == 4
    assert "temperature" not in server.asked[-1].body
    assert server.asked[-1].body["max_completion_tokens"] == 1500


async def test_a_format_that_is_set_is_not_given_up() -> None:
    refused = Said({"message": "response_format is not supported"}, status=400)
    async with judging(lambda _: refused, replies="json_schema") as (judge, server):
        with pytest.raises(PermanentInferenceError, match="judge_refused"):
            await judge.ask(question())
        assert judge.paused is None
    assert len(server.asked) == 1


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


async def test_no_more_calls_are_made_at_once_than_are_allowed() -> None:
    async with judging(lambda _: Said(RIGHT, after=0.02), concurrency=3) as (judge, server):
        await asyncio.gather(*(judge.ask(question(f"{n}")) for n in range(12)))
    assert server.most_at_once == 3


async def test_the_same_question_is_asked_once_and_another_prompt_is_another_question() -> None:
    telemetry = Telemetry()
    async with judging(right, telemetry=telemetry) as (judge, server):
        await judge.ask(question())
        await judge.ask(question())
        await judge.ask(question(vote=1))
    assert len(server.asked) == 2
    assert telemetry.value("rag_sidecar_judge_requests_total", outcome="cached") == 1
    assert telemetry.value("rag_sidecar_judge_requests_total", outcome="ok") == 2


async def test_tokens_and_cost_are_counted_for_the_evaluator() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 40},
        "completion_tokens_details": {"reasoning_tokens": 10},
    }
    telemetry = Telemetry()
    async with judging(lambda _: Said(RIGHT, usage=usage), telemetry=telemetry) as (judge, _):
        await judge.ask(question())
    by_type = {labels["type"]: n for labels, n in telemetry.values("rag_sidecar_judge_tokens_total")}
    assert by_type == {"input": 60, "cached_input": 40, "output": 20, "reasoning": 10}
    assert telemetry.value("rag_sidecar_judge_cost_usd_total", evaluator="groundedness_judge") == pytest.approx(
        130 * CENT
    )


async def test_a_model_without_a_price_has_no_cost_of_zero() -> None:
    telemetry = Telemetry()
    async with judging(right, telemetry=telemetry, prices=lambda *_: None) as (judge, _):
        await judge.ask(question())
    assert list(telemetry.values("rag_sidecar_judge_cost_usd_total")) == []
    assert telemetry.value("rag_sidecar_judge_unpriced_tokens_total") == 120


@pytest.mark.parametrize(
    "said",
    [
        '{"reason": "x", "rating": 3}',
        '{"reason": "x", "rating": "2"}',
        '{"rating": 2}',
        '{"reason": "x", "rating": 2, "more": 1}',
        '[{"reason": "x", "rating": 2}]',
        "2",
        "",
        "Sure! " + json.dumps(RIGHT),
        "[" * 50_000,
    ],
)
async def test_a_reply_that_is_not_by_the_schema_is_no_verdict(said: str) -> None:
    telemetry = Telemetry()
    async with judging(lambda _: Said(said), telemetry=telemetry) as (judge, server):
        with pytest.raises(InferenceError, match="judge_invalid"):
            await judge.ask(question(again=True))
    assert len(server.asked) == 2
    assert telemetry.value("rag_sidecar_judge_requests_total", outcome="judge_invalid") == 2


async def test_a_reply_that_was_cut_off_is_no_verdict() -> None:
    async with judging(lambda _: Said(RIGHT, finish="length")) as (judge, _):
        with pytest.raises(InferenceError, match="judge_invalid"):
            await judge.ask(question())


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b'{"choices": []}', b'{"choices": [{"message": null}]}'])
async def test_what_is_no_chat_completion_is_a_failure(body: bytes) -> None:
    async with judging(lambda _: Said(body)) as (judge, _):
        with pytest.raises(InferenceError, match="judge_answer"):
            await judge.ask(question())


async def test_texts_leave_as_pseudonyms_that_are_the_same_in_all_of_them() -> None:
    texts = [("question", "Who has jo@example.org?"), ("document", "Jo: jo@example.org"), ("answer", "é\ud800")]
    async with judging(right, redactor=Redactor(RedactConfig())) as (judge, _):
        assert await judge.told(texts) == ["Who has <email-1>?", "Jo: <email-1>", "é\ufffd"]
    async with judging(right, redactor=Redactor(RedactConfig()), redact=False) as (judge, _):
        assert (await judge.told(texts))[0] == "Who has jo@example.org?"


async def test_neither_key_nor_text_is_ever_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said = then(
        Said({"message": "the text was: Captain Nemo"}, status=500, headers={"retry-after": "0"}),
        Said({"message": f"wrong key {KEY} for Captain Nemo"}, status=401),
    )
    async with judging(lambda _: next(said), api_key=SecretStr(KEY)) as (judge, _):
        with pytest.raises(InferenceError) as caught:
            await judge.ask(question("Captain Nemo"))
    ours = [record for record in caplog.records if not record.name.startswith(("httpcore", "asyncio"))]
    told = "\n".join([*(record.getMessage() for record in ours), str(caught.value), repr(judge.config)])
    assert "the judge is paused (unauthorized)" in told
    assert "Nemo" not in told
    assert KEY not in told
