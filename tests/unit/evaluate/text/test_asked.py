"""What an answer was to."""

from __future__ import annotations

import pytest

from sidecar.evaluate.case import Case
from sidecar.evaluate.text.asked import is_short, short_question
from sidecar.record.request import Document, RagTrace

STORY = "I bought a lamp from you in spring and it has worked well ever since. " * 4


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


@pytest.mark.parametrize(
    ("question", "read"),
    [
        (f"{STORY}Can I still return it? Thanks!", "Can I still return it?"),
        (f"{STORY}Can I return it? Where? Can you help me?", "Can I return it? Where? Can you help me?"),
        (f"Who are you? Why {STORY.replace('.', '')}? Can I return it?", "Can I return it?"),
        (STORY, ""),
        ("Can I return it?", "Can I return it?"),
        (f"What is in {'x' * 300}?", ""),
        (f"{STORY}What is in {'x' * 300}?", ""),
        (f"Is {'x' * 300} a name? Whose?", "Whose?"),
    ],
)
def test_of_a_long_question_the_last_sentences_that_ask_are_read_as_many_as_fit(question: str, read: str) -> None:
    assert short_question(question, 40, 300) == read


def test_a_question_of_few_words_and_many_characters_is_not_read_with_the_answer() -> None:
    [claim] = _case("Is this valid JSON: " + '{"a":1},' * 4000, "Yes.").claims
    assert (claim.short, claim.question) == (False, "")


@pytest.mark.parametrize(
    "claim",
    [
        "one two three four five",
        "No, they do not have to.",
        "Only with a note from your own doctor",
        "Because it rained",
        "Because the mail server was down.",
        "If you ask before noon.",
        "Before noon",
        "until the swap, if registered",
        "after 14 days have passed",
        "Until 31 March is over",
        "Since 2 of the rooms are closed",
        "By listening, as he could not read",
        "No later than the end of March",
        "No it isn't and never was one",
        "No – they were sold out last week",
        "No",
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
        "No pets are allowed.",
        "No fee is charged.",
        "No. 5 Main Street is closed.",
        "No-reply@acme.com sends the mail.",
        "If it rains, the match is moved.",
        "When the lamp blinks, press reset.",
        "To cancel, call us.",
        "After lunch, take two tablets.",
        "Since 1998 Acme makes steel pipes.",
        "Before 1990 it was a school.",
        "After 14 days no refund is given.",
        "Until Monday the shop is closed.",
    ],
)
def test_whole_sentences_and_more_words_are_not_short(claim: str) -> None:
    assert not is_short(claim)
