"""What an answer was to."""

from __future__ import annotations

import pytest

from sidecar.evaluate.case import Case
from sidecar.evaluate.text.asked import is_short, short_question
from sidecar.record.request import Document, RagTrace


def _case(question: str, answer: str) -> Case:
    documents = (Document(1, "Lamps may be returned within 30 days."),)
    trace = RagTrace(
        trace_id="t",
        service="s",
        convention="native",
        timestamp=0.0,
        question=question,
        answer=answer,
        documents=documents,
    )
    return Case(trace, None)


@pytest.mark.parametrize("answer", ["30 days", "No, it isn't.", "Only with a receipt", "**30 days**"])
def test_an_answer_of_one_short_claim_is_read_with_its_question(answer: str) -> None:
    [claim] = _case("How long can I return a lamp?", answer).claims
    assert (claim.short, claim.question) == (True, "How long can I return a lamp?")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("", "30 days"),
        ("How long can I return a lamp?", "You can return a lamp within 30 days of the day on which you bought it."),
        ("How long can I return a lamp?", "- 30 days with a receipt\n- 14 days without one"),
    ],
)
def test_without_a_question_or_with_more_to_say_claims_are_read_alone(question: str, answer: str) -> None:
    assert not any(claim.short for claim in _case(question, answer).claims)


def test_of_a_long_question_the_last_sentence_that_asks_is_read() -> None:
    story = "I bought a lamp from you in spring and it has worked well ever since. " * 4
    assert short_question(f"{story}Can I still return it? Thanks!", 40) == "Can I still return it?"
    assert short_question(story, 40) == ""
    assert short_question("Can I return it?", 40) == "Can I return it?"


@pytest.mark.parametrize(
    "claim",
    [
        "one two three four five",
        "No, they do not have to.",
        "Only with a note from your own doctor",
        "Because it rained",
    ],
)
def test_few_words_that_are_no_sentence_are_short_and_a_few_more_that_hang_on_the_question(claim: str) -> None:
    assert is_short(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "one two three four five six",
        "It costs five euros.",
        "Only with a note from your own family doctor",
        "Adults take 5 mg a day",
    ],
)
def test_whole_sentences_and_more_words_are_not_short(claim: str) -> None:
    assert not is_short(claim)
