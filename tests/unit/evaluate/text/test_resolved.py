"""What an answer's first sentence says of what its question names."""

from __future__ import annotations

import random

import pytest

from sidecar.evaluate.text.resolved import resolved


@pytest.mark.parametrize(
    ("question", "claim", "told"),
    [
        ("When was the Hamburg office opened?", "It was opened in 2009.", "The Hamburg office was opened in 2009."),
        ("Hi there. How much is the suite?", "It costs €90.", "The suite costs €90."),
        ("How long does a tourist visa take?", "It takes six weeks.", "A tourist visa takes six weeks."),
        ("When do the shops close?", "They close at 8 pm.", "The shops close at 8 pm."),
        ("How much is my plan?", "It's €15 a month.", "Your plan is €15 a month."),
        ("What is the total with tax?", "That comes to €492.", "The total with tax comes to €492."),
        ("When's the deadline?", "It's on 3 May.", "The deadline is on 3 May."),
        ("How much does the suite cost?", "You'll pay €160.", "You'll pay €160 for the suite."),
        ("What do I pay for a Flex ticket?", "You'd pay $1,850.", "You'd pay $1,850 for a Flex ticket."),
        ("How much is the suite?", "The price is €90.", "The price is €90 for the suite."),
        ("Who runs the Oslo office?", "Alice does.", "Alice runs the Oslo office."),
        ("Who is the head of IT?", "Maria Lopez is.", "Maria Lopez is the head of IT."),
        ("Who's the head of IT?", "It's Maria Lopez.", "Maria Lopez is the head of IT."),
        ("Who performs gastroscopies?", "That would be Dr. Feld.", "Dr. Feld performs gastroscopies."),
        ("Is phone support included?", "It is.", "Yes, it is."),
        ("Which days is the clinic open?", "It's open Monday to Friday.", "The clinic is open Monday to Friday."),
        ("Which days are the trains running?", "They're running daily.", "The trains are running daily."),
        ("Which plan is the cheapest?", "It's Plan B.", "Plan B is the cheapest."),
        ("Which plan is cheaper?", "Plan B.", "Plan B is cheaper."),
        ("Who is older?", "Ben", "Ben is older."),
        ("Does Pro include phone support?", "It doesn't.", "No, it doesn't."),
    ],
)
def test_a_pronoun_is_what_the_question_names(question: str, claim: str, told: str) -> None:
    assert resolved(question, claim) == told


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("", "It costs €90."),
        ("Tell me about the suite.", "It costs €90."),
        ("How long do I have to return it?", "It has to be sent back in 14 days."),
        ("What is the guidance?", "They kept it at 16 billion dollars."),
        ("How long is the warranty?", "It has a two-year warranty."),
        ("What will the fund return?", "It isn't possible to tell from these documents."),
        ("When is the fair?", "It depends on the year."),
        ("When does the museum open?", "The museum opens at ten."),
        ("When does the museum open?", "This museum opens at ten."),
        ("What does the form ask for?", "Alice does."),
        ("Who can apply?", "It is open to all residents who have lived in the town for at least two years."),
        ("When does it start?", "It starts at nine."),
        ("How do I get there?", "It is."),
        ("What is it?", "It is blue."),
        ("Which plan is cheaper?", "Neither."),
        ("Which plan is cheaper?", "14 euros."),
        ("Which plan has a gym?", "Plan B."),
        ("Who signs off on leave of more than ten days?", "The director"),
        ("Who is she?", "That would be Alice."),
    ],
)
def test_what_is_not_plain_stays_as_it_is(question: str, claim: str) -> None:
    assert resolved(question, claim) == claim


def test_whatever_is_asked_and_said_is_read() -> None:
    words = [
        "Who",
        "what",
        "'s",
        "is",
        "how",
        "much",
        "does",
        "the",
        "It",
        "Alice",
        "for",
        "$5",
        "opened",
        " ",
        "?",
        ".",
        ",",
        "’s",
        "\n",
        "that",
    ]
    chance = random.Random(5)
    for _ in range(20_000):
        question, claim = (" ".join(chance.choices(words, k=chance.randint(0, 7))) for _ in range(2))
        for asked in (question, f"{question}?"):
            assert resolved(asked, claim).strip() or not claim.strip()
