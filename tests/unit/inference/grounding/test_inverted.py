"""Claims that deny what lies beyond a bound, or without a condition, are read the other way round as well."""

from __future__ import annotations

import pytest

from exporters.result import Evidence, ValueConflict
from sidecar.inference.base import Claim, Support
from sidecar.inference.grounding.inverted import better, both_ways, inverted

CONFLICT = ValueConflict(0, 4, Evidence(0, 0, 4))


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Items cannot be returned after 30 days.", "Items can be returned within 30 days."),
        ("After 30 days, items can't be returned.", "Within 30 days, items can be returned."),
        ("You can't register after 15 March.", "You can register until 15 March."),
        ("You can't check in before 3 p.m.", "You can check in from 3 p.m."),
        ("You can't cancel later than 24 hours before arrival.", "You can cancel up to 24 hours before arrival."),
        ("Cancelling isn't possible less than 24 hours before arrival.", "Cancelling is possible up to 24 hours before arrival."),
        ("You can't get in earlier than one hour before the show.", "You can get in from one hour before the show."),
        ("Claims cannot be filed more than two years after it.", "Claims can be filed up to two years after it."),
        ("Guests under 16 cannot use the lounge.", "Guests aged 16 and over can use the lounge."),
        ("Children under 12 years of age cannot ride.", "Children aged 12 years and over can ride."),
        ("Guests under the age of 16 can't use the pool.", "Guests from the age of 16 can use the pool."),
        ("Bags over 8 kg can't be taken on board.", "Bags up to 8 kg can be taken on board."),
        ("Orders of less than €50 don't ship free.", "Orders of at least €50 ship free."),
        ("Delivery isn't free below 50 euros.", "Delivery is free from 50 euros."),
        ("No changes are possible after one hour.", "Changes are possible within one hour."),
        ("The offer is no longer valid after 31 May.", "The offer is valid until 31 May."),
        ("You can't board without a valid passport.", "You need a valid passport to board."),
        ("Without a passport you won't be allowed to board.", "You need a passport to board."),
        ("The update can't be installed without admin rights.", "The update needs admin rights to be installed."),
        ("You can't enter without showing an ID.", "You can enter only after showing an ID."),
        ("If you don't register, you won't get a badge.", "If you register, you will get a badge."),
        ("Overtime that wasn't approved in advance isn't paid.", "Overtime that was approved in advance is paid."),
    ],
)  # fmt: skip
def test_it_says_what_lies_within(claim: str, said: str) -> None:
    assert inverted(claim) == said


@pytest.mark.parametrize(
    "claim",
    [
        "You can't smoke.",
        "Items can be returned within 30 days.",
        "Items can be returned after 30 days.",
        "You can't drive after two drinks.",
        "Items can't be returned after 30 days unless they are faulty.",
        "It isn't true that it doesn't work.",
        "Drivers without a permit cannot park.",
        "You can't stay longer than 14 nights or bring more than two guests.",
        "Without a doubt it is the best.",
        "word " * 60 + "can't be returned after 30 days.",
    ],
)
def test_any_other_claim_is_read_as_it_is(claim: str) -> None:
    assert inverted(claim) == ""


def _found(p: float, evidence: str) -> Support:
    return Support(p, Evidence(0, 0, len(evidence)), conflicts=(CONFLICT,))


@pytest.mark.parametrize(
    ("document", "own", "other", "expected"),
    [
        ("Bags may weigh up to 8 kg.", 0.1, 0.9, 0.9),
        ("Bags may weigh up to 8 kg.", 0.5, 0.1, 0.5),
        ("Bags may weigh no more than 8 kg.", 0.1, 0.9, 0.9),
        ("Bags over 8 kg can be taken for 20 euros.", 0.1, 0.9, 0.1),
        ("Bags over 10 kg can be taken for 20 euros.", 0.1, 0.9, 0.9),
    ],
)
def test_a_claim_has_the_better_of_both_unless_the_text_speaks_of_what_lies_beyond(
    document: str, own: float, other: float, expected: float
) -> None:
    claim = Claim("Bags over 8 kg can't be taken on board.")
    best = better(claim, _found(own, document), _found(other, document), [document])
    assert best.probability == expected
    assert best.conflicts == (() if expected == other else (CONFLICT,))


def test_short_answers_are_left_out() -> None:
    claims = [
        Claim("It lasts."),
        Claim("You can't register after 15 March.", start=3),
        Claim("Bags over 8 kg can't be taken."),
    ]
    assert both_ways(claims, without=[2]) == {1: Claim("You can register until 15 March.", start=3)}
