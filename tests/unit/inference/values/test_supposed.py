"""Values of the asker's own case, and those that stand behind the word of another one."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import content_stem
from sidecar.inference.values.match import Outcome, match
from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import stated
from sidecar.inference.values.supposed import supposed


@pytest.mark.parametrize(
    ("question", "claim", "taken"),
    [
        ("My order was $35. What is refunded?", "For a $35 order a fee of $6.95 is deducted.", ["$35"]),
        ("Can I bring my 8 kg dog?", "Yes, an 8 kg dog is welcome.", ["8 kg"]),
        ("What do I pay with a rent of 900 euros?", "With a rent of €900 it is €1,800.", ["€900"]),
        ("Does the warranty last for 3 years?", "Yes, it lasts for 3 years.", []),
        ("Why was it late on 3 May?", "On 3 May the bridge was closed.", []),
        ("The freezer was off for 30 hours. Is it safe?", "It keeps for 48 hours and you're at 30.", ["30"]),
        ("Is a score of 6.5 enough for Law?", "Yes, Law asks for 6.5.", []),
        ("I have 6.5. Is that enough for Law?", "Yes, Law asks for 6.5.", []),
        ("I have 6.5. Is that enough for Law?", "Yes, with 6.5 you are admitted.", ["6.5"]),
        ("I'm sending a watch worth 60 euros. What then?", "A €60 watch is above that.", ["€60"]),
        ("I bought it on 3 May. Can I return it?", "You bought it on 3 May, so you can.", ["3 May"]),
        ("I bought it 20 days ago. Can I return it?", "You bought it 20 days ago.", ["20 days"]),
        ("If I register on 6 May, what is it?", "On 6 May the early fee is over.", ["6 May"]),
        ("I register on 6 May. What is it?", "On 6 May you pay $20.", ["6 May"]),
        ("May I drill on Saturday?", "On Saturday drilling is permitted from 8:00 to 13:00.", []),
        ("I register on 6 May. What is it?", "On 6 May it is open until 9 May.", []),
        ("How much is it?", "For a $35 order it is $6.95.", []),
        ("What is it for 80 users?", "80 users are in the second band.", ["80"]),
        ("Is it enough for 80 users?", "80 users are the most.", []),
        ("What is it for 80 users?", "80 seats are the most.", []),
    ],
)
def test_a_value_of_the_question_is_the_askers_own_case(question: str, claim: str, taken: list[str]) -> None:
    found = supposed(claim, read_values(claim), question, read_values(question))
    assert [claim[one.start : one.end] for one in sorted(found, key=lambda one: one.start)] == taken


def outcome(claim: str, text: str, asked: str = "") -> Outcome:
    [one] = match(stated(claim, content_stem), [stated(text, content_stem)], lambda _: 5.0, read_values(asked))
    return one.outcome


def test_values_of_the_question_count_in_arithmetic() -> None:
    text = "A fee of $6.95 is deducted from the refund."
    assert outcome("You get $28.05 back.", text, "My order was $35. What do I get?") is Outcome.FOLLOWS
    assert outcome("You get $28.05 back.", text) is not Outcome.FOLLOWS


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        (
            "It is payable on 28 November.",
            "It is payable on 15 December to holders of record on 28 November.",
            Outcome.DISAGREES,
        ),
        (
            "It is payable on 15 December.",
            "It is payable on 15 December to holders of record on 28 November.",
            Outcome.AGREES,
        ),
        ("The course starts on 12 May.", "The course starts on 5 May and ends on 12 May.", Outcome.DISAGREES),
        ("Sales rose to $4.2bn.", "Sales rose from $3.75bn to $4.2bn.", Outcome.AGREES),
        ("Children take 2.5 mg.", "Adults take 5 mg, children 2.5 mg.", Outcome.AGREES),
        ("Refunds by PayPal take 5 days.", "Refunds take 3 days for cards and 5 days for PayPal.", Outcome.AGREES),
        ("Dogs from 10 kg on are welcome.", "Dogs up to 10 kg are welcome.", Outcome.DISAGREES),
        ("The difference is 0.8 points.", "It fell by 1.1 points with A, by 0.3 points with B.", Outcome.FOLLOWS),
    ],
)
def test_what_leads_to_a_value_tells_which_it_is(claim: str, text: str, expected: Outcome) -> None:
    assert outcome(claim, text) is expected


def test_a_sum_of_two_amounts_says_nothing_of_what_has_an_amount() -> None:
    text = "A seat costs €39, a couchette €69 and a sleeper €119."
    assert outcome("A sleeper costs €108.", text) is Outcome.DISAGREES
    assert outcome("A seat and a couchette cost €108 together.", text) is Outcome.FOLLOWS
