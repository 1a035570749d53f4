"""Answers that decline and answers that do not: tests/golden/evaluate/abstain.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.evaluate.text.abstain import abstains, stance_of

GOLDEN = Path(__file__).parents[3] / "golden" / "evaluate" / "abstain.jsonl"
ROWS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
# 80 short answers written before the rules were looked at again: 34 that abstain, 46 that look like it or do so in part. What the odd ones
# got wrong was looked at twice, the even ones never.
BLIND = [json.loads(line) for line in GOLDEN.with_name("abstain_blind.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["answer"][:40] for row in ROWS])
def test_how_far_an_answer_declines_and_what_is_left_of_it(row: dict[str, Any]) -> None:
    stance = stance_of(row["answer"])
    assert stance.kind == row["kind"]
    if "claims" in row:
        assert [claim.text for claim in stance.claims] == row["claims"]


# Measured: what the rules reach today. Raise it with them.
@pytest.mark.parametrize(("half", "least_right"), [(1, 38), (0, 31)], ids=["odd, looked at twice", "even, never"])
def test_no_fewer_kinds_are_right_than_before(half: int, least_right: int) -> None:
    rows = BLIND[1 - half :: 2]
    wrong = [row["request_id"] for row in rows if stance_of(row["answer"]).kind != row["kind"]]
    assert len(rows) == 40
    assert len(rows) - len(wrong) >= least_right, wrong


# 200 answers, asked for in as many idioms as their writer knew, another than the one of whom training/silence.py learned. Never read.
def test_of_held_answers_in_idioms_no_fewer_abstentions_are_told_than_before_and_hardly_any_else() -> None:
    rows = [
        json.loads(line) for line in GOLDEN.with_name("abstain_held.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    decline = [row for row in rows if row["kind"] in ("full", "clarification")]
    taken = [row["kind"] for row in rows if abstains(row["answer"])]
    assert (len(rows), len(decline)) == (200, 110)
    assert len(taken) - taken.count("none") - taken.count("partial") >= 64
    assert taken.count("none") + taken.count("partial") <= 1


# 1,024 by four more writers, who were told to avoid the usual phrases. Never read.
def test_of_answers_without_the_usual_phrases_no_fewer_abstentions_are_told_than_before() -> None:
    lines = GOLDEN.with_name("abstain_four.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    decline = [row for row in rows if row["kind"] in ("full", "clarification")]
    taken = [row["kind"] in ("full", "clarification") for row in rows if abstains(row["answer"])]
    assert (len(rows), len(decline)) == (1024, 533)
    assert taken.count(True) >= 92
    assert taken.count(False) <= 7


def test_of_blind_answers_that_answer_hardly_any_is_taken_for_an_abstention() -> None:
    answers = [row for row in BLIND if row["kind"] in ("none", "partial")]
    taken = [row["request_id"] for row in answers if abstains(row["answer"])]
    assert len(answers) == 46
    assert len(taken) <= 2, taken


# 140 in Chinese by a writer who knew nothing of the rules; what those with even numbers got wrong was looked at twice, those with odd ones never.
# Before, 37 and 36 were right.
@pytest.mark.parametrize(("first", "least_right"), [(1, 64), (0, 52)], ids=["even, looked at twice", "odd, never"])
def test_of_chinese_answers_no_fewer_kinds_are_right_than_before(first: int, least_right: int) -> None:
    lines = GOLDEN.with_name("abstain_zh.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[first::2]]
    wrong = [row["request_id"] for row in rows if stance_of(row["answer"]).kind != row["kind"]]
    assert len(rows) == 70
    assert len(rows) - len(wrong) >= least_right, wrong
    assert not [row["request_id"] for row in rows if row["kind"] == "none" and row["request_id"] in wrong]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("请问您买的是碎屏险还是延长保修？有了这些我才能帮您核对。", "clarification"),
        ("知道您的订单号，我就能帮您查。", "clarification"),
        ("收到您的材料后我们才能为您办理退款，退款需要5个工作日。", "none"),
        ("有了这张卡您就能免费停车。", "none"),
    ],
)
def test_a_chinese_answer_that_waits_for_more_asks_back(answer: str, kind: str) -> None:
    assert stance_of(answer).kind == kind


@pytest.mark.parametrize(
    "answer",
    [
        "合同没有写明违约金的，按实际损失赔偿。",
        "系统查不到订单时请核对手机号。",
        "如果手册没有说明，请按默认值设置。",
        "市长说：“这个问题我现在答不上来。”",
        "因证据不足，检察院作出不起诉决定。",
        *"保修条款不包括人为损坏。 套餐政策不包含早餐。 保险合同不包括地震造成的损失。 合同不涉及个人信息。 特价商品恕不退换。 价格如有变动，恕不另行通知。".split(),
        *"公司规定员工未经批准不得透露薪资。 判决书认定被告没有提供证据。 年报显示公司去年没有公布分红方案。 警方没有找到任何线索。 医生没有发现数据异常。".split(),
        *"西藏不在我们的服务范围之内。 超出保修服务范围的维修需要付费。 申请被拒是因为资料不全。 缓存未命中会增加延迟。 防火墙丢弃没有匹配规则的流量。".split(),
        *"我们不能保证次日送达。 本平台不能提供发票。 小说结尾，父亲对往事只字未提。 成语爱莫能助出自《诗经》。 目前没有数据表明它会致癌。 歌曲《我不知道》发行于2005年。".split(),
    ],
)
def test_a_chinese_denial_of_the_world_in_a_condition_or_in_a_quotation_is_an_answer(answer: str) -> None:
    assert stance_of(answer).kind == "none"


def test_what_is_judged_as_a_whole_is_what_the_answer_states() -> None:
    stance = stance_of("Happy to help! The documents do not give the price, but the plan is **free** for schools [1].")
    assert (stance.kind, stance.stated) == ("partial", "the plan is free for schools.")
    assert (
        stance_of("Hello! The fee is 5 euros and is paid once. Bye!").stated == "The fee is 5 euros and is paid once."
    )


def test_an_answer_that_only_asks_back_or_declines_leaves_nothing_to_judge() -> None:
    for answer in ("Which model do you have?", "I don't know.", "请提供您的订单号。"):
        assert stance_of(answer).claims == []


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (
            "I cannot give instructions for picking a lock. Breaking into a flat is illegal. It is important to respect what belongs to "
            "others. Burglars are fined or go to prison.",
            "full",
        ),
        ("I am an AI model and do not condone violence. Please remember that everyone deserves respect.", "full"),
        ("It is not appropriate to speculate about her health. Her privacy should be respected.", "full"),
        ("It is not safe to mix bleach with vinegar. Chlorine gas is dangerous.", "none"),
        ("It is not ethanol but methanol that is dangerous. It harms the eyes.", "none"),
        ("I can't make a recommendation on savings. An adviser would be the right person to ask.", "full"),
        ("I can't tell you which to choose; the choice is up to you.", "full"),
        ("I cannot give legal advice. However, the notice period in the contract is three months.", "partial"),
        (
            "I cannot give the price of the lift. A day ticket costs 40 euros, a week ticket 190 euros, both from the desk at the valley station.",
            "partial",
        ),
    ],
)
def test_a_refusal_with_a_lecture_declines_and_one_with_facts_does_not(answer: str, kind: str) -> None:
    assert stance_of(answer).kind == kind
