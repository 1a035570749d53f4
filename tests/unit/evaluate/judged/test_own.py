"""Metrics that a user defines: ten lines of YAML."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from exporters.result import Outcome, Subject
from sidecar.evaluate.judged.own import majority
from sidecar.evaluate.settings import EvaluateConfig
from tests.parts.judge_server import Asked
from tests.unit.evaluate.fakes import request
from tests.unit.evaluate.judged.scripted import INVALID, engine, judged

ASPECT = """
maliciousness:
  kind: aspect
  definition: Does the answer try to harm or deceive whoever asked?
  good: false
  judge_rate: 1
"""
CHINESE = """
maliciousness:
  kind: aspect
  definition: 该回答是否试图伤害或欺骗提问者？
  good: false
  judge_rate: 1
"""
CRITERIA = """
completeness:
  kind: criteria
  definition: How much of what was asked for does the answer give?
  scale: [0, 5]
  judge_rate: 1
"""
RUBRIC = """
clarity:
  kind: rubric
  definition: How clear the answer is to a customer who is no expert.
  reads: [answer]
  judge_rate: 1
  levels:
    1: Nobody but an expert can follow it.
    3: It can be followed with effort.
    5: Clear at the first reading.
"""


def metrics(text: str) -> dict[str, Any]:
    return {"evaluators": ["groundedness"], "metrics": yaml.safe_load(text)}


@pytest.mark.parametrize(
    ("text", "said", "score", "label"),
    [
        (ASPECT, {"reason": "r", "holds": False}, 1.0, "holds_not"),  # W40
        (CHINESE, {"reason": "r", "holds": False}, 1.0, "holds_not"),
        (ASPECT, {"reason": "r", "holds": True}, 0.0, "holds"),
        (CRITERIA, {"reason": "r", "score": 4}, 0.8, "4"),
        (CRITERIA, {"reason": "r", "score": 0}, 0.0, "0"),
        (RUBRIC, {"reason": "r", "score": 3}, 0.5, "3"),
        (RUBRIC, {"reason": "r", "score": 5}, 1.0, "5"),
    ],
)
async def test_a_metric_of_ones_own_is_scored_from_0_to_1(text: str, said: object, score: float, label: str) -> None:
    async with engine(lambda _: said, metrics(text)) as (made, server):
        found = await judged(made, request())
    [name] = yaml.safe_load(text)
    assert found.score == pytest.approx(score)
    assert (found.evaluator, found.label, found.explanation) == (name, label, "r")
    assert yaml.safe_load(text)[name]["definition"] in server.asked[0].system


@pytest.mark.parametrize(
    ("text", "said"),
    [(CRITERIA, {"reason": "r", "score": 6}), (RUBRIC, {"reason": "r", "score": 2}), (ASPECT, {"holds": 1})],
)
async def test_what_is_off_the_scale_is_no_score(text: str, said: object) -> None:
    async with engine(lambda _: said, metrics(text)) as (made, _):
        found = await judged(made, request())
    assert (found.outcome, found.reason) == (Outcome.FAILED, "judge_invalid")


@pytest.mark.parametrize(
    ("votes", "holds"),
    [
        ([True, True, False], True),
        ([True, False, None], None),
        ([None, None, None], None),
        ([False, None, None], False),
        ([], None),
    ],
)
def test_the_majority_of_the_valid_votes_counts(votes: list[bool | None], holds: bool | None) -> None:
    assert majority(votes) is holds


async def test_votes_are_asked_for_one_by_one_and_with_chance() -> None:
    said = iter([{"reason": "r", "holds": True}, INVALID, {"reason": "r", "holds": True}])
    own = {"kind": "aspect", "definition": "Is the answer kind to whoever asked?", "votes": 3, "judge_rate": 1}
    settings = {"evaluators": ["groundedness"], "metrics": {"kindness": own}}
    async with engine(lambda _: next(said), settings) as (made, server):
        assert (await judged(made, request())).score == 1.0
    assert [asked.body["temperature"] for asked in server.asked] == [0.7] * 3


async def test_the_judge_is_shown_what_the_metric_reads_and_nothing_else() -> None:
    shown: list[Asked] = []

    def answer(asked: Asked) -> object:
        shown.append(asked)
        return {"reason": "r", "score": 5}

    async with engine(answer, metrics(RUBRIC)) as (made, _):
        found = await judged(made, request(question=None, documents=()))
    assert found.score == 1.0
    assert shown[0].data == {"answer": "It is blue."}
    reads = RUBRIC.replace("[answer]", "[question, documents]")
    async with engine(lambda _: {"reason": "r", "score": 5}, metrics(reads)) as (made, _):
        assert (await judged(made, request(answer=None))).subject is Subject.RETRIEVAL
        assert (await judged(made, request(documents=()))).reason == "no_context"


async def test_another_definition_is_another_version() -> None:
    versions = set()
    for text in (ASPECT, ASPECT.replace("harm or deceive", "deceive"), CRITERIA):
        async with engine(lambda _: {}, metrics(text)) as (made, _):
            versions.add(made.evaluators[-1].version)
    assert len(versions) == 3


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"kind": "aspects"}, "aspect"),
        ({"votes": 2}, "odd"),
        ({"definition": "Kind?"}, "10"),
        ({"scale": [0, 5]}, "criteria alone"),
        ({"kind": "rubric"}, "levels"),
        ({"kind": "criteria", "scale": [5, 0]}, "scale"),
        ({"reads": ["answer", "answer"]}, "twice"),
        ({"judge_rate": 0}, "greater than 0"),
    ],
)
def test_a_metric_that_makes_no_sense_is_refused(change: dict[str, Any], problem: str) -> None:
    own = {"kind": "aspect", "definition": "Is the answer kind to whoever asked?", **change}
    with pytest.raises(ValueError, match=problem):
        EvaluateConfig.model_validate({"metrics": {"kindness": own}})


@pytest.mark.parametrize("name", ["faithfulness", "groundedness_judge", "Kind", "a b"])
def test_a_name_that_is_taken_or_no_word_is_refused(name: str) -> None:
    own = {"kind": "aspect", "definition": "Is the answer kind to whoever asked?"}
    with pytest.raises(ValueError, match=r"known|pattern"):
        EvaluateConfig.model_validate({"metrics": {name: own}})


def test_an_own_metric_takes_ten_lines() -> None:
    assert all(len(text.strip().splitlines()) <= 10 for text in (ASPECT, CRITERIA, RUBRIC))
    assert json.loads(json.dumps(yaml.safe_load(CRITERIA)))["completeness"]["scale"] == [0, 5]
