"""How a row of a table goes on from column to column."""

from __future__ import annotations

import pytest

from sidecar.inference.values.stems import stem_beside_values as stem
from sidecar.inference.values.tables import row_stated
from sidecar.inference.values.trend import says_trend, wrong_trend

HEAD = "| € million | Q1 | Q2 | Q3 | Q4 | Year |"
ROWS = ("| Revenue | 41.2 | 44.0 | 39.8 | 52.6 | 177.6 |", "| Profit | 8.2 | 9.9 | 4.3 | 11.7 | 34.1 |")


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("Profit fell from Q1 to Q2.", "9.9"),
        ("Profit rose from Q1 to Q2.", ""),
        ("Revenue rose in the third quarter.", "39.8"),
        ("Revenue fell in the third quarter.", ""),
        ("Revenue grew from Q3 to Q4.", ""),
        ("Profit was highest in the second quarter.", "11.7"),
        ("Profit was highest in Q4.", ""),  # the year's sum is no quarter
        ("Profit was lowest in Q1.", "4.3"),
        ("Profit fell from Q1 to 2023.", ""),  # no such column
        ("Revenue did not rise in Q3.", ""),
        ("Revenue rose in Q3 compared with the year before.", ""),
        ("Revenue and profit rose in Q3.", ""),  # of which row?
        ("Revenue rose in Q1.", ""),  # from what?
        ("Costs rose in Q3.", ""),
    ],
)
def test_a_row_that_goes_on_otherwise_is_told(claim: str, other: str) -> None:
    found = wrong_trend(claim, [row_stated(row, HEAD, stem) for row in ROWS], stem)
    assert (found is None) == (not other)
    if found is not None:
        assert says_trend(claim)
        assert f"{found.other.value.amount:g}" == other
        assert found.start < found.end


def test_a_column_of_the_year_counts_no_years() -> None:
    *_, year = row_stated(ROWS[0], HEAD, stem)
    assert (year.value.amount, year.value.unit) == (177.6, "")
    [years] = row_stated("| Lease | 12 |", "| Thing | Years |", stem)
    assert years.value.unit == "year"
