"""Hours as bare numbers: where something opens and closes, "open Monday to Friday, 9 to 17", "daily from 9 to 6", "closes at 6 on weekdays", and beside a time,
"from 6 to 7:30"."""

from __future__ import annotations

import re

from sidecar.inference.values.dates import DAY_NAMES, part_of_day, with_part
from sidecar.inference.values.numbers import Tokens
from sidecar.inference.values.value import Kind, Value

_HOUR = re.compile(r"\d{1,2}")
_FACE, _DAY = 12, 24  # hours
_OPENS = frozenset("open opens opened opening close closes closed closing shut shuts hours".split())
_ON_DAYS = frozenset(DAY_NAMES) | frozenset("daily weekday weekdays weekend weekends".split())
_BETWEEN = _ON_DAYS | frozenset(
    "from between to till until through and on at are is we every each day days again also , : - | ( )".split()
)
_DAYS, _ANY = frozenset({"day", "days"}), frozenset("any every each all working business".split())
_JOINS, _UNTIL = frozenset("- to till until".split()), frozenset("at from until till to".split())
_GOES_ON = _ON_DAYS | frozenset("on and or every each daily but except with to all in".split())
_FAR = 9  # tokens


def hour_at(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """The hour that a bare number is by what stands before it, and the token after it."""
    hour = _bare(tokens, n)
    if hour is None:
        return None
    if "from" in (tokens[n - 1].low, tokens[n - 3].low) and (other := _clock_beside(tokens, n)):
        return _value(tokens, n, hour, max(hour, other))
    if tokens.lows.isdisjoint(_OPENS | _ON_DAYS | _DAYS):
        return None
    if tokens[n + 1].low in _JOINS and (last := _bare(tokens, n + 2)) is not None:
        pair = n, n + 2, hour, last
    elif tokens[n - 1].low in _JOINS and (first := _bare(tokens, n - 2)) is not None:
        pair = n - 2, n, first, hour
    else:
        return _value(tokens, n, hour, hour) if _opens_at(tokens, n) else None
    if not _ends(tokens, pair[1] + 1) or not (_is_told(tokens, pair[0]) or _day(tokens, pair[1])):
        return None
    return _value(tokens, n, hour, max(pair[2:])) if pair[2] < pair[3] or pair[3] <= _FACE else None


def _clock_beside(tokens: Tokens, n: int) -> int:
    """The hour of the time to or from which an hour goes, 0 where there is none: "from 6 to 7:30"."""
    for join, at in ((n + 1, n + 2), (n - 1, n - 2)):
        if tokens[join].low in _JOINS and tokens[at].kind == "clock":
            return int(tokens[at].text.partition(":")[0])
    return 0


def _bare(tokens: Tokens, n: int) -> int | None:
    text = tokens[n].text
    whole = _HOUR.fullmatch(text) and int(text) <= _DAY and not (tokens[n - 1].text and tokens[n - 1].text in "$€£¥#.")
    return int(text) if whole else None


def _value(tokens: Tokens, n: int, hour: int, later: int) -> tuple[Value, int]:
    """Of either half of the day where the later one is on the face of a clock."""
    half, end = part_of_day(tokens, n + 1, float(hour))
    hours = with_part(float(hour), half)
    dial = not half and later <= _FACE
    return Value(kind=Kind.TIME, start=tokens[n].start, end=tokens[end - 1].end, amount=hours, unit="h", dial=dial), end


def _opens_at(tokens: Tokens, n: int) -> bool:
    """Whether a single hour stands behind a word for opening: "closes at 6", "open until 8"."""
    behind, _ = part_of_day(tokens, n + 1, 0.0)
    return tokens[n - 1].low in _UNTIL and tokens[n - 2].low in _OPENS and (bool(behind) or _ends(tokens, n + 1))


def _ends(tokens: Tokens, n: int) -> bool:
    """Whether no thing follows of which there are so many, nor a unit."""
    return tokens[n].kind == "end" or tokens[n].text in tuple(".,;:!?)|\n") or tokens[n].low in _GOES_ON


def _is_told(tokens: Tokens, n: int) -> bool:
    """Whether a word for opening, or a day, leads to token n."""
    for at in range(n - 1, max(-1, n - 1 - _FAR), -1):
        if tokens[at].low in _OPENS or tokens[at].low in _ON_DAYS:
            return True
        if tokens[at].low in _DAYS and tokens[at - 1].low in _ANY:
            return True
        if tokens[at].low not in _BETWEEN:
            return False
    return False


def _day(tokens: Tokens, n: int) -> bool:
    """Whether days follow token n: "10 to 4 on Sundays"."""
    return tokens[n + 1].low in _ON_DAYS or (tokens[n + 1].low == "on" and tokens[n + 2].low in _ON_DAYS)
