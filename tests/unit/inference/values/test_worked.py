"""Arithmetic that a text shows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sidecar.inference.grounding.said import as_shown, stem_beside_values
from sidecar.inference.values.match import Finding, Outcome, match
from sidecar.inference.values.stated import stated
from sidecar.inference.values.worked import worked

LAMP = ("A desk lamp costs €24.90.", "Shipping costs €4.90 per order.")


@pytest.mark.parametrize(
    ("text", "told", "operands"),
    [
        ("€54.70 (2 × €24.90 + €4.90 shipping).", "€54.70", ["2", "€24.90", "€4.90"]),
        ("2 x $19.99 + $5 shipping = $44.98 in total", "$44.98", ["2", "$19.99", "$5"]),
        ("3 nights × 90 euros + 20 euros cleaning fee = 290 euros", "290 euros", ["3", "90 euros", "20 euros"]),
        ("That is 9 × 2.5 days = 22.5 days.", "22.5 days", ["9", "2.5 days"]),
        ("The total is $60 = 3 × $20.", "$60", ["3", "$20"]),
        ("15% × $80 = $12", "$12", ["15%", "$80"]),
        ("£80 − £60 = £20", "£20", ["£80", "£60"]),
        ("30 ÷ 12 = 2.5 days", "2.5 days", ["30", "12"]),
        ("100 km / 3 = 33 km", "33 km", ["100 km", "3"]),
    ],
)
def test_what_arithmetic_comes_to(text: str, told: str, operands: list[str]) -> None:
    [way] = worked(text, [one.value for one in stated(text, stem_beside_values)])
    assert text[way.told.start : way.told.end] == told
    assert [text[one.start : one.end] for one in way.operands] == operands


@pytest.mark.parametrize(
    "text",
    [
        "€59.70 (2 × €24.90 + €4.90 shipping).",
        "2 × $20 = €40",
        "12 + 13 = 26",
        "It takes 10 - 12 days.",
        "3 × 4 metres = 12 kg",
        "20 euros (2 adults and 3 children)",
        "€54.70 (2 × €24.90 + €4.90 shipping, or €60 by courier)",
        "5 / 0 = 5",
        "20 °C + 5 °C = 90 °C",
        "60 = 3 × 20 = 61",
        "= 5 = 5 +",
    ],
)
def test_what_is_no_arithmetic_or_comes_to_something_else(text: str) -> None:
    assert worked(text, [one.value for one in stated(text, stem_beside_values)]) == []


def _shown(claim: str, evidence: Sequence[str] = LAMP) -> list[Finding]:
    own = stated(claim, stem_beside_values)
    found = match(own, [stated(text, stem_beside_values) for text in evidence], lambda stem: 4.0)
    return as_shown(found, worked(claim, [one.value for one in own]))


def test_of_what_the_evidence_has_and_small_counts_it_follows() -> None:
    found = _shown("€54.70 (2 × €24.90 + €4.90 shipping).")
    assert [one.outcome for one in found] == [Outcome.FOLLOWS, Outcome.AGREES, Outcome.AGREES]


@pytest.mark.parametrize(
    "claim",
    [
        "€59.70 (2 × €27.40 + €4.90 shipping).",
        "€1,009.80 (40 × €25.12 + €5.00 shipping).",
        "20 days (4 × 5)",
    ],
)
def test_of_what_the_evidence_lacks_it_does_not(claim: str) -> None:
    assert _shown(claim)[0].outcome is not Outcome.FOLLOWS


def test_a_count_of_one_sum_that_another_comes_to_follows() -> None:
    claim = "17 = 5 + 12 (3 × 4)"
    found = _shown(claim, ["5 lamps and 3 bulbs are in a box."])
    said = [(claim[one.value.start : one.value.end], one.outcome) for one in found]
    assert said == [
        ("17", Outcome.FOLLOWS), ("5", Outcome.AGREES), ("12", Outcome.FOLLOWS), ("3", Outcome.AGREES),
    ]  # fmt: skip
