"""The judge over real HTTP: what is sent, what is taken, what is tried again and what is not."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from sidecar.inference.judge.settings import JudgeConfig
from sidecar.observe.telemetry import Telemetry
from sidecar.record.errors import InferenceError, PermanentInferenceError
from sidecar.redact.redactor import Redactor
from sidecar.redact.settings import RedactConfig
from tests.parts.judge_server import Asked, Said
from tests.unit.inference.judge.made import CENT, KEY, RIGHT, judging, question, right, then


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
        f"{json.dumps(RIGHT)} or {json.dumps(RIGHT | {'rating': 0})}",
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


WRAPPED = [
    f"Here is my verdict:\n```json\n{json.dumps(RIGHT)}\n```",
    f"{json.dumps(RIGHT)}\n<|im_end|>",
    f"Sure! {json.dumps(RIGHT)}",
]


@pytest.mark.parametrize("said", WRAPPED, ids=["fence", "end mark", "words"])
async def test_a_server_that_takes_the_schema_and_ignores_it_is_understood(said: str) -> None:
    async with judging(lambda _: Said(said)) as (judge, server):
        assert (await judge.ask(question())).rating == 2
    assert [asked.schema for asked in server.asked] == ["Rating"]


@pytest.mark.parametrize("said", WRAPPED, ids=["fence", "end mark", "words"])
async def test_where_the_server_is_said_to_enforce_the_schema_the_reply_is_the_object_alone(said: str) -> None:
    async with judging(lambda _: Said(said), replies="json_schema") as (judge, _):
        with pytest.raises(InferenceError, match="judge_invalid"):
            await judge.ask(question())


@pytest.mark.parametrize("finish", ["stop", "STOP", "end_turn", "eos_token", "COMPLETE"])
async def test_a_reply_that_came_to_its_end_is_whole_in_whoever_s_words(finish: str) -> None:
    async with judging(lambda _: Said(RIGHT, finish=finish)) as (judge, _):
        assert (await judge.ask(question())).rating == 2


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
