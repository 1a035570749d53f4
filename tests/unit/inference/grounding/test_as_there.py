"""The cross-encoder reads a claim's values as the evidence writes them, where they are the same ones."""

from __future__ import annotations

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.grounding.embedded import EmbeddedGrounder

DOCUMENTS = [
    "Tokens expire after 3600 seconds. The total is EUR 1,250.00, due by 5 p.m. on 11 April 2024. Team costs $29 a month. 1,240 people took part.",
    "Plan,Monthly fee,Data,Minutes\nS,€8,2 GB,100\nM,€15,10 GB,300",
]


@pytest.mark.parametrize(
    ("claim", "read"),
    [
        ("A token is valid for one hour.", "A token is valid for 3600 seconds."),
        ("The total is €1,250, due by 17:00.", "The total is EUR 1,250.00, due by 5 p.m."),
        ("The total is due on 2024-04-11.", "The total is due on 11 April 2024."),
        ("The M plan comes with ten gigabytes.", "The M plan comes with 10 GB."),
    ],
)
async def test_what_is_the_same_value_is_read_as_the_evidence_writes_it(
    grounder: EmbeddedGrounder, claim: str, read: str
) -> None:
    [found] = await grounder.read([Claim(claim)], DOCUMENTS)
    assert found.claim == read


@pytest.mark.parametrize(
    "claim",
    [
        "A token is valid for two hours.",  # another value
        "Team costs $348 a year.",  # the rate of another time
        "More than 1,200 people took part.",  # a bound, within which the other lies
        "The M plan has 300 minutes.",  # the unit stands in the head of the table
        "The total is EUR 1,250.00.",
    ],
)
async def test_anything_else_is_read_as_it_is(grounder: EmbeddedGrounder, claim: str) -> None:
    [found] = await grounder.read([Claim(claim)], DOCUMENTS)
    assert found.claim == claim


async def test_arithmetic_that_leads_to_a_value_is_told(grounder: EmbeddedGrounder) -> None:
    [made, absent] = await grounder.read([Claim("Team costs $58 for two months."), Claim("Team costs $77.")], DOCUMENTS)
    assert made.said.follows > 0
    assert absent.said.follows == 0
