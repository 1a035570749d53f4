"""JSON behind a label in its line, and what an answer of JSON states as a whole."""

from __future__ import annotations

import pytest

from sidecar.evaluate.text.abstain import stance_of


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (
            'Basic: {"price": "€5", "users": 3}\nPro: {"price": "€9"}',
            ["basic price: €5", "basic users: 3", "pro price: €9"],
        ),
        ('- **Basic plan**: {"price": "€5"}', ["basic plan price: €5"]),
        ('Here is the JSON: {"price": "€5"}', ["price: €5"]),
        ('The fee is: {"price": "€5"}', ["price: €5"]),
        ('One of the four plans that we have: {"price": "€5"}', ["price: €5"]),
        ('{"price": "€5"}', ["price: €5"]),
        ('Plans: [{"name": "Basic", "price": "€5"}]', ["name: Basic; price: €5"]),
    ],
)
def test_json_behind_a_label_is_of_it(answer: str, claims: list[str]) -> None:
    assert [one.text for one in stance_of(answer).claims] == claims


def test_what_json_says_is_kept_apart_as_a_whole() -> None:
    assert stance_of('{"basic": {"price": "€5"}, "pro": {"price": "€9"}}').stated == "basic price: €5; pro price: €9"
    assert stance_of("It costs €5. Delivery is free.").stated == "It costs €5. Delivery is free."
