"""Worked examples of the judged forms, English and Chinese, against a scripted judge over real HTTP: tests/golden/judge/worked.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Outcome
from tests.parts.judge_server import Asked
from tests.unit.evaluate.fakes import request
from tests.unit.evaluate.judged.scripted import INVALID, engine, judged, only

GOLDEN = Path(__file__).parents[3] / "golden" / "judge" / "worked.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
FIRST_WORDS = {"Rate how": 0, "You check": 1, "Someone has": 1}


def script(case: dict[str, Any], asked: Asked) -> object:
    """What the judge says to one call."""
    if asked.schema == "Claims":
        return {"claims": case["claims"]}
    if asked.schema == "Verdicts":
        assert [one["text"] for one in asked.data["claims"]] == case["claims"]
        verdicts = enumerate(case["verdicts"], 1)
        return {"verdicts": [{"claim": n, "reason": f"r{n}", "verdict": verdict} for n, verdict in verdicts]}
    if asked.schema == "Rated":
        place = next(place for words, place in FIRST_WORDS.items() if asked.system.startswith(words))
        rating = case["ratings"][place]
        return INVALID if rating is None else {"reason": "r", "rating": rating}
    if asked.schema == "Questions":
        assert list(asked.data) == ["answer"]
        return {"questions": [{"question": text, "noncommittal": shy} for text, shy in case["questions"]]}
    useful = case["useful"][case["documents"].index(asked.data["document"])]
    return INVALID if useful is None else {"reason": "r", "useful": useful}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['evaluator']}: {case['why']}")
async def test_a_worked_example_comes_out_as_worked(case: dict[str, Any]) -> None:
    trace = request(
        question=case.get("question", "What is it?"),
        answer=case.get("answer", "It is blue."),
        documents=case.get("documents", ["It is blue."]),
    )
    cosines = {
        text: cosine for (text, _), cosine in zip(case.get("questions", []), case.get("cosines", []), strict=True)
    }
    async with engine(lambda asked: script(case, asked), only(case["evaluator"]), cosines=cosines) as (made, server):
        found = await judged(made, trace)
    assert found.evaluator == f"{case['evaluator']}_judge"
    if "score" in case:
        assert found.score == pytest.approx(case["score"], abs=1e-6)
        assert (found.outcome, found.label) == (Outcome.SCORED, case.get("label"))
        assert found.model is not None
        assert found.model.name == "judge-1"
    else:
        assert (found.score, found.reason) == (None, case["reason"])
    assert all(asked.body["temperature"] == 0.0 for asked in server.asked)


def test_there_is_a_worked_example_of_every_judged_form_in_both_languages() -> None:
    by_language = {
        (case["evaluator"], any("\u4e00" <= one <= "\u9fff" for one in json.dumps(case, ensure_ascii=False)))
        for case in CASES
    }
    names = {case["evaluator"] for case in CASES}
    assert by_language == {(name, chinese) for name in names for chinese in (False, True)}
    assert len(names) == 5
