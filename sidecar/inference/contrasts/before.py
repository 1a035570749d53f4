"""Which of two deeds comes first, where a claim says it and a text too: "salt the beans before they have softened" of "add the salt only after the beans have
turned soft", or "slice it, then let it cool" of "let it cool before slicing"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.contrasts.reading import Reading, Weight, denies

_FIRST, _SECOND = frozenset({"before"}), frozenset({"after", "once"})  # which of both what stands before such a word is
_NOT_UNTIL = frozenset({"before", "until"})
_MARKS = _FIRST | _SECOND | _NOT_UNTIL
# Of one case among others, what comes first is said of that alone.
_OF_A_CASE = frozenset("if when whenever whether unless except otherwise or who which whoever".split())
_TELLS_A_DEED = frozenset("is are has have had was were be been you it they he she we i".split())
_PAUSES = frozenset({",", ";", "and", "then"})
_REPLIES = frozenset({"no", "yes", ","})
_LEAST_PREFIX = 4  # letters of a stem that another one begins with
# Shares of a deed's words: of each, of two together, and by how much more than the other way round.
_OF_IT, _BOTH, _CLEARLY = 0.45, 1.2, 0.8


@dataclass(frozen=True, slots=True)
class Order:
    """The stems of what comes first and of what comes second; the word that says so is text[start:end]."""

    first: frozenset[str]
    second: frozenset[str]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Told:
    """What a claim tells at claim[start:end], and whether the text number `piece` has it so, at text[other_start:other_end]."""

    right: bool
    start: int
    end: int
    piece: int
    other_start: int
    other_end: int


def told_first(claim: Reading, asked: Reading, pieces: Sequence[Reading], weight: Weight) -> Told | None:
    """What the pieces say of the order that a claim tells two deeds in, one of them perhaps `asked` for ("Before they are soft."); None where they say nothing
    clear of it."""
    own = list(_orders(claim, asked)) if not _MARKS.union({"then"}).isdisjoint(claim.words) else []
    others = [(n, other) for n, piece in enumerate(pieces if own else ()) for other in _orders(piece)]
    found = [told for one in own if (told := _told(one, others, weight)) is not None]
    return next((one for one in found if not one.right), found[0] if found else None)


def _told(mine: Order, others: Sequence[tuple[int, Order]], weight: Weight) -> Told | None:
    turned: Told | None = None
    for n, other in others:
        straight = _shares(mine, other.first, other.second, weight)
        across = _shares(mine, other.second, other.first, weight)
        for shares, rest, right in ((straight, across, True), (across, straight, False)):
            if min(shares) >= _OF_IT and sum(shares) >= max(_BOTH, sum(rest) + _CLEARLY):
                told = Told(right, mine.start, mine.end, n, other.start, other.end)
                if right:
                    return told
                turned = turned or told
    return turned


def _orders(text: Reading, asked: Reading | None = None) -> Iterator[Order]:
    if not _OF_A_CASE.isdisjoint(text.words):
        return
    cuts = [k for k, word in enumerate(text.words) if word == "then" and k]
    parts = [range(a, b) for a, b in zip([0, *(k + 1 for k in cuts)], [*cuts, len(text.words)], strict=True)]
    told = [_within(text, part, asked) for part in parts]
    for n, cut in enumerate(cuts):
        one, other = told[n], told[n + 1]
        first = one.second if one else _stems(text, parts[n])
        second = other.first if other else _stems(text, parts[n + 1])
        if first and second:
            yield Order(first, second, *text.spans[cut])
    yield from (one for one in told if one is not None)


def _within(text: Reading, part: range, asked: Reading | None) -> Order | None:
    """What a part of a text says by one "before" or "after" of two deeds."""
    part = range(next((k for k in part if text.words[k] not in _REPLIES), part.stop), part.stop)
    marks = [k for k in part if text.words[k] in _MARKS]
    if len(marks) != 1:
        return None
    mark = marks[0]
    if any(text.words[k] not in _PAUSES for k in range(part.start, mark)):
        main, sub = range(part.start, mark), range(mark + 1, part.stop)
    else:
        comma = next((k for k in range(mark + 1, part.stop) if text.words[k] == ","), part.stop)
        main, sub = range(comma + 1, part.stop), range(mark + 1, comma)
    behind = [text.words[k] for k in sub]
    if not behind or not (behind[0].endswith("ing") or not _TELLS_A_DEED.isdisjoint(behind)):
        return None
    denied = any(denies(text.words[k]) for k in (*main, *sub))
    if denied and (text.words[mark] not in _NOT_UNTIL or any(denies(word) for word in behind)):
        return None
    if not denied and text.words[mark] == "until":
        return None
    one, other = _stems(text, main), _stems(text, sub)
    if asked is not None and not one and part.stop == len(text.words):
        one = _stems(asked, range(len(asked.words))) - other
    if not one or not other:
        return None
    first = text.words[mark] in _FIRST and not denied
    return Order(*((one, other) if first else (other, one)), *text.spans[mark])


def _stems(text: Reading, part: range) -> frozenset[str]:
    return frozenset(stem for k in part if (stem := text.stems[k]) is not None and not stem[0].isdecimal())


def _shares(own: Order, first: frozenset[str], second: frozenset[str], weight: Weight) -> tuple[float, float]:
    return _share(own.first, first, weight), _share(own.second, second, weight)


def _share(own: frozenset[str], other: frozenset[str], weight: Weight) -> float:
    total = sum(map(weight, own))
    held = sum(weight(stem) for stem in own if any(alike(stem, one) for one in other))
    return held / total if total else 0.0


def alike(one: str, other: str) -> bool:
    """Whether two stems may be of one word: "soften" and "soft"."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= _LEAST_PREFIX and long.startswith(short))
