"""Facts written by templates: what they bear out and what they contradict."""

from __future__ import annotations

import random

import pytest

from training.made_facts import FAMILIES, Made, made_facts


@pytest.mark.parametrize("family", range(len(FAMILIES)))
@pytest.mark.parametrize("seed", range(30))
def test_a_fact_has_claims_of_both_kinds_and_none_of_two(family: int, seed: int) -> None:
    made = FAMILIES[family](random.Random(seed))
    kinds = (made.said, made.contrary, made.unsaid)
    assert made.said
    assert made.contrary
    assert sum(len(set(claims)) for claims in kinds) == len({claim for claims in kinds for claim in claims})
    assert all(claim[0].isupper() and claim.endswith(".") and "{" not in claim for claims in kinds for claim in claims)


def test_counts_say_what_they_are() -> None:
    made = [fact for fact, _ in made_facts(1100, random.Random(7)) if fact.kind == "counted"]
    of_all = [fact for fact in made if fact.evidence.startswith("All")]
    of_none = [fact for fact in made if fact.evidence.startswith("None")]
    assert of_all
    assert of_none
    assert all(claim.startswith(("All", "Every")) for fact in of_all for claim in fact.said)
    assert all(claim.startswith("No ") for fact in of_none for claim in fact.said)


def test_each_stands_whole_in_its_evidence_and_the_same_seed_makes_the_same() -> None:
    facts = made_facts(200, random.Random(7))
    assert all(fact.evidence in evidence for fact, evidence in facts)
    assert facts == made_facts(200, random.Random(7))
    assert isinstance(facts[0][0], Made)
