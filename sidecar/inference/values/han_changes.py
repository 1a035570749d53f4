"""Which side of a change a Chinese value is: 由每小时5元上调至7元, 原价299元，现价199元."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.values.stated import Stated
from sidecar.inference.values.value import Value

_BACK = 12  # characters
_FROM = re.compile(r"[由从自][^，。；,;]{0,9}\Z")
_TO = re.compile(
    r"[^，。；,;]{0,6}?(?=[上下调增提延缩减更变改降涨升扩])(?:上调|下调|调整|调|增加|提高|延长|缩短|减少|更改|变更|改|降低|降|上涨|涨|提升|升级|升|扩大|下降|增|减|变)(?:为|至|到|成)[^\d，。；,;]{0,5}"
)
_WAS = re.compile(r"(?:原|以前|之前|过去|曾经?|旧)[^，。；,;]{0,6}\Z")
_IS = re.compile(r"(?:现|目前|如今|今后|改为|调整为|变更为)[^，。；,;]{0,6}\Z")
_OF_A_CHANGE = re.compile(
    r"原|以前|之前|过去|曾|旧|[由从自]|[上下]调|调整|增|减|提高|延长|缩短|改|降|涨|升|不|没|无|如果|若"
)


def with_sides(text: str, values: Sequence[Value]) -> list[Value]:
    """The values of a text, with which side of a change they are."""
    sides = [_side(text, one) for one in values]
    for n, (one, other) in enumerate(itertools.pairwise(values)):
        begins = _FROM.search(text, max(0, one.start - _BACK), one.start)
        if begins and _TO.fullmatch(text, one.end, other.start):
            sides[n], sides[n + 1] = -1, 1
    return [replace(one, side=side) if side else one for one, side in zip(values, sides, strict=True)]


def current(claim: str, own: Sequence[Stated]) -> tuple[Stated, ...]:
    """The values of a claim that says what is, as of that side of any change."""
    if _OF_A_CHANGE.search(claim):
        return tuple(own)
    return tuple(replace(one, value=replace(one.value, side=1)) for one in own)


def _side(text: str, value: Value) -> int:
    before = max(0, value.start - _BACK), value.start
    return -1 if _WAS.search(text, *before) else int(_IS.search(text, *before) is not None)
