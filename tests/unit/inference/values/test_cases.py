"""Cases under rules: which rule a claim tells, and whether what it speaks of falls under it."""

from __future__ import annotations

import math

import pytest

from sidecar.inference.values.cases import case_asked, cases
from sidecar.inference.values.rules import Rule, rules_of
from sidecar.inference.values.stems import stem_beside_values as stem

SHIPPING = "Orders over $50 ship free. Others pay $6."
BAGS = "Checked bags up to 23 kg are free. Bags from 23 to 32 kg cost €60; heavier bags are not accepted."
NOTICE = "Notice is one month in the first year, two months from one to five years, and three months after five years."
FARES = "Passengers aged 65 and over travel at half fare. All others pay the full fare."
RETURNS = "Items can be returned for a full refund within 30 days of purchase."
ACCOUNTS = "You must be at least 18 years old to open an account."
BOUGHT = "I bought the lamp {} days ago, can I still return it?"
SCHOOLS = "The licence is free for schools with fewer than 500 pupils. Larger schools pay $2 per pupil."
BOTTLES = "Empty plastic bottles of up to 0.5 litres are allowed."
DOGS = "Dogs of up to 8 kg can travel in the cabin in a carrier. Heavier dogs travel in the hold."
CUTOFF = "Transfers submitted before 16:00 arrive the same day; later ones arrive the next business day."
TIERS = "Shipping: up to 2 kg €4.90, over 2 kg up to 5 kg €6.90, over 5 kg up to 10 kg €9.90."
AGES = "Adults €8, children 4 to 15 €4, children under 4 free."
CANCEL = "Appointments can be cancelled free of charge up to 24 hours in advance; later cancellations are charged $35."


def weight(_: str) -> float:
    return 5.0


def rules(text: str) -> tuple[tuple[Rule, ...], ...]:
    return rules_of(text, stem)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        (SHIPPING, [(50.0, math.inf), (-math.inf, 50.0)]),
        (FARES, [(65.0, math.inf), (-math.inf, 65.0)]),
        (SCHOOLS, [(-math.inf, 500.0), (500.0, math.inf)]),
        ("Groups of 10 or more get 15% off.", [(10.0, math.inf)]),
        ("Orders up to $500 need no approval, orders above that do.", [(-math.inf, 500.0), (500.0, math.inf)]),
        ("The meeting lasts 30 minutes.", []),
        (CUTOFF, [(-math.inf, 16 * 3600.0), (16 * 3600.0, math.inf)]),
        ("The shop is open from 9 am to 6 pm.", []),  # hours from and to are no rule
        (TIERS, [(-math.inf, 2000.0), (2000.0, 5000.0), (5000.0, 10_000.0)]),
        (AGES, [(4.0, 15.0), (-math.inf, 4.0)]),
        (CANCEL, [(-math.inf, 86_400.0)]),  # "later" is no longer in advance
        ("Orders over $50 ship free unless they are heavy.", []),
        ("Orders over $50 ship free to €60.", [(50.0, math.inf)]),
    ],
)
def test_bounds_and_what_is_said_of_the_others_are_rules(text: str, bounds: list[tuple[float, float]]) -> None:
    assert [(rule.low, rule.high) for group in rules(text) for rule in group] == bounds


@pytest.mark.parametrize(
    ("text", "question", "claim", "falls"),
    [
        (SHIPPING, "", "A $35 order ships free.", False),
        (CUTOFF, "", "A transfer submitted at 17:30 arrives the next business day.", True),
        (CUTOFF, "", "A transfer submitted at 17:30 arrives the same day.", False),
        (TIERS, "", "A 3 kg parcel costs €6.90.", True),
        (TIERS, "", "A 3 kg parcel costs €4.90.", False),
        (AGES, "", "A five-year-old travels free.", False),
        (AGES, "", "A three-year-old travels free.", True),
        (SHIPPING, "", "A $65 order ships free.", True),
        (SHIPPING, "", "A $35 order does not ship free.", None),  # nobody says that of others in these words
        (SHIPPING, "", "Your $5 voucher ships free.", None),
        (SHIPPING, "", "Orders over $35 ship free.", None),  # a rule of its own, no case
        (SHIPPING, "", "A $50 order ships free.", None),  # the bound itself
        (BAGS, "", "A 26 kg bag costs €60.", True),
        (BAGS, "", "A 35 kg bag costs €60.", False),
        (BAGS, "", "A 20 kg bag is free.", True),
        (BAGS, "", "A 26 kg bag is free.", False),
        (NOTICE, "I worked here for 2 years.", "With two years your notice is two months.", True),
        (NOTICE, "I worked here for 2 years.", "With two years your notice is three months.", False),
        (FARES, "I am 60.", "At 60 you pay the full fare.", True),
        (FARES, "I am 60.", "At 60 you travel at half fare.", False),
        (SHIPPING, "", "Your $35 order qualifies for free shipping.", False),
        (SHIPPING, "", "Your $65 order qualifies, since it is over $50.", True),
        (ACCOUNTS, "I am 17. Can I open one?", "Yes, at 17 you can open an account.", False),
        (ACCOUNTS, "I am 19. Can I open one?", "Yes, at 19 you can open an account.", True),
        (ACCOUNTS, "I am 17. Can I open one?", "At 17 you cannot open an account yet.", True),
        (RETURNS, BOUGHT.format(20), "You bought it 20 days ago, so you can still return it.", True),
        (RETURNS, BOUGHT.format(40), "You bought it 40 days ago, so you can still return it.", False),
        (RETURNS, BOUGHT.format(40), "You bought it 40 days ago, so it is too late to return it.", True),
        (RETURNS, BOUGHT.format(20), "You bought it 20 days ago, so it is too late to return it.", None),
        (
            "Staff on leave of six weeks or more keep their days until December.",
            "I have 4 days left. Do I keep them?",
            "Because of your leave, those 4 days stay until December.",
            None,
        ),
        (
            "If nothing has come within 10 days, write to support.",
            "I ordered 12 days ago. What now?",
            "Since you ordered 12 days ago, you should write to support.",
            True,
        ),
        ("Orders over $50 ship free.", "", "Your $35 order qualifies for free shipping.", False),
        ("Groups of 10 or more get 15% off.", "We are 8 people.", "Yes, with 8 people you get 15% off.", False),
        ("Groups of 10 or more get 15% off.", "We are 12 people.", "Yes, with 12 people you get 15% off.", True),
        ("Tokens expire after 24 hours.", "", "Tokens expire after 36 hours.", None),
        ("Children under 8 must ride with an adult.", "", "Your 9-year-old must ride with an adult.", False),
        ("Children under 8 must ride with an adult.", "", "Your 6-year-old must ride with an adult.", True),
    ],
)
def test_a_case_falls_under_the_rule_that_is_told_or_does_not(
    text: str, question: str, claim: str, falls: bool | None
) -> None:
    found = cases(claim, [text], question, weight, stem, rules)
    assert [one.falls for one in found] == ([] if falls is None else [falls])


@pytest.mark.parametrize(
    ("text", "question", "claim", "falls"),
    [
        (DOGS, "My dog weighs 25 kg. Can he travel in the cabin?", "Yes, your dog can travel in the cabin.", False),
        (DOGS, "My dog weighs 6 kg. Can he travel in the cabin?", "Yes, your dog can travel in the cabin.", True),
        (DOGS, "My dog weighs 6 kg. Can he travel in the cabin?", "No, your dog has to travel in the hold.", False),
        (RETURNS, "I bought it 45 days ago. Can I return it?", "Yes, it can be returned.", False),
        (RETURNS, "I bought it 15 days ago. Can I return it?", "Yes, it can be returned.", True),
        (RETURNS, "I bought it 45 days ago. Can I return it?", "No, it can no longer be returned.", None),
        (RETURNS, "Can I return it on day 45?", "Yes, it can be returned.", False),
        (RETURNS, "I bought two for 45 days and 3 days. Can I?", "Yes, it can be returned.", None),  # which?
        (RETURNS, "Can I return it?", "Yes, it can be returned.", None),
        (RETURNS, "I bought it 45 days ago. Can I return it?", "It can be returned within 30 days.", None),
        (SCHOOLS, "We are a school with 800 pupils. Is it free?", "Yes, the licence is free for you.", False),
        # Not what the rule is of: of another thing, or what it grants for so long.
        (
            "Up to 10 files can be uploaded.",
            "We are a team of 15. Can files be uploaded?",
            "Yes, files can be uploaded.",
            None,
        ),
        (
            "Staff can take leave of up to 4 weeks.",
            "I worked here 2 years. Is there leave?",
            "Yes, staff can take leave.",
            None,
        ),
        ("Children can play for up to 2 hours.", "My son is 6 years old. May he?", "Yes, children can play.", None),
        ("Adults may take up to 3 tablets.", "I am 34. May I?", "Yes, adults may take tablets.", None),
        ("Groups of more than 10 people pay less.", "I am 45. Do groups pay less?", "Yes, groups pay less.", None),
        ("Anyone aged 18 or over can open an account.", "I am 17. Can I?", "Yes, you can open an account.", False),
        (BOTTLES, "Can I bring my 0.75 litre bottle?", "It has to be empty and of plastic.", None),
        (BOTTLES, "Can I bring my 0.75 litre bottle?", "Yes, empty plastic bottles are allowed.", False),
    ],
)
def test_the_askers_own_case_falls_under_it_or_does_not(
    text: str, question: str, claim: str, falls: bool | None
) -> None:
    found = case_asked(claim, question, [text], weight, stem, rules)
    assert (found and found.falls) == falls
