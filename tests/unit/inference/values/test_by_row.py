"""Claims that tell several rows of a table, one after the other."""

from __future__ import annotations

import pytest

from sidecar.inference.values.by_row import swapped, told_by_row, without_names
from sidecar.inference.values.rows import rows_named
from sidecar.inference.values.stated import stated
from sidecar.inference.values.stems import stem_beside_values
from sidecar.inference.values.tables import row_stated

PLANS = (
    "| Plan | Monthly fee | Joining fee | Guest visits |",
    "| Basic | £19.00 | £25 | 0 |",
    "| Plus | £29.00 | £15 | 2 |",
    "| Family | £49.50 | none | 4 |",
)
HOURS = (
    "| Day | Opens | Closes |",
    "| Mon–Fri | 6:30 | 21:00 |",
    "| Sat | 8:00 | 18:00 |",
    "| Sun | 9:00 | 17:30 |",
)
POSTED = (
    "| Destination | Economy | Express |",
    "| EU | 11 December | 18 December |",
    "| Norway, Switzerland | 8 December | 16 December |",
)


def _told(table: tuple[str, ...], claim: str) -> int:
    pieces = [row_stated(row, table[0], stem_beside_values) for row in table[1:]]
    return len(told_by_row(claim, stated(claim, stem_beside_values), pieces, stem_beside_values))


@pytest.mark.parametrize(
    ("table", "claim"),
    [
        (PLANS, "Basic is £19 a month with a £25 joining fee, Plus £29 with £15, and Family £49.50."),
        (PLANS, "It is £19, £29 or £49.50 a month for Basic, Plus and Family respectively."),
        (PLANS, "The joining fee is £25 on Basic and £15 on Plus."),
        (PLANS, "On Plus you pay £29 a month and £15 to join."),
        (HOURS, "On weekdays from 6.30 am to 9 pm, Saturdays 8 am to 6 pm and Sundays 9 am to 5.30 pm."),
        (HOURS, "It opens at 6:30 from Monday to Friday, at 8:00 on Saturdays and at 9:00 on Sundays."),
        (POSTED, "For Norway it's 8 December with Economy or 16 December with Express."),
        (POSTED, "Parcels to Switzerland must leave by 8 December, or by 16 December with Express."),
    ],
)
def test_values_that_stand_each_in_the_row_named_beside_them_are_there(table: tuple[str, ...], claim: str) -> None:
    values = [
        one
        for one in stated(claim, stem_beside_values)
        if not any(date.weekday is not None for date in one.value.dates)
    ]
    assert _told(table, claim) == len(values) > 1


@pytest.mark.parametrize(
    ("table", "claim"),
    [
        (PLANS, "Basic is £19 a month with a £15 joining fee, Plus £29 with £25."),
        (PLANS, "It is £29, £19 or £49.50 a month for Basic, Plus and Family respectively."),
        (PLANS, "The joining fee is £15 on Basic and £25 on Plus."),
        (PLANS, "On Plus you pay £29 a month and £25 to join."),
        (PLANS, "Plus costs £19 a month."),
        (PLANS, "Plus comes with a joining fee of £25 and 4 guest visits."),  # of other rows than that it names
        (HOURS, "It opens at 6:30 from Monday to Friday, at 9:00 on Saturdays and at 8:00 on Sundays."),
        (POSTED, "For Norway it's 16 December with Economy or 8 December with Express."),
        (POSTED, "Send it by 8 December, or by 16 December with Express."),
    ],
)
def test_nothing_is_said_where_one_stands_elsewhere_or_no_row_is_named(table: tuple[str, ...], claim: str) -> None:
    assert _told(table, claim) == 0


def _swapped(table: tuple[str, ...], claim: str) -> list[tuple[float, float]]:
    pieces = [row_stated(row, table[0], stem_beside_values) for row in table[1:]]
    found = swapped(claim, stated(claim, stem_beside_values), pieces, stem_beside_values)
    return [(own.amount, there.amount) for own, (there, _) in found.items()]


LIMITS = (
    "| Limit | Free | Pro | Enterprise |",
    "| Requests per minute | 60 | 600 | 6,000 |",
    "| Seats | 3 | 20 | 90 |",
)


@pytest.mark.parametrize(
    ("table", "claim", "found"),
    [
        (PLANS, "The joining fee is £15 on Basic and £25 on Plus.", [(15.0, 25.0), (25.0, 15.0)]),
        (PLANS, "Basic costs £29 and Plus £19.", [(29.0, 19.0), (19.0, 29.0)]),
        (PLANS, "It is £29, £19 or £49.50 for Basic, Plus and Family respectively.", [(29.0, 19.0), (19.0, 29.0)]),
        (LIMITS, "Free has 20 seats, Pro 3.", [(20.0, 3.0), (3.0, 20.0)]),
        (PLANS, "The joining fee is £25 on Basic and £15 on Plus.", []),
        (PLANS, "Unlike Plus, Basic costs £19 a month, not £29.", []),
        (PLANS, "Basic costs £29 and Plus £39.", []),  # no row has that
        (PLANS, "Basic costs £29.", []),
        (LIMITS, "Free has 3 seats, Pro 20.", []),
    ],
)
def test_values_that_changed_places_are_told_with_their_cells(
    table: tuple[str, ...], claim: str, found: list[tuple[float, float]]
) -> None:
    assert _swapped(table, claim) == found


def test_figures_of_names_are_no_values() -> None:
    rows = ("| Model | Weight | Price |", "| Air 13 | 1.1 kg | $1,199 |", "| Pro 14 | 1.6 kg | $1,999 |")
    claim = "The Pro 14 costs $800 more than the Air 13."
    pieces = [row_stated(row, rows[0], stem_beside_values) for row in rows[1:]]
    left = without_names(claim, stated(claim, stem_beside_values), pieces, stem_beside_values)
    assert [one.value.amount for one in left] == [800.0]
    assert len(without_names(claim, stated(claim, stem_beside_values), [], stem_beside_values)) == 3


def test_a_row_named_by_a_number_is_named_by_a_number_alone() -> None:
    rows = ("| Guests | Price |", "| 10 | €200 |", "| 20 | €350 |")
    cells = [one for row in rows[1:] for one in row_stated(row, rows[0], stem_beside_values) if one.row]
    guests = stated("For 10 guests it costs €350.", stem_beside_values)
    days = stated("Within 10 days it costs €350.", stem_beside_values)
    assert rows_named(guests, cells, frozenset()) == {frozenset({"10"})}
    assert not rows_named(days, cells, frozenset())
