"""What sounds as if it declined and stands so in a document is an answer."""

from __future__ import annotations

import pytest

from exporters.result import Abstention
from sidecar.evaluate.text.abstain import quoted_from, stance_of
from sidecar.evaluate.text.asked import agrees, reply_before
from sidecar.inference.base import Claim


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Not found.", "Code 404 means not found."),
        ("None", "The method returns None if no match is found."),
        ("`None`", "The method returns `None`."),
        ("Unknown.", 'The status of the document is "unknown".'),
        ("A page was missing.", "A page was missing from the report."),
        ("It contains no information on costs.", "The report contains no information on costs."),
    ],
)
def test_it_is_judged(answer: str, text: str) -> None:
    assert stance_of(answer).kind is Abstention.FULL
    found = quoted_from(answer, ["Something else.", text])
    assert found is not None
    assert found.kind is Abstention.NONE
    assert len(found.claims) == 1


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Not found.", "The warranty is two years."),
        ("I don't know.", "I don't know what I would do without it."),
        ("Not available.", "Room service is not available on Sunday."),
        ("I could not find that in the documents.", "It is in the documents."),
        ("Not found. " * 40, "Code 404 means not found."),
    ],
)
def test_other_answers_decline(answer: str, text: str) -> None:
    assert quoted_from(answer, [text]) is None


@pytest.mark.parametrize("answer", ["Sure.", "Of course!", "Absolutely", "Sure, no problem.", "Ok."])
def test_yes_is_said_in_other_words(answer: str) -> None:
    assert agrees("I have a dog. Can I bring it into the garden?", answer)
    assert not agrees("Where is the garden?", answer)
    assert not agrees("Can I bring it into the garden?", f"{answer} Dogs are welcome")


def test_a_bare_yes_in_chinese_agrees_with_a_question_that_asks_for_one() -> None:
    assert agrees("能在国外刷卡吗？", "可以。")
    assert not agrees("在哪里刷卡？", "可以。")
    assert not agrees("能在国外刷卡吗？", "可以，但要收手续费。")


@pytest.mark.parametrize(
    ("answer", "start", "reply"),
    [
        ("Yes, you can return it.", 5, "Yes"),
        ("No - it is too late.", 5, "No"),
        ("Yes, you can. It takes a day.", 14, ""),
        ("Nobody can return it.", 0, ""),
    ],
)
def test_a_claim_knows_the_reply_that_it_stands_behind(answer: str, start: int, reply: str) -> None:
    assert reply_before(answer, Claim(answer[start:], start=start, end=len(answer))) == reply
