"""What an answer says to the contrary by how its clauses and steps stand together, and by which of two things has more."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.crossed import crossings
from sidecar.inference.contrasts.reading import Reading, read
from sidecar.inference.contrasts.steps import tells_steps, turned_steps
from sidecar.inference.embedding.text import content_stem, sentences
from sidecar.inference.values.ordered import wrong_order
from sidecar.inference.values.stated import stated
from sidecar.inference.values.stems import stem_beside_values

OVERTIME = "Overtime is approved by the team lead and reported to payroll."
LEAVE = "Requests are submitted through the portal. The line manager reviews the dates and the HR partner approves the request."
PENSION = "For each month of early retirement the pension is reduced permanently by 0.3 %. With 45 years one may retire 24 months early without reduction."
MENU = "On Monday there is soup and bread; on Tuesday there is salad and cake."
PATCH = "To apply the patch:\n1. Stop the scheduler.\n2. Install the package.\n3. Clear the template cache.\n4. Restart the web nodes."
BUS = "The train takes 25 minutes and costs 11 euros; the bus takes 50 minutes and costs 4 euros."
DOSE = "The effective dose takes into account the sensitivity of organs and tissues to radiation."
COACH = (
    "The 39-year-old thanked the players whose efforts have helped him win the chairman's favour since taking charge."
)
THANKS = (
    "The 39-year-old thanked the players whose efforts have helped him win the chairman's favour "
    "since he replaced Allan Ost as head coach in February."
)


def weight(_: str) -> float:
    return 5.0


def readings(*texts: str) -> list[Reading]:
    return [read(text[span.start : span.end], content_stem) for text in texts for span in sentences(text)]


@pytest.mark.parametrize(
    ("claims", "text", "crossed"),
    [
        (["Payroll approves it.", "It is reported to the team lead."], OVERTIME, True),
        (["Payroll approves it, and it is reported to the team lead."], OVERTIME, True),
        (["The team lead approves it.", "It is reported to payroll."], OVERTIME, False),
        (["It is reported to payroll.", "The team lead approves it."], OVERTIME, False),
        (["The HR partner reviews the dates.", "The line manager approves the request."], LEAVE, True),
        (["The line manager reviews the dates.", "The HR partner approves the request."], LEAVE, False),
        (["Soup on Monday and salad on Tuesday."], MENU, False),
        (["Soup on Tuesday and salad on Monday."], MENU, True),
        (["The dose counts how sensitive tissues and organs are to radiation."], DOSE, False),
        (["It counts the sensitivity of tissues and organs to radiation."], DOSE, False),
        (["It counts the sensitivity of tissues and organs."], DOSE, False),
        (["The team lead reports overtime and payroll approves it."], OVERTIME, True),
        (
            ["Marsh replaced Allan Ost as head coach in February.", COACH],
            f"Marsh takes charge on Friday. {THANKS}",
            False,
        ),
        (["Early retirement costs 7.2% (24 × 0.3%), and that reduction is permanent."], PENSION, False),
        (["Payroll approves it."], OVERTIME, False),  # what only one has exchanged other checks must see
    ],
)
def test_clauses_that_have_changed_places(claims: list[str], text: str, crossed: bool) -> None:
    assert bool(crossings(readings(*claims), readings(text), weight)) is crossed


def test_the_heads_of_an_answers_rows_have_no_places() -> None:
    claim = read("Segment: Cloud; Revenue: $1.9bn", content_stem)
    assert crossings([claim], readings("Segment revenue: Cloud $1.9bn, Devices $1.5bn."), weight) == []


def test_a_crossing_says_where() -> None:
    text = "Payroll approves it, and it is reported to the team lead."
    [one] = crossings(readings(text), readings(OVERTIME), weight)
    assert [text[clause.start : clause.end] for clause in one.own] == [
        "Payroll approves it",
        "it is reported to the team lead",
    ]
    assert [OVERTIME[clause.start : clause.end] for clause in one.other] == [
        "Overtime is approved by the team lead",
        "reported to payroll",
    ]


@pytest.mark.parametrize(
    ("claims", "text", "turned"),
    [
        (["Restart the web nodes, then clear the template cache."], PATCH, True),
        (["Clear the template cache, then restart the web nodes."], PATCH, False),
        (["Stop the scheduler.", "Finally restart the web nodes."], PATCH, False),
        (["Restart the web nodes.", "Then install the package."], PATCH, True),
        (["Restart the web nodes and install the package."], PATCH, False),
        (
            ["Restart the web nodes, then clear the template cache."],
            PATCH.replace("\n", " ").translate({ord(c): None for c in "1234"}),
            False,
        ),
        (["Restart the web nodes last, install the package last month."], PATCH, False),
        (["Restart the web nodes and only after that clear the template cache."], PATCH, True),
        (["Clear the template cache, and after that restart the web nodes."], PATCH, False),
        (["Restart the web nodes after clearing the template cache."], PATCH, False),
    ],
)
def test_steps_in_another_order(claims: list[str], text: str, turned: bool) -> None:
    own = readings(*claims)
    none = frozenset[int]()
    assert (tells_steps(own, none) and bool(turned_steps(own, readings(text), weight, none))) is turned


CTL = (
    "Upgrade:\n1. Stop the service: `ctl stop`\n2. Run the migration: `ctl migrate`\n3. Start the service: `ctl start`"
)


@pytest.mark.parametrize(
    ("claims", "counted", "text", "turned"),
    [
        (["Stop the scheduler", "Restart the web nodes", "Install the package"], {0, 1, 2}, PATCH, True),
        (["Stop the scheduler", "Install the package", "Restart the web nodes"], {0, 1, 2}, PATCH, False),
        (["Restart the web nodes", "Install the package"], set(), PATCH, False),
        (["Restart the web nodes", "Install the package"], {1}, PATCH, False),
        (
            ["Stop the service with ctl stop", "Start the service with ctl start", "Once it runs, run ctl migrate"],
            {0, 1, 2},
            CTL,
            True,
        ),
        (
            ["Stop the service with ctl stop", "Run ctl migrate", "Start the service with ctl start"],
            {0, 1, 2},
            CTL,
            False,
        ),
    ],
)
def test_steps_with_numbers_in_another_order(claims: list[str], counted: set[int], text: str, *, turned: bool) -> None:
    own = readings(*claims)
    assert (tells_steps(own, counted) and bool(turned_steps(own, readings(text), weight, counted))) is turned


@pytest.mark.parametrize(
    ("claim", "texts", "wrong"),
    [
        ("The bus takes less time than the train.", [BUS], True),
        ("The bus is faster than the train.", [BUS], True),
        ("The train is faster than the bus.", [BUS], False),
        ("The bus is not faster than the train.", [BUS], False),
        ("The Basic plan is cheaper than the Pro plan.", ["The Basic plan costs $12.", "The Pro plan costs $9."], True),
        ("The Basic plan is cheaper than the Pro plan.", ["The Basic plan costs $12.", "The Pro plan costs $29."], False),
        ("Wheat flour has more protein than spelt flour.", ["Wheat flour has 10 g of protein, spelt flour 14 g."], True),
        ("Wheat flour has more fibre than spelt flour.", ["Wheat flour has 10 g of protein, spelt flour 14 g."], False),
        ("Revenue in 2021 was higher than in 2020.", ["Revenue was 4 million in 2020 and 3 million in 2021."], True),
        ("Prices are less than two weeks old.", ["Prices are three weeks old."], False),
        ("The bus is faster than the ferry.", [BUS], False),
        ("Ask whether the bus is faster than the train.", [BUS], False),
        ("Basic is cheaper than Pro.", ["Basic costs 60 euros a year.", "Pro costs 9 euros a month."], False),
        ("Basic is cheaper than Pro.", ["Basic costs 60 euros.", "Pro costs 50 pounds."], False),
        ("Basic is cheaper than Pro.", ["Basic costs 60 euros.", "Pro costs 50 euros."], True),
    ],
)  # fmt: skip
def test_which_has_more(claim: str, texts: list[str], wrong: bool) -> None:
    pieces = [stated(text, stem_beside_values) for text in texts]
    found = wrong_order(claim, pieces, weight, stem_beside_values)
    assert (found is not None) is wrong
    if found:
        assert claim[found.start : found.end].endswith("than")
