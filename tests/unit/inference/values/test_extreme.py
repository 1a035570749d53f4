"""Which row of a table has the most."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.extreme import says_most, wrong_extreme
from sidecar.inference.values.tables import row_stated

HEAD = "| Month | Visitors | Revenue (k€) | Complaints |"
ROWS = ("| January | 3,210 | 41 | 7 |", "| February | 2,980 | 38 | 12 |", "| March | 4,105 | 55 | 5 |")


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("February had the most visitors.", "4,105"),
        ("March had the most visitors.", ""),
        ("The highest revenue was made in January.", "55"),
        ("The fewest complaints came in January.", "5"),
        ("The fewest complaints came in March.", ""),
        ("February did not have the most visitors.", ""),
        ("February had the second highest revenue.", ""),
        ("January and March had the most visitors.", ""),
        ("February had the most snow.", ""),
        ("February had more visitors.", ""),
    ],
)
def test_the_row_that_has_the_most_is_told(claim: str, other: str) -> None:
    pieces = [row_stated(row, HEAD, content_stem) for row in ROWS]
    found = wrong_extreme(claim, pieces, content_stem)
    assert (found is None) == (not other)
    if found is not None:
        assert says_most(claim[found.start - 4 :])
        assert ROWS[found.piece][found.other.value.start : found.other.value.end] == other


TENTS = "| Tent | Weight | Price |"
OF_THEM = ("| Tarn 1 | 1.9 kg | 159 EUR |", "| Fell Lite | 1.4 kg | 329 EUR |", "| Dale 4 | 4.6 kg | 279 EUR |")


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("The lightest is the Tarn 1.", "1.4 kg"),
        ("The Fell Lite is the lightest.", ""),
        ("The Dale 4 is the most expensive.", "329 EUR"),
        ("The Tarn 1 is the cheapest tent.", ""),
        ("The Fell Lite is the cheapest tent.", "159 EUR"),
        ("The Dale 4 is the roomiest.", ""),
    ],
)
def test_what_is_cheapest_or_lightest_needs_no_name_of_a_column(claim: str, other: str) -> None:
    found = wrong_extreme(claim, [row_stated(row, TENTS, content_stem) for row in OF_THEM], content_stem)
    assert (found is None) == (not other)
    if found is not None:
        assert OF_THEM[found.piece][found.other.value.start : found.other.value.end] == other
