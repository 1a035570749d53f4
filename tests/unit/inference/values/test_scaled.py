"""Amounts of a recipe for another number of people."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.made import Scale, scale, scaled
from sidecar.inference.values.stated import stated

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
