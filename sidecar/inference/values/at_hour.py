"""Whether something is open at an hour: "is it open at 5 pm?" of "open from 9 to 18"."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sidecar.inference.values.open_hours import A_MOMENT, SHIFTED, Hour, hours_in, state_at, stems_beside_hours
from sidecar.inference.values.opening import days_of, happens
from sidecar.inference.values.value import Value

_LONGEST, _A_DAY = 300, 24.0  # characters, hours


@dataclass(frozen=True, slots=True)
class _Span:
    """Something is open from one hour to another, on days (none: on any), by a line with these stems."""

    begins: float
    ends: float
    days: frozenset[int]
    line: int
    stems: frozenset[str]


def told_at(
    claim: str, question: str, values: Sequence[Value], asked: Sequence[Value], texts: Sequence[str]
) -> Mapping[Value, bool]:
    """The time at which a claim says that something is open, or closed, and whether that is so by the hours of texts on the days that it, or its question, names.
    None at the very hour of opening or closing, or where lines differ."""
    time = state_at(claim, values) if len(claim) <= _LONGEST else None
    goes_on = happens(claim) if time is not None else None
    if time is None or goes_on is None or any(map(SHIFTED.search, texts)):
        return {}
    days = _days(values) or _days(asked)
    spans = [one for one in _spans(hours_in(tuple(texts))) if not one.days or days <= one.days]
    named = stems_beside_hours(f"{claim} {question}")
    of_it = [one for one in spans if one.stems & named]
    spans = of_it or (spans if len({one.line for one in spans}) == 1 else [])
    hours = [time.amount, (time.amount + _A_DAY / 2) % _A_DAY] if time.dial else [time.amount]
    if any(abs(hour - end) < A_MOMENT for hour in hours for one in spans for end in (one.begins, one.ends)):
        return {}
    groups = [list(group) for _, group in itertools.groupby(sorted(spans, key=_key), _key)]
    within = {any(one.begins < hour < one.ends for one in group) for group in groups for hour in hours}
    return {time: within.pop() == goes_on} if len(within) == 1 else {}


def _key(one: _Span) -> tuple[int, ...]:
    return tuple(sorted(one.days))


def _days(values: Sequence[Value]) -> frozenset[int]:
    return frozenset[int]().union(*map(days_of, values))


def _spans(hours: Sequence[Hour]) -> Iterator[_Span]:
    opens: Hour | None = None
    for one in hours:
        opens = one if one.end < 0 else opens if opens is not None and opens.line == one.line else None
        ends = one.time.amount or _A_DAY
        if one.end > 0 and opens is not None and opens.time.amount < ends and one.days <= opens.days:
            yield _Span(opens.time.amount, ends, one.days, one.line, one.stems)
