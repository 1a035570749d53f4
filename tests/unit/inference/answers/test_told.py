"""What one sentence tells of an answer to a plain question: that it is right (True), wrong (False), or nothing (None)."""

from __future__ import annotations

import pytest

from exporters.result import Evidence
from sidecar.inference.answers.reading import Told
from sidecar.inference.answers.told import told
from sidecar.inference.base import Claim, Support
from sidecar.inference.grounding.answered import answered

_LENT = "The bank lent the company 2 million euros."
_BIGGER = "Room 12 is bigger than room 14."
_STEPS = "1. Sign in. 2. Open Billing. 3. Click Cancel."
_VALVE = "Open the valve, wait a minute, then start the pump."
_MOVED = "The office moved from Kent to Dover."
_DOWN = "The jacket costs 60 euros, down from 90."
_GET = "GET reads a record and DELETE removes it."
_RENT = "You must be at least 21 to rent a car."
_RETURN = "Items can be returned within 14 days of purchase."
_OVER = "Free delivery on orders over 50 euros."
_UNTIL = "The voucher is valid until 30 April."
_FROM_TO = "The exhibition runs from 3 to 20 June."
_OTHERWISE = "Orders above 40 euros are delivered free; otherwise delivery costs 5 euros."
_CLOSES = "The shop closes at 18:00."
_RENEW = "The subscription renews automatically."
_BREAKFAST = "Breakfast can be booked for €12 a day."
_HALL = "The renovation of the Eastfield hall is still under way. The new tiles have been laid. The reopening is planned for 1 October."
_SHUT = "The museum is open from 10:00 to 18:00. On 24, 25 and 31 December the museum stays closed."
_SAVERS = "The employer pays 6% of salary into the pension and the employee pays 4%."
_KETTLES = "The Breva kettle holds 1.7 litres and boils in three minutes. The Lumo kettle holds 1.2 litres and boils in four minutes."
_PLANS = "Requests are limited to 100 per minute on the Free plan and 1,000 per minute on the Pro plan."
_SHIP = "We ship to Spain and Portugal."


@pytest.mark.parametrize(
    ("document", "question", "right", "wrong"),
    [
        (_LENT, "Who borrowed the money?", "The company.", "The bank."),
        ("Norda acquired Tello in May.", "Who was bought?", "Tello.", "Norda."),
        ("The city was sued by residents.", "", "Residents sued the city.", None),
        (_BIGGER, "Which room is smaller?", "Room 14.", "Room 12."),
        (_BIGGER, "Which room is smaller?", "Room 14 is smaller.", "Room 12 is smaller."),
        ("Dublin is warmer than Oslo.", "Is Oslo colder than Dublin?", "Yes.", "No, Oslo is warmer."),
        ("The new model uses half as much power as the old one.", "Which uses more power?", "The old one.", "The new model."),
        ("Plan S has more storage than plan R.", "Which plan has less storage?", "Plan R.", "Plan S."),
        (_STEPS, "What is the last step?", "Click Cancel.", "Sign in."),
        (_STEPS, "What is step 2?", "Open Billing.", "Click Cancel."),
        (_STEPS, "What do I do after signing in?", None, "Click Cancel."),
        (_VALVE, "What is the first step?", "Open the valve.", "Start the pump."),
        ("The tour visits Rome, then Florence, and finally Venice.", "Where does the tour end?", "In Venice.", "In Rome."),
        (_MOVED, "Where was the office before?", "In Kent.", "In Dover."),
        (_SAVERS, "Who pays more into the pension, the employer or the employee?", "The employer.", "The employee."),
        (_KETTLES, "Does the Lumo hold more water than the Breva?", "No.", "Yes."),
        (_PLANS, "Which plan has the higher request limit, Free or Pro?", "Pro.", "Free."),
        ("The exam was brought forward from 20 June to 14 June.", "When is the exam?", "On 14 June.", "On 20 June."),
        (_DOWN, "What did the jacket cost before?", "90 euros.", "60 euros."),
        ("Ms Roe replaced Mr Poe as director.", "Who is director now?", "Ms Roe.", "Mr Poe."),
        (_GET, "What does DELETE do?", "It removes a record.", "It reads a record."),
        ("Swipe left to delete and swipe right to archive.", "How do I archive a message?", "Swipe right.", "Swipe left."),
        ("The pump fills the tank and the valve drains it.", "Which part fills the tank?", "The pump.", None),
        (_RENT, "Can I rent a car at 19?", "No, 19 is too young.", "Yes, 19 is old enough."),
        (_RENT, "Can I rent a car at 25?", "Yes.", "No."),
        (_RETURN, "I bought it 20 days ago. Can I return it?", "No, it is too late.", "Yes, you can return it."),
        (_OVER, "Is delivery free for a 60 euro order?", "Yes, it is over 50 euros.", "No."),
        (_OVER, "Is delivery free for a 40 euro order?", "No, your order is below 50 euros.", "Yes."),
        ("The museum is free for visitors under 18.", "I am 20. Do I have to pay?", "Yes.", "No."),
        ("Loans are given to customers aged 25 to 60.", "Can a 70-year-old get a loan?", "No.", "Yes."),
        ("The library requires Python 3.9 or newer.", "Does it work with Python 3.11?", "Yes.", "No."),
        ("Cancellation is free up to 24 hours before arrival.", "Can I cancel for free two days before arrival?", "Yes.", "No."),
        (_UNTIL, "Is the voucher valid on 15 May?", "No, it has expired by then.", "Yes."),
        (_UNTIL, "Is the voucher valid on 30 April?", "Yes.", "No."),
        (_FROM_TO, "Can I visit the exhibition on 25 June?", "No.", "Yes, you can visit on 25 June."),
        ("The shop is open from 9:00 to 18:00.", "Are you open at 19:30?", "No.", "Yes, we are open at 19:30."),
        ("The pool is open from May to September.", "Is the pool open in December?", "No.", "Yes."),
        (_OTHERWISE, "What does delivery cost for a 20 euro order?", "5 euros.", "It is free."),
        (_OTHERWISE, "What does delivery cost for a 60 euro order?", "Nothing.", "5 euros."),
        ("Members pay 5 euros, non-members 9 euros.", "I am not a member. What do I pay?", "9 euros.", "5 euros."),
        (_SHIP, "Do you ship to Italy?", "No.", "Yes, we ship to Italy."),
        ("The train takes 50 minutes, while the bus takes 80 minutes.", "Which is faster, the bus or the train?", "The train.", "The bus."),
        ("The fee is 5 euros for members and 9 euros for guests.", "Who pays more?", "Guests.", "Members."),
        ("The Alpha phone was released in 2021 and the Beta phone in 2023.", "Which phone is newer?", "The Beta phone.", "The Alpha phone."),
        ("The room is fully booked.", "Is the room available?", "No.", "Yes, the room is available."),
        (_CLOSES, "Are you open at 19:30?", "No.", "Yes, we are open at 19:30."),
        (_CLOSES, "Can I come at 17:00?", "Yes.", "No."),
        ("The last bus leaves at 23:10.", "Is there a bus at midnight?", "No.", "Yes."),
        ("The last bus leaves at 23:10.", "Can I take a bus at 23:30?", "No.", "Yes."),
        ("Tickets are valid for 24 hours.", "Is the ticket valid for two days?", "No.", "Yes."),
        ("Breakfast ends at 10:00.", "Can I have breakfast at 11:00?", "No.", "Yes."),
        (_RENEW, "Do I have to renew the subscription?", "No.", "Yes, you have to renew it yourself."),
        (_RENEW, "Do I need to renew the subscription myself?", "No.", "Yes."),
        (_BREAKFAST, "Is breakfast included?", "No.", "Yes, breakfast is included."),
        (_BREAKFAST, "Is breakfast included?", "No, it can be booked.", "Breakfast is included."),
        (_BREAKFAST, "Do I have to pay for breakfast?", "Yes.", "No, breakfast is free."),
        ("Insurance is optional and costs $9.", "Does the price include insurance?", "No.", "Yes, insurance is included."),
        ("Wi-Fi, towels and parking are included.", "Do I have to pay extra for towels?", "No.", "Yes, towels cost extra."),
        ("Installation is at no extra cost.", "Does installation cost extra?", "No.", "Yes."),
        ("Delivery is free of charge.", "Is there a charge for delivery?", "No.", "Yes, delivery is charged."),
        ("Batteries are not included.", "Are batteries included?", "No.", "Yes, they come in the box."),
        ("Delivery costs 5 euros.", "Is delivery free?", "No, delivery costs 5 euros.", "Yes, it is free."),
    ],
)  # fmt: skip
def test_what_is_right_and_what_is_wrong_is_told(
    document: str, question: str, right: str | None, wrong: str | None
) -> None:
    whole = {0: (0, len(document))}
    for answer, holds in ((right, True), (wrong, False)):
        found = told(question, answer, [document]) if answer is not None else None
        assert answer is None or (found is not None and found.holds is holds), answer
        assert found is None or (found.start, found.end) == whole[found.document]


_PRICES = "The Aero 13 weighs 1.1 kg. The Aero 15 weighs 1.6 kg. The Aero 13 costs $999 and the Aero 15 costs $1,299."
_MEMORY = "Model X has 8 GB of memory and 256 GB of storage. Model Y has 16 GB of memory and 128 GB of storage."
_ERRORS = "Error 401 means that the token is missing or invalid. Error 429 means that too many requests were sent."
_FLAGS = "The --dry-run flag prints the changes. The --force flag overwrites existing files."
_BUT = "The warranty covers everything bar the battery. It lasts two years."
_CLOSED_BUT = "All shops but the chemist's are closed on Sunday."
_ALL_BUT = "With the exception of Malta, all countries sign the treaty."
_FIRST_DAY = (
    "Collect your badge from reception. Next, meet your buddy. Then set up your laptop. Finally, complete the training."
)


@pytest.mark.parametrize(
    ("document", "question", "right", "wrong"),
    [
        (_PRICES, "Which is cheaper, the Aero 13 or the Aero 15?", "The Aero 13.", "The Aero 15 is cheaper."),
        (_PRICES, "Is the Aero 13 heavier than the Aero 15?", "No.", "Yes."),
        (_MEMORY, "Which model has more storage?", "Model X.", "Model Y."),
        (_MEMORY, "Which model has more memory?", "Model Y.", "Model X."),
        (_ERRORS, "What does error 429 mean?", "Too many requests were sent.", "The token is missing or invalid."),
        (_ERRORS, "Does error 401 mean that the token is invalid?", "Yes.", "No."),
        (_FLAGS, "What does --force do?", "It overwrites existing files.", "It prints the changes."),
        (_FLAGS, "Which flag overwrites existing files?", None, "--dry-run"),
        (_BUT, "Does the warranty cover the battery?", "No, it isn't covered.", "Yes, the battery is covered."),
        (_CLOSED_BUT, "Is the chemist's open on Sunday?", "Yes.", "No, it's closed on Sunday."),
        (_ALL_BUT, "Does Malta sign the treaty?", "No.", "Yes, Malta signs it."),
        (_FIRST_DAY, "What is the first step?", "Collect your badge from reception.", "Set up your laptop."),
        (_FIRST_DAY, "What is the last step?", "Complete the training.", "Meet your buddy."),
    ],
)  # fmt: skip
def test_so_is_what_sentences_side_by_side_say(document: str, question: str, right: str | None, wrong: str) -> None:
    for answer, holds in ((right, True), (wrong, False)):
        found = told(question, answer, [document]) if answer is not None else None
        assert answer is None or (found is not None and found.holds is holds), answer


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        # Neither the one nor the other thing is named, or both are.
        (_LENT, "Who borrowed the money?", "The insurer."),
        (_BIGGER, "Which room is smaller?", "The one with the balcony."),
        (_MOVED, "Where was the office before?", "In Kent, now it is in Dover."),
        (_MOVED, "When did the office move?", "In May."),
        (_STEPS, "What are the steps?", "Sign in."),
        # Nothing is said of what is left out, or it is so under a condition.
        (_BUT, "Does the warranty cover the screen?", "No."),
        (_BUT, "Is the battery made in Japan?", "No."),
        ("All fees except postage are refunded if you cancel.", "Is postage refunded?", "Yes."),
        # The bound is of something else, or what lies beyond it is told.
        (_RENT, "Can I rent a bike for 19 days?", "Yes."),
        ("Refunds are paid within 5 days.", "I returned it 10 days ago. Can I still get a refund?", "Yes."),
        (f"{_RETURN} However, members have 30 days.", "I bought it 20 days ago. Can I return it?", "Yes."),
        ("Orders over 50 euros ship free.", "Can I return a 60 euro order?", "No."),
        ("Is the voucher valid until 30 April?", "Is the coupon redeemable on 15 May?", "Yes."),
        # Not everybody pays, another thing has the price, or it is not about a price.
        ("Breakfast is free for members.", "Is breakfast free?", "Yes."),
        ("Breakfast is served until 10 and dinner costs $20.", "Is breakfast included?", "Yes."),
        ("Towels cost $3. Towels are included in suites.", "Are towels included?", "Yes."),
        ("Orders over $50 are delivered free.", "Is delivery free?", "Yes."),
        ("The room costs $50.", "Is the room free?", "Yes."),
        ("The fee is charged per booking.", "Is the fee charged per passenger?", "No."),
        ("Updates are installed automatically if you allow it.", "Do I have to install updates?", "Yes."),
        ("Subscriptions renew automatically.", "Do I have to renew my passport?", "Yes."),
        (_CLOSES, "Are you open at 3:00?", "Yes."),
        ("The bar closes at 2:00.", "Are you open at midnight?", "No."),
        # A list that is not all.
        ("We ship to countries such as Spain and Portugal.", "Do you ship to Italy?", "Yes."),
        (f"{_SHIP} We also ship to Italy.", "Do you ship to Italy?", "Yes."),
        ("One of the two printers is broken.", "Is there a working printer?", "Yes, one."),
        # Denied, or with a reason that the sentence does not give.
        ("GET does not read a record and DELETE removes it.", "What does DELETE do?", "It reads a record."),
        (_RENT, "Can I rent a car at 25?", "Yes, with a deposit of 300 euros."),
        (_RENT, "Is 19 not enough to rent a car?", "No."),
    ],
)
def test_of_what_is_not_plain_nothing_is_told(document: str, question: str, answer: str) -> None:
    assert told(question, answer, [document]) is None


def test_sentences_that_tell_both_tell_nothing() -> None:
    assert told("Which room is smaller?", "Room 14.", [_BIGGER, "Room 14 is bigger than room 12."]) is None
    assert told("Which room is smaller?", "Room 14.", [_BIGGER, "Breakfast is at 8."]) == Told(True, 0, 0, len(_BIGGER))


def test_what_is_too_long_to_decide_may_still_be_the_askers_case() -> None:
    question, long = (
        "My order of shoes is 60 euros. Is delivery free?",
        f"Shoes {'of any make ' * 30}cost 5 euros to send.",
    )
    assert told(question, "No.", [_OVER]) == Told(False, 0, 0, len(_OVER))
    assert told(question, "No.", [_OVER, long]) is None
    assert told(question, "No.", [f"{_OVER} {long}"]) is None


def test_no_more_is_read_than_a_sentence_has() -> None:
    long = "very " * 100
    assert told("Which room is smaller?", "Room 12.", [f"Room 12 is {long}bigger than room 14."]) is None
    assert told(f"Which {long}room is smaller?", "Room 12.", [_BIGGER]) is None
    assert told("Which room is smaller?", f"Room 12 {long}.", [_BIGGER]) is None
    assert told("What is the last step?", "Sign in.", [f"{' ' * 5000}{_STEPS}"]) is None


def test_what_an_answer_begins_with_is_held_to_it() -> None:
    question, said = "Can I rent a car at 19?", Support(0.9, None)
    wrong = answered([said, said], [Claim("19 is old enough.", question=question, reply="Yes")], [_RENT])
    assert (wrong[0].probability, wrong[0].contrary, wrong[1]) == (0.05, 1.0, said)
    assert wrong[0].conflicts[0].evidence == Evidence(0, 0, len(_RENT))
    [right] = answered([Support(0.1, None)], [Claim("19 is too young.", question=question, reply="No")], [_RENT])
    assert (right.probability, right.conflicts) == (0.5, ())
    two = [Claim("19 is old enough.", question=question, reply="Yes"), Claim("It costs 30 euros.")]
    assert answered([said, said], two, [_RENT]) == wrong
    assert answered([said], [], [_RENT]) == [said]


@pytest.mark.parametrize(
    ("document", "question", "there"),
    [
        (_HALL, "Is the Eastfield hall open again?", "The renovation of"),
        (_HALL, "Have the new tiles been laid in the Eastfield hall already?", ""),
        (_HALL, "Is the Eastfield hall still closed?", ""),
        (_SHUT, "Is the museum open on 25 December?", "On 24, 25 and 31 December"),
        (_SHUT, "Is the museum open on 27 December?", ""),
        (_SHUT, "Is the café open on 25 December?", ""),
    ],
)
def test_what_is_planned_is_not_done_and_a_day_may_be_an_exception(document: str, question: str, there: str) -> None:
    found = [told(question, answer, [document]) for answer in ("Yes.", "No.")]
    assert [one and one.holds for one in found] == ([False, True] if there else [None, None])
    assert all(one is None or document[one.start :].startswith(there) for one in found)
