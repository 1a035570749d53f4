"""Words for one and the same thing are read as the documents have them."""

from __future__ import annotations

import pytest

from exporters.result import Evidence, ValueConflict
from sidecar.inference.base import Claim, Support
from sidecar.inference.grounding.worded import all_worded, as_asked, worded


@pytest.mark.parametrize(
    ("text", "document", "expected"),
    [
        ("To HR.", "Send the form to human resources.", "To human resources."),
        ("You can leave it at the front desk.", "Leave it at reception.", "You can leave it at the reception."),
        ("It is staffed 24 hours a day.", "It is staffed around the clock.", "It is staffed around the clock."),
        ("It is open every day.", "It is open seven days a week.", "It is open seven days a week."),
        ("A PIN.", "You need a personal identification number.", "A personal identification number."),
        ("To HR.", "Send it to HR, that is human resources.", "To HR."),
        ("To HR.", "Send it to the office.", "To HR."),
        ("The chair.", "Send a form to human resources.", "The chair."),
        ("A spinning wheel.", "You need a personal identification number.", "A spinning wheel."),
    ],
)
def test_a_text_has_the_words_of_the_documents(text: str, document: str, expected: str) -> None:
    assert worded(text, [document]) == expected


def test_conflicts_of_other_words_are_no_places_in_the_claim() -> None:
    asked = [Claim("To HR."), Claim("To the office.")]
    read = all_worded(asked, ["Send the form to human resources."])
    assert [one.text for one in read] == ["To human resources.", "To the office."]
    conflicts = (ValueConflict(3, 18, Evidence(0, 0, 4)),)
    found = as_asked([Support(0.1, None, conflicts=conflicts)] * 3, read, asked)
    assert [one.conflicts for one in found] == [(), conflicts]
