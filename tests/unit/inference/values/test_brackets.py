"""Rows of tables that the asker's own case falls into."""

from __future__ import annotations

import pytest

from sidecar.inference.values.brackets import Table, of_another_row, tables_of
from sidecar.inference.values.stems import stem_beside_values as stem

POWER = """Tariff:

| Yearly consumption | Price per kWh | Base fee |
|---|---|---|
| up to 2,000 kWh | 33.9 ct | €8.50 |
| 2,001–4,000 kWh | 31.4 ct | €10.90 |
| above 4,000 kWh | 29.8 ct | €13.20 |
"""
PARCELS = """| Weight | Germany | EU |
|---|---|---|
| up to 2 kg | €5.49 | €14.49 |
| up to 5 kg | €7.69 | €18.49 |
| up to 10 kg | €10.49 | €23.99 |
"""
DOSES = """| Age | Weight | Dose |
|---|---|---|
| 4–6 years | 16–20 kg | 5 ml |
| 7–9 years | 21–30 kg | 10 ml |
| 10–12 years | 31–40 kg | 15 ml |
"""
TICKETS = """Admission:
- Adults: €13
- Children 6–15: €5
- Children under 6: €1
"""
LEAVE = """| Years of service | Days of leave |
|---|---|
| 0–2 | 22 |
| 3–5 | 25 |
| 6–10 | 28 |
"""
TAX = """Income tax:
- up to €12,000: 0%
- €12,001 to €40,000: 20%
- above €40,000: 40%
"""
SEATS = """| Seats | Price per month |
|---|---|
| 1 to 10 | $40 |
| 11 to 50 | $150 |
"""


def tables(text: str) -> tuple[Table, ...]:
    return tables_of(text, stem)


@pytest.mark.parametrize(
    ("text", "question", "claim", "instead"),
    [
        (POWER, "I used 3,400 kWh. What do I pay?", "You pay 29.8 ct per kWh.", "31.4 ct"),
        (POWER, "I used 3,400 kWh. What do I pay?", "You pay 31.4 ct per kWh and €10.90.", None),
        (POWER, "I used 3,400 kWh. What do I pay?", "With 3,400 kWh your base fee is €13.20.", "€10.90"),
        (POWER, "I used 2,000 kWh. What do I pay?", "You pay 33.9 ct per kWh.", None),  # the bound itself is within
        (POWER, "I used 5,000 kWh. What do I pay?", "You pay 31.4 ct per kWh.", "29.8 ct"),
        (PARCELS, "My parcel of 6.5 kg goes to the EU. How much is it?", "It costs €18.49.", "€23.99"),
        (PARCELS, "My parcel of 6.5 kg goes to the EU. How much is it?", "€23.99.", None),
        (PARCELS, "My parcel of 1 kg goes to the EU. How much is it?", "It costs €14.49.", None),
        (DOSES, "My daughter is 9. How much may she take?", "She may take 15 ml.", "10 ml"),
        (DOSES, "My daughter is 9 and weighs 28 kg. How much?", "She may take 10 ml.", None),
        (DOSES, "My son weighs 18 kg. How much?", "He may take 10 ml.", "5 ml"),
        (TICKETS, "My girl is 8 years old. What does she pay?", "Your girl pays €1.", "€5"),
        (TICKETS, "My girl is 8 years old. What does she pay?", "Your girl pays €5.", None),
        (TICKETS, "My girl is 6 years old. What does she pay?", "Your girl pays €1.", None),  # which row has the bound?
        (SEATS, "We need 20 seats. What is it a month?", "It is $40 a month.", "$150"),
        (LEAVE, "How much leave do I get after 7 years?", "After 7 years you get 25 days.", "28"),
        (LEAVE, "How much leave do I get after 7 years?", "After 7 years you get 28 days.", None),
        (TAX, "I earn €30,000. What is my tax rate?", "With €30,000 your rate is 40%.", "20%"),
        (TAX, "I earn €30,000. What is my tax rate?", "With €30,000 your rate is 20%.", None),
        (TAX, "I won €30,000. May I keep it?", "With €30,000 your rate is 40%.", None),
        (DOSES, "She weighs 18 kg. How much?", "At 18 kg, the dose is 10 ml.", "5 ml"),
        (DOSES, "She weighs 18 kg. How much?", "At 18 kg, the dose is 5 ml.", None),
        # Nothing that says which row is asked about, or not clearly.
        (POWER, "What do I pay?", "You pay 29.8 ct per kWh.", None),
        (DOSES, "My daughter is 9 and weighs 38 kg. How much?", "She may take 15 ml.", None),  # the columns disagree
        (DOSES, "Is it for children of 18 kg and of 35 kg?", "He may take 15 ml.", None),
        (SEATS, "We are 20 years in business. What is it a month?", "It is $40 a month.", None),
        (SEATS, "I live at 20 Mill Lane. What is it a month?", "It is $40 a month.", None),
        # The claim tells a rule of the table, compares, denies, or has the case's own value too.
        (PARCELS, "My parcel of 6.5 kg goes to the EU. How much?", "Parcels up to 5 kg cost €18.49.", None),
        (PARCELS, "My parcel of 6.5 kg goes to the EU. How much?", "If it is up to 5 kg, you pay €18.49.", None),
        (PARCELS, "My parcel of 6.5 kg goes to the EU. How much?", "It is more than €18.49.", None),
        (PARCELS, "My parcel of 6.5 kg goes to the EU. How much?", "It does not cost €18.49.", None),
        (PARCELS, "My parcel of 6.5 kg goes to the EU. How much?", "It costs €23.99, up to 5 kg €18.49.", None),
        # A value that another text has as well.
        (f"{PARCELS}\nBulky ones cost €18.49.", "My parcel of 6.5 kg is bulky. How much?", "It costs €18.49.", None),
        ("| Plan | Price |\n|---|---|\n| A | $4 |\n| B | $6 |", "I have 20 users. How much?", "It costs $4.", None),
    ],
)
def test_a_value_of_another_row_than_the_cases_is_found(
    text: str, question: str, claim: str, instead: str | None
) -> None:
    found = of_another_row(claim, question, ["Other text.", text], stem, tables)
    assert (found and (found.text, text[found.other.start : found.other.end])) == (instead and (1, instead))


def test_long_tables_and_texts_without_any_are_read() -> None:
    rows = "\n".join(f"| {n * 10 + 1}–{n * 10 + 10} kg | €{n} |" for n in range(5_000))
    assert len(tables(f"| Weight | Price |\n|---|---|\n{rows}")) == 1
    assert tables("A sentence: of no table.\nAnother one.") == ()
