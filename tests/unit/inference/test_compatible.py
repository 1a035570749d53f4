"""Compatibility forms of letters with marks."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest

from sidecar.evaluate.text.entities import folded
from sidecar.inference.compatible import resolved
from sidecar.inference.judge.copied import bare
from sidecar.inference.judge.suspicion import fold


@pytest.mark.parametrize("resolve", [resolved, bare, fold, folded])
@pytest.mark.parametrize(
    "marks", ["\u0315\u0300", "\uff9e\u0300", "\u302e\u0315", "\u0f73\u0300"], ids=["plain", "wide", "spacing", "two"]
)
def test_of_many_marks_on_a_letter_only_the_first_are_kept(resolve: Callable[[str], str], marks: str) -> None:
    assert len(resolve(f"a{marks * 500}b{marks * 500}c")) < 200


@pytest.mark.parametrize("text", ["a fee", "ﬁne ﬀ", "Việt Nam", "한국어", "カﾞｶﾞ", "שָׁלוֹם", "བརྒྱུད", "e\u0301\u0323", "①½"])
def test_what_people_write_has_its_whole_form(text: str) -> None:
    assert resolved(text * 50) == unicodedata.normalize("NFKC", text * 50)
