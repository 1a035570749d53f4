"""Negations that state a bound: "may not weigh more than 8 kg" is "may weigh no more than 8 kg", "is not possible after 5 p.m." "is possible until 5 p.m.".

Of these what is negated is no contrary of what a text allows up to there, so that they are read as it would say it."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.inference.contrasts.words import LIMITS, NEGATIONS

_BEYOND = frozenset("after beyond past over above exceed exceeds".split())
_ALLOWED = {"must": "may", "mustn't": "may", "can't": "can", "cannot": "can"}
_AMOUNTS = dict.fromkeys(
    "more bigger larger heavier higher longer taller older greater wider".split(), "more"
) | dict.fromkeys("less fewer smaller lighter lower shorter younger".split(), "less")
_FARTHEST = 9  # tokens from the negation to the bound
_FIGURES_BEHIND = 3
_NOTHING = "·"  # no word


def as_bounds(words: Sequence[str], clauses: Sequence[int]) -> tuple[str, ...]:
    """The words of a sentence, lower case, with negations that state a bound read as the bound."""
    read = list(words)
    for k, word in enumerate(words):
        if word not in NEGATIONS and not word.endswith("n't"):
            continue
        if k + 1 < len(words) and words[k + 1] in _AMOUNTS and _is_bound(words, k + 1):  # "no bigger than 40 cm"
            read[k], read[k + 1] = "no", _AMOUNTS[words[k + 1]]
        at = _bound(words, clauses, k)
        if at is None:
            continue
        read[k] = _ALLOWED.get(word, _NOTHING)
        if k and words[k - 1] == "must":
            read[k - 1] = "may"
        if words[at] in _BEYOND:
            read[at] = "until"
    return tuple(read)


def _bound(words: Sequence[str], clauses: Sequence[int], k: int) -> int | None:
    """The token behind a negation, in its clause, that begins a bound; "not more than" is read as one anyway."""
    for j in range(k + 1, min(len(words), k + 1 + _FARTHEST)):
        if clauses[j] != clauses[k]:
            return None
        beyond = words[j] in _BEYOND and _figures(words, j)
        if beyond or (j > k + 1 and words[j] in LIMITS and _is_bound(words, j)):
            return j
    return None


def _is_bound(words: Sequence[str], j: int) -> bool:
    return tuple(words[j + 1 : j + 2]) == ("than",) and _figures(words, j)


def _figures(words: Sequence[str], j: int) -> bool:
    return any(word[0].isdecimal() for word in words[j + 1 : j + 1 + _FIGURES_BEHIND])
