"""Chinese claims that deny without a condition or beyond a bound are read the other way round as well."""

from __future__ import annotations

import pytest

from sidecar.inference.base import Claim, Support
from sidecar.inference.grounding.han_inverted import better, both_ways, inverted


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("没有密码不能登录。", "登录需要密码。"),
        ("沒有密碼不能登錄。", "登录需要密碼。"),
        ("没满18岁不能参加活动。", "参加活动需要满18岁。"),
        ("未预约者不能参观。", "参观需要预约。"),
        ("没有门票的人不能入场", "入场需要门票。"),
        ("没有家长陪同，未成年人不能入园。", "未成年人入园需要家长陪同。"),
        ("不出示健康证不能乘车。", "乘车需要出示健康证。"),
        ("登录需要密码。", "没有密码不能登录。"),
        ("必须有密码才能登录。", "没有密码不能登录。"),
        ("超过30天不能退货。", "30天内可以退货。"),
    ],
)
def test_it_says_what_is_needed_or_lies_within(claim: str, said: str) -> None:
    assert inverted(claim) == said


@pytest.mark.parametrize(
    "claim", ["会员不能带外人。", "我们需要您的订单号。", "密码是八位。", "没有" + "密" * 60 + "不能登录。"]
)
def test_any_other_claim_is_read_as_it_is(claim: str) -> None:
    assert inverted(claim) == ""


def test_a_claim_has_the_better_of_both() -> None:
    claims = [Claim("密码是八位。"), Claim("没有密码不能登录。"), Claim("没有密码不能登录。", short=True)]
    assert both_ways(claims) == {1: Claim("登录需要密码。")}
    assert better(Support(0.1, None), Support(0.9, None)).probability == 0.9
    assert better(Support(0.5, None), Support(0.1, None)).probability == 0.5
