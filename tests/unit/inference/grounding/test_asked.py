"""Answers in a few words beside their question."""

from __future__ import annotations

import pytest

from exporters.result import Evidence, ValueConflict
from sidecar.inference.base import Claim
from sidecar.inference.grounding.asked import in_the_answer, with_question, yes_or_no, yes_or_no_row


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
