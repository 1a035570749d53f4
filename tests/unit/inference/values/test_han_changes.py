"""Chinese values that were, and that are; and times of the day."""

from __future__ import annotations

import pytest

from sidecar.inference.values.han_changes import current
from sidecar.inference.values.han_stated import han_stated
from sidecar.inference.values.read import read_values


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("停车费自7月1日起由每小时5元上调至7元。", [0, -1, 1]),
        ("年假由5天增加到10天。", [-1, 1]),
        ("押金从每台300元改为200元。", [-1, 1]),
        ("该商品原价299元，现价199元。", [-1, 1]),
        ("营业时间由9点至18点。", [0, 0]),
        ("每小时7元。", [0]),
    ],
)
def test_a_value_says_which_side_of_a_change_it_is(text: str, sides: list[int]) -> None:
    assert [one.value.side for one in han_stated(text)] == sides


@pytest.mark.parametrize(
    ("claim", "sides"),
    [("每小时7元。", [1]), ("以前每小时5元。", [-1]), ("由5元上调至7元。", [-1, 1]), ("不是7元。", [0])],
)
def test_what_is_said_plainly_is_now(claim: str, sides: list[int]) -> None:
    assert [one.value.side for one in current(claim, han_stated(claim))] == sides


@pytest.mark.parametrize(
    ("text", "said", "hours", "dial"),
    [
        ("会议下午3:00开始。", "下午3:00", 15.0, False),
        ("会议下午3点开始。", "下午3点", 15.0, False),
        ("会议3点开始。", "3点", 3.0, True),
        ("晚上9:30关门", "晚上9:30", 21.5, False),
        ("凌晨1:00", "凌晨1:00", 1.0, False),
        ("六点一刻", "六点一刻", 6.25, True),
        ("十点三刻", "十点三刻", 10.75, True),
        ("差一刻七点", "七点", 6.75, True),
        ("六点四十五出发", "六点四十五", 6.75, True),
        ("15点开始", "15点", 15.0, False),
    ],
)
def test_times_of_the_day(text: str, said: str, hours: float, dial: bool) -> None:
    [one] = read_values(text)
    assert (text[one.start : one.end], one.amount, one.dial) == (said, hours, dial)


def test_the_end_of_a_range_is_of_its_half_of_the_day() -> None:
    assert [one.amount for one in read_values("门诊时间为上午8:00至下午5:00。")] == [8.0, 17.0]
    assert [one.amount for one in read_values("下午2:00-5:30")] == [14.0, 17.5]
