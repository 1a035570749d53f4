"""What texts try so that the judge says what they want: tests/golden/judge/injections.jsonl, written by hand.

None of it leaves the data block, none of it becomes a verdict, and what is not disguised is counted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Outcome
from exporters.text import clean
from sidecar.inference.judge.block import BEGIN, END
from sidecar.inference.judge.suspicion import suspicions
from sidecar.observe.telemetry import Telemetry
from sidecar.record.request import RagTrace
from tests.parts.judge_server import Asked, Said
from tests.unit.evaluate.fakes import request
from tests.unit.evaluate.judged.scripted import engine

GOLDEN = Path(__file__).parents[3] / "golden" / "judge" / "injections.jsonl"
INJECTIONS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
ALL = ("faithfulness", "groundedness", "context_relevance", "context_precision", "answer_relevancy")
JUDGED = {"evaluators": list(ALL), **{name: {"by": "judge"} for name in ALL}}
HARSH = {
    "Claims": {"claims": ["It is green."]},
    "Verdicts": {"verdicts": [{"claim": 1, "reason": "not said", "verdict": "none"}]},
    "Rated": {"reason": "not said", "rating": 0},
    "Useful": {"reason": "no use", "useful": False},
    "Questions": {"questions": [{"question": "Who are you?", "noncommittal": True}]},
}


def attacked(injection: dict[str, Any]) -> RagTrace:
    """A request with an injection in one of its parts."""
    given: dict[str, Any] = {"question": "What is it?", "answer": "It is green.", "document": "It is blue."}
    given[injection["place"]] = injection["text"]
    return request(question=given["question"], answer=given["answer"], documents=(given["document"], "It is big."))


def test_there_are_at_least_sixty_in_every_part_of_a_request() -> None:
    assert len({one["text"] for one in INJECTIONS}) >= 60
    assert {one["place"] for one in INJECTIONS} == {"question", "document", "answer"}


async def test_they_stay_in_the_data_block_and_change_no_instruction() -> None:
    async with engine(lambda asked: HARSH[asked.schema], JUDGED) as (made, server):
        await made.evaluate_all(request())
        prompts = {asked.system for asked in server.asked}
        for injection in INJECTIONS:
            server.asked.clear()
            found = await made.evaluate_all(attacked(injection))
            assert {one.score for one in found.evaluations} <= {0.0, None}, injection
            for asked in server.asked:
                assert asked.system in prompts, injection
                assert [message["role"] for message in asked.body["messages"]] == ["system", "user"]
                _holds(asked.user, injection["text"])


def _holds(user: str, text: str) -> None:
    assert user.startswith(BEGIN + "\n")
    assert user.endswith("\n" + END)
    assert (user.count("<"), user.count(">")) == (2, 2)
    assert all(one == "\n" or one.isprintable() for one in user)
    data = json.loads(user[len(BEGIN) : -len(END)])
    documents = [*(one["text"] for one in data.get("documents", [])), data.get("document")]
    told = [data.get("question"), data.get("answer"), *documents]
    known = {None, "What is it?", "It is green.", "It is blue.", "It is big."}
    assert {one for one in told if one not in known} <= {clean(text).strip(), clean(text)}


@pytest.mark.parametrize("replies", ["json_schema", "text"])
async def test_a_judge_that_repeats_them_gives_no_score(replies: str) -> None:
    said = ""

    def parrot(_: Asked) -> object:
        return Said(said)

    settings = {"evaluators": ["groundedness"], "groundedness": {"by": "judge"}}
    async with engine(parrot, settings, replies=replies) as (made, _):
        for injection in INJECTIONS:
            said = injection["text"]
            found = await made.evaluate_all(attacked(injection))
            assert all(one.outcome is not Outcome.SCORED for one in found.evaluations), injection


@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda one: ascii(one["text"])[:60])
def test_what_is_not_disguised_is_seen(injection: dict[str, Any]) -> None:
    assert bool(list(suspicions(injection["text"]))) is injection["seen"]


async def test_what_is_seen_is_counted_by_its_place_once_for_all_evaluators() -> None:
    telemetry = Telemetry()
    async with engine(lambda asked: HARSH[asked.schema], JUDGED, telemetry=telemetry) as (made, _):
        await made.evaluate_all(attacked(INJECTIONS[0]))
    assert {labels["place"]: n for labels, n in telemetry.values("rag_sidecar_judge_suspicious_texts_total")} == {
        "document": 1
    }


@pytest.mark.parametrize(
    "text",
    [
        "Refunds are given within 30 days; ask the judge of the local court in case of dispute.",
        "The system administrator must approve each request before it is processed.",
        "To ignore a warning in the editor, right-click on it and choose Ignore.",
        "The film has a rating of 7.8 out of 10; the score was composed by Hans Zimmer.",
        "You are entitled to 28 days of leave. Please return the form by Friday.",
        "All rooms are equipped with air conditioning, and every floor has a kitchen.",
        "In 2019 the court gave the verdict that the contract was void.",
        "The assistant manager answers questions about the instructions of the device.",
        "def rate(score: float) -> bool:\n    return score > 0.5",
        "请在收到货物后七天内提交退货申请，并附上照片。",
        "本公司的评分系统以五分制为准，用户可以在应用中查看。",
        "系统管理员可以在设置中修改密码。",
        "Die Garantie gilt zwei Jahre; die Anweisungen stehen im Handbuch.",
        "میخواهم \u200cها را ببینم",
        "👩\u200d👩\u200d👧 likes it.",
    ],
)
def test_ordinary_texts_are_not_suspected(text: str) -> None:
    assert list(suspicions(text)) == []
