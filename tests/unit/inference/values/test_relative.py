"""Days that a text counts from others, or names."""

from __future__ import annotations

import pytest

from sidecar.inference.values.read import read_values
from sidecar.inference.values.relative import named_days, shifted_days


def _shifted(claim: str, *pieces: str) -> list[str]:
    found = shifted_days(claim, read_values(claim), pieces, [read_values(piece) for piece in pieces])
    return [claim[one.start : one.end] for one in found]


@pytest.mark.parametrize(
    ("piece", "claim", "told"),
    [
        ("It begins on Thursday 9 May and ends the next day.", "It ends on Friday 10 May.", ["Friday", "10 May"]),
        ("It begins on Thursday 9 May and ends the next day.", "It ends on Saturday 11 May.", []),
        ("It begins on Thursday 9 May and ends the next day.", "It begins on Friday 10 May.", []),
        ("The tax year ends on 5 April, the new one begins the following day.", "It begins on 6 April.", ["6 April"]),
        ("The tax year ends on 5 April, the new one begins the following day.", "It ends on 6 April.", []),
        ("The meeting on 4 June was moved to the following day.", "It's on 5 June.", ["5 June"]),
        ("The wedding is on 14 September, the rehearsal is the day before.", "It's on 13 September.", ["13 September"]),
        ("Set for 20 June, it was brought forward by a week.", "It's on 13 June.", ["13 June"]),
        ("Set for 20 June, it was brought forward by a week.", "It's on 27 June.", []),
        ("Set for 20 June 2024, it was postponed by two weeks.", "It's on 4 July 2024.", ["4 July 2024"]),
        ("Set for 20 June 2024, it was postponed by two weeks.", "It's on 4 July 2025.", []),
        ("It opened in May 2019 and closed four years later.", "It closed in May 2023.", ["May 2023"]),
        ("It opened in May 2019 and closed four years later.", "It closed in May 2022.", []),
        ("Founded in 2000, it went public a decade later.", "It went public in 2010.", ["2010"]),
        ("It began on 31 January and ended one month later.", "It ended on 31 February.", []),
        ("It is on 9 May.", "It is on 9 May.", []),
        ("The next day is free.", "It is on 10 May.", []),
    ],
)
def test_days_are_counted_from_those_that_a_text_states(piece: str, claim: str, told: list[str]) -> None:
    assert _shifted(claim, piece) == told


def test_a_text_without_a_day_counts_from_those_of_the_others() -> None:
    assert _shifted("It ends on 10 May.", "It ends the day after.", "It begins on 9 May.") == ["10 May"]


def test_days_with_names_are_those_of_the_year() -> None:
    pieces = ["The flight leaves on New Year’s Eve."]
    for claim, told in (("It leaves on 31 December.", 1), ("It leaves on 30 December.", 0), ("It leaves at 9.", 0)):
        assert len(named_days(read_values(claim), pieces)) == told
