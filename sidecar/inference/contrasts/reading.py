"""A sentence as it is compared with another one: its words by clause, which of them are negated, and its opposites."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sidecar.inference.contrasts import exempt
from sidecar.inference.contrasts.limits import as_bounds
from sidecar.inference.contrasts.words import (
    AMOUNTS,
    BEING,
    DENIERS,
    FAILING,
    HELPING,
    LIMITS,
    LONGEST,
    MODAL_ENDS,
    MODALS,
    NEGATIONS,
    NOTHING,
    PARTLY,
    POLES,
    TRADED,
    TURNED,
    WHOLES,
)

_TOKEN = re.compile(r"[^\W\d_](?:[\w'’]{0,60})|\d[\d.,]{0,20}\d|\d|[^\w\s]|\n")
_MOST_CHARACTERS = 1500
_MOST_OPPOSITES = 40
_ENDS_CLAUSE = frozenset(",;:.!?()|\n")
_JOINS_CLAUSES = frozenset("and but while whereas or although though unless however instead because".split())
_REPLIES = frozenset({"no", "yes"})
_ALTERNATIVES = frozenset({"or", "nor"})
_LEAST_WORDS = 2  # of a clause that another one may follow
_HAVING = frozenset("have has had having i've we've you've they've".split())
_BEHIND_NEGATION = 4  # words
_MAYBE = frozenset("can could may might".split())
_ENUMERATE = frozenset({",", "and", "or"})
_NEAR = 8  # words
_VERB = 2  # words that say what may or must be done
_OWN, _FAR, _OTHERS, _ANOTHER_POLE, _CARRIED = 1.0, 0.7, 0.6, 0.15, 0.8
_PRONOUNS = frozenset("it they them this these those he she its their him her both".split())
_LOOKED_FOR_PRONOUN = 12  # words

Stem = Callable[[str], str | None]
Weight = Callable[[str], float]
Sides = tuple[Mapping[str, float], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Opposite:
    """Words of a group of opposites, text[start:end], at the tokens first..last; `pole` is what it says, negation and all."""

    group: str
    pole: int
    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence by tokens: each with its place, its stem (None of what says nothing), its clause and whether it is negated. Of the clauses
    `partly` are those that deny of a part alone ("only", "not all"), `denying` those that say without a negation that something is not so,
    `denied` those with a negation of more than what follows "without". `carried` are stems of the sentences that its pronouns stand for."""

    spans: tuple[tuple[int, int], ...]
    words: tuple[str, ...]
    stems: tuple[str | None, ...]
    clauses: tuple[int, ...]
    negated: tuple[bool, ...]
    partly: frozenset[int]
    denying: frozenset[int]
    denied: frozenset[int]
    opposites: tuple[Opposite, ...] = ()
    carried: frozenset[str] = frozenset()

    def by_clause(self) -> Iterator[list[int]]:
        """The tokens of each clause that are words or figures, but for those that join clauses."""
        told = (k for k, word in enumerate(self.words) if word[0].isalnum() and word not in _JOINS_CLAUSES)
        for _, group in itertools.groupby(told, key=self.clauses.__getitem__):
            yield list(group)

    def about(self, one: Opposite) -> dict[str, float]:
        """The stems around an opposite, with how much (0..1) each is its own; of a clause without a subject that of the clause before it too: "starts at 6 and
        ends at 8"."""
        clause = self.clauses[one.first]
        alike = [each for each in self.opposites if each.group == one.group and self.clauses[each.first] != clause]
        shares = self.around(one.first, one.last, {self.clauses[each.first] for each in alike})
        before = [each for each in alike if self.clauses[each.first] == clause - 1]
        if before and not self.subject(one.first):
            shares |= dict.fromkeys(self.subject(before[0].first), _OWN)
        return shares

    def verbs(self, one: Opposite) -> tuple[str, ...]:
        """The stems of the verb, and of what follows it, that an opposite is the modal of: "may be returned", "must give notice"."""
        if self.words[one.last] not in MODAL_ENDS:
            return ()
        behind = (
            self.stems[k] for k in range(one.last + 1, len(self.stems)) if self.clauses[k] == self.clauses[one.first]
        )
        return tuple(itertools.islice((stem for stem in behind if stem is not None), _VERB))

    def within_opposite(self, k: int) -> bool:
        """Whether a token is of an opposite of several words, whose negation is the opposite's: "at no charge" of "free of charge"."""
        return any(one.first < one.last and one.first <= k <= one.last for one in self.opposites)

    def listed(self, one: Opposite) -> frozenset[int]:
        """The poles of its group that an opposite is enumerated with: "red, green and blue"."""
        alike = [each for each in self.opposites if each.group == one.group]
        at = alike.index(one)
        first = last = at
        while first > 0 and self._enumerates(alike[first - 1], alike[first]):
            first -= 1
        while last + 1 < len(alike) and self._enumerates(alike[last], alike[last + 1]):
            last += 1
        return frozenset(each.pole for each in alike[first : last + 1]) if first < last else frozenset()

    def _enumerates(self, one: Opposite, other: Opposite) -> bool:
        return set(self.words[one.last + 1 : other.first]) <= _ENUMERATE

    def subject(self, k: int) -> frozenset[str]:
        """The stems before a token in its clause."""
        before = (j for j in range(k) if self.clauses[j] == self.clauses[k])
        return frozenset(stem for j in before if (stem := self.stems[j]) is not None)

    def left_out(self, k: int) -> frozenset[str]:
        """The stems of what the clause behind that of a token denies its words of: "breakfast is included, parking is not"."""
        behind = [
            j for j, clause in enumerate(self.clauses) if clause == self.clauses[k] + 1 and self.words[j][0].isalnum()
        ]
        if len(behind) < _LEAST_WORDS or not denies(self.words[behind[-1]]):
            return frozenset()
        if self.words[behind[-1]] in NEGATIONS and self.words[behind[-2]] not in HELPING:
            return frozenset()
        return frozenset(stem for j in behind if (stem := self.stems[j]) is not None)

    def sides(self, one: Opposite, about: Mapping[str, float]) -> Sides:
        """The stems about an opposite of its own side, which is what follows in its clause, and those of the other side; before "by" the
        sides of a verb have changed places. What goes on behind "and" is of neither side of a trade: "sells bread and cheese"."""
        clause = self.clauses[one.first]
        behind = {self.stems[k] for k in range(one.last + 1, len(self.stems)) if self.clauses[k] == clause}
        later = set(self.stems[one.last + 1 :]) if one.group in TRADED else set[str | None]()
        neither = self.carried | (later - behind)
        every = {stem: much for stem, much in about.items() if stem not in neither and not stem[0].isdecimal()}
        own, other = ({s: w for s, w in every.items() if (s in behind) is side} for side in (True, False))
        return (other, own) if self.words[one.last + 1 : one.last + 2] == ("by",) else (own, other)

    def counted(self, k: int) -> bool:
        """Whether figures stand behind a token in its clause."""
        behind = range(k + 1, min(len(self.words), k + 1 + _NEAR))
        return any(self.words[j][0].isdecimal() and self.clauses[j] == self.clauses[k] for j in behind)

    def compared(self, one: Opposite) -> bool:
        """Whether what it is compared with stands in the clause of an opposite."""
        behind = range(one.last + 1, len(self.words))
        return any(self.words[j] == "than" and self.clauses[j] == self.clauses[one.first] for j in behind)

    def unsure(self, k: int) -> bool:
        """Whether a negation of its clause may be of a token as well: "a deposit is not required" is "no deposit is required"."""
        return not self.negated[k] and self.clauses[k] in self.denied

    def around(self, first: int, last: int, taken: frozenset[int] | set[int] = frozenset()) -> dict[str, float]:
        """The stems around the tokens first..last, with how much (0..1) each is their own. `taken` are clauses that say it of something else."""
        shares: dict[str, float] = dict.fromkeys(self.carried, _CARRIED)
        for k, stem in enumerate(self.stems):
            if stem is None or first <= k <= last:
                continue
            clause = self.clauses[k]
            share = _OWN if clause == self.clauses[first] else _ANOTHER_POLE if clause in taken else _OTHERS
            share *= 1.0 if abs(k - first) <= _NEAR else _FAR
            shares[stem] = max(shares.get(stem, 0.0), share)
        return shares


def read(text: str, stem: Stem) -> Reading:
    """The sentence, at most so many characters of it. `stem` gives the stem of a lower-case word, None of one that says nothing."""
    text = text[:_MOST_CHARACTERS]
    found = list(_TOKEN.finditer(text))
    told = tuple(one.group().lower().replace("’", "'") for one in found)
    clauses = _clauses(told)
    words = as_bounds(told, clauses)
    stems = tuple(stem(word) if word[0].isalnum() else None for word in words)
    negated = tuple(_negated(words, stems, clauses, k) for k in range(len(words)))
    denying = frozenset(clause for word, clause in zip(words, clauses, strict=True) if word in DENIERS)
    denied = frozenset(
        clause for word, clause in zip(words, clauses, strict=True) if denies(word) and word != "without"
    )
    denied |= {clauses[k] for k in range(len(words)) if _fails(words, k)}
    denied |= {clauses[k] for k in range(1, len(words)) if words[k] == "or" and clauses[k - 1] in denied}
    spans = tuple(one.span() for one in found)
    reading = Reading(spans, words, stems, clauses, negated, _partly(words, clauses), denying, denied)
    return replace(reading, opposites=tuple(_opposites(text, reading)))


def carrying(reading: Reading, before: Reading | None) -> Reading:
    """The sentence with what its pronouns stand for: the words of the one before it."""
    if before is None or _PRONOUNS.isdisjoint(reading.words[:_LOOKED_FOR_PRONOUN]):
        return reading
    return replace(reading, carried=before.carried | {one for one in before.stems if one is not None})


def share(own: Mapping[str, float], other: Mapping[str, float], weight: Callable[[str], float], prior: float) -> float:
    """The share (0..1) of `own`, by weight and by how much each stem is its own, that the other has. `prior` is what half-held words are added,
    so that one word more or less is not all."""
    total = held = 0.0
    for stem, part in own.items():
        of = weight(stem) * part
        total += of
        held += of * other.get(stem, 0.0)
    return (held + prior / 2) / (total + prior)


def _clauses(words: Sequence[str]) -> tuple[int, ...]:
    clauses: list[int] = []
    clause = length = 0
    for k, word in enumerate(words):
        replied = word == "," and words[k - 1] in _REPLIES
        ends = word in _JOINS_CLAUSES or (word in _ENDS_CLAUSE and not _is_of_a_time(words, k))
        if ends and (length >= _LEAST_WORDS or replied):
            clause, length = clause + 1, 0
        length += word[0].isalnum() and word not in _JOINS_CLAUSES
        clauses.append(clause)
    return tuple(clauses)


def _is_of_a_time(words: Sequence[str], k: int) -> bool:
    """Whether it is the colon of "18:30"."""
    return words[k] == ":" and all(word[0].isdecimal() for word in (*words[max(0, k - 1) : k], *words[k + 1 : k + 2]))


def _partly(words: Sequence[str], clauses: Sequence[int]) -> frozenset[int]:
    whole = (clauses[j] for j in range(len(words) - 1) if denies(words[j]) and words[j + 1] in WHOLES)
    part = {clause for word, clause in zip(words, clauses, strict=True) if word in PARTLY}
    return frozenset(whole) | part | exempt.shut_too(words, clauses) | exempt.denied_of_some(words, clauses)


def _negated(words: Sequence[str], stems: Sequence[str | None], clauses: Sequence[int], k: int) -> bool:
    """Whether a negation stands shortly before a word, in its clause, and no other word that says something between but one that it is an
    alternative to ("not changed or refunded"), or whether it is free of it ("ad-free"): "not only" is none, nor is "do not take more than 8"."""
    if tuple(words[k + 1 : k + 3]) == ("-", "free") or exempt.is_no_fee(words, k) or _is_none(words, clauses, k):
        return True
    clause = clauses[k]
    for j in range(k - 1, max(-1, k - 1 - _BEHIND_NEGATION), -1):
        alternative = words[j + 1] in _ALTERNATIVES
        if clauses[j] != clause and not alternative:
            return False
        clause = clauses[j]
        if denies(words[j]) or _fails(words, j):
            if exempt.none_opens(words, clauses, j) is not None:
                return False
            limits = words[k + 1 : k + 2] != () and words[k + 1] in LIMITS and tuple(words[k + 2 : k + 3]) == ("than",)
            return not (limits or (words[j] == "without" and j > 0 and denies(words[j - 1])))
        if words[j] in ("only", "but") or (stems[j] is not None and not alternative):
            return False
    return False


def _is_none(words: Sequence[str], clauses: Sequence[int], k: int) -> bool:
    """Whether a clause begins with "no" and ends with a participle: "no checked bag included"."""
    begins = bisect_left(clauses, clauses[k])
    while begins < k and not words[begins][0].isalnum():
        begins += 1
    if exempt.none_opens(words, clauses, begins) == k:
        return True
    ends = k + 1 == len(words) or clauses[k + 1] != clauses[k] or not words[k + 1][0].isalnum()
    return words[begins] == "no" and 0 < k - begins <= _BEHIND_NEGATION and words[k].endswith("ed") and ends


def _fails(words: Sequence[str], k: int) -> bool:
    """Whether it says that somebody or something does not do what follows: "fails to", not "may fail to" or "never fails to"."""
    told = words[k] in FAILING and tuple(words[k + 1 : k + 2]) == ("to",)
    return told and not (k > 0 and (words[k - 1] in _MAYBE or denies(words[k - 1])))


def denies(word: str) -> bool:
    """Whether a word says that something is not so."""
    return word in NEGATIONS or word.endswith("n't")


def _opposites(text: str, reading: Reading) -> list[Opposite]:
    found: list[Opposite] = []
    k = 0
    while k < len(reading.words) and len(found) < _MOST_OPPOSITES:
        last = _last_of(reading.words, k)
        if last is None and (beside := exempt.beside_a_value(reading.words, k)):
            found.append(Opposite(*beside, k, k, *reading.spans[k]))
        start, end = reading.spans[k][0], reading.spans[last][1] if last is not None else 0
        month = start > 0 and text[start:end] == "May"
        told_before = reading.words[k] in ("before", "after") and reading.words[k + 1 : k + 2] in (("that",), ("this",))
        told_before |= reading.words[max(0, k - 1) : k + 1] == ("the", "following")
        until_after = reading.words[k] == "until" and exempt.is_shifted(reading.words, reading.clauses, k)
        if (
            last is None
            or month
            or told_before
            or until_after
            or exempt.is_part(text, start, end)
            or exempt.is_recipe(reading.words, k)
        ):
            k += 1
            continue
        passive = _is_passive(reading.words, k) and reading.words[last + 1 : last + 2] != ("by",)
        for group, pole in POLES[" ".join(reading.words[k : last + 1])]:
            if passive and group in TRADED:  # what "was given" somebody received
                continue
            turned = (group in TURNED and _turned(reading, k, last)) or exempt.is_nothing(reading.words, k)
            found.append(Opposite(group, 1 - pole if turned else pole, k, last, start, end))
        k = last + 1
    free = any((one.group, one.pole) == ("price", 0) for one in found)
    return [one for one in found if one.pole == 0 or not free or reading.words[one.first] not in AMOUNTS]


def _is_passive(words: Sequence[str], k: int) -> bool:
    """Whether a word says what was done to something: "was sent", "the number given there"; not "have already given"."""
    before = words[k - 1] if k else ""
    has = not _HAVING.isdisjoint(words[max(0, k - _BEHIND_NEGATION) : k]) or before.endswith(("'ve", "'s", "'d"))
    return before in BEING or (words[k] == "given" and not has)


def _turned(reading: Reading, first: int, last: int) -> bool:
    """Whether the words first..last are negated: before them, by a clause that begins so ("no deposit is required"), or, of "may" and "can",
    behind them ("can be neither changed nor refunded")."""
    if reading.negated[first]:
        return True
    begins = bisect_left(reading.clauses, reading.clauses[first])
    opening = reading.words[begins : min(begins + 3, first)]
    if first and reading.words[first - 1] in BEING and LIMITS.isdisjoint(opening) and not NOTHING.isdisjoint(opening):
        return True
    if reading.words[first] not in MODALS or first != last:
        return False
    for j in range(last + 1, min(len(reading.words), last + 1 + _BEHIND_NEGATION)):
        if reading.stems[j] is not None or reading.clauses[j] != reading.clauses[first]:
            return denies(reading.words[j])
        if denies(reading.words[j]):
            return True
    return False


def _last_of(words: Sequence[str], k: int) -> int | None:
    """The last token of the longest entry of POLES that begins at a token, None where none does."""
    longest = range(min(LONGEST.get(words[k], 0), len(words) - k), 0, -1)
    return next((k + n - 1 for n in longest if " ".join(words[k : k + n]) in POLES), None)
