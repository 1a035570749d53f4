"""Worked examples of the judged forms, English and Chinese, against a scripted judge over real HTTP: tests/golden/judge/worked.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exporters.result import Outcome
from sidecar.evaluate.registry import EVALUATORS, judged_name
from sidecar.inference.judge.settings import JudgeConfig
from sidecar.offline.case import Case
from sidecar.offline.cost import foresee
from tests.parts.judge_server import Asked
from tests.unit.evaluate.fakes import case_of
from tests.unit.evaluate.judged.scripted import INVALID, engine, judged, only

GOLDEN = Path(__file__).parents[3] / "golden" / "judge" / "worked.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
BY_NAME = {entry.name: entry for entry in EVALUATORS}
FIRST_WORDS = {"Rate how": 0, "You check": 1, "Someone has": 1}


def script(case: dict[str, Any], asked: Asked) -> object:
    """What the judge says to one call."""
    if "replies" in case:
        return reply_of(case["replies"], asked)
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


def reply_of(replies: list[tuple[str, str, object]], asked: Asked) -> object:
    """The first of (schema, words, reply) whose schema is asked for and whose words, several with | between, all stand in what is asked."""
    whole = asked.system + json.dumps(asked.data, ensure_ascii=False)
    for schema, words, reply in replies:
        if schema == asked.schema and all(word in whole for word in words.split("|")):
            return reply
    raise AssertionError(f"nothing is scripted for {asked.schema}: {whole}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['evaluator']}: {case['why']}")
async def test_a_worked_example_comes_out_as_worked(case: dict[str, Any]) -> None:
    cosines = case.get("cosines", {})
    if isinstance(cosines, list):
        cosines = {text: cosine for (text, _), cosine in zip(case["questions"], cosines, strict=True)}
    settings = only(case["evaluator"], **case.get("settings", {}))
    async with engine(lambda asked: script(case, asked), settings, cosines=cosines) as (made, server):
        trace = case_of(case)
        found = await judged(made, trace)
        foreseen = foresee(made, [Case("c", "c", "c", None, None, trace)], JudgeConfig(), lambda *_: 0.0)
    # Topics that nobody knows before come on top, and what is asked again.
    if "score" in case and case["evaluator"] != "topic_adherence":
        assert foreseen.calls >= len(server.asked)
    assert found.evaluator == judged_name(BY_NAME[case["evaluator"]])
    if "score" in case:
        assert found.score == pytest.approx(case["score"], abs=1e-6)
        assert (found.outcome, found.label) == (Outcome.SCORED, case.get("label"))
        assert found.model is not None
        assert {name: found.parts[name] for name in case.get("parts", {})} == pytest.approx(
            case.get("parts", {}), abs=1e-6
        )
    else:
        assert (found.score, found.reason) == (None, case["reason"])
    assert all(asked.body["temperature"] == 0.0 for asked in server.asked)


def test_there_is_a_worked_example_of_every_judged_form_in_both_languages() -> None:
    by_language = {
        (case["evaluator"], any("\u4e00" <= one <= "\u9fff" for one in json.dumps(case, ensure_ascii=False)))
        for case in CASES
    }
    names = {entry.name for entry in EVALUATORS if entry.judged is not None}
    assert by_language == {(name, chinese) for name in names for chinese in (False, True)}
