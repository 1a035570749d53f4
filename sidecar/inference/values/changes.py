"""Which side of a change a value is: "rose from 14 % to 16 %", "up from $3bn", "was cut to five days", "was 5 euros until June", "is now 7 euros"."""

from __future__ import annotations

import itertools
from dataclasses import replace

from sidecar.inference.values.numbers import Tokens
from sidecar.inference.values.value import Kind, Value

_CHANGES = frozenset(
    "rise rises rose risen rising grow grows grew grown growing increase increases increased increasing improve improves improved climb climbs climbed "
    "jump jumps jumped fall falls fell fallen falling drop drops dropped decline declines declined declining decrease decreases decreased decreasing "
    "slip slips slipped shrink shrinks shrank widen widens widened narrow narrows narrowed expand expands expanded go goes went gone change changes "
    "changed changing move moves moved raise raises raised lower lowers lowered cut cuts reduce reduces reduced extend extends extended shorten "
    "shortens shortened up down".split()
)
SIDED = frozenset({Kind.MONEY, Kind.QUANTITY, Kind.PERCENT, Kind.NUMBER, Kind.DATE})
_SIDES = {"from": -1, "to": 1}
_BETWEEN = frozenset("about around roughly nearly almost only just $ € £ ¥ ~".split())
_MOST_BACK = 6  # tokens
_FORMERLY = frozenset("previously formerly originally initially".split())
_NOW = frozenset("now currently nowadays".split())
_WAS = frozenset("was were cost".split())
_TELLING = _FORMERLY | _NOW | frozenset("used instead before until".split())


def with_sides(tokens: Tokens, found: list[tuple[Value, int, int]]) -> list[tuple[Value, int, int]]:
    """The values, and with those that a change begins from or comes to which of it they are."""
    sided: list[tuple[Value, int, int]] = []
    told = not _TELLING.isdisjoint(tokens.lows)
    for value, first, end in found:
        before = sided[-1] if sided else None
        at = first - 1
        while tokens[at].low in _BETWEEN:
            at -= 1
        side = _SIDES.get(tokens[at].low, 0)
        goes_on = before is not None and before[0].side == -1 and before[2] == at and before[0].kind is value.kind
        of_change = side and value.kind is not Kind.TIME and (goes_on or _of_change(tokens, at))
        if of_change and side < 0 and before and _is_what_came(before, value, tokens, at):
            sided[-1] = (replace(before[0], side=1), *before[1:])
        side = side if of_change else _then_or_now(tokens, first, end) if told and value.kind in SIDED else 0
        sided.append((replace(value, side=side) if side else value, first, end))
    return sided


def _is_what_came(before: tuple[Value, int, int], value: Value, tokens: Tokens, at: int) -> bool:
    """Whether the value before "down from" is what came of the one behind it: "60 euros, down from 90"."""
    near = tokens[at - 1].low in ("down", "up", "reduced", "increased", "raised") and at - 2 <= before[2]
    return near and before[0].kind is value.kind and not before[0].side


def _then_or_now(tokens: Tokens, first: int, end: int) -> int:
    """-1 of a value that was, 1 of one that is now, by the words of its clause that say so; else 0."""
    before = []
    for n in range(first - 1, first - 1 - _MOST_BACK, -1):
        if tokens[n].kind == "end" or tokens[n].text in (".", ";", ",", "|"):
            before += [tokens[n - 1].low] if tokens[n].text == "," and tokens[n - 1].low in _FORMERLY else []
            break
        if tokens[n].kind == "number":
            break
        before.append(tokens[n].low)
    used = any((one, other) == ("to", "used") for one, other in itertools.pairwise(before))
    if used or before[:2] == ["of", "instead"] or not _FORMERLY.isdisjoint(before):
        return -1
    if before[:1] in (["was"], ["were"]) and _NOW & {tokens[at].low for at in range(end, end + 3)}:
        return -1
    ends = tokens[end].low in ("before", "previously", "originally") and tokens[end + 1].kind in ("sign", "end")
    if (ends or tokens[end].low == "until") and not _WAS.isdisjoint(before):
        return -1
    return int(not _NOW.isdisjoint(before) or tokens[end].low in _NOW)


def _of_change(tokens: Tokens, at: int) -> bool:
    """Whether a word of change stands close before token `at`; none within "up to"."""
    for n in range(at - 1, at - _MOST_BACK, -1):
        token = tokens[n]
        if token.kind == "end" or token.text in (".", ";", ",", "|"):
            return False
        if token.low in _CHANGES:
            return not (token.low in ("up", "down") and tokens[n + 1].low == "to")
    return False
