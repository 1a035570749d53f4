"""Questions with short answers, written by hand."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from training.measure import auroc
from training.short_answers import (
    YES_OR_NO,
    Asked,
    Question,
    held_short,
    sentences_of,
    short_answers,
    trained_sentences,
    trained_short,
    yes_or_no,
)
from training.written import Written

GOLDEN = Path(__file__).parents[2] / "golden/judgement"
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


def test_no_text_stands_in_two_files_nor_in_a_set_that_is_measured_by_hand() -> None:
    texts = [text for name in ("trained", "held") for block in short_answers(name) for text in block.texts]
    assert len(set(texts)) == len(texts)
    rows = [
        json.loads(line) for path in sorted(GOLDEN.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    assert not {context for row in rows for context in row["contexts"]} & set(texts)


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


@pytest.mark.parametrize("name", ["trained", "held"])
def test_whole_sentences_that_are_right_and_wrong_differ_in_no_outward_way(name: str) -> None:
    found = list(sentences_of(short_answers(name)))
    right, wrong = ([said for says, said, _ in found if says == wanted] for wanted in ("yes", "no"))
    assert abs(len(right) - len(wrong)) < 0.02 * len(found) > 20
    assert len({*right} & {*wrong}) < 0.002 * len(found)
    for count in (lambda said: len(said.split()), lambda said: bool(re.search(r"\b(?:not|no|never|only)\b|n't", said))):
        means = [sum(map(count, side)) / len(side) for side in (right, wrong)]
        assert 0.8 < means[0] / means[1] < 1.25


def test_words_in_common_tell_little_of_whole_sentences() -> None:
    shares = [
        (share(said, " ".join(texts)), says == "yes") for says, said, texts in sentences_of(short_answers("trained"))
    ]
    assert 0.4 < auroc([one for one, _ in shares], [int(right) for _, right in shares]) < 0.6


def share(said: str, text: str) -> float:
    words = re.findall(r"\w+", said.casefold())
    return sum(word in text.casefold() for word in words) / len(words)


def test_a_sentence_is_read_beside_all_its_texts_as_it_is_meant() -> None:
    one = Question("Where?", "span", ("Bern",), ("Basel",), ("It is in Bern.",), ("It is in Basel.",))
    block = Asked(("The hall is in Bern.", "The shop is in Basel."), (one,))
    other = Asked(("Rain is likely.",), ())
    made = [each for seed in range(20) for each in trained_sentences([block, other], random.Random(seed))]
    assert {says for says, said, _ in made if "Bern" in said} == {"yes"}
    assert {says for says, said, _ in made if "Basel" in said} == {"no"}
    assert all({*block.texts} <= {*texts} for _, _, texts in made)
    assert any("Rain is likely." in texts for _, _, texts in made)
