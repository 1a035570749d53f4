"""Chinese words for one and the same thing where they stand before a condition: a claim is read with the one that its documents have ("不到100元" of "未满100元")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sidecar.inference.base import Claim
from sidecar.inference.contrasts.han_words import folded

_SAME = (
    ("未满", "不满", "没满", "没到", "不到", "不足", "未达到", "未达"),
    ("未提前", "没有提前", "没提前", "不提前"),
    ("逾期", "过期未还", "超期"),
)
_OF = {name: group for group in _SAME for name in group}
_NAMES = re.compile("|".join(sorted(_OF, key=len, reverse=True)))


def han_worded(claims: Sequence[Claim], documents: Sequence[str]) -> list[Claim]:
    """The claims, as their documents say it."""
    if not any(_NAMES.search(folded(one.text)) for one in claims):
        return list(claims)
    there = {one for document in documents for one in _NAMES.findall(folded(document))}
    instead = {name: other for name, group in _OF.items() if name not in there for other in group if other in there}
    return [
        replace(one, text=_NAMES.sub(lambda found: instead.get(found[0], found[0]), folded(one.text)))
        if instead
        else one
        for one in claims
    ]
