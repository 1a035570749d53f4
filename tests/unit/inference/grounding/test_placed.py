"""What stands where: cases under rules, lines and sections of lists, cells that the question names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.grounding.embedded import EmbeddedGrounder
from sidecar.inference.values.made import begun
from sidecar.inference.values.read import read_values
from sidecar.inference.values.rows import is_multiple
from sidecar.inference.values.stated import stated
from sidecar.inference.values.stems import stem_beside_values

PLANS = "Plans: Starter: 3 users, email support. Team: 20 users, chat support. Enterprise: unlimited users, SSO, phone support."
TIERS = "**Basic**\n- 10 GB storage\n- 1 mailbox\n\n**Pro**\n- 100 GB storage\n- 10 mailboxes\n- daily backups"
DENTON = "**Denton branch**\nWorkshop: Mon–Fri 7.30–17.30, Sat 8.00–12.00\nCollection and drop-off: Mon–Fri 7.00–18.30, Sat 8.00–14.00"
ASHBY = "**Ashby branch**\nWorkshop: Mon–Fri 8.00–17.00\nCollection and drop-off: Mon–Fri 7.30–18.00, Sat 9.00–13.00"
RECALLS = (
    "**Recall 24-118 – Vela hatchback**\nOn affected cars the bolts of the rear seat frame may be loose.",
    "**Recall 24-121 – Vela estate**\nThe software of the reversing camera may freeze.",
)
DEVICES = "| | Solo | Duo | Family |\n|---|---|---|---|\n| Simultaneous streams | 1 | 2 | 5 |\n| Registered devices | 3 | 6 | 15 |"
DESKS = "| Service | Mon–Fri | Sun |\n|---|---|---|\n| Ticket office | 06:00–21:00 | 08:00–18:00 |\n| Left luggage desk | 07:00–22:00 | 09:00–19:30 |"
SYRUP = "| Age | Single dose |\n|---|---|\n| 1–3 years | 5 ml |\n| 4–6 years | 7.5 ml |"
SHIPPING = "Orders over $50 ship free. Others pay $6."
SOUP = "Lentil soup (serves 2)\n150 g red lentils\n1 onion\n600 ml stock\nSimmer for 25 minutes."
NOTICE = (
    "(1) An employee may terminate the employment with four weeks' notice to the end of a month.\n(2) Where the employer terminates, the notice "
    "period to the end of a month is: one month after two years of service; two months after five years; three months after eight years."
)
COURSE = "The fee for a course is: 40 euros for members; 60 euros for residents; 90 euros for visitors."
CARDS = (
    "| Ticket | Price |\n|---|---|\n| Single visit | €5.50 |\n| 10-visit card | €48.00 |\n| 50-visit card | €210.00 |"
)
TAX = "Parking: €12 per night. Tourist tax: €2.50 per adult and night, payable at the hotel."
HOTEL = ["Dogs are welcome for €15 per night.", "The underground garage costs €18 per night."]
BAGGAGE = [
    "Baggage cover – what is insured\nWe insure your baggage against theft.",
    "Baggage cover – what is not insured\nCash and cheques; items left unattended in a public place; devices used for business purposes.",
]


@pytest.mark.parametrize(
    ("documents", "question", "claim", "right"),
    [
        ([PLANS], "", "SSO is included in Enterprise.", True),
        ([PLANS], "", "SSO is included in Team.", False),
        ([PLANS], "", "With Team you get SSO and chat support.", False),
        ([PLANS], "", "Team has 20 users and chat support.", True),
        ([PLANS], "", "The Team plan has 3 users.", False),
        ([TIERS], "", "Backups are part of Pro.", True),
        ([TIERS], "", "Backups are part of Basic.", False),
        ([TIERS], "", "Basic has 100 GB of storage.", False),
        ([TIERS], "", "Basic comes with 10 GB and Pro with 100 GB.", True),
        ([DENTON, ASHBY], "", "Collection at the Denton branch on Saturday is 8.00–14.00.", True),
        ([DENTON, ASHBY], "", "Collection at the Denton branch on Saturday is 9.00–13.00.", False),
        ([*RECALLS], "Why are the Vela hatchbacks recalled?", "Because the reversing camera can freeze.", False),
        ([*RECALLS], "Why are the Vela estates recalled?", "Because the reversing camera can freeze.", True),
        ([DEVICES], "How many devices with Duo?", "You can register six devices.", True),
        ([DEVICES], "How many devices with Duo?", "You can register fifteen devices.", False),
        ([DEVICES], "How many devices with Duo?", "Two at once, six registered.", True),
        ([DEVICES], "How many devices with Duo?", "Two at once, fifteen registered.", False),
        ([DESKS], "", "The luggage desk closes at 19:30 on Sundays.", True),
        ([DESKS], "", "The luggage desk closes at 18:00 on Sundays.", False),
        ([SYRUP], "", "A single dose is 7.5 ml from 4 to 6 years.", True),
        ([SYRUP], "", "A single dose is 7.5 mg from 4 to 6 years.", False),
        (["Total: $120\nDeposit: $40\nBalance: $80"], "", "After the deposit of $40 a balance of $80 is left.", True),
        (["Name: ripline\nLanguage: Rust\nLicence: MIT"], "", "The language of ripline is Rust.", True),
        (
            ["Margherita: mozzarella, basil\nAll pizzas: tomato sauce, olive oil"],
            "",
            "The Margherita has tomato sauce.",
            True,
        ),
        (["Basic: 5 users\nPro: 25 users"], "How many on the plan after Basic?", "You can have 25 users.", True),
        ([SHIPPING], "Does my $65 order ship free?", "Yes, your $65 order ships free.", True),
        ([SHIPPING], "Does my $35 order ship free?", "Yes, your $35 order ships free.", False),
        (
            [SOUP],
            "What do I need for 8 people?",
            "You need 600 g of red lentils, 4 onions and 2.4 litres of stock.",
            True,
        ),
        (
            [SOUP],
            "What do I need for 8 people?",
            "You need 500 g of red lentils, 4 onions and 2.4 litres of stock.",
            False,
        ),
        (
            [SOUP],
            "What do I need for 8 people?",
            "You need 600 g of red lentils, 6 onions and 2.4 litres of stock.",
            False,
        ),
        ([SOUP], "What do I need for eight people?", "Simmer for 25 minutes.", True),
        ([SOUP], "What do I need for eight people?", "Simmer for 100 minutes.", False),
        ([SOUP], "What do I need?", "You need 150 g of red lentils, 1 onion and 600 ml of stock.", True),
        ([NOTICE], "", "After eight years your employer must give you three months' notice.", True),
        ([COURSE], "", "The course fee is 60 euros for residents.", True),
        ([COURSE], "", "The course fee is 90 euros for residents.", False),
        ([COURSE], "", "Residents pay a course fee of 40 euros.", False),
        ([CARDS], "", "It is €420 for two 50-visit cards.", True),
        ([CARDS], "", "It is €450 for two 50-visit cards.", False),
    ],
)
async def test_a_claim_is_held_to_what_stands_in_its_own_place(
    grounder: EmbeddedGrounder, documents: list[str], question: str, claim: str, right: bool
) -> None:
    [found] = await grounder.support([Claim(claim, question=question)], documents)
    assert found.probability > 0.4 if right else found.probability < 0.2
    assert right or found.conflicts


@pytest.mark.parametrize(("total", "right"), [("€99", True), ("€109", False)])
async def test_amounts_of_other_claims_are_added_up(grounder: EmbeddedGrounder, total: str, right: bool) -> None:
    texts = ["The dog costs €45 for three nights.", f"A place in the garage would add €54, bringing you to {total}."]
    claims = [Claim(text, question="What do we pay for three nights?") for text in texts]
    _, found = await grounder.support(claims, HOTEL)
    assert bool(found.conflicts) is not right


@pytest.mark.parametrize(("total", "right"), [("€571.20", True), ("€498.10", False)])
async def test_a_total_of_a_table_follows_from_its_rows(grounder: EmbeddedGrounder, total: str, right: bool) -> None:
    rows = [
        "Drinking water: 120 × €1.95",
        "Drinking water: €234.00",
        "Waste water: 102 × €2.60",
        "Waste water: €265.20",
    ]
    texts = [f"It should be {total}", *rows, "Base charge: 12 × €6.00", "Base charge: €72.00"]
    document = (
        "Drinking water: €1.95 per m³\nWaste water: €2.60 per m³\nBase charge for a house connection: €6.00 per month"
    )
    found = await grounder.support([Claim(text, question="What should our bill be?") for text in texts], [document])
    assert bool(found[0].conflicts) is not right
    assert found[4].conflicts == ()


def test_what_a_claim_has_so_many_times_of_a_cell_is_no_other_cell() -> None:
    claim = stated("It is €420 for two of the big cards.", stem_beside_values)
    [cell] = [one.value for one in stated("€210.00", stem_beside_values)]
    assert is_multiple(claim[0].value, claim, cell)
    assert not is_multiple(replace(claim[0].value, amount=480.0), claim, cell)


@pytest.mark.parametrize(("hours", "taken"), [("four", ["four hours"]), ("six", [])])
def test_hours_begun_count_in_full(hours: str, taken: list[str]) -> None:
    claim = f"The remaining 3 hours 15 minutes count as {hours} hours begun at €1.50 each."
    assert [claim[one.start : one.end] for one in begun(claim, read_values(claim))] == taken


@pytest.mark.parametrize(("amount", "right"), [("€15", True), ("€14", False)])
async def test_numbers_that_a_claim_multiplies_are_one_factor(
    grounder: EmbeddedGrounder, amount: str, right: bool
) -> None:
    [found] = await grounder.support([Claim(f"Tourist tax, 2 adults × 3 nights; Amount: {amount}")], [TAX])
    assert bool(found.conflicts) is not right


async def test_what_a_heading_denies_is_no_contrary_of_what_denies_it(grounder: EmbeddedGrounder) -> None:
    [found] = await grounder.support([Claim("It mustn't be a device that you use for business.")], BAGGAGE)
    assert found.conflicts == ()


@pytest.mark.parametrize(
    ("claim", "supported"),
    [("14 days", True), ("Yes, it can be returned.", False)],
)
async def test_answers_in_a_few_words_are_held_to_rules_too(
    grounder: EmbeddedGrounder, claim: str, supported: bool
) -> None:
    question = "How long do exchanges take?" if claim == "14 days" else "I bought it 45 days ago. Can I return it?"
    documents = ["Items can be returned within 30 days of purchase.", "Exchanges take 14 days."]
    [found] = await grounder.support([Claim(claim, question=question, short=True)], documents)
    assert found.probability > 0.3 if supported else found.probability < 0.2
