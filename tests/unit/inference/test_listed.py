"""Lists whose heading denies what stands below it."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.listed import denied_below, listed_otherwise, lists_of
from sidecar.inference.contrasts.reading import read
from sidecar.inference.embedding.text import content_stem, read_words, sentences

TOUR = (
    "Price per person: 890 euros.\n\n**Included:**\n- airport transfer\n- breakfast\n\n"
    "**Not included:**\n- flights\n- travel insurance\n- lunch and dinner"
)
ROOM = "Included: breakfast, Wi-Fi and towels.\nNot included: parking, city tax (2 euros), minibar."
ZOO = "## What you can bring\n- small bags\n- cameras\n\n## What is not allowed\n- umbrellas\n- glass bottles"


@pytest.mark.parametrize(
    ("claim", "text", "item"),
    [
        ("Flights are included in the price.", TOUR, "flights"),
        ("The price covers travel insurance.", TOUR, "travel insurance"),
        ("Dinner is included.", TOUR, "dinner"),
        ("Breakfast is not included.", TOUR, "breakfast"),
        ("Flights are not included.", TOUR, None),
        ("Breakfast is included.", TOUR, None),
        ("Flights can be booked with us.", TOUR, None),
        ("Flights are included if you book early.", f"{TOUR}\n\nFlights are included in the early bird price.", None),
        ("Everything except flights is included.", TOUR, None),
        ("City tax is included.", ROOM, "city tax (2 euros)"),
        ("Towels are not included.", ROOM, "towels"),
        ("The city tax isn't included, but breakfast is.", ROOM, None),
        ("You may bring glass bottles.", ZOO, "glass bottles"),
        ("Umbrellas are not allowed.", ZOO, None),
        ("Breakfast is not included.", "Included:\n- breakfast\n- towels", None),
        ("Tyres are accepted.", "Collections are free. Not accepted: rubble, tyres, paint. Call us.", "tyres"),
        (
            "Tyres are taken free of charge.",
            "Free of charge: paper, metal. For a fee: tyres (€4 each), rubble.",
            "tyres (€4 each)",
        ),
        ("Paper is taken free of charge.", "Free of charge: paper, metal. For a fee: tyres (€4 each), rubble.", None),
        ("There is a charge for tyres.", "Free of charge: paper, metal. For a fee: tyres (€4 each), rubble.", None),
        ("Rust is one of the exclusions.", "Excluded: rust, wear, glass.", None),
        (
            "Breakfast is included in the suite.",
            f"{TOUR.replace('breakfast', 'soup')}\n- breakfast\n\n## Suite\nBreakfast comes with it.",
            None,
        ),
        ("Soup is included.", "Not included:\n1. Soup\n2. Bread", "Soup"),
    ],
)
def test_what_a_list_denies_is_not_said_of_its_items(claim: str, text: str, item: str | None) -> None:
    others = [frozenset(read_words(text[one.start : one.end]).stems) for one in sentences(text)]
    found = listed_otherwise(read(claim, content_stem), lists_of(text, content_stem), others)
    assert (found and text[found.start : found.end]) == item


def test_long_lists_and_texts_without_any_are_read() -> None:
    assert lists_of("A sentence: of no list.\nAnother one.", content_stem) == ()
    assert len(lists_of("Not included:\n" + "- towel number x\n" * 50_000, content_stem)) == 200


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("What is not insured\nCash and cheques; skis.\n\nCall us.", ["Cash and cheques; skis.\n"]),
        ("## Exclusions\n- rust\n- wear\n## Included\n- glass", ["- rust\n- wear\n"]),
        ("**Excluded from cover**\n- rust\n- wear\n**Included**\n- glass", ["- rust\n- wear\n"]),
        ("Accepted: wood.\nNot accepted: paint, tyres.\nOpen daily.", ["paint, tyres.\n"]),
        ("Dogs are not allowed.\nCats are.", []),
        ("The parcel has not arrived\n", [""]),
    ],
)
def test_where_a_heading_denies_what_stands_below(text: str, denied: list[str]) -> None:
    assert [text[start:end] for start, end in denied_below(text)] == denied
