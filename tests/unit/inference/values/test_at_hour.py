"""Whether something is open at an hour."""

from __future__ import annotations

import pytest

from sidecar.inference.values.at_hour import told_at
from sidecar.inference.values.read import read_values

SHOP = "Parking is free. The shop is open from 9 am to 6 pm."
LIBRARY = "The library opens at 10:00 and closes at 19:00 on weekdays. On Saturdays it is open 10:00-16:00."
SURGERY = "The surgery is open Monday to Friday from 8:00 to 18:30, on Thursdays until 20:30."
TWO = "Restaurant: 9:00-22:00\nKitchen: 12:00-21:00"


@pytest.mark.parametrize(
    ("claim", "text", "right"),
    [
        ("The shop is open at 5 pm.", SHOP, True),
        ("The shop is still open at 7 pm.", SHOP, False),
        ("At 8:30 am it is still closed.", SHOP, True),
        ("It is still closed at 8:30 am.", SHOP, True),
        ("The shop is open at 6 pm.", SHOP, None),  # the very hour
        ("The shop opens at 5 pm.", SHOP, None),
        ("On weekdays it is open at 5 pm.", LIBRARY, True),
        ("On Saturdays it is open at 5 pm.", LIBRARY, False),
        ("On Saturdays it is closed at 5 pm.", LIBRARY, True),
        ("It is open at 5 pm.", LIBRARY, None),  # on some days
        ("On Thursdays the surgery is open at 8 pm.", SURGERY, True),
        ("On Fridays the surgery is open at 8 pm.", SURGERY, False),
        ("The kitchen is open at 21:30.", TWO, False),
        ("The restaurant is open at 21:30.", TWO, True),
        ("It is not open at 21:30 if nobody comes.", TWO, None),
    ],
)
def test_an_hour_is_within_the_hours_of_its_day_or_not(claim: str, text: str, right: bool | None) -> None:
    found = told_at(claim, "", read_values(claim), (), [text])
    assert next(iter(found.values()), None) is right


def test_the_day_that_was_asked_about_is_meant() -> None:
    question, claim = "Can I come on Saturday at five?", "No, it is closed at 5 pm."
    assert list(told_at(claim, question, read_values(claim), read_values(question), [LIBRARY]).values()) == [True]
