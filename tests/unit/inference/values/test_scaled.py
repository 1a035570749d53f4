"""Amounts of a recipe for another number of people."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.made import Scale, for_two, multiplied, scale, scaled, with_more
from sidecar.inference.values.moments import apart_as_it_takes
from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import stated
from sidecar.inference.values.supposed import set_up

FOCACCIA = "Focaccia (serves 8): 500 g flour, 380 ml water, 10 g salt."
CIABATTA = "Ciabatta (serves 6): 450 g flour, 340 ml water, 9 g salt."


@pytest.mark.parametrize(
    ("question", "texts", "expected"),
    [
        ("How much flour for 12 servings of the focaccia?", [FOCACCIA], Scale(1.5)),
        ("How much flour for 12 servings of the focaccia?", [CIABATTA, FOCACCIA], Scale(1.5, 1)),
        ("How much flour for 12 servings of bread?", [FOCACCIA, CIABATTA], None),
        ("How much flour for 8 servings of the focaccia?", [FOCACCIA], None),
        ("How much flour does the focaccia need?", [FOCACCIA], None),
    ],
)
def test_the_dish_of_the_question_is_scaled(question: str, texts: list[str], expected: Scale | None) -> None:
    assert scale(question, texts) == expected


def amounts(claim: str, to: Scale) -> tuple[list[float], list[float]]:
    pieces = [stated(text, content_stem) for text in (CIABATTA, FOCACCIA)]
    found = scaled(stated(claim, content_stem), pieces, [0, 1], to)
    return [one.amount for one in found.right], [one.amount for one in found.wrong]


def test_amounts_are_those_of_that_dish() -> None:
    claim = "Take one and a half times that: 750 g flour, 510 ml water and 15 g salt."
    assert amounts(claim, Scale(1.5, 1)) == ([750.0, 15.0], [510.0])
    assert amounts(claim, Scale(1.5)) == ([750.0, 510.0, 15.0], [])


def test_a_factor_is_no_wrong_amount_and_an_amount_may_be_as_large_as_it() -> None:
    pieces = [stated("Serves 4: 1 egg, 3 onions, 200 g rice.", content_stem)]
    for claim, right, wrong in (
        ("Two times as much: 2 eggs, 6 onions and 400 g rice.", [2.0, 2.0, 6.0, 400.0], []),
        ("You need 2 eggs and 5 onions.", [2.0], [5.0]),
    ):
        found = scaled(stated(claim, content_stem), pieces, [0], Scale(2.0))
        assert ([one.amount for one in found.right], [one.amount for one in found.wrong]) == (right, wrong)


@pytest.mark.parametrize(
    ("claim", "text", "right", "wrong"),
    [
        ("Two dogs for three nights come to £60.", "We charge £10 per dog and night.", [60.0], []),
        ("Two dogs for three nights come to £30.", "We charge £10 per dog and night.", [], [30.0]),
        ("Two dogs for three nights come to £30.", "We charge £10 per dog.", [], []),
        ("Two people stay three nights for £630.", "The room is £630. City tax: £4 per person per night.", [], []),
        ("1 GB for 24 hours costs €3.99.", "Calls cost €0.19 per minute, to Chile €0.29.", [], []),
    ],
)
def test_a_rate_by_two_things_is_multiplied_by_both(
    claim: str, text: str, right: list[float], wrong: list[float]
) -> None:
    made, not_made = for_two(read_values(claim), [text], [read_values(text)])
    assert ([one.amount for one in made], [one.amount for one in not_made]) == (right, wrong)


def test_what_comes_on_top_is_added_to_a_bound() -> None:
    text = "The bonus is 8 % of the salary, plus up to 4 % for individual goals."
    assert [one.amount for one in with_more(read_values("At most 12 %."), [text], [read_values(text)])] == [12.0]
    assert not with_more(read_values("At most 11 %."), [text], [read_values(text)])


def test_so_many_at_a_rate_are_a_product() -> None:
    beside = "That's three hours at €2.20."
    assert [one.amount for one in multiplied(read_values("€6.60"), [(beside, read_values(beside))])] == [6.6]
    assert not multiplied(read_values("€7.60"), [(beside, read_values(beside))])


def test_an_arrival_is_as_far_from_its_departure_as_it_takes() -> None:
    there = read_values("Departures at 6:30, 9:00 and 12:15. The crossing takes 35 minutes.")
    assert [one.amount for one in apart_as_it_takes(read_values("The 9:00 ferry arrives at 9:35."), (), there)] == [
        9 + 35 / 60
    ]
    assert not apart_as_it_takes(read_values("The 9:00 ferry arrives at 9:45."), (), there)
    asked = read_values("When does the 9:00 ferry arrive?")
    assert apart_as_it_takes(read_values("At 9:35."), asked, there)


def test_a_claim_supposes_what_the_asker_has() -> None:
    claim = "If you have 14 boards, four of them become read-only."
    assert [one.amount for one in set_up(claim, read_values(claim))] == [14.0]
    claim = "If you have more than 10 boards, they become read-only."
    assert not set_up(claim, read_values(claim))
