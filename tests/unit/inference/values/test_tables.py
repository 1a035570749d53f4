"""Values of a table are about their row and their column."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import content_stem, sentences
from sidecar.inference.values.match import Outcome, match
from sidecar.inference.values.stated import Stated, stated
from sidecar.inference.values.tables import header_of, row_stated

TABLE = """Prices:
| Tariff | Day rate (ct/kWh) | Night rate (ct/kWh) | Standing charge (€/month) |
|---|---:|---|---|
| Basic | 31.5 | 31.5 | 9.90 |
| Duo | 33.0 | 24.2 | 11.50 |
| Drive | 34.1 | 19.8 | 12.90 |
All prices with VAT."""


LIMITS = """| Plan | Requests per minute | Requests per day |
|---|---|---|
| Free | 60 | 5,000 |
| Starter | 120 | 50,000 |
"""
ZONES = """| Destination | Working days | Duties |
|---|---|---|
| EU countries | 5 | included |
| Norway, Switzerland | 9 | collected |
"""
SCORES = """| Programme | Score |
|---|---|
| MSc Economics | 6.5 |
| MSc Data Science | 7.0 |
| MSc Forestry | 6.0 |
"""


def rows() -> tuple[list[str], list[tuple[Stated, ...]]]:
    spans = sentences(TABLE)
    pieces = [TABLE[one.start : one.end] for one in spans]
    heads = [header_of(TABLE, one.start) for one in spans]
    return pieces, [
        row_stated(piece, head, content_stem) if head else stated(piece, content_stem)
        for piece, head in zip(pieces, heads, strict=True)
    ]


def outcome(claim: str) -> tuple[Outcome, str]:
    pieces, found = rows()
    [one] = match(stated(claim, content_stem), found, lambda _: 5.0)
    return one.outcome, "" if one.other is None else pieces[one.piece][one.other.start : one.other.end]


def test_a_value_of_its_row_and_column_agrees() -> None:
    assert outcome("The night rate of Duo is 24.2 ct/kWh.") == (Outcome.AGREES, "24.2")
    assert outcome("Drive has a standing charge of 12.90 euros a month.") == (Outcome.AGREES, "12.90")


def test_a_value_of_another_row_disagrees_clearly() -> None:
    assert outcome("The night rate of Duo is 19.8 ct/kWh.") == (Outcome.DISAGREES, "24.2")
    _, found = rows()
    [one] = match(stated("Drive has a standing charge of 11.50 euros a month.", content_stem), found, lambda _: 5.0)
    assert one.outcome is Outcome.DISAGREES
    assert one.strength > 0.6


def findings(claim: str, about: str = "") -> list[tuple[Outcome, bool]]:
    _, found = rows()
    stems = frozenset(stem for word in about.lower().split() if (stem := content_stem(word)) is not None)
    return [(one.outcome, one.certain) for one in match(stated(claim, content_stem), found, lambda _: 5.0, (), stems)]


def test_a_value_of_another_cell_is_told_by_the_table() -> None:
    assert findings("Duo costs 33.0 ct/kWh at the night rate.") == [(Outcome.DISAGREES, True)]
    assert findings("Duo costs 33.0 ct/kWh at the day rate.") == [(Outcome.AGREES, False)]
    assert findings("It has a standing charge of 11.50 euros a month.", "What does Drive cost") == [
        (Outcome.DISAGREES, True)
    ]
    assert findings("It has a standing charge of 11.50 euros a month.", "What does Duo cost") == [
        (Outcome.AGREES, False)
    ]


def test_only_rows_of_a_table_have_a_head() -> None:
    heads = [header_of(TABLE, one.start) != "" for one in sentences(TABLE)]
    assert heads == [False, False, False, True, True, True, False]
    assert header_of("| a | 1 |\n| b | 2 |", 10) == ""
    assert row_stated("|---|---|", "| a | b |", content_stem) == ()


def test_a_table_without_pipes_at_its_sides_needs_no_rule_below_its_head() -> None:
    text = "Fees of 2026:\nTariff | Day rate | Night rate\nBasic | 31.5 | 30.5\nDuo | 33.0 | 24.2\n7 | 8\nBy 1 | 2 | 3 people."
    heads = [header_of(text, text.index(line)) for line in text.split("\n")]
    assert heads == ["", "", "Tariff | Day rate | Night rate", "Tariff | Day rate | Night rate", "", ""]
    assert header_of("Basic | 31.5\nDuo | 33.0", 13) == "", "figures are no heads"
    assert header_of(text, text.index("Duo") + 6) == "", "not the beginning of a line"


def test_rows_that_do_not_fit_their_head_are_read_as_far_as_they_do() -> None:
    assert [one.value.amount for one in row_stated("| x | 1 | 2 | 3 |", "| k | a |", content_stem)] == [1.0]
    assert row_stated("|", "| k | a |", content_stem) == ()


def test_an_empty_first_cell_moves_no_column() -> None:
    table = "|| 2023 | 2024 |\n|---|---|---|\n| Revenue | 5 million | 6 million |"
    row = table.rpartition("\n")[2]
    found = row_stated(row, header_of(table, table.rindex("\n") + 1), content_stem)
    assert [(row[one.value.start : one.value.end], "2024" in one.words) for one in found] == [
        ("5 million", False),
        ("6 million", True),
    ]


def test_values_of_the_first_cell_are_read_with_their_row() -> None:
    found = row_stated("| 1998 | Company founded |", "| Year | What |", content_stem)
    assert [(one.value.dates[0].year, "found" in one.words) for one in found] == [(1998, True)]


def test_a_head_that_is_a_month_takes_no_value_away() -> None:
    found = row_stated("| cars | 14 |", "| Sold | May |", content_stem)
    assert [one.value.amount for one in found] == [14.0]


@pytest.mark.parametrize("between", [",", "\t", ";"])
def test_lines_with_commas_tabs_or_semicolons_between_their_cells_are_a_table(between: str) -> None:
    text = "Plan,Monthly fee,Data,Minutes\nS,€8,2 GB,100\nM,€15,10 GB,300".replace(",", between)
    start = text.index("M" + between + "€")
    found = row_stated(text[start:], header_of(text, start), content_stem)
    assert [(one.value.amount, one.value.unit, one.value.per) for one in found] == [
        (15, "EUR", "month"),
        (10, "GB", ""),
        (300, "min", ""),
    ]
    assert header_of("We sell tea, milk, and rum,\nAnn, 29, and Bo, 31", 28) == ""


def test_a_column_in_millions_is_read_in_millions() -> None:
    [one] = row_stated("| 2021 | 412 |", "| Year | Revenue (EUR m) |", content_stem)[1:]
    assert (one.value.amount, one.value.unit) == (412e6, "EUR")


REGIONS = "Units sold:\nregion,Q1,Q2,2023\nNorth,1200,1350,5200\nSouth,900,950,3700"
MODELS = "| Model | Noise |\n|---|---|\n| Vento 1 | 58 dB |\n| Vento 2 | 52 dB |\n| Vento 3 | 47 dB |"
ITEMS = "item;name;weight;shelf life\nA-10;biscuits;2.4 kg;9 months\nA-20;bread;3.1 kg;12 months"


def outcomes(claim: str, text: str) -> list[Outcome]:
    found = [
        row_stated(text[one.start : one.end], head, content_stem)
        if head
        else stated(text[one.start : one.end], content_stem)
        for one in sentences(text)
        for head in [header_of(text, one.start)]
    ]
    return [one.outcome for one in match(stated(claim, content_stem), found, lambda _: 5.0)]


@pytest.mark.parametrize(
    ("claim", "text", "last"),
    [
        ("The North region sold 1,350 units.", REGIONS, Outcome.AGREES),
        ("The North region sold 2,550 units.", REGIONS, Outcome.FOLLOWS),
        ("The North region sold 1,850 units.", REGIONS, Outcome.ABSENT),  # the sum of another row
        ("The noise of the Vento 2 is 47 dB.", MODELS, Outcome.DISAGREES),
        ("The noise of the Vento 3 is 47 dB.", MODELS, Outcome.AGREES),
        ("The noise of Vento 2 and Vento 3 is 52 and 47 dB.", MODELS, Outcome.AGREES),
        ("Item A-20 has a shelf life of 9 months.", ITEMS, Outcome.DISAGREES),
        ("Item A-20 has a shelf life of 12 months.", ITEMS, Outcome.AGREES),
        ("A Free key allows 60 calls a minute.", LIMITS, Outcome.AGREES),
        ("A Free key allows 120 calls a minute.", LIMITS, Outcome.DISAGREES),
        ("Delivery to Norway takes 9 working days.", ZONES, Outcome.AGREES),
        ("Delivery to Norway takes 5 working days.", ZONES, Outcome.DISAGREES),
        ("Delivery takes 5 working days.", ZONES, Outcome.AGREES),
        ("Data Science asks for a score of 6.5.", SCORES, Outcome.DISAGREES),
        ("Data Science asks for a score of 7.0.", SCORES, Outcome.AGREES),
        ("An MSc asks for a score of 6.5.", SCORES, Outcome.AGREES),
    ],
)
def test_a_claim_is_held_against_the_rows_that_it_names(claim: str, text: str, last: Outcome) -> None:
    assert outcomes(claim, text)[-1] is last


def test_of_a_claim_that_compares_rows_no_cell_is_told() -> None:
    found = [row_stated(row, "| Plan | Price |", content_stem) for row in ("| Basic | €9 |", "| Team | €29 |")]
    claim = stated("€29, which is €20 more than Basic.", content_stem)
    outcomes = [
        [one.outcome for one in match(claim, found, lambda _: 5.0, (), about)] for about in (frozenset[str](), None)
    ]
    assert outcomes[0][0] is Outcome.DISAGREES
    assert outcomes[1] == [Outcome.AGREES, Outcome.FOLLOWS]


def test_two_rows_of_a_column_may_be_compared() -> None:
    table = "| Model | Sound level | Weight |\n|---|---|---|\n| Aero 8 (2021) | 44 dB | 118 kg |\n| Aero 8s (2024) | 38 dB | 126 kg |"
    lines = table.split("\n")
    there = [row_stated(line, lines[0], content_stem) for line in lines[2:]]

    def outcomes(claim: str) -> list[Outcome]:
        found = match(stated(claim, content_stem), there, lambda _: 5.0)
        return [one.outcome for one in found if one.value.unit == "dB"][:2]

    right = "The sound level of the Aero 8s is 38 dB, against 44 dB for the 2021 unit."
    assert outcomes(right) == [Outcome.AGREES, Outcome.AGREES]
    wrong = "The sound level of the Aero of 2021 is 38 dB, that of the Aero of 2024 is 44 dB."
    assert Outcome.DISAGREES in outcomes(wrong)


def test_the_very_figures_in_another_currency_leave_little_doubt() -> None:
    there = [stated("Meals for a full day: Germany EUR 28, Switzerland CHF 66.", content_stem)]

    def strength(claim: str) -> float:
        [one] = match(stated(claim, content_stem), there, lambda _: 5.0)
        return one.strength if one.outcome is Outcome.DISAGREES else 0.0

    assert strength("In Zurich, whoever is on the road gets 66 euros for food.") >= 0.8
    assert strength("In Zurich, whoever is on the road gets 67 euros for food.") == 0.0


def test_a_row_that_is_numbered_is_named_by_its_second_cell() -> None:
    head, row = "Pos | Team | Won | Lost | Points", "3 | Corley | 9 | 5 | 31"
    found = {one.value.amount: (set(one.row), set(one.head)) for one in row_stated(row, head, content_stem)}
    assert found == {
        3.0: ({"corley"}, {"pos"}),
        9.0: ({"corley"}, {"won"}),
        5.0: ({"corley"}, {"lost"}),
        31.0: ({"corley"}, {"point"}),
    }
    coded = row_stated("429 | rate_limited | 3", "Code | Name | Retries", content_stem)  # a code is a name
    assert {frozenset(one.row) for one in coded if one.head} == {frozenset({"429"})}
