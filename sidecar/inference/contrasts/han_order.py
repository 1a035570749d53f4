"""Whether two parts of a Chinese clause have changed places, while all else of it stands as it stood: 甲起诉乙 and 乙起诉甲; and whether a clause
says of one thing, word for word, what a text says of another of its kind: 团队套餐 and 企业套餐."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

_LONGEST = 80  # characters
_LEAST_PART = 2
_MOST_PARTS = 8
_FIGURES = re.compile(r"\d|[一二两三四五六七八九十百千万亿]{1,9}[年月日天点时分元]")
_LITTLE = "了的地得"
_BOTH_WAYS = frozenset("和 与 與 及 以及 跟 同 或 或者 、 并 兼 即 等于 相当于 不同于".split())

_LONGEST_NAME, _LEAST_SAID, _LAST = 6, 4, 2
_OF_ALL = frozenset("所各均都每任该該此其本这這两兩")

_PRONOUNS = frozenset("你我他她它您们們谁誰")
_BY_WHOM = re.compile(
    r"(?P<what>[\u3400-\u9fff]{2,12})由(?P<who>[\u3400-\u9fff]{2,8}?)(?:来|進行|进行)?(?P<does>[\u3400-\u9fff]{2})"
)

Part = tuple[int, int, int]  # where it begins in the claim's clause, where in the text's, and its length


def exchanged(claim: str, text: str) -> bool:
    """Whether the claim's clause is made of parts of the text's, of which two have changed places around others that have not."""
    claim, text = _bare(claim), _bare(text)
    if claim in text or not 2 * _LEAST_PART < len(claim) <= _LONGEST or len(text) > 2 * _LONGEST:
        return False
    parts = _parts(claim, text)
    return any(_only_these(claim, parts, one, other) for one, other in combinations(range(len(parts)), 2))


def _bare(text: str) -> str:
    return text.strip().translate(dict.fromkeys(map(ord, _LITTLE)))


def _parts(claim: str, text: str) -> list[Part]:
    """The claim cut into the longest parts that the text has, from left to right; none where something of it is not there."""
    parts: list[Part] = []
    at = 0
    while at < len(claim):
        length = 1
        if claim[at] not in text or len(parts) == _MOST_PARTS:
            return []
        while at + length < len(claim) and claim[at : at + length + 1] in text:
            length += 1
        behind = parts[-1][1] + parts[-1][2] if parts else 0
        found = text.find(claim[at : at + length], behind)
        parts.append((at, found if found >= 0 else text.find(claim[at : at + length]), length))
        at += length
    return parts


def _only_these(claim: str, parts: list[Part], one: int, other: int) -> bool:
    between = claim[parts[one][0] + parts[one][2] : parts[other][0]]
    if not between or between in _BOTH_WAYS or min(parts[one][2], parts[other][2]) < _LEAST_PART:
        return False
    if any(_FIGURES.search(claim, parts[n][0], parts[n][0] + parts[n][2]) for n in (one, other)):
        return False  # a day stands before what happens on it, or behind
    order = list(parts)
    order[one], order[other] = order[other], order[one]
    return all(before[1] + before[2] <= behind[1] for before, behind in pairwise(order))


def of_another(claim: str, clauses: Sequence[str]) -> int | None:
    """The number of the clause that says of another thing of its kind what the claim's says of its own, which others name and say nothing of that."""
    claim = claim.strip()
    for n, text in enumerate(clauses):
        said = _shared_end(claim, text.strip())
        if said is None:
            continue
        name, other = said
        head = claim[len(name)]
        if name in other or other in name or not _OF_ALL.isdisjoint(other):
            continue
        theirs = [one for one in clauses if name + head in one]
        if theirs and not any(claim[-_LAST:] in one for one in theirs):
            return n
    return None


def by_another(claim: str, clauses: Sequence[str]) -> int | None:
    """The number of the clause that says of another one that he does what the claim says somebody does: 预算由行政部审批 of 项目预算由财务部审批, 记录由李华负责 of
    王敏负责记录; None where a clause says it as the claim does."""
    told = _BY_WHOM.fullmatch(claim.strip())
    if told is None:
        return None
    what, who, does = told["what"][-_LAST:], told["who"], told["does"]
    of_it = [n for n, text in enumerate(clauses) if what in text and does in text and not _PRONOUNS & set(text)]
    if not of_it or any(who[-_LAST:] in clauses[n] or who[:_LAST] in clauses[n] for n in of_it):
        return None
    return next((n for n in of_it if len(clauses[n]) <= _LONGEST), None)


def _shared_end(claim: str, text: str) -> tuple[str, str] | None:
    """What stands before the longest end of the claim's clause that the text has, in the claim and in the text, where both may be parts of names."""
    for at in range(1, min(_LONGEST_NAME, len(claim) - _LEAST_SAID) + 1):
        before = text.find(claim[at:])
        if before >= 0:
            return (claim[:at], text[:before]) if 0 < before <= _LONGEST_NAME else None
    return None
