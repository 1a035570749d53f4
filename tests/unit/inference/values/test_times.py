"""How many times another amount one is."""

from __future__ import annotations

import pytest

from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import stated
from sidecar.inference.values.stems import stem_beside_values
from sidecar.inference.values.times import by_times, says_times, wrong_times


@pytest.mark.parametrize(
    ("piece", "claim", "wrong"),
    [
        ("Donations rose from €20,000 to €60,000.", "Donations doubled.", True),
        ("Donations rose from €20,000 to €60,000.", "Donations tripled.", False),
        ("Visits fell from 10,000 to 5,000.", "Visits doubled.", True),
        ("Visits fell from 10,000 to 5,000.", "Visits halved.", False),
        ("Rents fell from 10,000 to 5,000.", "Visits doubled.", False),
        ("Bake it at 230 °C, with a fan at 210 °C.", "Bake it with 21 g, three times the amount of yeast.", False),
        ("Pro has 200 GB and Basic has 50 GB.", "Pro has twice as much storage.", True),
        ("Pro has 200 GB and Basic has 50 GB.", "Pro has four times as much storage.", False),
        ("Pro has 200 GB and Basic has 50 GB.", "Basic has half what Pro has.", True),
        ("Pro has 200 GB and Basic has 50 GB.", "Pro costs twice a month.", False),
        ("Sales rose from 10 to 20 million.", "Sales doubled.", False),
        ("Sales, which had doubled in May, rose from 20 to 80 in June.", "Sales doubled.", False),
        ("Sales rose from 190 to 410.", "They more than doubled.", False),
        ("Sales rose from 200 to 410.", "They doubled.", False),
        ("Sales rose from 200 to 400 to 800.", "They tripled.", False),
        ("It costs €50 or $200.", "It costs twice as much.", False),
        ("Sales rose to 800.", "They tripled.", False),
    ],
)
def test_two_amounts_tell_how_many_times_one_is_the_other(piece: str, claim: str, wrong: bool) -> None:
    there = [stated(piece, stem_beside_values)]
    found = wrong_times(claim, stated(claim, stem_beside_values), [piece], there, stem_beside_values)
    assert (found is not None) is wrong
    if found:
        assert says_times(claim[found.start : found.end])
        assert found.piece == 0


@pytest.mark.parametrize(
    ("piece", "claim", "follows"),
    [
        ("The large one holds 90 litres, twice the capacity of the small one.", "It holds 45 litres.", 1),
        ("The large one holds 90 litres, twice the capacity of the small one.", "It holds 40 litres.", 0),
        ("It quadrupled its profit to £8 million.", "It was £2 million before.", 1),
        ("It quadrupled its profit to £8 million.", "It was $2 million before.", 0),
        ("The train takes four hours, the coach takes three times as long.", "It takes 12 hours.", 1),
        ("It holds 90 litres.", "It holds 45 litres.", 0),
    ],
)
def test_an_amount_follows_from_another_and_how_many_times_it_is(piece: str, claim: str, follows: int) -> None:
    assert len(by_times(read_values(claim), [piece], [read_values(piece)])) == follows
