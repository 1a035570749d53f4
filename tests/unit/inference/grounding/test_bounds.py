"""A bound that is stated by what is denied beyond it."""

from __future__ import annotations

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.grounding.embedded import EmbeddedGrounder

DOCUMENTS = [
    "Carry-on bags may weigh no more than 8 kg. Entry is allowed until 5 p.m.",
    "Employees can work from abroad for up to 20 days a year. The parcel must not exceed 30 kg.",
    "Guests may stay longer than 14 nights.",
]


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("Carry-on bags may not weigh more than 8 kg.", True),
        ("You can't work from abroad for more than 20 days a year.", True),
        ("Entry isn't possible after 5 p.m.", True),
        ("The parcel may weigh up to 30 kg.", True),
        ("Carry-on bags may not weigh more than 6 kg.", False),
        ("You can work from abroad for more than 20 days a year.", False),
        ("Entry is possible after 5 p.m.", False),
        ("Guests may not stay longer than 14 nights.", False),
    ],
)
async def test_what_may_not_be_more_may_be_as_much(grounder: EmbeddedGrounder, claim: str, supported: bool) -> None:
    [found] = await grounder.support([Claim(claim)], DOCUMENTS)
    assert found.probability > 0.3 if supported else found.probability < 0.1


@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("Revenue grew by 200 million euros.", True),
        ("Revenue rose by €0.2bn.", True),
        ("Revenue grew by 300 million euros.", False),
        ("The pan is 2.5 kg heavier.", False),
    ],
)
async def test_how_far_two_are_apart_is_what_both_say(grounder: EmbeddedGrounder, claim: str, supported: bool) -> None:
    documents = [
        "Revenue was 800 million euros in 2021 and 1,000 million euros in 2022.",
        "The kettle weighs 2 kg and the pan 3.5 kg.",
    ]
    [found] = await grounder.support([Claim(claim)], documents)
    assert found.probability > 0.4 if supported else found.probability < 0.1
