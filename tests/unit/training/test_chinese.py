"""Chinese texts with claims written by hand, and what is made of them for training."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.han import pieces, read
from sidecar.inference.grounding.han_evidence import passage
from training.chinese import SAYS, Reader, texts
from training.measure import auroc

FILES = ("zh_trained", "zh_heads", "zh_held")
GOLDEN = Path(__file__).parents[2] / "golden" / "judgement" / "chinese.jsonl"


def in_common(claim: str, text: str) -> float:
    pairs = [claim[n : n + 2] for n in range(len(claim) - 1)]
    return sum(pair in text for pair in pairs) / len(pairs)


@pytest.mark.parametrize("name", FILES)
def test_as_many_claims_are_said_as_contradicted_and_left_open(name: str) -> None:
    for one in texts(name):
        kinds = Counter(kind for kind, _ in one.claims)
        assert kinds.keys() == SAYS.keys(), one.text
        assert max(kinds.values()) - min(kinds.values()) <= 1, one.text


@pytest.mark.parametrize("name", FILES)
def test_each_question_has_a_right_answer_and_a_wrong_one(name: str) -> None:
    for one in texts(name):
        for question in {question for question, _, _ in one.short}:
            right, wrong = (
                {answer for asked, answer, good in one.short if asked == question and good is wanted}
                for wanted in (True, False)
            )
            assert right, question
            assert wrong, question
            assert not right & wrong, question


@pytest.mark.parametrize("name", FILES)
def test_words_in_common_tell_little_of_what_is_true(name: str) -> None:
    claims = [(in_common(claim, one.text), int(kind == "s")) for one in texts(name) for kind, claim in one.claims]
    assert 0.4 < auroc([share for share, _ in claims], [label for _, label in claims]) < 0.6


def test_nothing_that_is_measured_is_trained_on() -> None:
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    own = {name: {one.text for one in texts(name)} for name in FILES}
    own["golden"] = {text for row in golden for text in row["contexts"]}
    seen: set[str] = set()
    for found in own.values():
        assert not found & seen
        seen |= found


LONG = f"{'收费标准为每人每晚三百元。' * 20}入住时另交押金1500元，退房时退还。{'早餐另收二十元。' * 9}电池保修六个月。"


def test_a_short_answer_is_read_behind_its_question_and_a_statement_alone() -> None:
    reader = Reader()
    short = reader.claim("a", Claim("六个月", question="电池保修多久？", short=True), [LONG], "yes")
    assert short.first == "电池保修多久？ 六个月"
    assert "电池保修六个月。" in short.second
    whole = reader.claim("a", Claim("电池保修六个月。", question="多久？"), ["电池保修六个月。"], "yes")
    assert (whole.first, whole.second, whole.task) == ("电池保修六个月。", "电池保修六个月。", "grounding")
    asked = reader.question("a", "document", "押金多少？", LONG, "yes")
    assert (asked.first, asked.task) == ("押金多少？", "document")
    assert "押金1500元" in asked.second


def test_numbers_in_words_are_looked_for_as_the_documents_write_them() -> None:
    assert "1500元" in Reader().claim("a", Claim("要交一千五百元。"), [LONG], "yes").second


def test_of_long_texts_the_sentences_of_the_claim_and_those_beside_it_are_read_in_their_order() -> None:
    flat = Idf({}, 1.0)
    texts = [
        f"第一句话没有用。水壶的颜色是蓝色。它在浙江制造。{'最后这些话也没有用。' * 3}",
        "运费是十五元。别的都不相干。",
    ]
    one = passage([read("水壶是蓝色")], pieces(texts), texts, flat, 1)
    assert one == "水壶的颜色是蓝色。\n它在浙江制造。"
    both = passage([read("水壶是蓝色"), read("运费多少")], pieces(texts), texts, flat, 1)
    assert both == "水壶的颜色是蓝色。\n运费是十五元。"
    endless = ["，".join(["这句话有三十多个字而且没有句号所以被切开成为好几段来读"] * 40)]
    assert len(passage([read("这句话")], pieces(endless), endless, flat)) <= 220


def test_evidence_of_training_is_of_many_lengths() -> None:
    reader = Reader(random.Random(7))
    text = "".join(f"第{n}条写着一些与此无关的内容。" for n in range(60))
    lengths = {len(reader.claim("a", Claim("第3条写着内容。"), [text], "yes").second) for _ in range(20)}
    assert len(lengths) > 5
    assert max(lengths) < 320
