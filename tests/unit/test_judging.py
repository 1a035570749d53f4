"""The judge from the settings to the results: a file that is scored, and a sidecar whose judge is slow or away."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sidecar import config
from sidecar.commands.score import score_file
from sidecar.price import ModelPrice, PriceConfig
from sidecar.record.errors import ConfigError
from tests.parts.judge_server import Asked, JudgeServer, Said

UNUSED = {"bootstrap_servers": "unused:9092", "topics": ["unused"]}
ROWS = [
    {
        "request_id": "english",
        "question": "How long is the warranty?",
        "answer": "The warranty is two years. Ask jo@example.org.",
        "contexts": ["The warranty of the lamp is two years. Questions: jo@example.org."],
    },
    {
        "request_id": "russian",
        "question": "Какова гарантия на эту лампу и с какого дня она считается?",
        "answer": "Гарантия на эту лампу составляет два года со дня покупки.",
        "contexts": ["На эту лампу даётся гарантия два года, считая со дня покупки."],
    },
]


def settings(url: str, **judge: Any) -> config.Config:
    return config.build(
        {
            "judge": {"url": url, "model": "judge-1", "attempts": 1, **judge},
            "evaluate": {
                "evaluators": ["faithfulness", "groundedness"],
                "groundedness": {"by": "both", "judge_rate": 1},
                "metrics": {"kindness": {"kind": "aspect", "definition": "Is the answer kind?", "judge_rate": 1}},
            },
            "price": {"models": {"judge-1": {"input": 0, "output": 0}}},
        },
        receive=UNUSED,
    )


def answer(asked: Asked) -> object:
    return {"reason": "r", "holds": True} if asked.schema == "Holds" else {"reason": "r", "rating": 2}


async def scored(given: config.Config, folder: Path) -> list[dict[str, Any]]:
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    await score_file(source, target, settings=given, progress=lambda lines, read: None)
    return [json.loads(line) for line in target.read_text().splitlines()]


async def test_the_mend_of_a_price_that_is_not_known_is_a_price(tmp_path: Path) -> None:
    given = settings("http://127.0.0.1:1").model_copy(update={"price": PriceConfig()})
    with pytest.raises(ConfigError, match="no known price") as raised:
        await scored(given, tmp_path)
    mend = re.search(r"set price\.models\.judge-1 \((\{.*?\}) for a model of your own\)", str(raised.value))
    assert mend is not None
    assert ModelPrice.model_validate(yaml.safe_load(mend[1])) == ModelPrice(input=0, output=0)


async def test_a_file_is_scored_by_local_models_and_the_judge(tmp_path: Path) -> None:
    async with JudgeServer(answer) as server:
        english, foreign = await scored(settings(server.url), tmp_path)
        sent = json.dumps([asked.body for asked in server.asked], ensure_ascii=False)
    found = {one["evaluator"]: one for one in english["evaluations"]}
    assert set(found) == {"faithfulness", "groundedness", "groundedness_judge", "kindness"}
    judged = found["groundedness_judge"]
    assert (judged["score"], judged["label"], judged["judged"]) == (1.0, "grounded", True)
    assert (judged["inclusion_probability"], judged["version"]) == (1.0, "1+grounded_whole-2+grounded_parts-2")
    assert found["kindness"]["score"] == 1.0
    assert found["groundedness"]["judged"] is False
    by_name = {one["evaluator"]: one for one in foreign["evaluations"]}
    assert by_name["groundedness"]["reason"] == "language"
    assert (by_name["groundedness_judge"]["score"], foreign["verdict"]) == (1.0, "grounded")
    assert "jo@example.org" not in sent
    assert "<email-1>" not in sent  # its brackets are escaped in the data block
    assert "email-1" in sent
    assert "На эту лампу даётся гарантия два года" in sent


async def test_a_judge_that_is_away_costs_its_own_evaluations_alone(tmp_path: Path) -> None:
    english, foreign = await scored(settings("http://127.0.0.1:1", breaker_failures=1), tmp_path)
    found = {one["evaluator"]: (one["outcome"], one["reason"]) for one in english["evaluations"]}
    assert found["faithfulness"] == ("scored", None)
    assert found["groundedness"] == ("scored", None)
    assert found["groundedness_judge"][0] == "failed"
    assert found["groundedness_judge"][1] in ("judge_unavailable", "judge_paused")
    assert english["verdict"] == "grounded"
    assert (foreign["outcome"], foreign["verdict"]) == ("failed", None)


async def test_a_run_that_is_given_up_leaves_no_question_behind(tmp_path: Path) -> None:
    asked = asyncio.Event()

    def never(_: Asked) -> object:
        asked.set()
        return Said({}, after=60)

    async with JudgeServer(never) as server:
        running = asyncio.create_task(scored(settings(server.url), tmp_path))
        await asyncio.wait_for(asked.wait(), 60)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
