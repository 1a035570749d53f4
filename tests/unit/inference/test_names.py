"""Names of which the texts have another form."""

from __future__ import annotations

import pytest

from sidecar.inference.contrasts.names import misnamed, other_acronym

_COMMON = frozenset("baker haven button key".split())


def _weight(stem: str) -> float:
    return 5.0 if stem in _COMMON else 8.9


def found(claim: str, text: str) -> tuple[str, str] | None:
    one = misnamed(claim, [text], [text], _weight)
    return None if one is None else (claim[one.start : one.end], text[one.other_start : one.other_end])


@pytest.mark.parametrize(
    ("claim", "text", "own", "other"),
    [
        ("The CEO is Marta Lindgren.", "Chief executive Marta Lindqvist spoke.", "Marta Lindgren", "Marta Lindqvist"),
        ("It was founded by Claire Moreau.", "Claire Morel founded it.", "Claire Moreau", "Claire Morel"),
        ("We asked John F. Brandt.", "We asked John Okafor.", "John F. Brandt", "John Okafor"),
    ],
)
def test_another_name(claim: str, text: str, own: str, other: str) -> None:
    assert found(claim, text) == (own, other)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The CEO is Marta Lindqvist.", "Chief executive Marta Lindqvist spoke."),
        ("The CEO is Marta Lindqvist's brother.", "Marta Lindqvist has a brother."),
        ("President Ronald Reagan spoke.", "President Reagan spoke; Ronald was his name."),
        ("Yesterday Lindqvist spoke.", "Marta Lindqvist spoke."),  # a sentence begins with any word
        ("Hal Nehouser pitched.", "Hal Newhouser pitched."),  # a letter left out
        ("Twin Otters fly there.", "A Twin Otter flies there."),
        ("Marta Lindgren spoke.", "Marta Lindqvist, née Lindgren, spoke."),
        ("Marta Lindgren spoke.", "Marta Lindqvist and Marta Olsen spoke."),  # of whom?
        ("She studied at New Haven.", "She lives in New York."),
        ("The World Health Organization says so.", "Women Health is a magazine."),
        ("The CEO is Anna Lindqvist.", "Chief executive Marta Lindqvist spoke."),  # who has two names, or a short one
        ("We asked John Baker.", "We asked John Okafor."),  # a word that many things are called by
        ("Press the Power Button.", "Press the Power Key."),
        ("Marta Lindqvist is CEO.", "Marta Lindqvist-Berg is CEO."),
        ("Marta Lindqvist-Berg is CEO.", "Marta Lindqvist is CEO."),
        ("Marta Lindgren is CEO.", "Marta Lindqvist-Lindgren is CEO."),
        ("Maria Müller spoke.", "Maria Mueller spoke."),
        ("Maria M\u00fcller spoke.", "Maria Mu\u0308ller spoke."),
        ("José Núñez spoke.", "José Nunez spoke."),
        ("", "Marta Lindqvist spoke."),
        ("nobody is named", ""),
    ],
)
def test_the_same_name_or_none(claim: str, text: str) -> None:
    assert found(claim, text) is None


def test_what_any_document_says_is_no_other_name() -> None:
    claim, piece = "The CEO is Marta Lindgren.", "Marta Lindqvist spoke."
    assert misnamed(claim, [piece], [piece, "Her mother is a Lindgren."], _weight) is None


@pytest.mark.parametrize(
    "text",
    [
        "A" * 10**6,
        "Ab " * 300_000,
        "Abc Def-" * 100_000,
        "'" * 10**6,
        "Marta Lindgren spoke. " + "Marta Lindqvist spoke. " * 40_000,
    ],
)
def test_a_megabyte_is_read(text: str) -> None:
    assert misnamed(text, [text], [text], _weight) is None


def test_a_name_is_missed_in_a_megabyte() -> None:
    claim, piece = "The CEO is Marta Lindgren.", "Marta Lindqvist spoke."
    assert misnamed(claim, [piece], [piece, "lively letters " * 70_000], _weight) is not None
    assert misnamed(claim, [piece], [piece, "lively letters " * 70_000 + "Lindgren"], _weight) is None


_SIGNED = "Contracts above 50,000 euros are signed by the CEO."


@pytest.mark.parametrize(
    ("claim", "text", "own", "other"),
    [
        ("Contracts above 50,000 euros are signed by the COO.", _SIGNED, "COO", "CEO"),
        ("The devices speak AMQP.", "The devices speak MQTT with the gateway.", "AMQP", "MQTT"),
        ("Exports are in XML format.", "Exports are in CSV format every night.", "XML", "CSV"),
    ],
)
def test_another_acronym(claim: str, text: str, own: str, other: str) -> None:
    one = other_acronym(claim, [text], [text], _weight)
    assert one is not None
    assert (claim[one.start : one.end], text[one.other_start : one.other_end]) == (own, other)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Contracts above 50,000 euros are signed by the CEO.", _SIGNED),
        ("The COO signs nothing.", _SIGNED),  # it says something else
        ("Users log in by SSO.", "Users log in by single sign-on, or by LDAP."),  # spelt out
        ("It is hosted in the USA.", "It is hosted in the US."),
        ("It opens at 9 PM.", "It opens at 9 AM."),  # a time
        ("It is spelt OK.", "It is spelt ABC."),
        ("AB " * 300_000, "CD " * 300_000),
        ("", _SIGNED),
    ],
)
def test_the_same_acronym_or_none(claim: str, text: str) -> None:
    assert other_acronym(claim, [text], [text], _weight) is None


def test_one_that_is_spelt_out_hides_no_other() -> None:
    claim, text = (
        "Registered users of the portal log in by SSO as deputies of the COO.",
        "Registered users of the portal log in by LDAP, or single sign-on, as deputies of the CEO.",
    )
    one = other_acronym(claim, [text], [text], _weight)
    assert one is not None
    assert claim[one.start : one.end] == "COO"


def test_an_acronym_of_any_text_is_no_other_one() -> None:
    texts = [_SIGNED, "The COO is Ann Roe."]
    assert other_acronym("Contracts above 50,000 euros are signed by the COO.", texts[:1], texts, _weight) is None
