"""Sentences that decline in words that no list of phrases holds."""

from __future__ import annotations

import pytest

from sidecar.evaluate.text.silence import features, is_of_sources, is_silent


def test_what_a_sentence_is_about_is_not_seen() -> None:
    one = "Who feeds the otters isn't named in the minutes."
    other = "Who paints the fences is not named in the minutes."
    assert features(one) == features(other)


@pytest.mark.parametrize(
    "sentence",
    [
        "Searched all three manuals; zero hits for the part number.",
        "The minutes keep that to themselves.",
        "I have nothing on that.",
    ],
)
def test_silence_is_told_by_where_one_looked_and_what_came_of_it(sentence: str) -> None:
    assert is_silent(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The minutes were signed on Monday.",
        "Nothing in the box may be thrown away.",
        "No, we can't.",
        "I would choose the Pro plan: it includes phone support, which Basic lacks.",
        "Only the Business plan comes with an audit log; Starter and Team don't include it.",
        "",
    ],
)
def test_a_denial_of_something_else_is_none(sentence: str) -> None:
    assert not is_silent(sentence)


def test_what_sources_are_about_instead_says_nothing() -> None:
    assert is_of_sources("The excerpts talk about varnish and brushes.")
    assert is_of_sources("I looked through the wiki.")
    assert not is_of_sources("The leaflet lists nausea and headache.")
    assert not is_of_sources("Varnish is for wood.")
