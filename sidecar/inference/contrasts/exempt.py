"""Words of a group of opposites that are none where they stand, and those that are one there alone."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.inference.contrasts.words import AMOUNTS, COURSES

_RELATES = frozenset({"that", "which", "who"})
_BEING = frozenset("is are was were isn't aren't wasn't weren't has have hasn't haven't do does don't doesn't".split())
_SHUT, _WHEN = frozenset({"closed", "shut", "unavailable"}), frozenset({"on", "in", "at", "during"})
_MOST_BETWEEN = 4  # words
_OPENS = frozenset("open opens close closes".split())
_FEES = frozenset("fee fees charge charges cost costs surcharge".split())


def is_recipe(words: Sequence[str], k: int) -> bool:
    """Whether it is what one is told to do with eggs: nobody is before it whom it would be said of."""
    return words[k] == "beat" and not any(word.isalpha() for word in words[:k])


def is_shifted(words: Sequence[str], clauses: Sequence[int], k: int) -> bool:
    """Whether a time after, or before, something follows in the clause: "until one month after the contract has ended"."""
    ahead = range(k + 2, min(len(words), k + 2 + _MOST_BETWEEN))
    return any(words[j] in ("after", "before") and clauses[j] == clauses[k] for j in ahead)


def is_part(text: str, start: int, end: int) -> bool:
    """Whether it is part of a word with hyphens, "Retry-After"."""
    return text[start - 1 : start] == "-" or (text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha())


def is_nothing(words: Sequence[str], k: int) -> bool:
    """Whether it is the sign of a currency before 0: "$0" is free."""
    figures = words[k + 1] if words[k] in AMOUNTS and k + 1 < len(words) else ""
    return figures.startswith("0") and not figures.strip("0.,")


def beside_a_value(words: Sequence[str], k: int) -> tuple[str, int] | None:
    """The group and the pole of a word that has one beside a value alone: "up 12 %", "€70 extra"."""
    if words[k] in COURSES and _is_share(words, k + 1):
        return "rise", COURSES[words[k]]
    priced = words[k] == "extra" and k > 1 and (words[k - 1] in AMOUNTS or words[k - 2] in AMOUNTS)
    return ("part", 1) if priced and words[k - 1][-1].isalnum() else None


def _is_share(words: Sequence[str], k: int) -> bool:
    """Whether a share stands at a token, "12 %", behind "by" or not."""
    k += words[k : k + 1] == ("by",)
    figures, sign = words[k : k + 1], words[k + 1 : k + 2]
    return bool(figures) and figures[0][0].isdecimal() and sign in (("%",), ("percent",), ("per",))


def none_opens(words: Sequence[str], clauses: Sequence[int], begins: int) -> int | None:
    """The token that says of what a clause from token `begins` on denies whether it opens: "no branch opens"; None where none does."""
    behind = range(begins + 2, min(len(words), begins + 2 + _MOST_BETWEEN)) if words[begins] == "no" else ()
    return next((j for j in behind if words[j] in _OPENS and clauses[j] == clauses[begins]), None)


def is_no_fee(words: Sequence[str], k: int) -> bool:
    """Whether it is a fee of some kind that there is not: "no monthly fee"."""
    return k > 1 and words[k] in _FEES and words[k - 2] == "no" and words[k - 1].isalpha()


def shut_too(words: Sequence[str], clauses: Sequence[int]) -> frozenset[int]:
    """The clauses that go on what is closed, and have no word of their own for it: "closed on Mondays and on public holidays"."""
    shut = {clause for word, clause in zip(words, clauses, strict=True) if word in _SHUT}
    goes_on = (clauses[j] for j in range(1, len(words)) if words[j] in _WHEN and words[j - 1] == "and")
    return frozenset(clause for clause in goes_on if clause - 1 in shut)


def denied_of_some(words: Sequence[str], clauses: Sequence[int]) -> frozenset[int]:
    """The clauses that deny something of those alone that they speak of: "overtime that is not claimed within three months lapses"."""
    return frozenset(
        clauses[j]
        for j in range(len(words) - 2)
        if words[j] in _RELATES
        and (words[j + 1 : j + 3][-1] == "not" or words[j + 1].endswith("n't"))
        and words[j + 1] in _BEING
    )
