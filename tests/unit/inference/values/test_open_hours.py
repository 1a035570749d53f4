"""Hours as bare numbers, and what a claim says something opens or closes at beside the hours that texts have."""

from __future__ import annotations

import pytest

from sidecar.inference.values.open_hours import told_hours
from sidecar.inference.values.read import read_values
from sidecar.inference.values.value import Kind

OFFICE = "Berlin office. Phone 030 555 0142. Open Mon-Fri 9-17, Sat 10-14."
SHOP = "Our shop is open daily from 9 to 6, on Sundays from 10 to 4."
LIBRARY = "The library is open from 8:30 to 20:00 on weekdays and from 10:00 to 16:00 at weekends."
HOTEL = "Check-in from 15:00 to 22:00.\nPool open 9 to 21 daily.\nBar opens at 17:00."


def hours(text: str) -> list[tuple[float, bool]]:
    """The times of a text, in hours since midnight, and whether they may be of either half of the day."""
    return [(one.amount, one.dial) for one in read_values(text) if one.kind is Kind.TIME]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Open Monday to Friday, 9 to 17, and Saturday, 10 to 14.",
            [(9, False), (17, False), (10, False), (14, False)],
        ),
        (SHOP, [(9, True), (6, True), (10, True), (4, True)]),
        ("We close at 6 on weekdays and open until 8 on Fridays.", [(6, True), (8, True)]),
        ("It closes at 5 in the afternoon.", [(17, False)]),
        ("Hours: 10 to 4 on Sundays", [(10, True), (4, True)]),
        ("10 to 4 on Sundays", [(10, True), (4, True)]),
        ("Support hours: Mon–Thu 8–18", [(8, False), (18, False)]),
        ("Open 3 to 5 days a week.", []),
        ("It opens at 5 locations.", []),
        ("Open to children from 3 to 6.", []),
        ("The price is 9 to 17.", []),
        ("Prices open at $5.", []),
        ("It closes at 30.", []),
    ],
)
def test_bare_numbers_are_hours_where_something_opens(text: str, found: list[tuple[float, bool]]) -> None:
    assert hours(text) == found


@pytest.mark.parametrize(
    ("claim", "text", "right"),
    [
        ("It opens at 9 on weekdays.", OFFICE, [True]),
        ("It opens at 8 on weekdays.", OFFICE, [False]),
        ("It is open from 8 am to 5 pm on weekdays.", OFFICE, [False, True]),
        ("It closes at 2 on Saturday.", OFFICE, [True]),
        ("It closes at 5 on Saturday.", OFFICE, [False]),
        ("It opens at 10.", OFFICE, []),  # on which day?
        ("It opens at 11.", OFFICE, [False]),
        ("On Sundays it closes at 6 pm.", SHOP, [False]),
        ("It closes at 8 pm on weekdays.", LIBRARY, [True]),
        ("At weekends it closes at 8 pm.", LIBRARY, [False]),
        ("The pool is open until 10 pm.", HOTEL, [False]),  # which is of another line
        ("The pool is open from 9 to 9.", HOTEL, [True, True]),
        ("The bar opens at 5 pm.", HOTEL, []),  # its line has no hours from one time to another
        ("It opens at 8, unless it is a holiday.", OFFICE, []),
        ("It does not open at 8.", OFFICE, []),
        ("The meeting is at 8.", OFFICE, []),
        ("It opens at 8 on weekdays.", f"{OFFICE} The desk opens an hour earlier.", []),
        ("It opens at 8 on weekdays.", "Nobody knows when it opens.", []),
    ],
)
def test_hours_of_a_claim_are_those_of_its_days(claim: str, text: str, right: list[bool]) -> None:
    assert list(told_hours(claim, read_values(claim), [text]).values()) == right
