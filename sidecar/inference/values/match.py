"""What the evidence has for each value of a claim: the same value, another one where the same is spoken of, or none."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sidecar.inference.values.alike import (
    comparable,
    is_its_amount,
    is_nearer,
    lasts_between,
    led_crosswise,
    of_figures,
    of_the_same,
    same_figures,
    spans_of,
    stand_exchanged,
    stands_alike,
)
from sidecar.inference.values.arithmetic import OF_A_DAY, follows
from sidecar.inference.values.compare import (
    agree,
    dimension,
    equal,
    is_a_case,
    less_exact,
    may_be_working,
    same_digits,
)
from sidecar.inference.values.moments import is_moved
from sidecar.inference.values.rows import (
    HARDLY,
    OF_ITS_CLAUSE,
    Rows,
    cell_instead,
    other_measure,
    rows_named,
    rows_of,
)
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.value import Hedge, Kind, Value

MOST_VALUES = 200  # of the evidence that are looked at
_PRIOR = 4.0  # of idf: what half-held words are added, so that one word more or less is not all
_CLEARLY = 0.12  # by how much more of the claim's words stand with the other value
_CLEARLY_IN_ONE_TEXT = 0.2
_CROSSED = 0.15  # by how much better two values fit each other's places
_OF_MONEY = 2  # times and lengths of one matter may be told at each other's places, amounts hardly
_MOST_CROSSED = 12  # values of a claim
_PIECES_OF_OPERANDS = 6  # the best: of many numbers any other can be made
_SAME_MATTER = 0.3  # share of the claim's words from which on the other value speaks of the same matter
_NEARLY_ALL = 0.75  # share from which on what the equal value has of the claim's words, the other has too: what it lacks is what counts
_SAID_OF_IT, _SAID_IN_FULL = 0.6, 0.85  # shares from which on another day, and another amount, is said of the very same
_LITTLE, _ASKED = 8.0, 0.6  # of idf: what says next to nothing; how much a word of the question is a value's own
_BOUNDARY = frozenset("end ended start begin began due deadlin expir expiry clos".split())  # no day in between
_COUNTS = frozenset({Kind.NUMBER, Kind.PERCENT, Kind.QUANTITY})  # what amounts are multiplied by
_EXACT = frozenset({Hedge.NONE, Hedge.ABOUT})

Weight = Callable[[str], float]


class Outcome(enum.StrEnum):
    """What the evidence has: the value, the value by arithmetic, another value, or none of the kind."""

    AGREES = "agrees"
    FOLLOWS = "follows"
    DISAGREES = "disagrees"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found for one value of a claim. `strength` (0..1) is the share of the claim's words that stand with it; `other` is the
    value of the evidence and `piece` the number of the text that it stands in, where there is one; `certain` says that there is no doubt: the
    claim names another row or column of a table than the one that has its value."""

    outcome: Outcome
    value: Value
    strength: float
    other: Value | None = None
    piece: int = -1
    certain: bool = False


@dataclass(frozen=True, slots=True)
class _There:
    """A value of the evidence beside one of the claim."""

    stated: Stated
    piece: int
    strength: float


@dataclass(slots=True)
class _Case:
    """A value of the claim with the best equal value and the best unequal one, and by how much it has changed places with another; `certain` of one that
    is of another time, or stands behind the other's label."""

    own: Stated
    same: _There | None
    other: _There | None
    crossed: float = 0.0
    certain: bool = False


def match(
    claim: Sequence[Stated],
    pieces: Iterable[Sequence[Stated]],
    weight: Weight,
    asked: Sequence[Value] = (),
    about: frozenset[str] | None = frozenset(),
    question: frozenset[str] = frozenset(),
) -> list[Finding]:
    """A finding for each value of the claim. `pieces` are the texts of the evidence, best first, `weight` how telling a stem is, `asked` the values of
    the question, of which with those of the evidence the claim's may be made, `about` stems that stand for its pronouns, None of a claim
    that compares rows of a table, so that one it names need not be the one it speaks of; `question` its stems, which may name a column."""
    evidence = [(one, number) for number, piece in enumerate(pieces) for one in piece][:MOST_VALUES]
    cells = [one for one, _ in evidence if one.row]
    named = None if about is None else rows_named(claim, cells, about)
    counted = {piece for one, piece in evidence if one.value.kind in _COUNTS}
    columns = any(one.head for one, _ in evidence)
    of = [rows_of(one, claim, cells, named, question, columns=columns) for one in claim]
    daily = any(one.value.kind is Kind.TIME for one in claim)  # "in July it closes at 8 pm"
    cases = [_asked_too(_case(one, evidence, weight, daily=daily), evidence, about, weight) for one in claim]
    for one, other in itertools.combinations(cases[:_MOST_CROSSED], 2):
        _compare_places(one, other, weight)
    near = [one for one, piece in evidence if piece < _PIECES_OF_OPERANDS]
    found = [
        _in_its_cell(case.own, claim, evidence, rows, question)
        or (
            None
            if case.same
            else _by_weight(case.own, claim, evidence, lambda own, one: _shared(own, one, weight) >= _SAME_MATTER)
        )
        or _decide(
            case,
            [*_operands(case.own, claim, _of_its_rows(case.own, near)), *asked],
            [one.value for one, piece in evidence if case.other is not None and piece == case.other.piece],
            rows,
            alone=len(claim) == 1 and not asked and case.other is not None and case.other.piece not in counted,
        )
        for case, rows in zip(cases, of, strict=True)
    ]
    return [
        (_by_weight(own, claim, evidence, lambda *_: True) or one) if one.outcome is Outcome.ABSENT else one
        for own, one in zip(claim, found, strict=True)
    ]


def _asked_too(
    case: _Case, evidence: Sequence[tuple[Stated, int]], about: frozenset[str] | None, weight: Weight
) -> _Case:
    """A case of an amount of money that the evidence has, and another one too, where the claim's words say next to nothing ("you would pay $320"): by the stems
    that stand for its pronouns as well."""
    little = sum(weight(stem) * share for stem, share in case.own.words.items()) < _LITTLE
    if not (little and about and case.same and case.other and case.own.value.kind is Kind.MONEY):
        return case
    return _case(replace(case.own, words={**dict.fromkeys(about, _ASKED), **case.own.words}), evidence, weight)


def _in_its_cell(
    own: Stated,
    claim: Sequence[Stated],
    evidence: Sequence[tuple[Stated, int]],
    named: Rows | None,
    question: frozenset[str],
) -> Finding | None:
    """Another value that a table has where the claim's should stand."""
    found = cell_instead(own, claim, evidence, named, question, _is_another_way) if named else None
    return None if found is None else Finding(Outcome.DISAGREES, own.value, 1.0, found[0].value, found[1], certain=True)


def _of_its_rows(own: Stated, there: Sequence[Stated]) -> list[Value]:
    """The values that a claim's may be made of: where it names rows of a table, none of other rows. Figures of a row's name are no words."""
    mine = [_words_of(one.row) <= own.words.keys() for one in there]
    named = any(one.row and held for one, held in zip(there, mine, strict=True))
    return [one.value for one, held in zip(there, mine, strict=True) if not named or held]


def _words_of(row: frozenset[str]) -> frozenset[str]:
    words = frozenset(stem for stem in row if not stem.isdecimal())
    return words or row


def _case(own: Stated, evidence: Sequence[tuple[Stated, int]], weight: Weight, *, daily: bool = False) -> _Case:
    same, others, alike, former = None, None, None, None
    spans = spans_of(evidence) if own.value.unit in OF_A_DAY else frozenset[int]()
    within = daily or _BOUNDARY.isdisjoint(own.words)
    for one, piece in evidence:
        if not (comparable(own, one) or (piece in spans and lasts_between(own.value, one.value))):
            continue
        found = _There(one, piece, _shared(own, one, weight))
        if is_its_amount(own, one) or agree(own.value, one.value, within=within):
            same = max(same or found, found, key=lambda there: there.strength)
        elif not _is_another_way(own.value, one.value) and of_the_same(own, one):
            others = max(others or found, found, key=lambda there: there.strength)
            found = _There(one, piece, _shared(own, one, weight, same_figures(own.value, one.value)))
            alike = max(alike or found, found, key=lambda there: there.strength)
        elif own.value.side * one.value.side < 0 and equal(own.value, one.value):
            former = max(former or found, found, key=lambda there: there.strength)
    if same and own.whole:
        return _Case(own, same, None)
    if former and not same:  # What was, where the claim says what is.
        return _Case(own, None, alike or former, former.strength, certain=True)
    return _Case(own, same, others if same else alike)


def _is_another_way(own: Value, other: Value) -> bool:
    """Whether a value that does not agree may be of the same, said in another way, or of the other side of a change, of which another speaks."""
    if own.side * other.side < 0:
        return True
    return less_exact(own, other) or may_be_working(own, other) or is_a_case(own, other)


def _compare_places(one: _Case, other: _Case, weight: Weight) -> None:
    """Two values of the claim that the evidence has both: have they changed places? If not, neither speaks against the other."""
    if not one.same or not other.same or dimension(one.own.value) != dimension(other.own.value):
        return
    if same_digits(one.own.value, other.own.value):
        return
    for case, partner in ((one, other), (other, one)):
        assert case.same is not None
        assert partner.same is not None
        there = case.other.stated if case.other else None
        if there is partner.same.stated and is_nearer(partner.own, case.own, there, case.same.stated):
            case.other = None
    exchanged = stand_exchanged(one.own, other.own, one.same.stated, other.same.stated)
    if one.same.stated is other.same.stated or (one.same.piece != other.same.piece and not exchanged):
        return
    crossed = [_shared(one.own, other.same.stated, weight), _shared(other.own, one.same.stated, weight)]
    gain = sum(crossed) - one.same.strength - other.same.strength
    if exchanged or led_crosswise(one.own, other.own, one.same.stated, other.same.stated):
        gain = 1.0
    for case, partner in ((one, other), (other, one)):
        assert partner.same is not None
        if gain > _CROSSED and gain > case.crossed:
            case.other, case.crossed, case.certain = partner.same, min(1.0, gain), exchanged
        elif gain <= _CROSSED and case.other and case.other.stated is partner.same.stated:
            case.other = None


def _by_weight(
    own: Stated,
    claim: Sequence[Stated],
    evidence: Sequence[tuple[Stated, int]],
    of_it: Callable[[Stated, Stated], bool],
) -> Finding | None:
    found = other_measure(own, claim, evidence, of_it)
    return found and Finding(Outcome.DISAGREES, own.value, _SAID_IN_FULL, found[0].value, found[1])


def _operands(own: Stated, claim: Sequence[Stated], known: Sequence[Value]) -> list[Value]:
    """What a value may be made of: those of the evidence, and for an amount of money, or where the evidence has a rate, the claim's own."""
    takes_own = own.value.kind is Kind.MONEY or any(one.per for one in known)
    return [*(one.value for one in claim if takes_own and one is not own), *known]


def _decide(
    case: _Case,
    operands: Sequence[Value],
    beside: Sequence[Value],
    named: Rows | None,
    *,
    alone: bool,
) -> Finding:
    """What becomes of a value, by the `operands` it may be made of and those `beside` the best unequal one."""
    own, same, other = case.own.value, case.same, case.other
    if case.crossed and other:
        crossed = min(1.0, (_OF_MONEY if own.kind is Kind.MONEY else 1) * case.crossed)
        return Finding(Outcome.DISAGREES, own, crossed, other.stated.value, other.piece, case.certain)
    margin = _CLEARLY_IN_ONE_TEXT if same and other and same.piece == other.piece else _CLEARLY
    in_another_row = same is not None and other is not None and _of_another_row(case.own, same, other, named)
    if same and other and stands_alike(case.own, same.stated, other.stated):
        return Finding(Outcome.AGREES, own, same.strength, same.stated.value, same.piece)
    if same and other and _leads_to_another(case.own, same, other):
        return Finding(Outcome.DISAGREES, own, other.strength, other.stated.value, other.piece)
    if same and not in_another_row and (other is None or other.strength < same.strength + margin):
        return Finding(Outcome.AGREES, own, same.strength, same.stated.value, same.piece)
    if own.kind is Kind.DATE and not same and other and other.strength < _NEARLY_ALL and is_moved(own, beside):
        return Finding(Outcome.FOLLOWS, own, 0.5)
    if (
        same is None
        and not _said_of_it(own, other)
        and not (alone and _is_its_amount(case.own, other))
        and follows(own, operands)
    ):
        return Finding(Outcome.FOLLOWS, own, 0.5)
    if other and other.strength >= _SAME_MATTER:
        kept = same.strength if same and not in_another_row else 0.0
        strength = (other.strength - kept) / (1.0 - kept if other.strength >= _NEARLY_ALL else 1.0)
        strength = max(strength, of_figures(own, other.stated.value))
        return Finding(Outcome.DISAGREES, own, strength, other.stated.value, other.piece, in_another_row)
    if same:
        return Finding(Outcome.AGREES, own, same.strength, same.stated.value, same.piece)
    return Finding(Outcome.ABSENT, own, other.strength if other else 0.0)


def _said_of_it(own: Value, other: _There | None) -> bool:
    """Whether another value is said of the very same, so that what two values happen to make does not make the claim's."""
    if other is None or own.kind is not other.stated.value.kind or own.per != other.stated.value.per:
        return False
    if own.kind is Kind.DATE:
        return other.strength >= _SAID_OF_IT
    return own.kind in (Kind.QUANTITY, Kind.PERCENT) and other.strength >= _SAID_IN_FULL


def _is_its_amount(own: Stated, other: _There | None) -> bool:
    """Whether another amount of money is of all that the claim speaks of, so that a sum that makes the claim's says nothing."""
    if other is None or own.value.kind is not Kind.MONEY or own.value.difference:
        return False
    alike = other.stated.value.kind is Kind.MONEY and other.stated.value.per == own.value.per
    return alike and bool(own.words) and all(other.stated.words.get(stem, 0.0) > HARDLY for stem in own.words)


def _of_another_row(own: Stated, same: _There, other: _There, named: Rows | None) -> bool:
    """Whether the claim names the row of a table that the other value stands in, and not that of the equal one."""
    if named is None:
        return False
    figures_alone = all(map(str.isdecimal, other.stated.row))  # "3" is no row of "2-3 days"
    there = (not figures_alone and other.stated.row <= own.words.keys()) or other.stated.row in named
    mine = same.stated.row <= own.words.keys() or same.stated.row in named
    return there and not mine and (same.stated.row - other.stated.row).isdisjoint(own.words)


def _leads_to_another(own: Stated, same: _There, other: _There) -> bool:
    """Whether what leads to the claim's value, "payable on", leads to another one in the text, and a word that the claim has not to the equal one
    ("payable on 15 December to holders of record on 28 November")."""
    one, two, lead = own.lead, other.stated.lead, same.stated.lead
    if same.piece != other.piece or not one or one != two or lead in ("", one, *own.words):
        return False
    return all(other.stated.words.get(stem, 0.0) >= OF_ITS_CLAUSE for stem in own.words)


def _shared(own: Stated, other: Stated, weight: Weight, figures: float = 0.0) -> float:
    """The share of the claim's words, by weight and by how much they are the value's own, that stand with the other value."""
    total = held = figures
    for stem, share in own.words.items():
        of = weight(stem) * share
        total += of
        held += of * other.words.get(stem, 0.0)
    if own.noun and own.noun == other.noun:
        total, held = total + weight(own.noun), held + weight(own.noun)
    return (held + _PRIOR / 2) / (total + _PRIOR)
