"""Which side of a change a value is: "rose from 14 % to 16 %", "up from $3bn", "was cut to five days"."""

from __future__ import annotations

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
_SIDES = {"from": -1, "to": 1}
_BETWEEN = frozenset("about around roughly nearly almost only just $ € £ ¥ ~".split())
_MOST_BACK = 6  # tokens


def with_sides(tokens: Tokens, found: list[tuple[Value, int, int]]) -> list[tuple[Value, int, int]]:
    """The values, and with those that a change begins from or comes to which of it they are."""
    sided: list[tuple[Value, int, int]] = []
    for value, first, end in found:
        before = sided[-1] if sided else None
        at = first - 1
        while tokens[at].low in _BETWEEN:
            at -= 1
        side = _SIDES.get(tokens[at].low, 0)
        goes_on = before is not None and before[0].side == -1 and before[2] == at and before[0].kind is value.kind
        of_change = side and value.kind is not Kind.TIME and (goes_on or _of_change(tokens, at))
        sided.append((replace(value, side=side) if of_change else value, first, end))
    return sided


def _of_change(tokens: Tokens, at: int) -> bool:
    """Whether a word of change stands close before token `at`; none within "up to"."""
    for n in range(at - 1, at - _MOST_BACK, -1):
        token = tokens[n]
        if token.kind == "end" or token.text in (".", ";", ",", "|"):
            return False
        if token.low in _CHANGES:
            return not (token.low in ("up", "down") and tokens[n + 1].low == "to")
    return False
