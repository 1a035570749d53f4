"""What askers say of themselves, as an answer says it again."""

from __future__ import annotations

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.grounding.embedded import EmbeddedGrounder
from sidecar.inference.grounding.own_case import addresses, own_case


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("I bought it 20 days ago. Can I return it?", "You bought it 20 days ago."),
        ("I'm 17 and my brother was 12 last week. May we ride?", "You are 17 and your brother was 12 last week."),
        ("I ordered it on Monday, can I cancel?", "You ordered it on Monday."),
        ("I was ill. We’ve moved! What now?", "You were ill. You have moved."),
        ("My contract says I get 40 days. Is that so?", ""),  # may be wrong
        ("I think returns are free. Are they?", ""),
        ("I can return it, right?", ""),
        ("Can I return it?", ""),
        ("The shop is closed. What now?", ""),
        ("I work with " + "many things and " * 20 + "more. Write a plan.", ""),
        ("", ""),
    ],
)
def test_what_is_so_of_the_asker_is_told_in_the_words_of_one_who_answers(question: str, told: str) -> None:
    assert own_case(question) == told


@pytest.mark.parametrize(
    ("claim", "does"), [("You’re too late.", True), ("Your order", True), ("The youth club", False)]
)
def test_a_claim_speaks_to_the_asker(claim: str, does: bool) -> None:
    assert addresses(claim) is does


RETURNS = ["You can return items within 30 days of purchase for a full refund."]


@pytest.mark.parametrize(
    ("question", "claim", "supported"),
    [
        (
            "I bought it 20 days ago. Still?",
            "Since you bought it 20 days ago, you can return it for a full refund.",
            True,
        ),
        ("Still?", "Since you bought it 20 days ago, you can return it for a full refund.", False),
        ("I bought it 40 days ago. Still?", "You bought it 40 days ago, so you get a full refund.", False),
    ],
)
async def test_it_is_evidence_of_what_an_answer_says_again(
    grounder: EmbeddedGrounder, question: str, claim: str, supported: bool
) -> None:
    [found] = await grounder.support([Claim(claim, question=question)], RETURNS)
    assert found.probability > 0.5 if supported else found.probability < 0.4
    assert found.evidence is not None
    assert found.evidence.document == 0
