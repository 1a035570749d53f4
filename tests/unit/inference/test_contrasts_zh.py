"""What a Chinese claim says to the contrary of a text, and what is none.

A line of the golden file is a claim beside a text: with "!" it says the contrary of it, with "=" the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.inference.base import Claim
from sidecar.inference.contrasts.han_order import exchanged, of_another
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.contradiction import Contrary
from sidecar.inference.grounding.han import choose, pieces, read
from sidecar.inference.grounding.han_contrary import HanContraries, Titled
from sidecar.inference.grounding.lexical_zh import IDF, NAME
from sidecar.inference.runtime import PACKAGED
from tests.cpu import within_cpu

GOLDEN = Path(__file__).parents[2] / "golden" / "contrasts" / "chinese.txt"
FOUND = 131
RARITY = Idf.load(PACKAGED / NAME / IDF)


def contrary(claim: str, text: str) -> Contrary:
    return HanContraries([text], pieces([text]), RARITY.of).of(
        Claim(claim), choose(read(claim), pieces([text]), RARITY)
    )


def pairs(mark: str) -> list[tuple[str, str]]:
    lines = [line.split(" | ") for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    return [(claim, text) for kind, claim, text in lines if kind == mark]


@pytest.mark.parametrize(("claim", "text"), pairs("="))
def test_what_says_the_same_is_no_contrary(claim: str, text: str) -> None:
    assert contrary(claim, text).clear == 0


def test_most_contraries_are_found() -> None:
    assert sum(contrary(claim, text).clear > 0 for claim, text in pairs("!")) >= FOUND


@pytest.mark.parametrize(
    ("claim", "text", "own", "other"),
    [
        ("门票包含早餐。", "请注意。门票不包含早餐。", "包含", "包含"),
        ("請於飯後服用本藥。", "本藥請於飯前服用。", "後", "前"),
        ("专业版有50GB空间。", "基础版有50GB空间。专业版有200GB空间。", "50GB", "200GB"),
        ("天衡公司起诉蓝海公司。", "蓝海公司起诉天衡公司。", "天衡公司起诉蓝海公司", "蓝海公司起诉天衡公司"),
    ],
)
def test_places_point_at_the_words_that_disagree(claim: str, text: str, own: str, other: str) -> None:
    [found] = contrary(claim, text).conflicts
    assert claim[found.start : found.end] == own
    assert text[found.evidence.start : found.evidence.end] == other


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("小王和小李是同事", "小李和小王是同事"),
        ("运费由买家承担", "买家承担运费"),
        ("蓝海公司被天衡公司起诉", "天衡公司起诉蓝海公司"),
        ("天衡公司起诉蓝海公司", "天衡公司起诉蓝海公司"),
    ],
)
def test_an_order_of_words_that_says_the_same_is_no_exchange(claim: str, text: str) -> None:
    assert not exchanged(claim, text)


@pytest.mark.parametrize(
    ("claim", "clauses", "found"),
    [
        ("团队套餐支持单点登录", ["企业套餐支持单点登录", "团队套餐支持优先客服"], 0),
        ("团队套餐支持单点登录", ["所有套餐支持单点登录", "团队套餐支持优先客服"], None),
        ("团队套餐支持单点登录", ["企业和团队套餐支持单点登录", "团队套餐支持优先客服"], None),
        ("团队套餐支持单点登录", ["企业套餐支持单点登录", "团队套餐也有单点登录"], None),
        ("团队套餐支持单点登录", ["企业套餐支持单点登录"], None),
    ],
)
def test_what_is_said_of_another_thing_of_its_kind_is_told(claim: str, clauses: list[str], found: int | None) -> None:
    assert of_another(claim, clauses) == found


def test_what_is_hard_to_read_is_read_in_time() -> None:
    claim, text = "甲乙不可以包含丙丁1元，" * 400, "甲乙可以不包含丙丁2元，" * 400
    within_cpu(2, "contraries", lambda: contrary(claim, text))


EDITIONS = (
    "记事企业版发布记录:4.1版于2024年4月2日发布,新增部门权限;4.2版于2024年7月9日发布,新增审计日志。",
    "记事个人版发布记录:4.1版于2024年3月18日发布,新增手写识别;4.2版于2024年6月25日发布,新增多端协作。",
)


@pytest.mark.parametrize(
    ("claim", "question", "right"),
    [
        ("6月25日", "记事个人版4.2是哪天发布的?", True),
        ("7月9日", "记事个人版4.2是哪天发布的?", False),
        ("7月9日", "记事企业版4.2是哪天发布的?", True),
        ("个人版4.2于7月9日发布。", "4.2是哪天发布的?", False),
        ("企业版4.2于7月9日发布。", "4.2是哪天发布的?", True),
    ],
)
def test_documents_are_told_apart_by_their_titles(claim: str, question: str, right: bool) -> None:
    sentences = pieces(EDITIONS)
    said = Claim(claim, question=question, short=len(claim) < 8)
    found = HanContraries(EDITIONS, sentences, RARITY.of).of(said, choose(read(claim), sentences, RARITY))
    assert (found.clear > 0) is not right


def test_documents_with_one_title_are_not_told_apart() -> None:
    assert Titled(["价格表:一张10元。", "没有标题。"]).rows == [frozenset(), frozenset()]
    assert Titled(["价格表:一张10元。", "价格表:一张20元。"]).named(frozenset({"价格"})) == frozenset()
