"""Whether the case that a claim speaks of falls under the rule that it tells: a $35 order where "orders over $50 ship free"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sidecar.inference.values.calendar import as_numbers
from sidecar.inference.values.compare import dimension, equal
from sidecar.inference.values.read import read_tokens
from sidecar.inference.values.rules import KINDS, LONGEST, SETS_ASIDE, Rule, beside, denies, stems_in
from sidecar.inference.values.stated import MOST_VALUES, Stem
from sidecar.inference.values.tokens import Token
from sidecar.inference.values.value import Hedge, Kind, Value, around

# Shares of what a claim says: from which on a rule tells it, and by how much more than another that its value falls under.
_TELLS, _CLEARLY = 0.6, 0.2
_VALUE = 6.0  # of idf: what another value of the claim weighs
_TELLS_THE_RULE = re.compile(
    r"\b(?:it|they|this|these) (?:(?:has|have|needs?) to|must) be\b", re.IGNORECASE
)  # and holds no case to it
_FREE = "free"
_LEAST_COUNTED, _TIERS = 3, 3  # letters, rules
_AGED = frozenset("am is i'm he's she's are age aged turn turned turning".split())
_OF_A_RULE = frozenset("after before every per until by in".split())
_PEOPLE, _GROUPS = frozenset("peopl person guest visitor".split()), frozenset("group party team".split())  # stems
# Words by which an answer holds a case to a rule, and which no rule needs to have.
_APPLIES = frozenset(
    "qualify qualifies qualified eligible entitled applies apply count counts get gets fall falls still already yet would need needs since because ago too late".split()
)


@dataclass(frozen=True, slots=True)
class Case:
    """A value of a claim that does, or does not, fall under the rule of the text number `piece` that the claim tells."""

    value: Value
    falls: bool
    rule: Rule
    piece: int


def cases(
    claim: str,
    pieces: Sequence[str],
    question: str,
    weight: Callable[[str], float],
    stem: Stem,
    rules: Callable[[str], tuple[tuple[Rule, ...], ...]],
) -> list[Case]:
    """The values of a claim that it tells a rule of. Those of the question are the asker's own case, and what the claim says of it in the words that the
    asker said it in, "you bought it 20 days ago", is told by no rule; `rules` is `rules_of`, or remembers what it said."""
    if len(claim) > LONGEST or SETS_ASIDE.search(claim):
        return []
    question = question[:LONGEST]
    asked_in, brought = _read(question)
    tokens, values = _read(claim)
    stems, denied = _told_of(tokens, values, stem), _denies(tokens)
    found = []
    for own in values[:MOST_VALUES]:
        alike = [one for one in values if dimension(one) == dimension(own) and one.hedge is Hedge.NONE]
        if not _may_be_one(own, tokens):
            continue
        asked = next((one for one in brought if equal(own, one) and equal(one, own)), None)
        mine = asked is not None
        age = is_age(own, tokens) or (asked is not None and is_age(asked, asked_in))
        held = replace(own, kind=Kind.QUANTITY, unit="year") if age and own.kind is Kind.NUMBER else own
        ago = mine and claim[own.end :].lstrip().startswith("ago")
        near = beside(tokens, own, stem)
        near = near | _GROUPS if near & _PEOPLE else near
        left = stems - _of_its_statement(question, asked, stem) if asked else stems
        others = [one for one in values if one is not own and one.hedge is Hedge.NONE]
        for piece, text in enumerate(pieces):
            for group in rules(text):
                of_it = any(near & one.subject or (one.of_ages and age) or (one.since and ago) for one in group)
                # Tiers are held against what the asker brought; one bound alone may be of something else.
                tiers = len(group) >= _TIERS and all(one.told for one in group)
                if not ((of_it or tiers) and len(alike) == 1) and not (mine and len(group) > 1):
                    continue
                if not all(_is_of(one, held) for one in group):
                    continue
                told = _told(held, group, left or stems, others, weight, denied=denied)
                if told is not None:
                    found.append(Case(own, told[1], told[0], piece))
    return found


def case_asked(
    claim: str,
    question: str,
    pieces: Sequence[str],
    weight: Callable[[str], float],
    stem: Stem,
    rules: Callable[[str], tuple[tuple[Rule, ...], ...]],
) -> Case | None:
    """The asker's own case, "my dog weighs 25 kg", under the rule which a claim without such a value tells: "Yes, it is allowed". Only where the sentence
    of the question speaks of what the rule limits, both are ages, or it says how long ago something was; other numbers of a question are held to nothing."""
    if len(claim) > LONGEST or SETS_ASIDE.search(claim) or SETS_ASIDE.search(question) or _TELLS_THE_RULE.search(claim):
        return None
    asked_in, asked = _read(question[:LONGEST])
    tokens, values = _read(claim)
    stems, denied = _told_of(tokens, values, stem), _denies(tokens)
    told = {dimension(one) for one in values}
    for one in asked[:MOST_VALUES] if stems or values else ():
        own = _nth(one, asked_in)
        near = _of_its_sentence(question, one, stem)
        ago = own is not one or question[one.end :].lstrip().startswith("ago")
        alone = sum(dimension(other) == dimension(one) for other in asked) == 1
        if dimension(own) in told or not alone or not _may_be_one(one, asked_in):
            continue
        for piece, text in enumerate(pieces):
            for group in rules(text):
                of_it = any(
                    near & rule.subject or (rule.of_ages and is_age(own, asked_in)) or (rule.since and ago)
                    for rule in group
                )
                if not of_it or not all(_is_of(rule, own) for rule in group):
                    continue
                found = _told(own, group, stems, values, weight, denied=denied)
                if found is not None and found[0].denied == denied:
                    return Case(one, found[1], found[0], piece)
    return None


def _read(text: str) -> tuple[Sequence[Token], list[Value]]:
    tokens, values = read_tokens(text)
    return tokens, as_numbers(values, tokens)


def _told_of(tokens: Sequence[Token], values: Sequence[Value], stem: Stem) -> frozenset[str]:
    """The stems of what a claim tells of a case."""
    telling = [token for token in tokens if token.low not in _APPLIES]
    return frozenset(one for _, one in stems_in(telling, [(one.start, one.end) for one in values], stem))


def _denies(tokens: Sequence[Token]) -> bool:
    """Whether a claim denies something of its case: "cannot", "too late to"; a "No," before it denies the question."""
    too = any(one.low == "too" and other.kind == "word" for one, other in itertools.pairwise(tokens))
    return too or denies([token for n, token in enumerate(tokens) if n or token.low != "no"])


def _of_its_sentence(text: str, value: Value, stem: Stem) -> frozenset[str]:
    """The stems of the sentence that a value stands in."""
    start, end = around(text, value, ".?!\n")
    return frozenset(one for _, one in stems_in(read_tokens(text[start:end])[0], [], stem))


def _of_its_statement(question: str, value: Value, stem: Stem) -> frozenset[str]:
    """The stems of the clause of a question that states a value; none where that clause asks itself."""
    start, end = around(question, value, ".,?!\n")
    if question[end : end + 1] in ("", "?"):
        return frozenset()
    return frozenset(one for _, one in stems_in(read_tokens(question[start:end])[0], [], stem))


def is_age(value: Value, tokens: Sequence[Token]) -> bool:
    """Whether a value is how old somebody is: "I am 17", "17 years old", but not "We are 8 people"."""
    before = next((one.low for one, token in itertools.pairwise(tokens) if token.start == value.start), "")
    after = next((token.low for token in tokens if token.start >= value.end), "")
    counts = after == "people" or (len(after) > _LEAST_COUNTED and after.endswith("s"))
    return value.unit == "year" or (before in _AGED and not counts)


def _nth(value: Value, tokens: Sequence[Token]) -> Value:
    """ "Day 10" is ten days on."""
    before = next((one.low for one, token in itertools.pairwise(tokens) if token.start == value.start), "")
    counted = value.kind is Kind.NUMBER and before in ("day", "week", "month", "year")
    return replace(value, kind=Kind.QUANTITY, unit=before) if counted else value


def _may_be_one(own: Value, tokens: Sequence[Token]) -> bool:
    """Whether a value may be a case under a rule, and is none of a rule itself: "after 36 hours"."""
    if own.kind not in KINDS or own.hedge is not Hedge.NONE or own.difference or own.per:
        return False
    n = next(n for n, token in enumerate(tokens) if token.start >= own.start)
    return n == 0 or tokens[n - 1].low not in _OF_A_RULE


def _is_of(rule: Rule, own: Value) -> bool:
    """Whether a value is one of those that a rule speaks of."""
    if rule.of_ages and own.unit == "year":
        return True
    same = own.kind is rule.bound.kind and dimension(own) == dimension(rule.bound)
    return same and (own.kind is not Kind.MONEY or own.unit == rule.bound.unit)


def _told(
    own: Value,
    rules: Sequence[Rule],
    stems: frozenset[str],
    others: Sequence[Value],
    weight: Callable[[str], float],
    *,
    denied: bool,
) -> tuple[Rule, bool] | None:
    """The rule that a claim tells, and whether its value falls under it; None where that is not clear."""
    tier = _tier_of(others, rules) or (_free_tier(rules) if _FREE in stems and not others else None)
    if tier is not None and not denied:
        holds = tier.holds(own)
        return None if holds is None else (tier, holds)
    every = sum(map(weight, stems)) + _VALUE * len(others)
    if not every:
        return None

    def share(rule: Rule) -> float:
        values = sum(any(equal(one, other) for other in rule.told) for one in others)
        return (sum(map(weight, stems & rule.stems)) + _VALUE * values) / every

    shares = [share(one) for one in rules]
    best = max(range(len(rules)), key=shares.__getitem__)
    rule, holds = rules[best], rules[best].holds(own)
    if shares[best] < _TELLS or holds is None:
        return None
    if rule.denied != denied:
        # What is said of the values within is not so of one without, where nothing else is said of it.
        return (rule, True) if len(rules) == 1 and not holds else None
    if holds:
        return rule, True
    shares_told = [one for one in rule.told if one.kind is Kind.PERCENT]
    if shares_told and not any(equal(one, told) for one in others for told in shares_told):
        return None  # who is not within may pay in full
    fits = [one for one in rules if one.holds(own) is not False]
    if others and any(all(any(equal(value, told) for told in one.told) for value in others) for one in fits):
        return None  # its own rule has all other values of the claim
    under = [told for one, told in zip(rules, shares, strict=True) if one.holds(own) is not False]
    return None if under and max(under) > shares[best] - _CLEARLY else (rule, False)


def _tier_of(others: Sequence[Value], rules: Sequence[Rule]) -> Rule | None:
    """The one of several tiers, "up to 2 kg €4.90, up to 5 kg €6.90", that tells a value of the claim."""
    if len(rules) < _TIERS or not all(one.told for one in rules):
        return None
    mine = [one for one in rules if any(equal(value, told) for value in others for told in one.told)]
    return mine[0] if len(mine) == 1 else None


def _free_tier(rules: Sequence[Rule]) -> Rule | None:
    """The one of several tiers of ages that pays nothing, where another one pays."""
    free = [one for one in rules if _FREE in one.stems]
    paid = [one for one in rules if _FREE not in one.stems and one.told]
    return free[0] if len(free) == 1 and paid and free[0].of_ages else None
