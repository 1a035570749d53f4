"""Lists as tables: labels of lines, headings of sections, and the values and words below them."""

from __future__ import annotations

import pytest

from sidecar.inference.embedding.text import sentences
from sidecar.inference.values.labelled import SECTIONS, labelled, sentences_with_headings
from sidecar.inference.values.stems import stem_beside_values as stem

BRANCHES = (
    "**Denton branch**\nWorkshop: Mon-Fri 7.30-17.30\nCollection: Mon-Fri 7.00-18.30",
    "**Ashby branch**\nWorkshop: Mon-Fri 8.00-17.00\nCollection: Mon-Fri 7.30-18.00",
)


def told(*texts: str) -> list[tuple[str, set[str], set[str]]]:
    """The text behind each label, the stems of its row and of its own line's label."""
    cut = [sentences_with_headings(text, sentences(text)) for text in texts]
    return [
        (cut[number][n][label.begins :].strip(), set(label.row), set(label.head))
        for (number, n), label in labelled(cut, stem).items()
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Plans: Starter: 3 users, email support. Team: 20 users.",
            [("3 users, email support.", {"starter"}, set()), ("20 users.", {"team"}, set())],
        ),
        (
            "Fees\n- SWIFT (EUR): £12\n- SWIFT (other): £19",
            [("£12", {"swift", "eur"}, set()), ("£19", {"swift", "other"}, set())],
        ),
        ("- **Basic**: free\n- **Pro**: $9", [("free", {"basic"}, set()), ("$9", {"pro"}, set())]),
        ("Starter – $0; Growth – $12.", [("$0;", {"starter"}, set()), ("$12.", {"growth"}, set())]),
        ("Note: the shop is closed. It opens on Monday.", []),
        ("Total: €5", []),  # nothing to tell it from
    ],
)
def test_a_line_is_labelled_by_its_own_words(text: str, found: list[tuple[str, set[str], set[str]]]) -> None:
    assert told(text) == found


@pytest.mark.parametrize(
    ("titles", "rows"),
    [
        (("Main pool (27 °C).", "Warm pool (34 °C)."), [{"main"}, {"warm"}]),
        (("Hub 2 status light.", "Hub 3 status light."), [{"2"}, {"3"}]),
        (("GET /v2/search.", "GET /v2/items."), [{"search"}, {"item"}]),
        # Words tell more than figures do.
        (("**Recall 24-118 – Vela hatchback**", "**Recall 24-121 – Vela estate**"), [{"hatchback"}, {"estat"}]),
        (("The pool opens.", "The gym opens."), []),
    ],
)
def test_titles_of_texts_tell_them_apart(titles: tuple[str, str], rows: list[set[str]]) -> None:
    assert [row for _, row, _ in told(*(f"{title}\nIt is closed on Monday." for title in titles))] == rows


def test_sections_of_a_kind_are_told_apart_by_their_headings() -> None:
    rows = told(*BRANCHES)
    assert [(row, head) for _, row, head in rows] == [
        ({"denton"}, {"workshop"}), ({"denton"}, {stem("collection")}),
        ({"ashby"}, {"workshop"}), ({"ashby"}, {stem("collection")}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "texts",
    [
        ("## Renewals\nBooks can be renewed.", "## Opening hours\nWe open at nine."),  # nothing in common
        ("## How do I return an item?\nSend it.", "## How do I pay for a return?\nBy card."),  # questions
        ("## Denton branch\nWorkshop: 7.30",),
    ],
)
def test_other_sections_are_not(texts: tuple[str, ...]) -> None:
    assert told(*texts) == []


def test_numbers_that_name_something_tell_sections_apart() -> None:
    cut = [
        ["**Shipment 88213** - Status: held.", "Reason: no invoice."],
        ["**Shipment 88231** - Status: held.", "Reason: weight."],
    ]
    found = labelled(cut, stem)
    assert {label.row for label in found.values()} == {frozenset({"88213"}), frozenset({"88231"})}
    assert {label.group for label in found.values()} == {SECTIONS}


def test_the_first_words_of_a_text_are_its_heading_where_they_are_no_sentence() -> None:
    assert told(
        "Visa for students. The fee is $160. Bring a photo.",
        "Visa for tourists. The fee is $80.",
    ) == [
        ("The fee is $160.", {"student"}, set()),
        ("Bring a photo.", {"student"}, set()),
        ("The fee is $80.", {"tourist"}, set()),
    ]
    assert told("Visas are for students. The fee is $160.", "Visas are for tourists. The fee is $80.") == []
    assert told("Visa for students.", "Visa for tourists. The fee is $80.") == []
    assert told("Opening hours. It opens at 9.", "Tourist visas. The fee is $80.") == []


def test_a_line_that_stands_alone_is_a_heading() -> None:
    text = "Plants\n\nMonstera\nLight: bright.\nWater: weekly.\n\nAloe vera\nLight: full sun.\nWater: monthly."
    assert [row for _, row, _ in told(text)] == [{"monstera"}, {"monstera"}, {"aloe", "vera"}, {"aloe", "vera"}]
    assert [head for _, _, head in told(text)] == [{"light"}, {"water"}, {"light"}, {"water"}]


@pytest.mark.parametrize(
    "text",
    [
        "Monstera\nLight: bright.\nAloe vera\nLight: full sun.",  # no empty line above
        "It is green.\n\nMonstera\n\nLight: bright.\n\nAloe vera\n\nLight: full sun.",  # nor another below
        "It is green.\n\nMonstera is tall\nLight: bright.\n\nAloe is small\nLight: full sun.",  # sentences
        "It is green.\n\nMonstera, a vine\nLight: bright.\n\nAloe, a succulent\nLight: full sun.",
    ],
)
def test_other_lines_are_none(text: str) -> None:
    assert not [label for label in told(text) if label[2]]


def test_versions_are_names_and_what_stands_behind_them_in_brackets_is_none() -> None:
    text = "News\n\n2.4 (June 2026)\nFixed: exports.\n\n2.3 (April 2026)\nFixed: the login page."
    assert told(text) == [("exports.", {"2.4"}, {"fixed"}), ("the login page.", {"2.3"}, {"fixed"})]
    assert [row for _, row, _ in told(text.replace("2.4 (", "## v2.4.1 ("))] == [{"2.4.1"}, {"2.3"}]


def test_a_code_that_sentences_begin_with_is_their_heading() -> None:
    text = "E1042 means that the lock file is old. Refresh it. E1043 means that a package is broken. Clear the cache."
    assert told(text, "E1044: the registry refused the token.") == [
        ("E1042 means that the lock file is old.", {"e1042"}, set()),
        ("Refresh it.", {"e1042"}, set()),
        ("E1043 means that a package is broken.", {"e1043"}, set()),
        ("Clear the cache.", {"e1043"}, set()),
        ("the registry refused the token.", {"e1044"}, {"e1044"}),
    ]
    assert told("E1042 means that the lock file is old. Refresh it.") == []


def test_what_a_text_opens_with_is_its_heading() -> None:
    texts = ("Half-year report, Halden Foods: the margin fell.", "Half-year report, Morrow Snacks: the margin rose.")
    assert told(*texts) == [
        ("the margin fell.", {"halden", "food"}, {"half", "year", "report", "halden", "food"}),
        ("the margin rose.", {"morrow", "snack"}, {"half", "year", "report", "morrow", "snack"}),
    ]
