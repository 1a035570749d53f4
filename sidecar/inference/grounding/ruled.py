"""Values of a claim that stand under a rule: cases, days and hours, seasons, and what is so otherwise."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from sidecar.inference.grounding.placed import FOLLOWS
from sidecar.inference.values.at_hour import told_at
from sidecar.inference.values.cases import Case
from sidecar.inference.values.compare import equal
from sidecar.inference.values.ends import is_end
from sidecar.inference.values.match import Finding, Outcome
from sidecar.inference.values.open_hours import AT, TO, told_hours
from sidecar.inference.values.opening import told_open
from sidecar.inference.values.relative import shifted_days
from sidecar.inference.values.rules import Rule
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.stems import stem_beside_values, stems_of
from sidecar.inference.values.value import Hedge, Kind, Value

_DENIES = re.compile(r"\b(?:closed|shut|not|no|never|cannot|unavailable)\b|n['’]t\b", re.IGNORECASE)
_CLOSED = re.compile(r"\b(?:is|are|stays?|remains?|it['’]s|they['’]re)\s+(?:closed|shut)\b", re.IGNORECASE)
_NOT_OPEN = re.compile(r"\b(?:is|are)(?:\s+not|n['’]t)\s+(?:open|available|served|offered)\b", re.IGNORECASE)
_REPLY = re.compile(r"no\b[,.]?\s*", re.IGNORECASE)
_HAPPENS_AT = re.compile(r"\b(?:open|clos|shut|start|begin|end|leav|depart|arriv|last|first)\w{0,4}\b", re.IGNORECASE)
_OTHERWISE = re.compile(r"\botherwise\b|\b(?:in|during) (?:the )?other months\b|\brest of the year\b", re.IGNORECASE)
_OF_A_CASE = re.compile(
    r"\b(?:if|who|someone|anyone)\b|\b(?:you|I|we)(?:['’]ve)? (?:joined|started|bought|ordered|booked|applied|signed|moved)\b",
    re.IGNORECASE,
)
_SIDE = re.compile(r"\b(?:(?P<later>after|since)|before|until) (?:the )?\Z", re.IGNORECASE)


def of_value(one: Finding, ruled: Sequence[Case]) -> list[Case]:
    """The cases that are of a finding's value."""
    return [case for case in ruled if (case.value.start, case.value.end) == (one.value.start, one.value.end)]


def by_its_rule(one: Finding, ruled: Sequence[Case]) -> Finding:
    """What became of a value that the evidence has no equal of, where the claim tells a rule of it."""
    mine = of_value(one, ruled)
    if not mine or one.outcome is Outcome.AGREES:
        return one
    if any(case.falls for case in mine):  # of several rules one is enough: a false alarm is worse than a miss
        another = one.outcome is Outcome.DISAGREES and one.other is not None and one.other.hedge is Hedge.NONE
        return one if another else Finding(Outcome.FOLLOWS, one.value, FOLLOWS)
    return Finding(Outcome.DISAGREES, one.value, 1.0, mine[0].rule.bound, mine[0].piece, certain=True)


def beside_its_rules(
    claim: str,
    one: Finding,
    own: Sequence[Value],
    groups: Sequence[Sequence[Rule]],
    pieces: Sequence[str],
    stated_there: Sequence[Sequence[Stated]],
) -> Finding:
    """What became of a value that stands against one that is no contrary of it: a time under a rule that tells of both its sides, one within hours from and to, and
    the bound on the other side of a rule that tells none of the claim's other values ("drivers of 25 and over" of "£500 for drivers under 25")."""
    value, other = one.value, one.other
    if one.outcome is not Outcome.DISAGREES or other is None:
        return one
    if value.kind is Kind.TIME and value.hedge is Hedge.NONE:
        tiers = [group for group in groups if len(group) > 1 and group[0].bound.kind is Kind.TIME]
        if tiers and other.hedge is not Hedge.NONE:
            return (
                one
                if any(_tells_another(claim, value, own, group) for group in tiers)
                else Finding(Outcome.ABSENT, value, 0.0)
            )
        times = [each.value for each in stated_there[one.piece] if each.value.kind is Kind.TIME]
        ends = [(a, b) for a, b in itertools.pairwise(times) if TO.fullmatch(pieces[one.piece], a.end, b.start)]
        inside = any(a.amount < value.amount < b.amount for a, b in ends)
        at = AT.search(claim, 0, value.start) is not None and _HAPPENS_AT.search(claim) is None
        return Finding(Outcome.FOLLOWS, value, FOLLOWS) if inside and at else one
    apart = {value.hedge, other.hedge} == {Hedge.LEAST, Hedge.MOST} and value.amount == other.amount
    others = [each for each in own if each is not value]
    told = [told for group in groups for rule in group if rule.bound.amount == other.amount for told in rule.told]
    if apart and others and told and not any(equal(each, there) for each in others for there in told):
        return Finding(Outcome.FOLLOWS, value, FOLLOWS)
    return one


def _tells_another(claim: str, value: Value, own: Sequence[Value], group: Sequence[Rule]) -> bool:
    """Whether a claim has words, beside those of its values, that only a rule tells that its value does not fall under."""
    words = claim
    for one in own:
        words = f"{words[: one.start]}{' ' * (one.end - one.start)}{words[one.end :]}"
    said = stems_of(words, stem_beside_values)
    return any(
        rule.holds(value) is False
        and said & rule.stems.difference(*(other.stems for other in group if other is not rule))
        for rule in group
    )


def is_outside(claim: str, one: Finding, pieces: Sequence[str]) -> bool:
    """Whether a claim says of a day that it is closed or not available where the evidence says otherwise of a range that has it not: "closed in November" of
    "open from May to September". One that denies anything else is not read so."""
    if one.outcome is not Outcome.DISAGREES or one.other is None or not one.other.through:
        return False
    days = one.value.through or one.value.dates
    stated = _REPLY.sub("", claim, count=1) if _REPLY.match(claim) else claim
    closed = (_CLOSED.search(stated) and "open" not in stated.lower()) or _NOT_OPEN.search(stated)
    denied = len(_DENIES.findall(stated)) == 1 and _DENIES.search(pieces[one.piece]) is None
    return bool(closed) and denied and set(days).isdisjoint(one.other.through)


def _is_otherwise(one: Finding, pieces: Sequence[str]) -> bool:
    """Whether a day or month of a claim is outside a range of which the evidence says what is so "otherwise"."""
    if one.outcome is not Outcome.DISAGREES or one.other is None or not one.other.through:
        return False
    apart = set(one.value.through or one.value.dates).isdisjoint(one.other.through)
    return apart and _OTHERWISE.search(pieces[one.piece], one.other.end) is not None


def _is_dated_case(claim: str, one: Finding, pieces: Sequence[str]) -> bool:
    """Whether a claim speaks of a case, "if you joined in September", that is on the side of a date of the evidence which that tells of: "after 1 July"."""
    if one.outcome is not Outcome.DISAGREES or one.other is None or not _OF_A_CASE.search(claim):
        return False
    side = _SIDE.search(pieces[one.piece], 0, one.other.start)
    if (
        side is None
        or _SIDE.search(claim, 0, one.value.start)
        or len(one.value.dates) != 1
        or len(one.other.dates) != 1
    ):
        return False
    own, bound = one.value.dates[0], one.other.dates[0]
    if own.month is None or bound.month is None or (own.year is None) != (bound.year is None):
        return False
    mine, theirs = (own.year or 0, own.month, own.day or 1), (bound.year or 0, bound.month, bound.day or 1)
    later = side["later"] is not None
    if own.day is None and mine[:2] == theirs[:2]:
        return False
    return mine > theirs if later else mine < theirs


def _in_season(one: Finding, day: Value, there: Sequence[Value], piece: int) -> Finding:
    """What became of a value of a claim about a day, where the text number `piece` has one for a range of days, before it, and another one otherwise, behind it."""
    ranges = [each for each in there if each.through]
    if one.value.kind is Kind.DATE or not ranges:
        return one
    within = [each for each in there if each.end <= ranges[0].start and equal(one.value, each)]
    beyond = [each for each in there if each.start >= ranges[-1].end and equal(one.value, each)]
    if set(day.through or day.dates).isdisjoint(ranges[0].through):
        within, beyond = beyond, within
    if within:
        return Finding(Outcome.FOLLOWS, one.value, FOLLOWS)
    return Finding(Outcome.DISAGREES, one.value, 1.0, beyond[0], piece, certain=True) if beyond else one


def on_their_days(
    claim: str,
    question: str,
    values: Sequence[Value],
    asked: Sequence[Value],
    matched: Sequence[Finding],
    texts: Sequence[str],
    pieces: Sequence[str],
    stated_there: Sequence[Sequence[Stated]],
) -> tuple[list[Finding], bool, bool]:
    """What became of a claim's values by the days and hours that the texts tell of; whether it denies of one what they say of others, and whether nothing is open
    on a day of it."""
    open_then = told_open(claim, values, texts)
    told = {**open_then, **told_hours(claim, values, texts), **told_at(claim, question, values, asked, texts)}
    outside = shifted_days(claim, values, pieces, [[one.value for one in piece] for piece in stated_there])
    outside += [one.value for one in matched if is_end(claim, one, pieces, stated_there) or told.get(one.value)]
    outside += [one.value for one in matched if is_outside(claim, one, pieces)]
    apart = [one.value for one in matched if _is_otherwise(one, pieces) or _is_dated_case(claim, one, pieces)]
    found = [on_its_day(one, [*outside, *apart], told, stated_there) for one in matched]
    for one in matched:
        if one.value.kind is Kind.DATE and one.other is not None and _OTHERWISE.search(pieces[one.piece]):
            there = [each.value for each in stated_there[one.piece]]
            found = [_in_season(each, one.value, there, one.piece) for each in found]
    return found, bool(outside), False in open_then.values()


def on_its_day(
    one: Finding, outside: Sequence[Value], told: Mapping[Value, bool], stated_there: Sequence[Sequence[Stated]]
) -> Finding:
    """What became of a value that is outside what the texts say, or of a day, or an hour, that something is `told` to be open or closed on."""
    if one.value not in told and one.value not in outside:
        return one
    if told.get(one.value, True):
        return Finding(Outcome.FOLLOWS, one.value, FOLLOWS)
    there = (
        (value, n) for n, values in enumerate(stated_there) for value in values if value.value.kind is one.value.kind
    )
    other, piece = next(((each.value, n) for each, n in there), (None, 0))
    return one if other is None else Finding(Outcome.DISAGREES, one.value, 1.0, other, piece, certain=True)
