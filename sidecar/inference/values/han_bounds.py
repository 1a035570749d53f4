"""What holds a Chinese value back: 约, 至少, 不得超过, 以内, 左右."""

from __future__ import annotations

from sidecar.inference.values.han_numerals import han, numeral
from sidecar.inference.values.han_words import (
    BOUNDS_BEFORE,
    BOUNDS_BEHIND,
    COUNTED,
    LONGEST_BOUND,
    NOT,
    NOT_ABOUT_BEHIND,
    NOT_MORE_BEFORE,
    NOT_WITHIN_BEFORE,
)
from sidecar.inference.values.numbers import Tokens
from sidecar.inference.values.value import Hedge

_OPPOSITE = {Hedge.LEAST: Hedge.MOST, Hedge.MOST: Hedge.LEAST}
_AGE = frozenset("周週岁歲")


def bound_before(tokens: Tokens, n: int) -> Hedge:
    """What the words before token n hold a value back to; 不得超过 is at most."""
    for length in range(LONGEST_BOUND, 0, -1):
        said = han(tokens, n - length, length)
        bound = BOUNDS_BEFORE.get(said)
        if bound is None or len(said) < length or (length == 1 and tokens[n - 2].text in NOT_ABOUT_BEHIND):
            continue
        denied = said[0] not in NOT and any(char in NOT for char in han(tokens, n - length - 2, 2))
        return _OPPOSITE.get(bound, bound) if denied else bound
    return Hedge.NONE


def bound_behind(tokens: Tokens, n: int) -> Hedge:
    """The same of the words from token n on."""
    for _ in range(2):
        if tokens[n].text in COUNTED | _AGE and not _breaks(tokens, n):
            n += 1
    for length in (2, 1):
        said = han(tokens, n, length)
        if said in BOUNDS_BEHIND and len(said) == length and not _breaks(tokens, n):
            return BOUNDS_BEHIND[said] if length > 1 or _stands(tokens, n) else Hedge.NONE
    return Hedge.NONE


def _breaks(tokens: Tokens, n: int) -> bool:
    """Whether a line ends before token n."""
    return "\n" in tokens.text[tokens[n - 1].end : tokens[n].start]


def _stands(tokens: Tokens, n: int) -> bool:
    """Whether a word of one character is one, not the beginning of another: 起诉, 内部, 多次."""
    one, before, behind = tokens[n].text, tokens[n - 1], tokens[n + 1]
    if one == "起":
        return before.kind == "han" and behind.kind != "han"
    if one in "内內":
        return before.kind == "han" and behind.text not in NOT_WITHIN_BEFORE
    return before.kind == "number" or numeral(tokens, n - 1) is not None or behind.text not in NOT_MORE_BEFORE
