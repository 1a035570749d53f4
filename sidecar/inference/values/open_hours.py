"""Hours that something opens or closes at by a claim, beside what texts say of those days: "opens at 8 on weekdays" of "Mon-Fri 9-17"."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sidecar.inference.values.opening import EVERY_DAY, WEEK, days_of, stems_of
from sidecar.inference.values.read import read_values
from sidecar.inference.values.value import Hedge, Kind, Value

_OPENS = re.compile(
    r"\b(?P<verb>opens?|opening|closes?|closing|shuts?|(?:opening|office|business) hours)"
    r"(?: (?:it|its|we|is|are|the|our|doors|daily|every day|on \w+days?|at|from|until|till|to|by)){0,5} \Z",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:(?:is|are|be|stays?|remains?|still)(?:n['’]t)?|(?:it|they|we|you)['’](?:s|re))\b[^,;.]{0,40}?\b(?:open|closed|shut|available|staffed|reachable|running)\b",
    re.IGNORECASE,
)
AT = re.compile(r"\bat \Z", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|to) \Z", re.IGNORECASE)
TO = re.compile(
    r"\s?(?:-|–|—|to|until|till|(?:,|,? and)(?: it| we)? (?:closes?|shuts?) (?:again )?at)\s?", re.IGNORECASE
)
_ELSE = re.compile(
    r"\b(?:not|no|never|cannot|none|nor|if|unless|except|other|before|after|or|earlier|later|last|holidays?)\b|n['’]t\b",
    re.IGNORECASE,
)
SHIFTED = re.compile(r"\b(?:hours?|minutes?) (?:earlier|later|before|after)\b", re.IGNORECASE)
_APART = re.compile(r"[,;.]|\band\b", re.IGNORECASE)
_LINES = re.compile(r"[\n;]|(?<=[.!?])\s")
_LONGEST, _MOST_LINES, _REMEMBERED, _NEAR_VERB = 300, 40, 16, 60
_NO_STEMS = stems_of("open opens opening close closes closed shut shuts hours until till")
_HALF_A_DAY, A_MOMENT = 12.0, 1 / 120  # hours


@dataclass(frozen=True, slots=True)
class Hour:
    """A time of a text, the weekdays that it may be of (none: of any), whether it is the first (-1) or the last (1) of two between which something is, and
    the number of its line with the stems of that."""

    time: Value
    days: frozenset[int]
    end: int
    line: int
    stems: frozenset[str]


def told_hours(claim: str, values: Sequence[Value], texts: Sequence[str]) -> Mapping[Value, bool]:
    """The times of a claim at which something opens or closes, and whether texts say so of those days; none of which they name no hours from one time to another."""
    said = list(_opening(claim, values)) if len(claim) <= _LONGEST and not _ELSE.search(claim) else []
    hours = hours_in(tuple(texts)) if said else ()
    if not hours or any(map(SHIFTED.search, texts)):
        return {}
    named = frozenset[int]().union(*map(days_of, values))
    days = {one.time.start: one.days & named for one in _hours_of(claim, 0)}
    of_it = [one for one in hours if one.stems & stems_beside_hours(claim)]
    told = {time: _is_told(time, end, days.get(time.start, frozenset()), hours, of_it) for time, end in said}
    return {time: right for time, right in told.items() if right is not None}


def _is_told(time: Value, end: int, days: frozenset[int], hours: Sequence[Hour], of_it: Sequence[Hour]) -> bool | None:
    """Whether an hour of some days is that of the lines of_it, those that share a word with the claim, or of all where these have no hours of the days."""
    known = any(one.end and days <= one.days for one in of_it)
    there = [one for one in (of_it if known else hours) if not one.days or not days or one.days & days]
    named = {one.line for one in there if one.end and days <= one.days}
    alike = [one for one in there if _same(time, one.time)]
    if not named or not alike:
        return False if named else None
    same = [_same(time, one.time) for one in there if one.end == end]
    return True if same and all(same) and (known or len(named) == 1) else None


def state_at(claim: str, values: Sequence[Value]) -> Value | None:
    """The one time of a claim that says that something is, or is not, open then."""
    times = [one for one in values if one.kind is Kind.TIME]
    if len(times) != 1 or times[0].hedge is not Hedge.NONE:
        return None
    return times[0] if _STATE.search(claim) and AT.search(claim, 0, times[0].start) else None


def _opening(claim: str, values: Sequence[Value]) -> Iterator[tuple[Value, int]]:
    state = state_at(claim, values)
    times = [one for one in values if one.kind is Kind.TIME and one is not state]
    last: Value | None = None
    for one in times:
        verb = _OPENS.search(claim, max(0, one.start - _NEAR_VERB), one.start)
        if verb:
            closes = verb["verb"][:1].lower() in "cs" or _UNTIL.search(claim, verb.start(), one.start)
            yield one, 1 if closes else -1
            last = None if closes else one
        elif last is not None and TO.fullmatch(claim, last.end, one.start):
            yield one, 1


@functools.lru_cache(maxsize=_REMEMBERED)
def hours_in(texts: tuple[str, ...]) -> tuple[Hour, ...]:
    lines = [
        line for text in texts for line in _LINES.split(text) if len(line) <= _LONGEST and any(map(str.isdigit, line))
    ]
    return tuple(one for n, line in enumerate(lines[:_MOST_LINES]) for one in _hours_of(line, n))


def _hours_of(line: str, number: int) -> Iterator[Hour]:
    values = read_values(line)
    times = [one for one in values if one.kind is Kind.TIME]
    days = [(one.start, days_of(one)) for one in values if days_of(one)]
    rest = WEEK.difference(*(own for _, own in days))
    days = sorted([*days, *((every.start(), rest) for every in EVERY_DAY.finditer(line))], key=lambda one: one[0])
    ends = dict.fromkeys(times, 0)
    for one, other in itertools.pairwise(times):
        if TO.fullmatch(line, one.end, other.start):
            ends |= {one: -1, other: 1}
    stems = stems_beside_hours(line)
    first = not days or days[0][0] < times[0].start if times else False
    own = list[frozenset[int]]()
    for time in times:
        # Days stand before their hours, "Mon-Fri 9-17", or right behind them, "9 to 17 on weekdays".
        before = [named for at, named in days if at < time.start]
        behind = [named for at, named in days if at > time.start and not _APART.search(line, time.end, at)]
        own += (before[-1:] if first else behind[:1]) or [rest if days else frozenset[int]()]
    for n, time in enumerate(times):
        if ends[time] == -1 and not first:  # "opens at 9 and closes at 17 on weekdays"
            own[n] = own[n + 1]
    later = {n for n, time in enumerate(times) if not ends[time] and own[n] and _UNTIL.search(line, 0, time.start)}
    for n, time in enumerate(times):
        # "Monday to Friday from 8 to 18, on Thursdays until 20"
        others = frozenset[int]().union(*(own[k] for k in later if own[k] < own[n])) if ends[time] == 1 else frozenset()
        yield Hour(time, own[n] - others, 1 if n in later else ends[time], number, stems)


def stems_beside_hours(text: str) -> frozenset[str]:
    return stems_of(text) - _NO_STEMS


def _same(one: Value, other: Value) -> bool:
    apart = abs(one.amount - other.amount)
    return apart < A_MOMENT or ((one.dial or other.dial) and abs(apart - _HALF_A_DAY) < A_MOMENT)
