"""Values where they stand: below a heading or behind a label, beside the sentence that goes on, under a rule that the claim tells, outside a range of days."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sidecar.inference.contrasts.cells import Item, words_of_cell
from sidecar.inference.embedding.minilm import EncodedDocument
from sidecar.inference.values.at_hour import told_at
from sidecar.inference.values.cases import Case
from sidecar.inference.values.compare import dimension, equal
from sidecar.inference.values.ends import is_end
from sidecar.inference.values.labelled import SECTIONS, Label
from sidecar.inference.values.made import Scaled
from sidecar.inference.values.match import Finding, Outcome
from sidecar.inference.values.open_hours import told_hours
from sidecar.inference.values.opening import told_open
from sidecar.inference.values.relative import shifted_days
from sidecar.inference.values.rules import Rule
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.stems import stem_beside_values, stems_of
from sidecar.inference.values.units import UNITS, in_base
from sidecar.inference.values.value import Hedge, Kind, Value
from sidecar.inference.values.worked import Worked

FOLLOWS = 0.5  # how clearly a value follows that nothing states
_DENIES = re.compile(r"\b(?:closed|shut|not|no|never|cannot|unavailable)\b|n['’]t\b", re.IGNORECASE)
_CLOSED = re.compile(r"\b(?:is|are|stays?|remains?|it['’]s|they['’]re)\s+(?:closed|shut)\b", re.IGNORECASE)
_NOT_OPEN = re.compile(r"\b(?:is|are)(?:\s+not|n['’]t)\s+(?:open|available|served|offered)\b", re.IGNORECASE)
_REPLY = re.compile(r"no\b[,.]?\s*", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:it|its|it's|they|their|that|this)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:the|an?)\b", re.IGNORECASE)
_VALUE_FIRST = re.compile(r"[$€£]?\d(?:[^,;]|,(?=\d))*+")  # as far as the first clause goes
_MOST_LEFT_OUT = 8  # words of a claim
_ITEM = re.compile(r"[^,;\n]{2,80}")
_TO = re.compile(r"\s?(?:-|–|—|to|until|till)\s?", re.IGNORECASE)
_AT = re.compile(r"\bat \Z", re.IGNORECASE)
_HAPPENS_AT = re.compile(r"\b(?:open|clos|shut|start|begin|end|leav|depart|arriv|last|first)\w{0,4}\b", re.IGNORECASE)
_OTHERWISE = re.compile(r"\botherwise\b|\b(?:in|during) (?:the )?other months\b|\brest of the year\b", re.IGNORECASE)
_OF_A_CASE = re.compile(
    r"\b(?:if|who|someone|anyone)\b|\b(?:you|I|we)(?:['’]ve)? (?:joined|started|bought|ordered|booked|applied|signed|moved)\b",
    re.IGNORECASE,
)
_SIDE = re.compile(r"\b(?:(?P<later>after|since)|before|until) (?:the )?\Z", re.IGNORECASE)
_MOST_COUNTED = 31  # of days, nights, pieces
_NEARLY = 0.005
_APART, _BOTH = frozenset({Kind.MONEY, Kind.QUANTITY}), 2
_MOST_ITEMS, _LONGEST_LEAD = 20, 200  # of a list, characters
_OF_ITS_HEADING = 0.9  # how much the words of a heading are those of a value below it


def with_next(text: str, document: EncodedDocument, n: int) -> str:
    """A sentence with the one behind it, which may go on with "others" or "heavier bags"."""
    spans = document.spans
    return text[spans[n].start : spans[min(n + 1, len(spans) - 1)].end]


def leaves_out(claim: str) -> bool:
    """Whether a claim leaves out what its question names, or has a pronoun for it: "It leaves at 9", "Two at once, six registered"."""
    first = _VALUE_FIRST.match(claim)
    short = len((first.group() if first else claim).split()) <= _MOST_LEFT_OUT and not _ARTICLE.match(claim)
    return short or _PRONOUN.match(claim) is not None


def lead_in(text: str, document: EncodedDocument, n: int) -> str:
    """What leads in an item behind others, "three months after eight years;" of "the notice period is: two months after five years; ...", "" of any other sentence."""
    first = n
    while first > 0 and n - first < _MOST_ITEMS and text.endswith(";", 0, document.spans[first - 1].end):
        first -= 1
    head, colon, _ = text[document.spans[first].start : document.spans[first].end].partition(": ")
    return head if first < n and colon and len(head) <= _LONGEST_LEAD else ""


def led_in(values: tuple[Stated, ...], stems: frozenset[str]) -> tuple[Stated, ...]:
    """The values of an item with the stems of what leads it in."""
    about = dict.fromkeys(stems, _OF_ITS_HEADING)
    return tuple(replace(one, words={**about, **one.words}) for one in values) if stems else values


def items_of(
    labels: Mapping[tuple[int, int], Label], texts: Sequence[str], documents: Sequence[EncodedDocument]
) -> tuple[list[Item], list[frozenset[str]]]:
    """What labelled lines have, and the stems of the sentences without a label."""
    items = []
    for (number, n), label in labels.items():
        span = documents[number].spans[n]
        text = texts[number][span.start : span.end]
        for part in _ITEM.finditer(text, label.begins):
            figures = any(char.isdecimal() for char in part.group())
            items.append(Item(label.row, label.group, words_of_cell(part.group()), figures, (number, n), *part.span()))
    others = [
        frozenset(one.stems)
        for number, document in enumerate(documents)
        for n, one in enumerate(document.words)
        if (number, n) not in labels
    ]
    return items, others


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
        ends = [(a, b) for a, b in itertools.pairwise(times) if _TO.fullmatch(pieces[one.piece], a.end, b.start)]
        inside = any(a.amount < value.amount < b.amount for a, b in ends)
        at = _AT.search(claim, 0, value.start) is not None and _HAPPENS_AT.search(claim) is None
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


def labelled_as(values: tuple[Stated, ...], label: Label | None) -> tuple[Stated, ...]:
    """The values of a line that is labelled, as of a row of a table; those within its label are of its section alone."""
    if label is None:
        return values
    about = dict.fromkeys(label.row | label.head, _OF_ITS_HEADING)
    within = label.row if label.group == SECTIONS else frozenset[str]()
    return tuple(
        replace(one, words={**about, **one.words}, row=label.row, head=label.head)
        if one.value.start >= label.begins
        else replace(one, words={**dict.fromkeys(within, _OF_ITS_HEADING), **one.words}, row=within)
        for one in values
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


def as_made(one: Finding, known: frozenset[Value], amounts: Scaled, there: Sequence[Sequence[Stated]] = ()) -> Finding:
    """What became of a value that the asker said or that is made of others, or that would be another one for so many people, or that says how far two are apart
    and is not how far the only two are that the best sentence, or all, state."""
    if one.value in known:
        return Finding(Outcome.FOLLOWS, one.value, FOLLOWS)
    if one.value in amounts.right:
        return Finding(Outcome.FOLLOWS, one.value, FOLLOWS, *amounts.right[one.value])
    if one.value in amounts.wrong:
        return Finding(Outcome.DISAGREES, one.value, 1.0, *amounts.wrong[one.value])
    apart = one.value.difference and one.value.kind in _APART and dimension(one.value) != UNITS["day"].dimension
    if not apart or one.outcome is not Outcome.ABSENT or one.value.hedge is not Hedge.NONE:
        return one
    for group in (there[:1], there):
        alike = [(each.value, n) for n, piece in enumerate(group) for each in piece if _is_alike(each.value, one.value)]
        if len(alike) == len({each.amount for each, _ in alike}) == _BOTH:
            apart_by = abs(
                in_base(alike[0][0].amount, alike[0][0].unit) - in_base(alike[1][0].amount, alike[1][0].unit)
            )
            if math.isclose(apart_by, in_base(one.value.amount, one.value.unit), rel_tol=_NEARLY):
                return Finding(Outcome.FOLLOWS, one.value, FOLLOWS)
            return Finding(Outcome.DISAGREES, one.value, 1.0, *alike[-1])
    return one


def _is_alike(one: Value, other: Value) -> bool:
    return dimension(one) == dimension(other) and not one.difference


def as_shown(found: Sequence[Finding], shown: Sequence[Worked]) -> list[Finding]:
    """The findings, where a claim shows how it came to a value: of what the evidence has, and of small counts beside it, the value follows; such
    counts are none that the evidence would have to state. One that does not come out, and that the evidence lacks, is wrong."""
    there = {one.value for one in found if one.outcome in (Outcome.AGREES, Outcome.FOLLOWS)}
    told: set[Value] = set()
    counts: set[Value] = set()
    for way in shown:
        lacking = set(way.operands) - there
        if way.right and len(lacking) < len(way.operands) and all(map(_may_count, lacking)):
            told.add(way.told)
            counts |= lacking
    follows = told - there
    wrong = {way.told for way in shown if not way.right} - told - there
    become = {**dict.fromkeys(wrong, (Outcome.DISAGREES, 1.0)), **dict.fromkeys(follows, (Outcome.FOLLOWS, FOLLOWS))}
    return [
        replace(one, outcome=become[one.value][0], strength=become[one.value][1]) if one.value in become else one
        for one in found
        if one.value in follows or one.value not in counts
    ]


def _may_count(one: Value) -> bool:
    return one.kind is Kind.NUMBER and one.amount <= _MOST_COUNTED
