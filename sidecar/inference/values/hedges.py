"""What holds a value back: about, at least, at most, and the ends of a range."""

from __future__ import annotations

import itertools
from dataclasses import replace

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.han_bounds import bound_before, bound_behind
from sidecar.inference.values.numbers import Tokens
from sidecar.inference.values.value import Date, Hedge, Kind, Value

_ABOUT = frozenset("about around roughly approximately approx nearly almost some circa ca ~ ≈ estimated".split())
_LEAST = frozenset("minimum min above over exceed exceeding exceeds exceeded minimal ≥ >".split())
_MOST = frozenset("maximum max below under within maximal ≤ <".split())
_FILLERS = frozenset("of is a an the was be are".split())
_APART = frozenset(
    "more less fewer higher lower longer shorter cheaper dearer further farther larger bigger smaller older younger heavier lighter faster slower "
    "better worse wider narrower deeper taller thicker thinner ahead behind short apart extra".split()
)
_ENDS = frozenset("or and to of for in on at from is are was were with than".split())
_LIMITS = dict.fromkeys("by until till before".split(), Hedge.MOST) | dict.fromkeys(
    "from after since".split(), Hedge.LEAST
)
# Two words before a value, and what they say.
_PAIRS = {
    ("at", "least"): Hedge.LEAST, ("more", "than"): Hedge.LEAST, ("greater", "than"): Hedge.LEAST, ("longer", "than"): Hedge.LEAST,
    ("higher", "than"): Hedge.LEAST, ("older", "than"): Hedge.LEAST, ("larger", "than"): Hedge.LEAST,
    ("bigger", "than"): Hedge.LEAST, ("heavier", "than"): Hedge.LEAST, ("taller", "than"): Hedge.LEAST,
    ("smaller", "than"): Hedge.MOST, ("lighter", "than"): Hedge.MOST, ("at", "most"): Hedge.MOST, ("up", "to"): Hedge.MOST,
    ("less", "than"): Hedge.MOST, ("fewer", "than"): Hedge.MOST, ("lower", "than"): Hedge.MOST, ("shorter", "than"): Hedge.MOST,
    ("starts", "at"): Hedge.LEAST, ("start", "at"): Hedge.LEAST, ("starting", "at"): Hedge.LEAST, ("starting", "from"): Hedge.LEAST,
    ("begins", "at"): Hedge.LEAST, ("younger", "than"): Hedge.MOST, ("limited", "to"): Hedge.MOST, ("capped", "at"): Hedge.MOST, ("close", "to"): Hedge.ABOUT,
}  # fmt: skip
_SUMS = frozenset("add adds added adding sum sums come comes came round rounds rounded".split())  # "up to"
_OPPOSITE = {Hedge.LEAST: Hedge.MOST, Hedge.MOST: Hedge.LEAST}
_BEHIND = dict.fromkeys("more above newer older over later higher longer up upwards greater".split(), Hedge.LEAST)
_BEHIND |= dict.fromkeys("less fewer below under lower shorter earlier smaller younger".split(), Hedge.MOST)
_AMOUNTS = frozenset({Kind.NUMBER, Kind.PERCENT, Kind.POINTS, Kind.MONEY, Kind.QUANTITY, Kind.NAME})


def hedged(tokens: Tokens, found: list[tuple[Value, int, int]]) -> list[Value]:
    """The values with what holds them back."""
    hedges = [
        _before(tokens, first) if one.kind in _AMOUNTS else _limit_of(one, tokens[first - 1].low)
        for one, first, _ in found
    ]
    for n, (one, _, end) in enumerate(found):
        if one.kind in _AMOUNTS and hedges[n] is Hedge.NONE:
            hedges[n] = _behind(tokens, end)
            if one.kind is Kind.NAME and tokens[end + 1].low == "older":
                hedges[n] = Hedge.MOST
    for n in range(len(found) - 1):
        if _range(tokens, found[n], found[n + 1]):
            hedges[n], hedges[n + 1] = Hedge.LEAST, Hedge.MOST
        elif _in_brackets(tokens, found[n], found[n + 1]) and Hedge.NONE in (hedges[n], hedges[n + 1]):
            hedges[n] = hedges[n + 1] = hedges[n] if hedges[n + 1] is Hedge.NONE else hedges[n + 1]
    through = [tuple[Date, ...]()] * len(found)
    for n, ((one, first, end), (other, begin, _)) in enumerate(itertools.pairwise(found)):
        joined = tokens[end].low in _THROUGH or (tokens[end].low == "and" and tokens[first - 1].low == "between")
        if begin == end + 1 and joined and not _is_move(tokens, first) and (days := _days_through(one, other)):
            through[n] = through[n + 1] = days
    apart = [one.kind in _AMOUNTS and _is_difference(one, tokens, first, end) for one, first, end in found]
    shifts = [_SHIFTS.get(tokens[end].low, 0) if one.kind is Kind.QUANTITY else 0 for one, _, end in found]
    return [
        replace(one, hedge=hedge, difference=is_apart, shift=shift, through=days)
        if hedge is not Hedge.NONE or is_apart or shift or days
        else one
        for (one, _, _), hedge, is_apart, shift, days in zip(found, hedges, apart, shifts, through, strict=True)
    ]


_THROUGH = frozenset("to through thru till until -".split())
_DAYS, _MONTHS = 7, 12


_MOVED = frozenset("moved postponed shifted changed rescheduled delayed switched brought".split())


def _is_move(tokens: Tokens, first: int) -> bool:
    """Whether a value is what something was moved from: "moved from Monday to Friday"."""
    return tokens[first - 1].low == "from" and any(tokens[at].low in _MOVED for at in range(max(0, first - 5), first))


def _days_through(first: Value, last: Value) -> tuple[Date, ...]:
    """The weekdays or months from one to the other, both among them; () of other values."""
    if len(first.dates) != 1 or len(last.dates) != 1:
        return ()
    (one,), (other,) = first.dates, last.dates
    if one.weekday is not None and other.weekday is not None:
        return tuple(Date(weekday=(one.weekday + n) % _DAYS) for n in range((other.weekday - one.weekday) % _DAYS + 1))
    if one.month and other.month and one == Date(month=one.month) and other == Date(month=other.month):
        return tuple(
            Date(month=(one.month - 1 + n) % _MONTHS + 1) for n in range((other.month - one.month) % _MONTHS + 1)
        )
    return ()


_SHIFTS = dict.fromkeys("before prior earlier ahead early".split(), -1) | dict.fromkeys(
    "after later following".split(), 1
)


def _in_brackets(tokens: Tokens, one: tuple[Value, int, int], other: tuple[Value, int, int]) -> bool:
    """Whether a measure is said again in another unit: "38 °C (100.4 °F) or higher", "at most 5 kg (11 lb)"."""
    (left, _, end), (right, begin, after) = one, other
    alone = begin == end + 1 and tokens[end].text == "(" and tokens[after].text == ")"
    return alone and left.kind is right.kind is Kind.QUANTITY and dimension(left) == dimension(right)


def _is_difference(value: Value, tokens: Tokens, first: int, end: int) -> bool:
    """Whether a value says how far two others are apart: "by 5 %", "20 euros less"; not "used by 400 people"."""
    before = tokens[first - 2].low if tokens[first - 1].low in _ABOUT else tokens[first - 1].low
    if before == "by" and (value.kind is not Kind.NUMBER or tokens[end].kind != "word" or tokens[end].low in _ENDS):
        return True
    for at in range(end, end + 3):
        if tokens[at].low in _APART:
            return True
        if tokens[at].kind != "word" or tokens[at].low in _ENDS:
            break
    return False


def _limit_of(value: Value, before: str) -> Hedge:
    """What a time is a limit of: "by 11:00", "from 9 am"."""
    return _LIMITS.get(before, Hedge.NONE) if value.kind is Kind.TIME else Hedge.NONE


def _before(tokens: Tokens, n: int) -> Hedge:
    at = n - 1
    if tokens[at].kind == "han":
        return bound_before(tokens, n)
    if tokens[at].text in ("$", "€", "£", "¥", "-"):
        at -= 1
    for _ in range(2):
        one, other = tokens[at].low, tokens[at - 1].low
        pair = _PAIRS.get((other, one))
        if pair and not (one == "to" and tokens[at - 2].low in _SUMS):
            denied = _denied(tokens, at - 2) or (pair is Hedge.LEAST and _forbidden(tokens, at - 2))
            return _OPPOSITE.get(pair, pair) if denied else pair
        if one in _ABOUT:
            return Hedge.NONE if one == "~" and tokens[at - 1].kind == "number" else Hedge.ABOUT
        if one in _LEAST and _denied(tokens, at - 1):
            return Hedge.MOST
        if one in _LEAST or one in _MOST:
            return Hedge.LEAST if one in _LEAST else Hedge.MOST
        if one not in _FILLERS:
            break
        at -= 1
    return _limit(tokens, n - 1)


def _limit(tokens: Tokens, n: int) -> Hedge:
    """The bound that a value is said to be: "the minimum deposit is", "a maximum length of"."""
    if tokens[n].low not in _IS:
        return Hedge.NONE
    for at in range(n - 1, n - 6, -1):
        token = tokens[at]
        if token.low in _LEAST_OF or token.low in _MOST_OF:
            return Hedge.LEAST if token.low in _LEAST_OF else Hedge.MOST
        if token.kind != "word":
            break
    return Hedge.NONE


_IS = frozenset("is are was were of be to".split())
_LEAST_OF = frozenset("minimum min minimal lowest".split())
_MOST_OF = frozenset("maximum max maximal highest limit".split())


def _denied(tokens: Tokens, n: int) -> bool:
    """Whether a comparison is turned round: "no more than", "do not take more than", "cannot be longer than"."""
    for at in range(n, n - 4, -1):
        token = tokens[at]
        if token.low in _NOT or token.low.endswith("n't"):
            return (token.low, tokens[at + 1].low) != ("no", "longer") or tokens[at + 2].low == "than"
        if token.kind != "word":
            return False
    return False


def _forbidden(tokens: Tokens, n: int) -> bool:
    """Whether what has more may not be: "you can't work from abroad for more than"."""
    for at in range(n, max(0, n - _FARTHEST), -1):
        word = tokens[at].low
        if word in ("can't", "cannot", "mustn't") or (word == "not" and tokens[at - 1].low in _MODALS):
            return True
        if tokens[at].kind != "word":
            return False
    return False


_FARTHEST = 8
_MODALS = frozenset({"may", "must", "can", "should", "shall"})
_NOT = frozenset({"no", "not", "never", "cannot"})


def _behind(tokens: Tokens, n: int) -> Hedge:
    if tokens[n].kind == "han":
        return bound_behind(tokens, n)
    if tokens[n].text == "+" and tokens.joined(n):
        return Hedge.LEAST
    if tokens[n].low in ("on", "onwards", "onward", "upwards", "upward") and _from(tokens, n):
        return Hedge.LEAST
    for at in (n, n + 1):
        if tokens[at].low in ("or", "and") and tokens[at + 1].low in _BEHIND and tokens[at + 2].low != "to":
            return _BEHIND[tokens[at + 1].low]
    for at in (n, n + 1):
        if tokens[at].low in ("minimum", "maximum"):
            return Hedge.LEAST if tokens[at].low == "minimum" else Hedge.MOST
        if (pair := (tokens[at].low, tokens[at + 1].low)) in _AT and tokens[at + 2].kind != "number":
            return _AT[pair]  # "50 at most", "14 days at least"
        if tokens[at].kind != "word":
            break
    return _called(tokens, n)


def _called(tokens: Tokens, n: int) -> Hedge:
    """The bound that a value is called behind it: "65 °C is the ceiling", "with $180 as the least you pay"."""
    if tokens[n].low not in _AS or tokens[n + 1].low != "the" or tokens[n + 2].low not in _CALLED:
        return Hedge.NONE
    called, behind = tokens[n + 2].low, tokens[n + 3]
    of_more = called in ("least", "most") and behind.kind == "word" and not behind.low.startswith(_WHO)
    return Hedge.NONE if of_more else _CALLED[called]


_AT = {("at", "least"): Hedge.LEAST, ("at", "most"): Hedge.MOST}
_AS = frozenset({"is", "are", "as", "being"})
_CALLED = dict.fromkeys("least minimum floor".split(), Hedge.LEAST) | dict.fromkeys(
    "most maximum ceiling limit cap".split(), Hedge.MOST
)
_WHO = ("you", "they", "that", "anyone", "anybody")


def _from(tokens: Tokens, n: int) -> bool:
    """Whether "from" leads to the value that ends before token n: "from 10 kg on"."""
    return any(tokens[at].low == "from" for at in range(max(0, n - 4), n))


def _range(tokens: Tokens, one: tuple[Value, int, int], other: tuple[Value, int, int]) -> bool:
    (left, first, end), (right, begin, _) = one, other
    if left.side or right.side:
        return False
    begin -= tokens[begin - 1].text == "-" and begin - 1 > end
    if left.kind is not right.kind or left.kind not in _AMOUNTS - {Kind.NAME} or begin != end + 1:
        return False
    if ((left.unit or right.unit) and left.unit != right.unit) or left.amount >= right.amount:
        return False
    word, before = tokens[end].low, tokens[first - 1].low
    if before == "-":
        before = tokens[first - 2].low
    return (
        word == "-"
        or (word == "to" and (before in _FROM or left.kind is not Kind.NUMBER))
        or (word == "and" and before == "between")
    )


_FROM = frozenset({"from", "between", "every", "takes", "lasts"})
