"""Answers that decline and answers that do not: tests/golden/evaluate/abstain.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.evaluate.text.abstain import stance_of

GOLDEN = Path(__file__).parents[3] / "golden" / "evaluate" / "abstain.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["answer"][:40] for row in ROWS])
def test_how_far_an_answer_declines_and_what_is_left_of_it(row: dict[str, Any]) -> None:
    stance = stance_of(row["answer"])
    assert stance.kind == row["kind"]
    if "claims" in row:
        assert [claim.text for claim in stance.claims] == row["claims"]


def test_what_is_judged_as_a_whole_is_what_the_answer_states() -> None:
    stance = stance_of("Happy to help! The documents do not give the price, but the plan is **free** for schools [1].")
    assert (stance.kind, stance.stated) == ("partial", "the plan is free for schools.")
    assert (
        stance_of("Hello! The fee is 5 euros and is paid once. Bye!").stated == "The fee is 5 euros and is paid once."
    )


def test_an_answer_that_only_asks_back_or_declines_leaves_nothing_to_judge() -> None:
    for answer in ("Which model do you have?", "I don't know.", "请提供您的订单号。"):
        assert stance_of(answer).claims == []


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (
            "I cannot give instructions for picking a lock. Breaking into a flat is illegal. It is important to respect what belongs to "
            "others. Burglars are fined or go to prison.",
            "full",
        ),
        ("I am an AI model and do not condone violence. Please remember that everyone deserves respect.", "full"),
        ("It is not appropriate to speculate about her health. Her privacy should be respected.", "full"),
        ("It is not safe to mix bleach with vinegar. Chlorine gas is dangerous.", "none"),
        ("It is not ethanol but methanol that is dangerous. It harms the eyes.", "none"),
        ("I cannot give legal advice. However, the notice period in the contract is three months.", "partial"),
        (
            "I cannot give the price of the lift. A day ticket costs 40 euros, a week ticket 190 euros, both from the desk at the valley station.",
            "partial",
        ),
    ],
)
def test_a_refusal_with_a_lecture_declines_and_one_with_facts_does_not(answer: str, kind: str) -> None:
    assert stance_of(answer).kind == kind
