"""Texts with claims written by hand."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from training.written import asked, written

GOLDEN = Path(__file__).parents[2] / "golden/judgement/requests.jsonl"


@pytest.mark.parametrize("name", ["trained", "held"])
def test_each_text_has_claims_that_it_bears_out_and_claims_that_it_contradicts(name: str) -> None:
    for one in written(name):
        says = [said for said, _ in one.claims]
        assert "yes" in says, one.text
        assert "contradiction" in says, one.text
        assert len(set(one.claims)) == len(one.claims), one.text


def test_no_text_stands_in_two_files_nor_in_the_set_that_is_measured_by_hand() -> None:
    texts = [one.text for name in ("trained", "held") for one in written(name)]
    assert len(set(texts)) == len(texts)
    requests = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert not {context for row in requests for context in row["contexts"]} & set(texts)
    claims = {claim for name in ("trained", "held") for one in written(name) for _, claim in one.claims}
    assert not {row["answer"] for row in requests} & claims


def test_what_is_borne_out_weighs_as_much_as_what_is_not() -> None:
    texts = written("trained")[:40]
    weights = {True: 0.0, False: 0.0}
    for says, _, _, weight in asked(texts, 1, random.Random(3)):
        weights[says == "yes"] += weight
    assert weights[True] / weights[False] == pytest.approx(1)


def test_a_claim_stands_beside_its_text_whatever_else_is_there() -> None:
    texts = written("held")
    of = {claim: one.text for one in texts for _, claim in one.claims}
    alone = 0
    for says, claim, evidence, _ in asked(texts, 3, random.Random(5)):
        if claim in of:
            assert of[claim] in evidence, says
            alone += of[claim] == evidence
    assert alone > len(of)


def test_a_line_outside_of_any_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "written").mkdir()
    (tmp_path / "written/broken.txt").write_text("no sign\n+ a claim", encoding="utf-8")
    monkeypatch.setattr("training.written.FOLDER", tmp_path / "written")
    with pytest.raises(ValueError, match="begin a text with '= '"):
        written("broken")
