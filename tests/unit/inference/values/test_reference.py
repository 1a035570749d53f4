"""Values beside what they should be, and what claims say of where they lie."""

from __future__ import annotations

import math

import pytest

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.read import read_values
from sidecar.inference.values.reference import beside_their_ranges, positions, references

LABS = """Patient: R. Alvarez

Test | Result | Flag | Reference range
Haemoglobin | 118 g/L | L | 130-170 g/L
White cells | 6.4 x10^9/L | | 4.0-11.0 x10^9/L
Platelets | 452 x10^9/L | H | 150-400 x10^9/L
Ferritin | 9 ug/L | L | 30-300 ug/L"""
LIPIDS = """LDL cholesterol: 4.1 mmol/L (target below 3.0)
HDL cholesterol: 1.4 mmol/L (target above 1.0)
TSH: 2.2 mU/L (normal 0.4-4.0)"""
TARGETS = """| SLO | Target | Last month | This month |
|---|---|---|---|
| Availability | >= 99.9 % | 99.95 % | 99.82 % |
| p95 latency | <= 300 ms | 310 ms | 270 ms |
| Revenue | at least €3.0m | €3.1m | €2.8m |"""
HOST = "Host db-3: CPU load 71 % (limit 80 %), memory 91 % (limit 85 %), replication lag 12 s (threshold: 30 s)."
PROSE = """On admission potassium was 5.9 mmol/L (normal 3.5-5.0). On discharge potassium was 4.4 mmol/L (normal 3.5-5.0)."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LABS, [(118, 130, 170), (6.4, 4, 11), (452, 150, 400), (9, 30, 300)]),
        (LIPIDS, [(4.1, -math.inf, 3), (1.4, 1, math.inf), (2.2, 0.4, 4)]),
        (HOST, [(71, -math.inf, 80), (91, -math.inf, 85), (12, -math.inf, 30)]),
        ("Availability 99.5 %, target at least 99.9 %", [(99.5, 99.9, math.inf)]),
        ("Weight 12 kg (normal 300-400 g)", []),  # another unit
        ("Opened on 12 May (target 10-14 days)", []),
        ("It costs 12 euros (was 10-14 euros).", []),
        ("The limit is 80 %.", []),
    ],
)
def test_values_beside_what_they_should_be_are_found(text: str, expected: list[tuple[float, float, float]]) -> None:
    found = references([text], content_stem)
    assert [(one.value, one.low, one.high) for one in found] == expected
    assert all(text[one.start : one.end].strip("€")[:1].isdecimal() for one in found)


@pytest.mark.parametrize(
    ("text", "claim", "expected"),
    [
        (LABS, "Haemoglobin and ferritin are low and platelets are high.", [True, True, True]),
        (LABS, "Haemoglobin and ferritin are high and platelets are low.", [False, False, False]),
        (LABS, "Your platelets are slightly above the upper limit.", [True]),
        (LABS, "Your platelets are below the upper limit.", [False]),
        (LABS, "Your platelets are above the lower limit.", [True]),
        (LABS, "Your white cells are normal.", [True]),
        (LABS, "The white cells are not elevated.", [True]),
        (LABS, "The white cells aren't high.", [True]),
        (LABS, "Ferritin is no longer low.", [False]),
        (LABS, "Ferritin isn't within the reference range.", [True]),
        (LABS, "Three of the four results are outside the reference range.", [True]),
        (LABS, "Two of the four results are outside the reference range.", [False]),
        (LABS, "If ferritin is high, see a doctor.", []),
        (LABS, "Apart from the white cells all values are within range.", []),
        (TARGETS, "Revenue fell two points short of its target this month.", [True]),
        (LABS, "Your sodium is high.", []),
        (LABS, "Your ferritin is at the low end.", []),
        (LIPIDS, "LDL is above target.", [True]),
        (LIPIDS, "LDL is on target.", [False]),
        (LIPIDS, "HDL is low.", [False]),
        (LIPIDS, "HDL is high.", []),  # no bound on that side
        (LIPIDS, "Your cholesterol is high.", []),  # which of the two?
        (LIPIDS, "TSH is elevated.", [False]),
        (TARGETS, "Availability met its target this month.", [False]),
        (TARGETS, "Availability met its target last month.", [True]),
        (TARGETS, "Availability met its target.", []),  # in one of two months
        (TARGETS, "Latency missed its target this month.", [False]),
        (TARGETS, "Revenue fell short of the target this month.", [True]),
        (TARGETS, "Latency in this month missed the target.", [False]),
        (TARGETS, "In this month latency met the target.", [True]),
        (TARGETS, "Over this month the latency target was met.", []),
        (LABS, "White cells are in the normal range.", [True]),
        (HOST, "Memory exceeds its limit, CPU is below the limit.", [True, True]),
        (HOST, "Memory is within its limit.", [False]),
        (HOST, "Replication lag is above the threshold.", [False]),
        (PROSE, "Potassium was high on admission and normal on discharge.", []),
        (PROSE, "On discharge potassium was within the normal range.", [True]),
        (PROSE, "On admission potassium was normal.", [False]),
    ],
)
def test_claims_of_where_a_value_lies_are_held_to_its_range(text: str, claim: str, expected: list[bool]) -> None:
    found = positions(claim, references([text], content_stem), content_stem)
    assert [one.right for one in found] == expected
    assert all(claim[one.start : one.end].strip() for one in found)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Your platelets are above the upper limit of 400.", ["400"]),
        ("Your platelets of 452 are above the reference range of 150 to 400.", ["452", "150", "400"]),
        ("Three of the four results are outside the reference range.", ["Three", "four"]),
        ("Your platelets are above the upper limit of 500.", []),
        ("Your platelets are below the lower limit of 150.", []),
    ],
)
def test_values_that_a_right_claim_is_made_of_need_not_be_compared(claim: str, expected: list[str]) -> None:
    values = read_values(claim)
    found = beside_their_ranges(claim, values, [LABS], lambda texts: references(texts, content_stem), content_stem)
    assert [claim[one.start : one.end] for one in values if one in found] == expected
