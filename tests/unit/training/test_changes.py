"""Pairs that differ in one fact: what is changed is known, and can be changed in the evidence too."""

from __future__ import annotations

import random

import pytest

from training.changes import change, in_evidence, opened, reword
from training.selector import sentences

TEXT = (
    "Anna Berg founded the Lund Institute in 1984. Visitors must book before Monday. The museum is not open in winter. "
    "Tickets cost $30 for adults and children pay less."
)
CLAIMS = (
    "The institute was founded by Anna Berg with Karl Holm in 1984.",
    "Visitors must book before Monday.",
    "The museum is not open in winter.",
    "Tickets cost $30 for adults.",
)


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("seed", range(40))
def test_a_changed_claim_differs_just_where_it_says(claim: str, seed: int) -> None:
    made = change(claim, TEXT, random.Random(seed), names=("Oslo Harbour", "Vega"))
    assert made is not None
    assert made.text != claim
    assert made.wrong
    if made.swap is not None:
        [(start, end)] = made.wrong
        old, new = made.swap
        assert made.text[start:end] == new
        assert made.text[:start] + old + made.text[end:] == claim


@pytest.mark.parametrize("claim", CLAIMS[1:])
def test_the_same_change_in_the_evidence_makes_the_changed_claim_stand_there(claim: str) -> None:
    seen = 0
    for seed in range(60):
        made = change(claim, TEXT, random.Random(seed))
        assert made is not None
        other = in_evidence(made, claim, TEXT, sentences(TEXT))
        if other is None:
            continue
        seen += 1
        assert made.swap is not None
        assert made.swap[1] in other
        assert other != TEXT
        if claim in TEXT:
            assert made.text in other
    assert seen > 5


def test_a_change_that_stands_nowhere_in_the_evidence_is_not_made_there() -> None:
    claim = "Tickets cost $45 at the harbour gate."
    for seed in range(20):
        made = change(claim, TEXT, random.Random(seed))
        if made is not None and made.swap is not None and made.swap[0] not in TEXT:
            assert in_evidence(made, claim, TEXT, sentences(TEXT)) is None


def test_a_reworded_claim_keeps_its_names_and_is_not_negated() -> None:
    for seed in range(60):
        text = reword("In 1984, Anna Berg began the works and did not stop.", random.Random(seed))
        assert "Anna Berg" in text
        assert "1984" in text or "eighty" in text
        assert "not" in text or "n't" in text


def test_an_opener_moves_the_claim_by_its_length() -> None:
    for seed in range(20):
        text, moved = opened("The museum is closed.", random.Random(seed))
        assert text[moved:].lower() == "the museum is closed."
