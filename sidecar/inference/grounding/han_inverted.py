"""Chinese claims that deny something without a condition, or beyond a bound, the other way round: 没有密码不能登录 is 登录需要密码, 超过30天不能退货 is
30天内可以退货; and 登录需要密码 is 没有密码不能登录. As English ones (`inverted`), they are read both ways."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sidecar.inference.base import Claim, Support
from sidecar.inference.contrasts.han_words import folded

_LONGEST = 40  # characters
_CANNOT = r"(?:就|便|则|是|將|将)?(?:不能|不可以|不可|不得|无法|不予|不许|不让|不會|不能够|办不了)"
_WITHOUT = re.compile(
    rf"(?P<who>[^，,。；没無无未不缺]{{0,12}}?)(?:没有|没|无|未经|未|不带|缺少|不持有?|不(?=出示|提交|提供|交|满|填))(?P<what>[^，,。；不]{{1,12}}?)(?:的(?:人|话)?|者)?(?:[，,](?P<whom>[^，,。；不没]{{1,8}}?))?[，,]?{_CANNOT}(?P<act>[^，,。；不]{{1,16}})[。！!]?"
)
_NEEDS = re.compile(
    r"(?!我们|您|你|他)(?P<act>[^，,。；不没无未]{1,12}?)(?:需要|必须|必需|须|需|要)(?:先|有|持有?|凭|提供|出示|提交)?(?P<what>[^，,。；不没无未]{1,12})[。！!]?"
)
_ONLY_WITH = re.compile(
    r"(?:必须|需要?|要|只有)?(?:先|有|持有?|凭)?(?P<what>[^，,。；不没无未]{1,12})才(?:能|可以?)(?P<act>[^，,。；不没无未]{1,12})[。！!]?"
)
_BEYOND = re.compile(
    rf"(?:超过|过了|满)(?P<bound>[^，,。；]{{0,3}}\d+(?:个)?(?:天|日|小时|分钟|周|月|年))(?:后|以后|之后)?(?:的)?[，,]?{_CANNOT}(?P<act>[^，,。；不]{{1,12}})[。！!]?"
)


def inverted(text: str) -> str:
    """What a claim says the other way round; "" of any other claim."""
    text = folded(text).strip()
    if len(text) > _LONGEST:
        return ""
    if found := _BEYOND.fullmatch(text):
        return f"{found['bound']}内可以{found['act']}。"
    if found := _WITHOUT.fullmatch(text):
        return f"{found['who']}{found['whom'] or ''}{found['act']}需要{found['what']}。"
    if found := _ONLY_WITH.fullmatch(text) or _NEEDS.fullmatch(text):
        return f"没有{found['what']}不能{found['act']}。"
    return ""


def both_ways(claims: Sequence[Claim]) -> Mapping[int, Claim]:
    """The claims that can be read the other way round as well, as they are read so, by their places."""
    found = {n: inverted(one.text) for n, one in enumerate(claims) if not one.short}
    return {n: replace(claims[n], text=text) for n, text in found.items() if text}


def better(own: Support, other: Support) -> Support:
    """What is found of a claim: of it as it is, or the other way round."""
    return replace(other, conflicts=()) if other.probability > own.probability else own
