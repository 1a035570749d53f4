"""Which values were, and which are now."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.current import current
from sidecar.inference.values.match import Finding, Outcome, match
from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import stated


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("The limit was raised from 5 to 10 GB.", [-1, 1]),
        ("The fee was 5 euros until June.", [-1, 0]),
        ("The fee used to be 5 euros.", [-1]),
        ("The fee was previously 5 euros.", [-1]),
        ("The deadline, originally 1 May, is now 1 June.", [-1, 1]),
        ("The limit was 5 GB before.", [-1]),
        ("The port is now 9464 instead of 9090.", [1, -1]),
        ("The fee is 7 euros now.", [1]),
        ("The shop was open until 5 pm.", [0]),
        ("The fee is 7 euros.", [0]),
    ],
)
def test_a_value_says_which_side_of_a_change_it_is(text: str, sides: list[int]) -> None:
    assert [one.side for one in read_values(text)] == sides


def found(claim: str, text: str) -> Finding:
    there = [stated(text, content_stem)]
    [one, *_] = match(current(claim, stated(claim, content_stem), there), there, lambda _: 5.0)
    return one


@pytest.mark.parametrize(
    ("claim", "text", "outcome"),
    [
        ("The limit is 5 GB.", "The limit was raised from 5 to 10 GB.", Outcome.DISAGREES),
        ("The limit is now 5 GB.", "The limit was raised from 5 to 10 GB.", Outcome.DISAGREES),
        ("The limit is 10 GB.", "The limit was raised from 5 to 10 GB.", Outcome.AGREES),
        ("The limit used to be 5 GB.", "The limit was raised from 5 to 10 GB.", Outcome.AGREES),
        ("The fee is 5 euros.", "The fee was 5 euros until June; since July it has been 7 euros.", Outcome.DISAGREES),
        ("The fee was 5 euros.", "The fee was 5 euros until June; since July it has been 7 euros.", Outcome.AGREES),
        ("The deadline is 1 May.", "The deadline was extended from 1 May to 1 June.", Outcome.DISAGREES),
        ("The limit is 5 GB.", "The limit is 5 GB.", Outcome.AGREES),
    ],
)
def test_what_was_is_no_value_of_what_is(claim: str, text: str, outcome: Outcome) -> None:
    assert found(claim, text).outcome is outcome
