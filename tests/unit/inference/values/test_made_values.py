"""Claims made for training: changed ones state another value, those in another format the same one."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from sidecar.inference.values.compare import equal
from sidecar.inference.values.read import read_values
from training.value_words import in_words
from training.values import changed_value, same_value

TEXTS = (
    "Revenue grew from $3.9bn in 2022 to $4.2bn in 2023.",
    "Adults start with 5 mg of Velorin once daily for at least 14 days.",
    "The tram line was opened on 3 September 2019 and cost 48 million euros.",
    "Check-in starts at 3 pm and the rebate is 12 % for up to 20 guests.",
    "The ferry runs every 90 minutes, 24 times a day, from March to October.",
    "The wind farm supplies 1,500 households, its third extension another 900.",
    "Uploads are limited to 25 MB a file since version 2.4.1.",
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_changed_text_does_not_state_the_old_values(text: str) -> None:
    rng = random.Random(1)
    made = [change for _ in range(60) if (change := changed_value(text, rng)) is not None]
    assert len(made) > 40
    for change in made:
        assert change.text != text
        if change.kind not in ("bound", "swap"):
            old, new = read_values(text), read_values(change.text)
            assert len(old) == len(new), change.text
            pairs = [(one, two) for one, two in zip(old, new, strict=True) if not (equal(one, two) and equal(two, one))]
            assert len(pairs) == 1, change.text


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_in_another_format_states_the_same_values(text: str) -> None:
    rng = random.Random(2)
    made = [change for _ in range(60) if (change := same_value(text, rng)) is not None]
    assert len(made) > 4
    for change in made:
        assert change.text != text
        old, new = read_values(text), read_values(change.text)
        assert all(equal(one, two) or equal(two, one) for one, two in zip(old, new, strict=True)), change.text


def test_what_changed_stands_where_the_change_says() -> None:
    rng = random.Random(3)
    for text in TEXTS * 20:
        for make in (changed_value, same_value):
            change = make(text, rng)
            if change is None:
                continue
            rest = len(text) - len(change.text) + change.end
            assert change.text[: change.start] == text[: change.start]
            assert change.text[change.end :] == text[rest:]


def test_every_sort_of_change_is_made() -> None:
    rng = random.Random(4)
    kinds = Counter(change.kind for text in TEXTS * 100 if (change := changed_value(text, rng)))
    wanted = {"number", "unit", "currency", "scale", "month", "day", "year", "ordinal", "bound", "time", "name", "swap"}
    assert kinds.keys() >= wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It lasts 14 days.", {"It lasts two weeks.", "It lasts 2 weeks.", "It lasts fourteen days."}),
        ("It rose by 12 %.", {"It rose by 12 percent.", "It rose by 12 per cent.", "It rose by 12%."}),
        ("Doors open at 5 pm sharp.", {"Doors open at 17:00 sharp.", "Doors open at 5:00 pm sharp."}),
        ("The fee was $4.2bn.", {"The fee was USD 4.2 billion.", "The fee was $4,200 million."}),
        ("It came on 5 March 2024.", {"It came on 2024-03-05.", "It came on March 5th, 2024."}),
    ],
)
def test_formats_are_those_that_people_write(text: str, wanted: set[str]) -> None:
    rng = random.Random(5)
    made = {change.text for _ in range(200) if (change := same_value(text, rng))}
    assert wanted <= made


def test_the_article_fits_what_follows() -> None:
    rng = random.Random(6)
    made = [change.text for _ in range(300) if (change := changed_value("She has a 7-year-old boy.", rng))]
    assert made
    assert not [text for text in made if "a 8" in text or "a 11" in text or "a 18" in text]


def test_a_text_without_values_is_left_alone() -> None:
    rng = random.Random(7)
    assert changed_value("Nobody knows why.", rng) is None
    assert same_value("Nobody knows why.", rng) is None


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (24, "twenty-four"),
        (105, "one hundred and five"),
        (1500, "one thousand five hundred"),
        (40_000, "forty thousand"),
    ],
)
def test_numbers_in_words(number: int, words: str) -> None:
    assert in_words(number) == words
