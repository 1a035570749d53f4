"""Whole sentences beside their texts, written by hand."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from training.measure import auroc
from training.sentences import Stated, answers, balanced, in_common, stated, trained_sentences

GOLDEN = Path(__file__).parents[2] / "golden/judgement"


def test_no_text_stands_in_two_files_nor_in_a_set_that_is_measured_by_hand() -> None:
    texts = [text for name in ("trained", "held") for block in (*stated(name), *answers(name)) for text in block.texts]
    assert len(set(texts)) == len(texts)
    rows = [
        json.loads(line) for path in sorted(GOLDEN.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    assert not {context for row in rows for context in row["contexts"]} & set(texts)


@pytest.mark.parametrize("name", ["trained", "held"])
def test_whole_sentences_that_are_right_and_wrong_differ_in_no_outward_way(name: str) -> None:
    found = [one for block in stated(name) for one in block.pairs()]
    right, wrong = ([said for says, said in found if says == wanted] for wanted in ("yes", "no"))
    assert abs(len(right) - len(wrong)) < 0.02 * len(found) > 20
    assert len({*right} & {*wrong}) < 0.002 * len(found)
    for count in (lambda said: len(said.split()), lambda said: bool(re.search(r"\b(?:not|no|never|only)\b|n't", said))):
        means = [sum(map(count, side)) / len(side) for side in (right, wrong)]
        assert 0.8 < means[0] / means[1] < 1.25


@pytest.mark.parametrize(("kind", "words"), [("answers", 20), ("everyday", 10)])
@pytest.mark.parametrize("name", ["trained", "held"])
def test_whole_answers_that_are_right_and_wrong_differ_in_no_outward_way(name: str, kind: str, words: int) -> None:
    blocks = stated(name, (kind,))
    found = [one for block in blocks for one in block.pairs()]
    right, wrong = ([said for says, said in found if says == wanted] for wanted in ("yes", "no"))
    assert len(right) == len(wrong) > 40
    means = [sum(len(said.split()) for said in side) / len(side) for side in (right, wrong)]
    assert 0.9 < means[0] / means[1] < 1.1
    assert min(means) > words
    kept = balanced(blocks, random.Random(1))
    area = auroc([in_common(said, texts) for _, said, texts in kept], [int(says == "yes") for says, _, _ in kept])
    assert 0.47 < area < 0.53


def test_words_in_common_tell_nothing_of_sentences_that_are_trained_on() -> None:
    blocks = stated("trained")
    kept = balanced(blocks, random.Random(1))
    area = auroc([in_common(said, texts) for _, said, texts in kept], [int(says == "yes") for says, _, _ in kept])
    assert 0.49 < area < 0.51
    assert len(kept) > 0.6 * sum(len(block.right) + len(block.wrong) for block in blocks)


def test_a_sentence_is_read_beside_all_its_texts_as_it_is_meant() -> None:
    block = Stated(("The hall is in Bern.", "The shop is in Basel."), ("Go to Bern.",), ("Go to Basel.",))
    other = Stated(("Rain is likely.",), (), ())
    made = [each for seed in range(20) for each in trained_sentences([block, other], random.Random(seed))]
    assert {says for says, said, _ in made if "Bern" in said} == {"yes"}
    assert {says for says, said, _ in made if "Basel" in said} == {"no"}
    assert all({*block.texts} <= {*texts} for _, _, texts in made)
    assert any("Rain is likely." in texts for _, _, texts in made)
