"""Texts of thirty languages, short and long, and texts that are in none: tests/golden/evaluate/language.jsonl.

`also` names languages in which the text would be written the same; `why` says so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.evaluate.text.language import goes_with, language_of, languages_together
from sidecar.inference.languages import TOLD

GOLDEN = Path(__file__).parents[3] / "golden" / "evaluate" / "language.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
OWN = Path(__file__).parents[4] / "docs" / "models" / "own.md"
DOCUMENT = "The warranty lasts two years from the date of purchase and covers all parts."


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['language']} {row['text'][:30]}" for row in ROWS])
def test_the_language_of_a_text_is_told(row: dict[str, Any]) -> None:
    assert language_of(row["text"]) in {row["language"], *row.get("also", ())}


def test_settings_may_name_the_languages_that_are_told_and_no_others() -> None:
    by_script = [
        "ওয়ারেন্টি দুই বছর",
        "உத்தரவாதம் இரண்டு ஆண்டுகள்",
        "వారంటీ రెండు సంవత్సరాలు",
        "გარანტია ორი წელია",
        "Երաշխիքը երկու տարի է",
    ]
    told = {language_of(text) for text in (*(row["text"] for row in ROWS), *by_script)}
    assert told - {None} == TOLD
    assert f"`{' '.join(sorted(TOLD))}`" in OWN.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "Záruka je dva roky od dátumu nákupu a vzťahuje sa na všetky výrobky, ktoré ste kúpili.",
        "Jamstvo vrijedi dvije godine od datuma kupnje i odnosi se na sve proizvode.",
        "Гаранцията е две години от датата на покупката.",
        "گارانتی دو سال از تاریخ خرید است.",
    ],
)
def test_a_text_in_a_language_that_cannot_be_told_is_taken_for_another(text: str) -> None:
    assert language_of(text) in TOLD - {"en"}


def test_the_golden_file_holds_enough_short_texts_of_enough_languages_and_few_that_are_in_two() -> None:
    short = [row for row in ROWS if len(row["text"]) < 60]
    assert len(short) >= 120
    assert len({row["language"] for row in short}) >= 12
    assert sum("also" in row for row in ROWS) <= 10
    assert all(row["why"] for row in ROWS if "also" in row)
    assert not any("en" in row.get("also", ()) for row in ROWS)


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r["language"] in (None, "en")], ids=lambda row: str(row["text"])[:30]
)
def test_names_numbers_and_code_in_an_english_request_are_english(row: dict[str, Any]) -> None:
    assert languages_together(["How long does it last?", row["text"], DOCUMENT]) == {"en"}


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r["language"] not in (None, "en")], ids=lambda row: str(row["text"])[:30]
)
def test_a_foreign_answer_in_an_english_request_stays_foreign(row: dict[str, Any]) -> None:
    assert languages_together(["How long does it last?", row["text"], DOCUMENT]) - {"en"}


@pytest.mark.parametrize(
    ("texts", "languages"),
    [
        (["Wie lange gilt die Garantie?", "42", "Bosch GSR 18V"], {"de"}),
        (["Paris", "42 mg", ""], {"und"}),
        (["", ""], set()),
        (["Where is it?", "Paris", "Paris est la capitale de la France."], {"en", "fr"}),
        (["Where is it?", "巴黎。", "Paris."], {"en", "zh"}),
    ],
)
def test_a_part_that_cannot_be_told_takes_the_language_of_those_that_can(texts: list[str], languages: set[str]) -> None:
    assert languages_together(texts) == languages


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        ("", True),
        ("42 mg", True),
        ("14 euros.", True),
        ("11:30 am", True),
        ("Zürich", True),
        ("Lee Harper", True),
        ("Marie Curie, 1903", True),
        ("the museum", True),
        ("Stored in Rotterdam", False),
        ("14 Euro am Tag", False),
        ("20 Euro Pfand am Museum", False),
        ("silver nitrate", False),
        ("José García", False),
    ],
)
def test_what_cannot_be_told_goes_with_texts_that_have_its_words_and_names(text: str, goes: bool) -> None:
    assert goes_with(text, ["What does the museum cost?", "The Museum costs 14 euros."]) is goes


@pytest.mark.parametrize(
    "text", ["\n" * 1_000_000, "-" * 1_000_000, "a b " * 250_000, "é" * 1_000_000, "A" * 1_000_000]
)
def test_only_the_beginning_of_a_text_is_read(text: str) -> None:
    assert language_of(text) == language_of(text[:1000])


@pytest.mark.parametrize("answer", ["Ben.", "Mia.", "Ali Demir.", "Ben won", "Kim Bauer", "Coq au vin."])
def test_a_name_is_in_no_language_of_its_own(answer: str) -> None:
    assert languages_together(("Who won?", answer, "Ben won the race, and the chef served coq au vin to Ali.")) == {
        "en"
    }


@pytest.mark.parametrize("answer", ["Oui.", "Ja, klar.", "Merci beaucoup", "Nein."])
def test_a_word_of_another_language_is_no_name(answer: str) -> None:
    assert languages_together(("Who won?", answer, "Ben won the race.")) != {"en"}
