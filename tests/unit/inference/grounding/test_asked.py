"""Answers in a few words beside their question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exporters.result import Evidence, ValueConflict
from sidecar.inference.base import Claim, Support
from sidecar.inference.grounding.asked import (
    answers_alone,
    behind_question,
    beside_question,
    in_doubt,
    in_the_answer,
    with_question,
    yes_or_no,
    yes_or_no_row,
)
from sidecar.inference.grounding.embedded import EmbeddedGrounder
from sidecar.inference.grounding.values_said import Said


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "no",
        "No, it isn't.",
        "Yes, you can.",
        "Nope, they don't have to.",
        "No it isn't.",
        "Yes it is",
        "No – never.",
        "Not at all.",
    ],
)
def test_a_plain_yes_or_no_says_nothing_alone(text: str) -> None:
    assert yes_or_no(Claim(text))


@pytest.mark.parametrize(
    "text",
    [
        "Norway",
        "None",
        "Yes, within thirty days of the purchase",
        "14 days",
        "Not before Monday",
        "Yes, within 30 days.",
        "Yes, within thirty days.",
        "Yes, 500 MB.",
        "Yes, 18.",
        "Yes, at noon.",
        "Yes, form 27b/6x",
        "No pets are allowed.",
        "No fee.",
        "No. 5 Main Street",
        "No-reply@acme.com",
    ],
)
def test_what_says_something_else_is_no_plain_yes_or_no(text: str) -> None:
    assert not yes_or_no(Claim(text))


@pytest.mark.parametrize(
    ("question", "answer", "again"),
    [
        ("Was the plan approved?", "Yes, the plan was approved.", True),
        ("Is the lift broken?", "Yes, it is broken.", True),
        ("Was the plan approved?", "Yes, it was.", False),
        ("Was the plan approved?", "Yes.", False),
        ("Was the plan approved?", "No, the vote was postponed.", False),
    ],
)
def test_a_yes_that_says_its_question_again_must_stand_higher(question: str, answer: str, *, again: bool) -> None:
    [[read]] = yes_or_no_row(Claim(answer, question=question), 1.0).tolist()
    assert (read < 1.0) is again


def test_conflicts_are_places_in_the_answer_and_those_of_the_question_are_dropped() -> None:
    claim = Claim("14 days", question="I bought it 45 days ago. How long can I return it?", short=True)
    read = with_question(claim).text
    there = Evidence(0, 3, 9)
    of_question = ValueConflict(read.index("45 days"), read.index("45 days") + 7, there)
    of_answer = ValueConflict(read.index("14 days"), read.index("14 days") + 7, there)
    assert in_the_answer(claim, (of_question, of_answer)) == (ValueConflict(0, 7, there),)


_ASKED = "Can I bring a dog to the office?"


@pytest.mark.parametrize(
    ("claims", "alone"),
    [
        ([Claim("Dogs may come to the office.", question=_ASKED)], True),
        ([Claim("Dogs may come to the office.", question=_ASKED), Claim("Cats may not.", question=_ASKED)], False),
        ([Claim("Pets are welcome here.", question=_ASKED)], False),  # no word of the question
        ([Claim("Dogs may come to the office.")], False),
        ([Claim("Yes, to the office.", question=_ASKED, short=True)], False),  # read with it as it is
        ([Claim("Dogs may come to the office " * 8, question=_ASKED)], False),
        ([Claim("Set DOG_AT_OFFICE to bring one.", question=_ASKED)], False),  # code
        ([], False),
    ],
)
def test_one_sentence_that_takes_up_its_question_is_read_behind_it(claims: list[Claim], *, alone: bool) -> None:
    assert answers_alone(claims) is alone


def test_the_reply_before_a_sentence_stands_between_it_and_its_question() -> None:
    one = Claim("dogs may come to the office.", question=_ASKED, reply="Yes")
    assert behind_question(one).text == f"{_ASKED} Yes, dogs may come to the office."


@pytest.mark.parametrize(
    ("support", "read"),
    [
        (Support(0.3, None), True),
        (Support(0.01, None), False),
        (Support(0.9, None), False),
        (Support(0.3, None, contrary=0.5), False),
    ],
)
def test_only_what_is_in_doubt_is_read_twice(support: Support, *, read: bool) -> None:
    assert in_doubt(support) is read


def test_what_is_found_behind_the_question_moves_a_sentence_either_way() -> None:
    one = Support(0.3, None)
    assert beside_question(one, -2.0).probability < 0.3 < beside_question(one, 2.0).probability
    counted = [beside_question(one, read, Said(follows=1.0)).probability for read in (-2.0, 2.0)]
    assert counted == [pytest.approx(0.3), beside_question(one, 2.0).probability]


async def test_a_sentence_in_doubt_is_read_behind_its_question(grounder: EmbeddedGrounder, asked: list[str]) -> None:
    document = "Rent is paid by direct debit or standing order. Other methods of payment are not accepted."
    claim = Claim("You can pay by card.", question="Can I pay the rent by card?")
    [alone] = await grounder.support([replace(claim, question="")], [document])
    asked.clear()
    [beside] = await grounder.support([claim], [document])
    assert behind_question(claim).text in asked
    assert beside.probability != alone.probability
