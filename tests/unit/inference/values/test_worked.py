"""Arithmetic that a text shows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sidecar.inference.grounding.placed import as_shown
from sidecar.inference.values.match import Finding, Outcome, match
from sidecar.inference.values.stated import stated
from sidecar.inference.values.stems import stem_beside_values
from sidecar.inference.values.worked import Worked, worked


def _worked(text: str) -> list[Worked]:
    return worked(text, [one.value for one in stated(text, stem_beside_values)])


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
        ("2 × $12 plus 3 × $7 gives $45", "$45", ["2", "$12", "3", "$7"]),
        ("10% of $200 + $30 = $50.", "$50", ["10%", "$200", "$30"]),
        ("20 % of €240 is €48", "€48", ["20 %", "€240"]),
        ("4.5 × 3 × 2.4 m makes 32.4 m³", "32.4 m³", ["4.5", "3", "2.4 m"]),
        ("4 m × 50 cm = 2 m²", "2 m²", ["4 m", "50 cm"]),
        ("24 m³ (4 × 3 × 2 m)", "24 m³", ["4", "3", "2 m"]),
    ],
)
def test_what_arithmetic_comes_to(text: str, told: str, operands: list[str]) -> None:
    [way] = _worked(text)
    assert way.right
    assert text[way.told.start : way.told.end] == told
    assert [text[one.start : one.end] for one in way.operands] == operands


@pytest.mark.parametrize(
    "text",
    [
        "2 × $20 = €40",
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
def test_what_is_no_arithmetic(text: str) -> None:
    assert _worked(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("€59.70 (2 × €24.90 + €4.90 shipping).", "€59.70"),
        ("12 + 13 = 26", "26"),
        ("3 × €80 is €230", "€230"),
        ("20 % of €240 is €60", "€60"),
        ("4.5 × 3 × 2.4 m makes 29.4 m³", "29.4 m³"),
        ("28 m³ (4 × 3 × 2 m)", "28 m³"),
        ("Net income fell by $65 million, from $355 million to $310 million.", "$65 million"),
        ("Revenue rose 18% from $3.75bn to $4.2bn.", "18%"),
        ("Revenue was up 30 % to €1.1bn from €1.0bn.", "30 %"),
        ("The price was raised from $10 to $12, a 50 % increase.", "50 %"),
        ("Sales increased from 200 to 250, up 35 percent.", "35 percent"),
        ("The share grew by 8 percentage points, from 12 % to 15 %.", "8 percentage points"),
    ],
)
def test_what_does_not_come_out(text: str, told: str) -> None:
    assert [(text[way.told.start : way.told.end], way.right) for way in _worked(text)] == [(told, False)]


@pytest.mark.parametrize(
    "text",
    [
        "Net income fell by $45 million, from $355 million to $310 million.",
        "Revenue rose 12% from $3.75bn to $4.2bn.",
        "Revenue was up 15 % to €1.1bn from €1.0bn.",  # of 0.96 and 1.1, which round so
        "The dividend was raised by a tenth, from $0.40 to $0.44 a share.",
        "Revenue went up by about 4%, from 175 to 182 million francs.",
        "The rate rose by 25 %, from 12 % to 15 %.",
    ],
)
def test_a_change_that_comes_out(text: str) -> None:
    assert [way.right for way in _worked(text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "Costs dropped from €84,000 to €71,000 in spite of 12% more traffic.",
        "Deposits run from 200 for a small car to 900 for a van, and Full cover cuts them by 50%.",
        "It rose from 20 °C to 25 °C, by 5 °C.",
        "Open from 9 to 17; prices rose by 5 %.",
        "It grew by 3 % from 2019 to 2021.",
        "Sales grew 3 times from 10 to 30.",
        "Prices grew by 5% on average from $100 to $163.",
        "Up 50%+ from 100 to 155.",
        "The dose was raised from 5 mg to 20 mg by 5 mg steps.",
        "Increase the dose from 50 mg to 200 mg, increased by 50 mg at a time.",
        "Prices are up 10% for rooms from 20 to 30 square metres.",
        "Sales fell from 3.2 to 2.9 million, down 9%.",
        # Parts of more, rates, bounds, and what stands in brackets behind a number.
        "3 nights at 90 euros + 20 euros cleaning = 290 euros.",
        "12 months at $29 + $49 setup = $397.",
        "2 weeks × $50 a day = $700.",
        "90 minutes × $20 per hour = $30.",
        "That is over $100 (3 × $40).",
        "For 2 people (2 x 30 + 10) that is 70.",
        "3 x (20 + 5) = 75.",
        "It lasts 3 days (3 x 8 hours).",
        "The camera has 12 MP (4000 x 3000 pixels).",
        "Family ticket: 30 euros (2 adults + 3 children).",
        "Take 0.5 g (450 mg).",
        "The trip takes 2 hours, or 110 minutes.",
    ],
)
def test_what_is_no_change_and_no_whole_sum(text: str) -> None:
    assert _worked(text) == []


def test_what_is_said_again_in_another_unit_follows() -> None:
    texts = ["16 weeks at full pay for the birthing parent."]
    assert [one.outcome for one in _shown("They get four months, or 16 weeks.", texts)] == [
        Outcome.FOLLOWS,
        Outcome.AGREES,
    ]
    assert _shown("They get six months, or 16 weeks.", texts)[0].outcome is not Outcome.FOLLOWS


def test_what_the_documents_have_may_be_worked_out_otherwise() -> None:
    claim = "Net income fell by $65 million, from $355 million to $310 million."
    [lost, *_] = _shown(claim, ["Net income was $310 million after $355 million."])
    assert (lost.outcome, lost.strength) == (Outcome.DISAGREES, 1.0)
    [told, *_] = _shown(claim, ["Net income fell by $65 million, from $355 million to $310 million."])
    assert told.outcome is Outcome.AGREES


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
