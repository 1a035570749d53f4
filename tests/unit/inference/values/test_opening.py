"""On which days something is open or closed, of texts that say it of others."""

from __future__ import annotations

import pytest

from sidecar.inference.values.opening import told_open
from sidecar.inference.values.read import read_values

RANGE = "Opening hours: Monday to Saturday 9 am to 6 pm."
LINES = "Opening hours\nMonday to Friday: 9:00-18:00\nSaturday: 10:00-14:00"
TABLE = "| Day | Hours |\n|---|---|\n| Monday-Friday | 9:00-18:00 |\n| Saturday | 10:00-14:00 |"


def told(claim: str, *texts: str) -> list[bool]:
    return list(told_open(claim, read_values(claim), texts).values())


def test_a_day_that_is_not_among_those_closed_is_open() -> None:
    text = "The garden is closed on Tuesdays and Thursdays. Entry is free."
    assert told("The garden is open on Fridays.", text) == [True]
    assert told("The garden is open from Monday to Sunday.", text) == [False, False]
    assert told("The shop is open on Fridays.", text) == []
    text = "The museum is closed on Mondays. On all other days it is open from 10 to 5."
    assert told("The museum is open Tuesday to Sunday.", text) == [True, True]
    assert told("The museum is open Monday to Saturday.", text) == [False, False]


def test_what_is_there_on_some_days_is_not_on_others() -> None:
    text = "Yoga is on Mondays, Wednesdays and Fridays. Mats are provided."
    assert told("Yes, there's yoga on Tuesdays.", text) == [False]
    assert told("No, there's no yoga on Tuesdays.", text) == [True]
    assert told("There are tours on Tuesdays.", text) == []


@pytest.mark.parametrize("text", [RANGE, LINES, TABLE, "Open Mon-Sat 9-18.", "The office is staffed Monday to Friday."])
def test_a_day_that_a_text_leaves_out_is_closed(text: str) -> None:
    assert told("We're closed on Sundays.", text) == [True]
    assert told("No, the shop isn't open on Sunday.", text) == [True]
    assert told("The shop is open on Sunday.", text) == [False]
    assert told("We're open on Sundays from 10 to 4.", text) == [False]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (RANGE, "The shop is open on Saturday."),
        (RANGE, "The shop is closed on Monday."),
        (RANGE, "The sale starts on Sunday."),
        (RANGE, "We're open on Sundays, but closed on Mondays."),
        (RANGE, "The shop is open on Sunday before Christmas."),
        (RANGE, "The shop is closed on Sunday, 24 December."),
        ("The meeting is on Monday.", "The office is closed on Sunday."),
        ("Open on Monday from 9 to 5.", "The shop is open on Sunday."),
        ("Open every day from 9 to 5.", "The shop is closed on Sunday."),
        ("Open Tuesday to Sunday, closed on Mondays.\nThe gym is open on Mondays.", "The gym is open on Monday."),
        ("", "The shop is open on Sunday."),
    ],
)
def test_of_any_other_nothing_is_told(text: str, claim: str) -> None:
    assert told(claim, text) == []


def test_what_is_said_to_be_closed_is_closed_whatever_else_is_said_of_other_days() -> None:
    text = "Open on weekdays from 9 to 5 and closed at weekends."
    assert told("We're closed on Sundays.", text) == [True]
    assert told("We're open on Sundays.", text) == [False]
    assert told("We're open on Mondays.", text) == []
    assert told("The museum is open on Monday.", "Open daily 9-18, closed on Mondays.") == [False]


FRIDAY = "Deliveries are made Monday to Friday."
HOTLINE = "The hotline is available from Monday to Friday between 8 am and 8 pm."


@pytest.mark.parametrize(
    ("text", "claim", "expected"),
    [
        (FRIDAY, "No, we don't deliver on Saturdays.", True),
        (FRIDAY, "Yes, we deliver on Saturdays.", False),
        (HOTLINE, "You can't reach the hotline on Sundays.", True),
        (HOTLINE, "The hotline isn't available at weekends.", True),
        (HOTLINE, "The hotline is available on weekends.", False),
        (RANGE, "Are you open on Sunday? Yes.", False),
        (RANGE, "Are you open on Sunday? No.", True),
        (RANGE, "Unfortunately not, the shop is closed on Sundays.", True),
    ],
)
def test_so_is_what_happens_on_other_days_and_what_is_answered_to_who_asks(
    text: str, claim: str, expected: bool
) -> None:
    assert told(claim, text) == [expected]


def test_days_of_another_matter_tell_nothing() -> None:
    assert told("We don't deliver on Saturdays.", "The choir meets on Monday and Friday.") == []
    assert told("We're closed at weekends.", "Open from Monday to Saturday.") == []
    hotline = "The hotline is open Monday to Friday."
    assert told("The app is available on Sunday.", hotline) == [False]
    assert told("The app is available on Sunday.", hotline, "The app works every day.") == []
    assert told("The app is available on Sunday.", hotline, "The choir meets on Sunday.") == []
