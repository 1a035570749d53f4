"""Questions with short answers, written by hand."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from training.short_answers import (
    YES_OR_NO,
    Asked,
    Question,
    held_short,
    short_answers,
    trained_short,
    yes_or_no,
)
from training.written import Written

KINDS = {"span", "value", "phrase", "yes_no"}


@pytest.mark.parametrize("name", ["trained", "held"])
def test_each_question_has_right_and_wrong_answers_of_its_kind(name: str) -> None:
    for block in short_answers(name):
        assert block.texts
        for one in block.questions:
            assert one.kind in KINDS
            assert one.right, one
            assert one.wrong, one
            assert not {answer.casefold().strip(" .") for answer in one.right} & {
                answer.casefold().strip(" .") for answer in one.wrong
            }, one


def test_yes_is_right_about_as_often_as_no() -> None:
    right = Counter(
        pair.answer.casefold()[:2]
        for pair in held_short(short_answers("held"))
        if pair.kind == YES_OR_NO and pair.right and pair.answer.casefold()[:2] in ("ye", "no")
    )
    assert 0.7 < right["ye"] / right["no"] < 1.4


def test_a_right_answer_to_another_question_is_a_wrong_one_here() -> None:
    day = Question("When does it open?", "value", ("Monday",), ("Friday",))
    hour = Question("At what time?", "value", ("9:00",), ("8:00",))
    again = Question("On which day?", "value", ("On Monday",), ("Sunday",))
    block = Asked(("It opens on Monday at 9:00.",), (day, hour, again))
    assert block.others(day) == ["9:00"]
    made = [pair for pair, _ in trained_short([block], random.Random(1)) if pair.question == day.text]
    assert {(pair.answer.rstrip("."), pair.right) for pair in made} == {
        ("Monday", True),
        ("Friday", False),
        ("9:00", False),
    }


def test_claims_of_two_versions_become_questions_for_yes_and_for_no() -> None:
    text = Written(
        ("The pool is open on Sundays.", "The pool is closed on Sundays."),
        (("a", "The pool is open on Sundays."), ("~", "The pool is heated in winter.")),
    )
    made = [one for seed in range(6) for one in yes_or_no([text], 10, random.Random(seed))]
    says = {(pair.texts[0], pair.question, pair.answer[:2], said) for pair, said in made}
    assert {said for _, question, _, said in says if "heated" in question} == {"neutral"}
    assert ("The pool is open on Sundays.", "Is the pool open on Sundays?", "Ye", "yes") in says
    assert ("The pool is closed on Sundays.", "Is the pool open on Sundays?", "No", "yes") in says
    assert ("The pool is closed on Sundays.", "Is the pool open on Sundays?", "Ye", "contradiction") in says
    assert not any(
        word == "No" and said == "yes" for text, question, word, said in says if "open" in text and "open" in question
    )
