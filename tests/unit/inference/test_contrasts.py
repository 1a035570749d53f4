"""What a claim says to the contrary of a text: opposites, negations, sides that change places; and what is none."""

from __future__ import annotations

from functools import partial

import pytest

from sidecar.inference.contrasts.compare import contrasts
from sidecar.inference.contrasts.reading import Reading, carrying, read
from sidecar.inference.embedding.text import content_stem, sentences
from tests.cpu import within_cpu

CLEAR = 0.5


def readings(text: str) -> list[Reading]:
    found: list[Reading] = []
    for span in sentences(text):
        found.append(carrying(read(text[span.start : span.end], content_stem), found[-1] if found else None))
    return found


def clearest(claim: str, text: str) -> float:
    found = contrasts(read(claim, content_stem), readings(text), lambda _: 5.0, content_stem)
    return max((one.strength for one in (found.opposed, found.negated) if one is not None), default=0.0)


@pytest.mark.parametrize("start", ["18:30", "half past six"])
def test_a_clause_without_a_subject_has_that_of_the_one_before_it(start: str) -> None:
    text = f"The choir practice starts at {start} and ends at 20:00."
    assert clearest("Choir practice ends at 8 pm.", text) == 0.0
    assert clearest("Choir practice starts at 8 pm.", "Choir practice ends at 20:00.") >= CLEAR


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The invoice is sent before the goods are packed.", "The invoice is sent after the goods are packed."),
        ("Visitors must wear a helmet.", "Visitors may wear a helmet."),
        ("Bikes are allowed on the tram.", "Bikes are not allowed on the tram."),
        ("There is no lift in the museum.", "The museum has a lift and a café."),
        ("The deposit is refundable for at most 30 kg.", "The deposit is refundable for at least 30 kg."),
        ("Storage is free for members.", "Storage costs members 5 euros a month."),
        ("All trainees have a desk.", "None of the trainees have a desk."),
        ("The leave is paid.", "Twelve months of leave are granted. It is unpaid."),
        ("He sold the shares.", "He bought the shares in spring."),
        ("The mill was built before the bridge.", "The bridge was built before the mill."),
        ("Nobody may enter the hall.", "Visitors may enter the hall."),
        ("Larsen beat Okafor in the final.", "Okafor beat Larsen in the final."),
        ("Press the green button to start the pump.", "Press the red button to start the pump."),
        ("The exit is on the left of the stage.", "The exit is on the right of the stage."),
        ("Backups are made weekly.", "Backups are made every day."),
        ("The hearing takes place online.", "The hearing takes place in person."),
        ("It often rains in July.", "In July it rarely rains."),
        ("Rovers lost 1-3 to United.", "Rovers beat United 3-1."),
        ("The shop opens at 9.", "The shop closes at 9."),
        ("Her contract is part-time.", "Her contract is a full-time one."),
        ("Every room has a balcony.", "Not all rooms have a balcony."),
        ("A permit is required for tents of this size.", "No permit is required for tents of this size."),
        (
            "Olsen Group sold its bakery division to Hartmann Foods.",
            "Hartmann Foods sold its bakery division to Olsen Group.",
        ),
        ("The fee is refunded to late applicants.", "The fee is not returned or refunded to late applicants."),
        ("The X1 is heavier than the X2.", "The X2 is heavier than the X1."),
        ("The pump does not work without power.", "The pump works without power."),
        (
            "Gift cards can be returned.",
            "Gift cards cannot be returned. Items may be returned within 30 days.",
        ),
        ("Revenue fell 12 % to $4.2bn.", "Revenue was $4.2bn, up 12 % from a year earlier."),
        ("Guidance was raised to $16bn.", "Guidance was unchanged at $16bn."),
        ("Refunds are issued within 5 calendar days.", "Refunds are issued within 5 business days."),
        ("Carers receive 26 weeks at half pay.", "Carers receive 26 weeks at full pay."),
        ("The garage is free at night.", "The garage is €18 a night."),
        ("Dogs are not allowed.", "Dogs are allowed, but not cats."),
        ("Parking is included.", "Breakfast is included, parking is not."),
        ("Alcohol is refunded up to 45 euros.", "Meals are refunded up to 45 euros a day, but alcohol isn't."),
        ("Uploads still time out.", "Uploads no longer time out."),
        ("The power supply is included.", "The power supply is sold separately."),
        ("The stand has to be bought separately.", "The stand and a cable are included."),
        ("No branch opens on public holidays.", "All branches are open on public holidays."),
        ("The account has no monthly fee for students.", "The account has a fee of 4 euros for students."),
        ("The shop buys bread and cheese.", "The shop sells cheese and bread."),
        ("The cable is red.", "The cable is blue and the plug is red."),
        ("Makers disclose the full list of ingredients.", "Makers fail to disclose the full list of ingredients."),
        ("Admission is free on the last Sunday of each month.", "Admission is free on the first Sunday of each month."),
        ("The rent is due on the third day of each quarter.", "The rent is due on the third day of each month."),
        ("The update must be installed manually.", "No manual work is needed: the update is installed automatically."),
    ],
)
def test_a_contrary_is_clear(claim: str, text: str) -> None:
    assert clearest(claim, text) > CLEAR


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The invoice is sent after the goods are packed.", "The invoice is sent after the goods are packed."),
        ("The bridge was built after the mill.", "The mill was built before the bridge."),
        ("Aylin bought the bakery from Sven.", "Sven sold the bakery to Aylin."),
        ("Rovers lost 1-3 to United.", "United beat Rovers 3-1."),
        ("Shipping is free from 50 euros on.", "Orders over €50 ship free of charge."),
        ("The hotline closes at 6 pm.", "The hotline is open from 8 am to 6 pm."),
        ("The cup is given by the mayor.", "The mayor gives the cup."),
        ("Bikes are forbidden on the tram.", "Bikes are not allowed on the tram."),
        (
            "Floods are covered only with the extra module.",
            "Floods are not covered, unless the extra module is booked.",
        ),
        ("Trams run every ten minutes.", "Before noon the ferry leaves every hour."),
        ("No branch opens on public holidays.", "All branches are closed on public holidays."),
        ("The stand is not included.", "The stand is sold separately."),
        ("A cable is included.", "The stand is sold separately, a cable is included."),
        ("The account costs nothing for students.", "The account has no monthly fee for students."),
        ("It is not only cheap but also fast.", "It is cheap and fast."),
        ("Members pay less than guests.", "Guests pay more than members."),
        (
            "Press the red button to start the pump.",
            "Press the red button to start the pump, the green one to stop it.",
        ),
        ("The key must not be copied.", "Copying the key is prohibited."),
        (
            "He has to be muzzled and leashed.",
            "Dogs above 10 kg must be leashed and muzzled. Guide dogs don't have to wear a muzzle.",
        ),
        ("Not all rooms have a balcony.", "Some rooms have no balcony."),
        ("The update is installed automatically.", "No manual installation is needed, the update installs itself."),
        ("Backups are made daily.", "Backups are made every day; monthly copies are kept for a year."),
        ("", "Nothing."),
        ("Registration closes on 31 May 2024.", "Registration must be completed by 31/05/2024."),
        ("Under the contract, rent is raised each January.", "Under the agreement the rent increases each January."),
        ("Staff enter vacation days in the HR portal.", "Annual leave is recorded in the HR portal by staff."),
        (
            "Support resets the password after three attempts.",
            "After three failed attempts the help desk resets the password.",
        ),
        ("The hotel is close to the central station.", "It is opposite the central station and opens in April."),
        ("The discount applies until 31 December.", "After 31 December the discount no longer applies."),
        ("A deposit is not required for small groups.", "No deposit is required for small groups."),
        ("Small groups don't need to leave a deposit.", "No deposit is required for small groups."),
        ("Intensive care does not admit visitors.", "Intensive care allows no visitors."),
        ("A Saver ticket can be neither changed nor refunded.", "Saver tickets cannot be changed or refunded."),
        (
            "Olsen Group bought the bakery division from Hartmann Foods.",
            "Hartmann Foods sold its bakery division to Olsen Group.",
        ),
        ("The X1 is lighter than the X2.", "The X2 uses less power than the X1 but is heavier."),
        ("There are no ads in premium accounts.", "Premium accounts are ad-free."),
        ("No, the lounge is closed at weekends.", "The lounge is closed on weekends."),
        ("No more than two guests are allowed in a cabin.", "Two guests are allowed in a cabin."),
        ("Smoking is not allowed in the building.", "Smoking is allowed only outside the building."),
        ("Parking is not included.", "Breakfast is included, parking is not."),
        ("Breakfast is included.", "Breakfast is included, parking is not."),
        ("Wait for the seconds in the Retry-After header.", "The header says how long you wait before you try."),
        (
            "You cannot cancel free of charge within 48 hours of arrival.",
            "You can cancel free of charge, but not within 48 hours of arrival.",
        ),
        ("Items must be unused.", "Items may be returned within 30 days if they are unused."),
        ("You must give three months' notice.", "Either party may end the lease with three months' notice."),
        ("Not without written consent of the landlord.", "Subletting requires the written consent of the landlord."),
        ("Starter is free.", "Starter is $0, Growth is $12 a month."),
        ("Spend £15 and the class costs you nothing.", "The class is £5, free if you spend £15."),
        ("Profit rose by 5 %.", "Profit was up by 5 %."),
        ("Makers may not disclose all ingredients.", "Makers fail to disclose all ingredients."),
        ("The shop sells bread and cheese.", "We sell cheese and bread from the region."),
        (
            "Kim became head after two years as deputy.",
            "Kim became head of the lab in 2020. Before that she was deputy for two years.",
        ),
        ("Three: red, green and blue.", "It comes in green, blue and red."),
        ("Take it after meals.", "Take it before or after meals."),
        ("The fluid flows quickly.", "Thick fluid can fail to flow quickly."),
        ("An adult can take up to eight tablets.", "Adults: do not take more than 8 tablets."),
        (
            "A checked bag isn't included in Economy Light.",
            "Economy Light: no checked bag included. Economy Classic: one bag included.",
        ),
        ("No, not on his own card.", "Parents may borrow such films on their own card."),
        ("It comes at no charge until 10 pm.", "You can leave it free of charge until 22:00."),
        ("Most likely it was used twice.", "Each key may be used once."),
        ("He sold his shares to his sister.", "His sister bought his shares in spring."),
        ("The pump starts in winter.", "The pump never fails to start in winter."),
        ("The company did not pay the ransom.", "The company refused to pay the ransom."),
        ("Wait for the seconds given in the header.", "The header gives the seconds to wait for."),
        ("The egg whites are beaten until stiff.", "Beat the egg whites until stiff."),
        (
            "Porting is possible until one month after the contract has ended.",
            "You can port up to one month after the end.",
        ),
        ("If you're back by then, no certificate is required.", "A certificate must be submitted on the fourth day."),
        ("An hour before a meal, and not with dairy products.", "Do not take it with milk or other dairy products."),
        ("You get a bag under the seat, no bigger than 40 cm.", "Includes one bag of up to 40 cm under the seat."),
        ("It costs 20 cents a day, but never more than €8.", "It costs 20 cents per day each, up to a maximum of €8."),
        ("Leads can't be longer than 2 m.", "Dogs must be kept on a lead of up to 2 m."),
        (
            "For the following week, use Edit meals.",
            "Meals can be changed until Wednesday of the week before delivery.",
        ),
    ],
)
def test_what_says_the_same_or_something_else_is_none(claim: str, text: str) -> None:
    assert clearest(claim, text) <= 0.3


def test_places_point_at_the_words_that_disagree() -> None:
    claim, text = "You must bring a helmet.", "Ok. You may bring a helmet."
    found = contrasts(read(claim, content_stem), readings(text), lambda _: 5.0, content_stem).opposed
    assert found is not None
    piece = "You may bring a helmet."
    assert claim[found.start : found.end] == "must"
    assert (found.piece, piece[found.other_start : found.other_end]) == (1, "may")


def test_places_hold_where_lower_case_is_longer() -> None:
    claim = "İİİ must be signed."
    found = contrasts(read(claim, content_stem), readings("İİİ may be signed."), lambda _: 5.0, content_stem).opposed
    assert found is not None
    assert claim[found.start : found.end] == "must"


def test_words_that_come_again_cost_no_square_of_their_number() -> None:
    for claim, text in (("x " * 750, "x not " * 250), ("more " * 300, "less " * 300)):
        within_cpu(2.0, "contrasts of words that come again", partial(clearest, claim, text))


@pytest.mark.parametrize(
    "claim", ["Ashford won the final.", "Norwood lost the final.", "Ashford beat Norwood in the final."]
)
def test_who_won_is_told_by_one_side(claim: str) -> None:
    assert clearest(claim, "Norwood beat Ashford 2-0 in the final.") >= CLEAR


@pytest.mark.parametrize(
    "claim", ["Norwood won the final.", "Ashford lost the final.", "Ashford was beaten in the final."]
)
def test_who_lost_is_the_other_side(claim: str) -> None:
    assert clearest(claim, "Norwood beat Ashford 2-0 in the final.") == 0.0


def test_settings_that_are_lost_are_no_side() -> None:
    assert clearest("You will lose all your settings.", "All settings will be lost.") == 0.0


def test_what_is_extra_is_not_included() -> None:
    assert clearest("The final cleaning is €70 extra.", "The final cleaning is included in the price.") >= CLEAR
    assert clearest("Breakfast is €9 extra.", "Breakfast is €9 extra.") == 0.0
    assert clearest("Take it on an empty stomach.", "Take the tablet with food.") >= CLEAR
