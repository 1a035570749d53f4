"""Claims that say of one thing what a passage about another one of its kind says, and lines of a timetable."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.subjects import of_another
from sidecar.inference.contrasts.timetable import on_other_days

POLICIES = (
    "Bronze policy (basic cover). Pays for fire and hail. The excess is $200 per claim. A garage of your choice may do the repair.",
    "Silver policy (full cover). Pays for fire, hail and vandalism. The excess is $450 per claim. A garage of ours has to do the repair, or the excess doubles.",
)
LIMITS = (
    "GET /orders. The limit is 40 requests per minute. Beyond the limit the server answers with status 429.",
    "GET /items. The limit is 90 requests per minute. Beyond the limit the server answers with status 503.",
)
DESKS = (
    "Lost keys. If you have lost your key, the porter opens your room. A new key costs $15.",
    "Lost cards. If you have lost your card, the warden opens your room. A new card costs $25.",
)
CODES = (
    "E1042 means that the lock file is out of date. Run the lock command to refresh it. E1043 means that the checksum of a package does not match; clear the cache.",
    "E1044: the registry refused the token.",
)
HALVES = (
    "Half-year report, Halden Foods: the margin declined since cocoa prices rose. Volumes were stable.",
    "Half-year report, Morrow Snacks: the margin declined since a new plant was built in Lodz.",
)
RENTALS = (
    "Coast rental conditions: drivers need a licence of two years. Drivers under 25 pay $18 a day.",
    "Coast rental, camper vans: drivers are at least 25. A deposit is blocked on the card.",
)
WHY_BUILD, WHY_HALDEN = "Why does my build fail with E1042?", "Why did the margin of Halden Foods decline?"
BRONZE, ORDERS = "Is hail covered under Bronze?", "What is the rate limit of GET /orders?"


def about_another(answer: list[str], question: str, texts: tuple[str, ...]) -> dict[int, str]:
    found = of_another(answer, question, texts, lambda _: 5.0)
    return {n: texts[there.document][there.start : there.end] for n, there in found.items()}


@pytest.mark.parametrize(
    ("answer", "question", "texts", "there"),
    [
        (["Hail is covered.", "A garage of ours has to do the repair, or the excess doubles."], BRONZE, POLICIES, 1),
        (["Bronze pays for hail.", "A garage of ours has to do the repair."], "Is hail covered?", POLICIES, 1),
        (["It pays for hail.", "The excess is $450 per claim."], BRONZE, POLICIES, 1),
        (["Beyond the limit the server answers with status 503."], ORDERS, LIMITS, 0),
        (["The registry refused the token."], WHY_BUILD, CODES, 0),
        (["A new plant was built in Lodz."], WHY_HALDEN, HALVES, 0),
        # What question and answer do not name is what all else that the answer says is about.
        (
            ["If you have lost your key, the warden opens your room.", "A new key costs $15."],
            "I am locked out!",
            DESKS,
            0,
        ),
    ],
)
def test_what_is_said_of_another_thing_is_found(
    answer: list[str], question: str, texts: tuple[str, ...], there: int
) -> None:
    found = about_another(answer, question, texts)
    assert list(found) == [there]
    assert found[there] in texts[1]


@pytest.mark.parametrize(
    ("answer", "question", "texts"),
    [
        (["Hail is covered.", "A garage of your choice may do the repair."], BRONZE, POLICIES),
        (["The excess of Silver is $450 per claim."], BRONZE, POLICIES),
        (["Bronze pays for hail.", "With Silver a garage of ours has to do the repair."], BRONZE, POLICIES),
        (["The lock file is out of date.", "Run the lock command."], WHY_BUILD, CODES),
        (["Cocoa prices rose."], WHY_HALDEN, HALVES),
        # What is named later is not what was spoken of before.
        (
            [
                "Drivers need a licence of two years.",
                "Drivers under 25 pay $18.",
                "Camper vans are for those of 25 and over.",
            ],
            "Who may rent?",
            RENTALS,
        ),
        # What both are asked for, or neither, may be of either.
        (["The excess is $450 per claim."], "How do Bronze and Silver differ?", POLICIES),
        (["The excess is $450 per claim."], "What is the excess?", POLICIES),
        (["It pays for hail.", "The excess is $450 per claim, other than with Bronze."], BRONZE, POLICIES),
        # Of what the own passage says nothing the other one may tell.
        (["Hail is covered, and so is vandalism."], "Is hail covered?", POLICIES),
        (
            ["The excess is $200 per claim."],
            BRONZE,
            ("Bronze policy. The excess is $200 per claim.", "All policies run for a year."),
        ),
        ([], BRONZE, POLICIES),
        (["The excess is $200."], BRONZE, ()),
    ],
)
def test_what_may_be_said_of_its_own_thing_is_left(answer: list[str], question: str, texts: tuple[str, ...]) -> None:
    assert about_another(answer, question, texts) == {}


HALL = "Sports hall.\nMonday and Friday 9:00–11:30: toddlers and parents.\nTuesday to Thursday 9:00–11:30: badminton for seniors.\nSaturday 10:00: chess."


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("Toddlers can play on Tuesdays.", "Monday and Friday"),
        ("Seniors play badminton on Monday and Friday from 9:00.", "Tuesday to Thursday"),
        ("There is chess on Wednesday.", "Saturday"),
        ("Toddlers can play on Monday.", None),
        ("Seniors play badminton on Wednesdays.", None),
        ("Toddlers and seniors come from Monday to Friday.", None),
        ("Toddlers cannot play on Tuesdays.", None),
        ("The hall is cleaned on Wednesdays.", None),
        ("Toddlers play in the morning.", None),
    ],
)
def test_a_timetable_tells_what_is_on_other_days(claim: str, line: str | None) -> None:
    there = on_other_days(claim, ["Nothing of it.", HALL])
    assert (there is None) is (line is None)
    if there is not None and line is not None:
        assert (there.document, HALL[there.start : there.end].startswith(line)) == (1, True)


def test_a_single_line_is_no_timetable() -> None:
    assert on_other_days("Toddlers can play on Tuesdays.", ["Monday and Friday 9:00: toddlers."]) is None
