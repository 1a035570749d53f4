"""What sounds as if it declined and stands so in a document is an answer."""

from __future__ import annotations

import pytest

from exporters.result import Abstention
from sidecar.evaluate.text.abstain import quoted_from, stance_of
from sidecar.evaluate.text.asked import agrees


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
