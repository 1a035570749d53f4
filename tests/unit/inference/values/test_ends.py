"""When something ends of which a text says when it begins and how long it lasts."""

from __future__ import annotations

import pytest

from sidecar.inference.values.ends import is_end
from sidecar.inference.values.match import Finding, Outcome
from sidecar.inference.values.stated import stated
from sidecar.inference.values.stems import stem_beside_values


def _is_end(claim: str, *pieces: str) -> bool:
    [own] = [one.value for one in stated(claim, stem_beside_values)]
    there = [stated(piece, stem_beside_values) for piece in pieces]
    return is_end(claim, Finding(Outcome.DISAGREES, own, 1.0), pieces, there)


@pytest.mark.parametrize(
    ("claim", "pieces", "right"),
    [
        ("The guarantee ends in June 2027.", ["The guarantee runs for three years from June 2024."], True),
        ("The guarantee ends in June 2026.", ["The guarantee runs for three years from June 2024."], False),
        ("The workshop ends at 13:00.", ["The workshop starts at 10:00 and lasts three hours."], True),
        ("The workshop ends at 12:00.", ["The workshop starts at 10:00 and lasts three hours."], False),
        ("The ferry arrives at 0:45.", ["The ferry leaves at 23:15.", "The crossing takes 90 minutes."], True),
        ("It expires on 28 February 2027.", ["It begins on 1 March 2025 and runs for 24 months."], True),
        ("It closes on 14 June.", ["It opened on 3 May and runs for six weeks."], True),
        ("It ends in November 2025.", ["It starts on 4 September 2025 and lasts 10 weeks."], True),
        ("It starts in June 2027.", ["It runs for three years from June 2024."], False),
        ("It ends at 13:00.", ["It starts at 10:00.", "The fee is for three hours a day."], False),
    ],
)
def test_an_end_is_the_beginning_and_how_long_it_lasts(claim: str, pieces: list[str], right: bool) -> None:
    assert _is_end(claim, *pieces) is right
