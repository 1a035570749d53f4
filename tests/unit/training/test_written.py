"""Texts in two versions with claims written by hand."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from sidecar.inference.embedding.text import content_stem
from training.written import Written, asked, written

GOLDEN = Path(__file__).parents[2] / "golden/judgement"


@pytest.mark.parametrize("name", ["trained", "held"])
def test_each_version_has_claims_that_only_it_bears_out(name: str) -> None:
    for one in written(name):
        signs = Counter(sign for sign, _ in one.claims)
        assert one.versions[0] != one.versions[1], one.versions
        assert signs["a"], one.versions
        assert abs(signs["a"] - signs["b"]) <= 2, one.versions
        assert len({claim for _, claim in one.claims}) == len(one.claims), one.versions


def test_no_text_stands_in_two_files_nor_in_a_set_that_is_measured_by_hand() -> None:
    texts = [version for name in ("trained", "held") for one in written(name) for version in one.versions]
    assert len(set(texts)) == len(texts)
    lines = [(GOLDEN / f"{file}.jsonl").read_text(encoding="utf-8").splitlines() for file in ("requests", "blind")]
    requests = [json.loads(line) for of_file in lines for line in of_file]
    assert not {context for row in requests for context in row["contexts"]} & set(texts)
    claims = {claim for name in ("trained", "held") for one in written(name) for _, claim in one.claims}
    assert not {row["answer"] for row in requests if len(row["answer"].split()) > 4} & claims


def _stems(text: str) -> set[str]:
    return {stem for word in re.findall(r"\w+", text) if (stem := content_stem(word))}


def test_words_in_common_do_not_tell_what_is_borne_out() -> None:
    shared: dict[str, list[float]] = {"yes": [], "contradiction": []}
    for one in written("trained"):
        for says, claim, version in one.pairs():
            if says in shared and (stems := _stems(claim)):
                shared[says].append(len(stems & _stems(version)) / len(stems))
    means = [sum(found) / len(found) for found in shared.values()]
    assert means[0] == pytest.approx(means[1], abs=0.05)


def test_a_claim_stands_beside_its_version_whatever_else_is_there() -> None:
    texts = [Written((f"first {n}", f"second {n}"), (("a", f"claim {n}"), ("~", f"unsaid {n}"))) for n in "stuvwxyz"]
    alone = 0
    for says, claim, evidence in asked(texts, 3, random.Random(5)):
        name = claim.rstrip(".").split()[-1]
        expected = {"yes": f"first {name}", "contradiction": f"second {name}"}.get(says, name)
        assert expected in evidence
        alone += "\n" not in evidence
    assert 8 * 3 * 2 < alone < 8 * 3 * 4


@pytest.mark.parametrize(
    ("block", "told"),
    [("no sign\n+ a claim", "begin a text with 'a= '"), ("a= one\nb= two\n* a claim", "begin a claim")],
)
def test_a_line_that_cannot_be_read_is_refused(
    block: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.txt").write_text(block, encoding="utf-8")
    monkeypatch.setattr("training.written.FOLDER", tmp_path)
    with pytest.raises(ValueError, match=told):
        written("broken")
