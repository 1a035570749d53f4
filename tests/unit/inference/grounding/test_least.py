"""How far the whole of an answer counts above its least supported claim."""

from __future__ import annotations

import math

import pytest

from sidecar.inference.base import Claim, Support
from sidecar.inference.calibrated import logit
from sidecar.inference.grounding.claims import answer_row, least_of


@pytest.mark.parametrize(
    ("claims", "least", "bounded"),
    [
        ([("The fee is $5.", 0.9), ("Dogs are not allowed.", 0.1)], 0.1, True),
        ([("It costs $500 more.", 0.1), ("Dogs are not allowed.", 0.9)], 0.1, False),
        ([("But its margin is 3 %.", 0.1), ("Dogs are not allowed.", 0.9)], 0.1, False),
        ([("Items are sent by post.", 0.2)], 0.2, True),
        ([], None, False),
    ],
)
def test_a_claim_that_begins_with_a_pronoun_tells_less_alone(
    claims: list[tuple[str, float]], least: float | None, *, bounded: bool
) -> None:
    found, above = least_of([Support(p, None) for _, p in claims], [Claim(text) for text, _ in claims])
    assert found == least
    assert math.isfinite(above) is bounded


def test_a_whole_hides_little_of_a_claim_that_is_not_said() -> None:
    assert answer_row(0.99, 0.01)[0, 0] == pytest.approx(0.0)
    assert answer_row(0.99, 0.01, 3.0)[0, 0] == pytest.approx(logit(0.01) + 1.5)
    assert answer_row(0.01, 0.99, 3.0)[0, 0] == pytest.approx(0.0)
