"""Values with the words that they are about.

A sentence that states several values of one dimension says something else of each: "the fee is $30 for students, $20 for members".
Its words are shared out: those of the clause that a value stands in are its own, those before the first value are everyone's unless a
clause has a subject of its own, and those of another value's clause are hardly its own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.frequency import TWICE
from sidecar.inference.values.periods import with_periods
from sidecar.inference.values.read import read_tokens
from sidecar.inference.values.span import PER
from sidecar.inference.values.tokens import END, Token
from sidecar.inference.values.units import unit_named
from sidecar.inference.values.value import Hedge, Kind, Value

MOST_VALUES = 40  # of a text
_LONGEST = 6000  # characters
_MOST_WORDS = 48  # about a value
_OWN, _SHARED, _FOREIGN, _SUBJECT_OF_ANOTHER = 1.0, 0.9, 0.1, 0.3
_EARLIER = 0.6
AGE = "old"  # the stem of what an age counts
_RIGHT_BEFORE, _LEAST_TOLD = 3, 2  # words before a value, those of them that say something
_LEAST_LISTED = 3  # values behind a colon
_MOST_SMALL = 4  # words from a value back to the one that leads to it
_ENDS_CLAUSE = frozenset(",;:.!?()|\n")
_JOINS_CLAUSES = frozenset(
    "and but while whereas or although though because against compared then plus versus vs".split()
)
_JOINS_VALUES, _IN = ("and", "or"), ("in", "within")
_LEADS = frozenset(
    "to from of at by for per in on with up a an the about around over under until and or than until least most more less -".split()
)
_MAYBE = re.compile(
    r"\d|[½¼¾⅓⅔一二三四五六七八九十两]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,7}teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|dozen|half|hundred|thousand|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|noon|midnight|quarter|thirds?|"
    r"an?[ ](?:hour|day|week|month|year)|fortnight(?:ly)?|biweekly|quarterly|once|twice|thrice|every|each|hourly|daily|weekly|monthly|yearly|annually|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun|week)days?|weekends?|mon|tue|wed|thu|fri)\b",
    re.IGNORECASE,
)

_HOLD_BACK = frozenset(
    "least most minimum maximum max min more less fewer older newer later longer about around roughly approximately nearly almost limited".split()
)
_MEASURES = frozenset({Kind.QUANTITY, Kind.MONEY, Kind.PERCENT})
_FACTORS = frozenset("×✕·*÷")
_NO_END = _FACTORS | {"("}
# "Left", "runs" and the like stand for other things as often.
_VERBS = frozenset(
    "ends ended finishes finished closes closed opens opened starts started begins began leaves arrives arrived departs departed lasts lasted costs weighs weighed "
    "takes took expires expired measures measured holds held has had is was are were".split()
)
_RELATES = frozenset("which where whose whom".split())
_THEN = ("in", "which", "case")  # of a condition that no value stands in: "unless it is late, in which case it is $5"
_GOES_ON = frozenset("at by for in with on and".split())

Stem = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Stated:
    """A value, the stem of what it counts ("" where that is not known), and the stems around it with how much each is its own (0..1).
    `row` are the stems that name the row of a table that it stands in, `parts` those of each of several things that do ("Norway, Switzerland"), `head` those
    of its column, `lead` is the stem before it, but for small words: "payable on 1 May", `label` the one before a colon before it. `before` are the three
    words right before it where they say something ("usual age of"), else (), `behind` is the stem right behind it. What an age counts is AGE.
    `whole` says that another number is a part of it: 41 of "38 of the 41"."""

    value: Value
    noun: str
    words: Mapping[str, float]
    row: frozenset[str] = frozenset()
    head: frozenset[str] = frozenset()
    lead: str = ""
    label: str = ""
    parts: tuple[frozenset[str], ...] = ()
    before: tuple[str, ...] = ()
    behind: str = ""
    whole: bool = False


def stated(text: str, stem: Stem) -> tuple[Stated, ...]:
    """The first values of a text. `stem` gives the stem of a lower-case word, None of one that says nothing."""
    text = text[:_LONGEST]
    if not _MAYBE.search(text):
        return ()
    tokens, found = read_tokens(text)
    if not found:
        return ()
    values = with_periods(_with_units_left_out(found[:MOST_VALUES], tokens), tokens)
    sentence = _Sentence(tokens, values, stem)
    wholes = {
        other.start
        for one, other in itertools.pairwise(values)
        if one.kind is Kind.NUMBER and _together(one, other, tokens)
    }
    return tuple(
        Stated(
            value,
            sentence.noun(value),
            sentence.words(value),
            lead=sentence.lead(value),
            label=sentence.label(value),
            before=sentence.before(value),
            behind=sentence.behind(value),
            whole=value.start in wholes,
        )
        for value in values
    )


class _Sentence:
    """The words of a text as they are shared out among its values."""

    def __init__(self, tokens: Sequence[Token], values: Sequence[Value], stem: Stem) -> None:
        self._tokens = tokens
        self._stems = [None if token.kind == "sign" or token.low in _HOLD_BACK else stem(token.low) for token in tokens]
        self._clauses = _clauses(tokens, values)
        self._at = {token.start: k for k, token in enumerate(tokens)}
        self._alike: dict[str, list[Value]] = {}
        self._covered: dict[str, set[int]] = {}
        for value in values:
            self._alike.setdefault(dimension(value), []).append(value)
            self._covered.setdefault(dimension(value), set()).update(self._within(value))
        self._of_values = set[int]().union(*self._covered.values())
        colons = [k for k, token in enumerate(tokens) if token.text == ":" and k and k not in self._of_values]
        listed = len(colons) == 1 and sum(self._at[value.start] > colons[0] for value in values) >= _LEAST_LISTED
        # Of "per 100 g: 250 kcal, 9 g of fat, 2 g of salt" what stands before the colon.
        self._heads = frozenset({self._clauses[colons[0] - 1]} if listed else ())

    def _within(self, value: Value) -> Iterator[int]:
        k = self._at[value.start]
        while k < len(self._tokens) and self._tokens[k].start < value.end:
            yield k
            k += 1

    def words(self, value: Value) -> dict[str, float]:
        """The stems around a value, and how much each is its own."""
        alike, covered = self._alike[dimension(value)], self._covered[dimension(value)]
        own = self._clauses[self._at[value.start]]
        taken = {self._clauses[self._at[one.start]] for one in alike if one is not value}
        first = self._at[alike[0].start]
        subject = self._has_subject(self._at[value.start], own)
        shares: dict[str, float] = {}
        for k, one in enumerate(self._stems):
            if one is None or k in covered:
                continue
            clause = self._clauses[k]
            if clause == own:
                share = _OWN
            elif clause not in taken:
                share = _SHARED if clause in self._heads and k < first else _EARLIER
            elif k < first:
                share = _SUBJECT_OF_ANOTHER if subject and clause not in self._heads else _SHARED
            else:
                share = _FOREIGN
            shares[one] = max(shares.get(one, 0.0), share)
        if len(shares) <= _MOST_WORDS:
            return shares
        return dict(sorted(shares.items(), key=lambda one: -one[1])[:_MOST_WORDS])

    def _has_subject(self, at: int, clause: int) -> bool:
        """Whether words of a value's own clause, but for a verb, stand before it: none in "and ends at 20:00"; "during which" is of what was said before."""
        found = False
        while at > 0 and self._clauses[at - 1] == clause:
            at -= 1
            if self._tokens[at].low in _RELATES:
                return False
            found = found or (self._stems[at] is not None and self._tokens[at].low not in _LEADS | _VERBS)
        return found

    def lead(self, value: Value) -> str:
        """The stem before a value with nothing but a few small words between, "" where another value or a mark stands there, or what is said of another
        one: "the 8th with Economy or the 16th with Express", "£19 a month with a £25 joining fee"."""
        at = self._at[value.start]
        first = value is self._alike[dimension(value)][0]
        for k in range(at - 1, max(-1, at - 1 - _MOST_SMALL), -1):
            joins = not first and self._tokens[k].low in _JOINS_VALUES
            if joins or k in self._of_values or self._tokens[k].kind == "sign":
                return ""
            if self._stems[k] is not None and self._tokens[k].low not in _LEADS:
                of_another = self._tokens[k - 1].low in PER and k - 2 in self._of_values
                return "" if of_another else self._stems[k] or ""
        return ""

    def _is_age(self, value: Value) -> bool:
        """Whether a length of time is one: "22-year-old", "two years old", "aged 6 months"."""
        *_, last = self._within(value)
        first = self._at[value.start]
        told = [token.low for token in self._tokens[last + 1 : last + 3] if token.text != "-"]
        return told[:1] == ["old"] or (first > 0 and self._tokens[first - 1].low in ("aged", "age"))

    def before(self, value: Value) -> tuple[str, ...]:
        """The three words right before a value, () where a mark or a value stands there or hardly one of them says anything."""
        at = self._at[value.start]
        own = range(max(0, at - _RIGHT_BEFORE), at)
        if any(k in self._of_values or self._tokens[k].kind == "sign" for k in own):
            return ()
        told = sum(self._stems[k] is not None for k in own)
        return tuple(self._tokens[k].low for k in own) if told >= _LEAST_TOLD else ()

    def behind(self, value: Value) -> str:
        """The stem right behind a value."""
        *_, last = self._within(value)
        return (self._stems[last + 1] or "") if last + 1 < len(self._stems) else ""

    def label(self, value: Value) -> str:
        """The stem before a colon before a value: "floor: 2"."""
        at = self._at[value.start]
        return (self._stems[at - 2] or "") if at > 1 and self._tokens[at - 1].text == ":" else ""

    def noun(self, value: Value) -> str:
        """What a number counts: the first plural among the few words right behind it; of an ordinal the word behind it; of an age AGE."""
        if value.kind is Kind.QUANTITY:
            return AGE if self._is_age(value) else ""
        if value.kind not in (Kind.NUMBER, Kind.ORDINAL):
            return ""
        single = value.kind is Kind.NUMBER and value.amount == 1.0
        *_, last = self._within(value)
        if self._tokens[last].low in TWICE:
            return _TIME
        for k in range(last + 1, min(last + 5, len(self._tokens))):
            token, one = self._tokens[k], self._stems[k]
            if token.low in _BEFORE_NOUN:
                continue
            if token.kind != "word" or one is None:
                break
            plural = (token.low.endswith("s") and not token.low.endswith("ss")) or token.low in _PLURALS
            if value.kind is Kind.ORDINAL or plural or (single and len(token.low) > 2):
                return one
        return ""


def _with_units_left_out(values: Sequence[Value], tokens: Sequence[Token]) -> list[Value]:
    """ "25 minutes by train, 40 by bus": a number without a noun takes the unit of a measure before it, rather of one that goes on alike; a rate that of its label."""
    behind = {token.end: after for token, after in zip(tokens, [*tokens[1:], END], strict=True)}
    before = {token.start: one for one, token in zip([END, *tokens], tokens, strict=False)}
    labels = {
        value.start: label.low
        for label, colon, value in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if colon.text == ":"
    }
    filled: list[Value] = []
    for value in values:
        rate = value.kind is Kind.NUMBER and behind.get(value.end, END).low in PER
        unit = unit_named(labels.get(value.start, "")) if rate else None
        if unit is not None:  # "Hours: 37.5 per week"
            value = replace(value, kind=Kind.QUANTITY, unit=unit.code)
        measures = [one for one in filled if one.kind in _MEASURES and one.hedge is value.hedge]
        after, ahead = behind.get(value.end, END), before[value.start]
        # "Ann, 29," states an age, "97 of 298 (33 %)" no share, 2 of "2 × €24.90" and 3 of "€60 / 3" are factors, and four of "€60 for four" is a count
        factor = ahead.low == "for" or ahead.text in _FACTORS or (ahead.text == "/" and ahead.end < value.start)
        joined = after.text == "-" and after.start == value.end  # "50-visit card"
        ends = after.kind in ("sign", "end") and after.text not in _NO_END and ahead.text != "," and not factor
        counts = after.low in _IN and behind.get(after.end, END).kind == "number"  # "no more than 4 in 24 hours"
        if value.kind is Kind.NUMBER and measures and not joined and (ends or after.low in _GOES_ON) and not counts:
            like = next((one for one in reversed(measures) if behind.get(one.end, END).low == after.low), measures[-1])
            value = replace(value, kind=like.kind, unit=like.unit)
        filled.append(value)
    return filled


def _clauses(tokens: Sequence[Token], values: Sequence[Value]) -> list[int]:
    """The clause of each token: a new one behind punctuation, at a joining word, and before a value whose like stands in the clause already.
    Both ends of a range stand in one, and both numbers of "38 of the 41"."""
    pairs = [(one, other) for one, other in itertools.pairwise(values) if _together(one, other, tokens)]
    ends = {other.start for _, other in pairs}
    within = {token.start for one, other in pairs for token in tokens if one.start < token.start < other.start}
    starts = {value.start: dimension(value) for value in values if value.start not in ends}
    clauses: list[int] = []
    clause, seen, last = 0, set[str](), -1
    for n, token in enumerate(tokens):
        breaks = (token.text in _ENDS_CLAUSE and token.kind == "sign") or (token.low in _JOINS_CLAUSES and bool(seen))
        breaks = breaks and (bool(seen) or _low(tokens, n + 1, n + 4) != _THEN)
        if breaks and token.start not in within:
            clause, seen = clause + 1, set()
        found = starts.get(token.start)
        if found is not None:
            if found in seen:
                clause, seen = clause + 1, set()
                for back in range(n - 1, last, -1):
                    if tokens[back].low not in _LEADS:
                        break
                    clauses[back] = clause
            seen.add(found)
            last = n
        clauses.append(clause)
    return clauses


def _low(tokens: Sequence[Token], first: int, last: int) -> tuple[str, ...]:
    return tuple(token.low for token in tokens[first:last])


def _together(one: Value, other: Value, tokens: Sequence[Token]) -> bool:
    if (one.hedge, other.hedge) == (Hedge.LEAST, Hedge.MOST):
        return True
    between = [token.low for token in tokens if one.end <= token.start < other.start]
    if one.kind is other.kind and one.kind in _MOMENTS and len(between) == 1 and between[0] in _UNTIL:
        return True
    return (
        one.kind is other.kind is Kind.NUMBER
        and between[:1] in (["of"], ["in"])
        and set(between[1:]) <= {"the", "all", "our"}
    )


_MOMENTS = frozenset({Kind.TIME, Kind.DATE})
_UNTIL = frozenset("- to until till through thru".split())
_BEFORE_NOUN = frozenset("of the these those our their its - other more new different".split())
_TIME = "time"  # the stem of times
_PLURALS = frozenset("people men women children staff feet teeth mice fish sheep police personnel crew".split())
