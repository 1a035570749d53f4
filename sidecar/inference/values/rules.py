"""The rules of a text: a part of it with a bound or a range, and what is so of the values within, as in "orders over $50 ship free"; "others", "heavier
bags" and the like tell it of those without."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sidecar.inference.values.calendar import as_numbers
from sidecar.inference.values.compare import dimension
from sidecar.inference.values.read import read_tokens
from sidecar.inference.values.stated import Stem
from sidecar.inference.values.tokens import Token
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Hedge, Kind, Value

LONGEST = 600  # characters of a text
_AGED = frozenset("aged ages".split())
_SINCE, _FILLERS = frozenset("within after before".split()), frozenset("the first or".split())
_FROM_PEOPLE = 4  # tokens from people to their age
_SHORT = 4  # letters of a stem
_NEAR = 3  # words from a value to what it is of
KINDS = frozenset({Kind.MONEY, Kind.QUANTITY, Kind.PERCENT, Kind.NUMBER, Kind.TIME})
_ENDS, _COMMA = frozenset(".;!?\n|"), ","
_JOINS = frozenset("and but while whereas or".split())
_HOLD_BACK = frozenset(
    "over above under below within up to at least most more less fewer than exceeding from between after and or minimum maximum for of the a an longer still".split()
)
_OTHERS = frozenset("others other otherwise else rest remaining".split())
_ABOVE = frozenset("larger heavier longer older bigger higher greater".split())
_BELOW = frozenset("smaller lighter shorter younger lower".split())
_BEYOND = {"above": 1, "over": 1, "beyond": 1, "exceeding": 1, "below": -1, "under": -1}
_LATER, _AFTER = {"later": 1, "earlier": -1}, {"after": 1, "before": -1}  # of times of the day
_THAT = frozenset("that this it these those".split())
_INTRODUCES = 3  # words of a part among which one says that it is of the other values
_NOT = frozenset("not no never cannot nor neither nothing nobody none".split())
_OF_PEOPLE = frozenset(
    "child children kid kids age aged ages anyone people person passengers guests visitors students seniors adults riders those minors members".split()
)
SETS_ASIDE = re.compile(
    r"\b(?:unless|except|excluding|exempt|regardless|even if|instead of|rather than)\b", re.IGNORECASE
)
_BOUND = re.compile(
    r"\b(?:over|above|under|below|within|up to|at (?:least|most)|(?:more|less|fewer|greater|longer|older|younger|higher|lower|shorter) than|exceed\w{0,3}|from|between|"
    r"after|until|through|by|before|since|minimum|maximum|limited to|"
    r"or (?:more|less|over|older|younger|above|below|under|fewer|up)|and (?:over|older|above|under|up))\b|\d\s?[-–+]|[<>≤≥]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a part of a text says of the values between `low` and `high`, in base units: its stems, whether it denies, and the other values
    that it tells. `bound` is a value that limits it, `subject` the stems beside it; `of_ages` whether it is of people of an age, `since` whether it limits the time
    since something."""

    low: float
    high: float
    bound: Value
    subject: frozenset[str]
    of_ages: bool
    since: bool
    stems: frozenset[str]
    denied: bool
    told: tuple[Value, ...]

    def holds(self, value: Value) -> bool | None:
        """Whether a value is within, None of one that is the bound itself."""
        amount = in_base(value.amount, value.unit if not self.of_ages or self.bound.kind is not Kind.NUMBER else "")
        if any(math.isclose(amount, end) for end in (self.low, self.high)):
            return None
        return self.low < amount < self.high


def rules_of(text: str, stem: Stem) -> tuple[tuple[Rule, ...], ...]:
    """The rules of a text, those of each dimension together."""
    text = text[:LONGEST]
    if not _BOUND.search(text) or SETS_ASIDE.search(text):
        return ()
    tokens, read = read_tokens(text)
    values = as_numbers(read, tokens)
    by: dict[tuple[str, str], list[tuple[float, float, Value, Value]]] = {}
    for low, high, first, last in intervals(values, tokens):
        key = (dimension(first), first.unit if first.kind is Kind.MONEY else "")
        by.setdefault(key, []).append((low, high, first, last))
    groups = (tuple(_of_group(group, tokens, values, stem)) for group in by.values())
    return tuple(group for group in groups if group and not any(_tells_twice(rule) for rule in group))


def _tells_twice(rule: Rule) -> bool:
    """Whether two values of one kind are told of the same, so that it cannot be known which is."""
    kinds = [(dimension(one), one.unit) for one in rule.told]
    return len(set(kinds)) < len(kinds)


def intervals(values: Sequence[Value], tokens: Sequence[Token]) -> Iterator[tuple[float, float, Value, Value]]:
    """The bounds and ranges among the values: from, to, and the values that say so."""
    words = {token.start: before.low for before, token in itertools.pairwise(tokens)}
    n = 0
    hours = any(one.kind is Kind.TIME and one.hedge is Hedge.NONE for one in values)  # from and to
    while n < len(values):
        one, after = values[n], values[n + 1] if n + 1 < len(values) else None
        n += 1
        if one.kind not in KINDS or one.per or one.difference or (one.kind is Kind.TIME and (hours or one.dial)):
            continue
        amount = in_base(one.amount, one.unit)
        if after is not None and _is_range(one, after, tokens, words.get(one.start, "")):
            yield amount, in_base(after.amount, after.unit), one, after
            n += 1
        elif one.hedge is Hedge.LEAST or (words.get(one.start) == "after" and one.hedge is Hedge.NONE):
            yield amount, math.inf, one, one
        elif one.hedge is Hedge.MOST:
            yield -math.inf, amount, one, one


def _is_range(one: Value, after: Value, tokens: Sequence[Token], before: str) -> bool:
    """Whether two values are the ends of a range: "from 6 to 14", "aged 6 to 14"."""
    if dimension(one) != dimension(after):
        return False
    between = [token.low for token in tokens if one.end <= token.start < after.start]
    bounds = one.hedge is Hedge.LEAST and after.hedge is Hedge.MOST
    return bounds or (before in _AGED | _OF_PEOPLE and between in (["to"], ["-"], ["–"]))


def _of_group(
    group: Sequence[tuple[float, float, Value, Value]], tokens: Sequence[Token], values: Sequence[Value], stem: Stem
) -> Iterator[Rule]:
    """The rules of one dimension: each bound's part of the text, and the part behind them that is of the other values."""
    at = {token.start: n for n, token in enumerate(tokens)}
    cuts = [_part_begins(tokens, at[group[0][2].start], values)]
    for (*_, last), (_, _, first, _) in itertools.pairwise(group):
        cut = _cut(tokens, at[last.start], at[first.start])
        if cut is None:
            return
        cuts.append(cut)
    begins, way = _complement(tokens, at[group[-1][3].start], timed=group[0][2].kind is Kind.TIME)
    ends = begins if begins is not None else _part_ends(tokens, at[group[-1][3].start])
    lows, highs = [one[0] for one in group], [one[1] for one in group]
    first = group[0][2]
    spans = [(one.start, one.end) for one in values]
    begins_at = tokens[_sentence_begins(tokens, at[first.start])].start
    told_at = min(one.start for one in values if one.start >= begins_at)
    shared = frozenset(one for where, one in stems_in(tokens, spans, stem) if begins_at <= where < told_at)
    for (low, high, first, last), start, end in zip(group, cuts, [*cuts[1:], ends], strict=True):
        yield _rule(low, high, first, tokens, tokens[start:end], (first, last), values, stem, shared)
    if begins is None:
        return
    end = _part_ends(tokens, begins)
    low, high = max(highs), min(lows)
    first = group[-1][2]
    shared = _named_before(tokens, first, spans, stem) if first.kind is Kind.TIME else frozenset()
    if way >= 0 and low < math.inf:
        yield _rule(low, math.inf, first, tokens, tokens[begins:end], (), values, stem, shared)
    elif way <= 0 and high > -math.inf:
        yield _rule(-math.inf, high, first, tokens, tokens[begins:end], (), values, stem, shared)


def _named_before(
    tokens: Sequence[Token], bound: Value, spans: Sequence[tuple[int, int]], stem: Stem
) -> frozenset[str]:
    """What stands before a bound in its sentence, which "later ones" are as well."""
    begins = tokens[_sentence_begins(tokens, next(n for n, one in enumerate(tokens) if one.start == bound.start))].start
    return frozenset(one for where, one in stems_in(tokens, spans, stem) if begins <= where < bound.start)


def _rule(
    low: float,
    high: float,
    bound: Value,
    tokens: Sequence[Token],
    part: Sequence[Token],
    ends: Sequence[Value],
    values: Sequence[Value],
    stem: Stem,
    shared: frozenset[str] = frozenset(),
) -> Rule:
    start, end = part[0].start, part[-1].end
    within = [one for one in values if start <= one.start < end]
    near = frozenset[str]().union(*(beside(part, one, stem) for one in ends))
    which = next((token.start for token in part if token.low == "which"), end)  # half the fare, which is $12
    return Rule(
        low,
        high,
        bound,
        near or frozenset(one for _, one in stems_in(part, [], stem)),
        is_of_ages(tokens, bound),
        _before(tokens, bound) in _SINCE,
        shared.union(one for _, one in stems_in(part, [(one.start, one.end) for one in within], stem)),
        denies(part),
        tuple(one for one in within if one not in ends and one.hedge is Hedge.NONE and one.start < which),
    )


def is_of_ages(tokens: Sequence[Token], bound: Value) -> bool:
    """Whether a bound is of the age of people, "children under 8", "from the age of 6": none counts them, "10 people", or lasts for so many hours."""
    if bound.kind is not Kind.NUMBER and bound.unit != "year":
        return False
    after = next((token.low for token in tokens if token.start >= bound.end and token.kind == "word"), "")
    if bound.unit == "year" and after == "old":
        return True
    before = [token.low for token in tokens if token.end <= bound.start][-_FROM_PEOPLE:]
    return after not in _OF_PEOPLE and not _OF_PEOPLE.isdisjoint(before)


def _before(tokens: Sequence[Token], value: Value) -> str:
    """The word before a value, but for "or", "the" and the like."""
    words = (token.low for token in reversed(tokens) if token.end <= value.start and token.low not in _FILLERS)
    return next(words, "")


def beside(tokens: Sequence[Token], value: Value, stem: Stem) -> frozenset[str]:
    """The stems next to a value in its clause, but for what holds it back."""
    marks = [token for token in tokens if token.text in _ENDS or token.text == _COMMA]
    begins = max((one.end for one in marks if one.end <= value.start), default=0)
    ends = min((one.start for one in marks if one.start >= value.end), default=math.inf)
    told = [(at, one) for at, one in stems_in(tokens, [(value.start, value.end)], stem) if begins <= at < ends]
    before = [one for at, one in told if at < value.start][-1:]
    after = [one for at, one in told if value.end <= at < value.end + 8 * _NEAR][:1]
    return frozenset((*before, *after))


def stems_in(tokens: Sequence[Token], spans: Sequence[tuple[int, int]], stem: Stem) -> list[tuple[int, str]]:
    """Where each word that says something stands, and its stem, but for those of values."""
    return [
        (token.start, _single(one))
        for token in tokens
        if token.kind == "word"
        and token.low not in _HOLD_BACK
        and token.low not in ("yes", "no")
        and not any(start <= token.start < end for start, end in spans)
        and (one := stem(token.low)) is not None
    ]


def _single(stem: str) -> str:
    """A stem without the letter that an ending doubled: "shipp" of "shipping", for "ships"."""
    return stem[:-1] if len(stem) > _SHORT and stem[-1] == stem[-2] and stem[-1] in "bdgmnprt" else stem


def denies(tokens: Sequence[Token]) -> bool:
    """Whether something is negated."""
    return any(token.low in _NOT or token.low.endswith("n't") for token in tokens)


def _part_begins(tokens: Sequence[Token], n: int, values: Sequence[Value]) -> int:
    """Where the first bound's part begins: behind a comma where a value is told on either side of it, "one month at first, two from one to five years"."""
    begins = _sentence_begins(tokens, n)
    comma = next((k for k in range(n - 1, begins, -1) if tokens[k].text == _COMMA), begins)
    at = [
        one.start for one in values if one.hedge is Hedge.NONE and tokens[begins].start <= one.start < tokens[n].start
    ]
    before = any(one < tokens[comma].start for one in at)
    ends = next((k for k in range(n + 1, len(tokens)) if tokens[k].text in _ENDS | {_COMMA}), len(tokens) - 1)
    # "Adults $8, children 4 to 15 $4"
    own = [one for one in values if one.kind is Kind.MONEY and tokens[n].start < one.start < tokens[ends].start]
    return comma + 1 if before and (own or any(one > tokens[comma].start for one in at)) else begins


def _sentence_begins(tokens: Sequence[Token], n: int) -> int:
    return next((k + 1 for k in range(n - 1, -1, -1) if tokens[k].text in _ENDS), 0)


def _part_ends(tokens: Sequence[Token], n: int) -> int:
    return next((k for k in range(n + 1, len(tokens)) if tokens[k].text in _ENDS), len(tokens))


def _cut(tokens: Sequence[Token], last: int, first: int) -> int | None:
    """Where one bound's part ends and the next one's begins: at the last of the strongest marks between them."""
    between = range(first - 1, last, -1)
    for marks in (_ENDS, frozenset(_COMMA), _JOINS):
        cut = next((k + 1 for k in between if tokens[k].low in marks), None)
        if cut is not None:
            return cut
    return None


def _complement(tokens: Sequence[Token], n: int, *, timed: bool) -> tuple[int | None, int]:
    """Where behind the last bound a part begins that is of the other values, and whether of greater (1), of smaller ones (-1) or of either (0)."""
    for k in range(n + 1, len(tokens) - 1):
        if tokens[k].text not in _ENDS and tokens[k].low not in (*_JOINS, _COMMA):
            continue
        for j in range(k + 1, min(k + 1 + _INTRODUCES, len(tokens))):
            low, after = tokens[j].low, tokens[j + 1].low if j + 1 < len(tokens) else ""
            if low in _OTHERS:
                return k + 1, 0
            if after != "than" and low in _ABOVE | _BELOW:
                return k + 1, 1 if low in _ABOVE else -1
            if after in _THAT and low in _BEYOND:
                return k + 1, _BEYOND[low]
            if timed and (low in _LATER or (after in _THAT and low in _AFTER)):
                return k + 1, {**_LATER, **_AFTER}[low]
    return None, 0
