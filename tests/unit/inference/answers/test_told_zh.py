"""What one Chinese sentence tells of an answer to a plain question: that it is right (True), wrong (False), or nothing (None)."""

from __future__ import annotations

import pytest

from sidecar.inference.answers.han_told import told

_DAYS = "本馆周二至周日开放。"
_BUT = "除周一外每天开放。"
_ROLES = "张三任财务经理，李四任人事经理。"
_NUMBERS = "订单号为A20240315，快递单号为SF10086。"
_PLANS = "A套餐每月39元，B套餐每月69元，C套餐每月129元。"
_STEPS = "请先填写申请表，再到窗口缴费，最后领取证件。"
_EXCEPT = "除特价商品外，均可退货。"
_ONLY = "本优惠仅限新用户使用。"


@pytest.mark.parametrize(
    ("document", "question", "right", "wrong"),
    [
        (_DAYS, "", "周一闭馆。", "周一开放。"),
        (_DAYS, "周三开放吗？", "开放。", "不开放。"),
        (_BUT, "", "周二开放。", "周二不开放。"),
        ("公休日：星期二。", "", "星期二休息。", "星期二营业。"),
        ("营业时间为周一至周五9:00-17:00。", "周末营业吗？", "周末不营业。", "周六也营业。"),
        ("本館星期二公休。", "", "星期二休館。", "星期二開放。"),
        (_ROLES, "财务经理是谁？", None, "李四"),
        (_ROLES, "", None, "财务经理是李四。"),
        (_NUMBERS, "", None, "快递单号是A20240315。"),
        (_PLANS, "哪个最便宜？", "A套餐", "B套餐"),
        (_PLANS, "", "C套餐最贵。", "A套餐最贵。"),
        ("东门离地铁站300米，西门离地铁站800米。", "", "从东门走离地铁站更近。", "从西门走离地铁站更近。"),
        (_STEPS, "", "先填申请表，再缴费。", "先缴费，再填申请表。"),
        ("入职流程：体检、签合同、领工牌。", "第一步是什么？", "体检", "领工牌"),
        (_EXCEPT, "特价商品能退吗？", "特价商品不能退货。", "特价商品可以退货。"),
        (_ONLY, "老用户能用吗？", None, "老用户也能使用该优惠。"),
        ("全国包邮，新疆、西藏除外。", "新疆包邮吗？", "新疆不包邮。", "新疆包邮。"),
        ("本店不接受信用卡。", "可以刷信用卡吗？", "否。", "可以。"),
        ("充电宝可以带上飞机。", "充电宝能带上飞机吗？", "可以。", "不能。"),
    ],
)  # fmt: skip
def test_what_is_right_and_what_is_wrong_is_told(
    document: str, question: str, right: str | None, wrong: str | None
) -> None:
    for answer, holds in ((right, True), (wrong, False)):
        found = told(question, answer, [document]) if answer is not None else None
        assert answer is None or (found is not None and found.holds is holds), answer


@pytest.mark.parametrize(
    ("document", "question", "answer"),
    [
        (_DAYS, "", "周三上午9点开放。"),  # the hour is not said
        (_DAYS + "周一仅限团体参观。", "", "周一闭馆，团体除外。"),
        (_ROLES, "", "张三和李四是经理。"),
        (_PLANS, "B套餐比A套餐贵多少？", "贵30元。"),
        (_STEPS, "", "领取证件需要缴费。"),
        ("停车费5元。", "停车免费吗？", "是的。"),
        ("如果天气好，泳池开放。", "泳池开放吗？", "可以。"),
        ("门诊周一至周五开诊。急诊每天开放。", "急诊周六开放吗？", "急诊周六开放。"),
    ],
)
def test_of_what_is_not_plain_nothing_is_told(document: str, question: str, answer: str) -> None:
    assert told(question, answer, [document]) is None


def test_what_is_too_long_to_decide_may_still_be_what_is_asked() -> None:
    document, long = "本店不接受信用卡。", f"海外{'各地的' * 60}信用卡可以刷。"
    assert told("可以刷海外信用卡吗？", "否。", [document, long]) is None
    found = told("可以刷信用卡吗？", "否。", [document])
    assert found is not None
    assert (found.holds, found.document, found.start, found.end) == (True, 0, 0, len(document) - 1)
