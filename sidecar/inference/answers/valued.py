"""Which of two things has more, by the values that a text gives each: "The Aero 15." to "Which is cheaper?" of "The Aero 13 costs $999 and the Aero 15 costs $1,299."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sidecar.inference.answers.compared import COMPARED
from sidecar.inference.answers.reading import NEGATED, Asked, told_apart, values_of
from sidecar.inference.answers.yes_or_no import REPLY
from sidecar.inference.values.compare import dimension
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Hedge, Kind, Value

# Of a comparative the kinds of value that it is of, or all but some, and whether it is said of more (1) or of less (-1).
_ONLY: dict[str, tuple[frozenset[str], int]] = {
    "cheaper": (frozenset({"money"}), -1),
    **dict.fromkeys(("dearer", "pricier", "costlier"), (frozenset({"money"}), 1)),
    "heavier": (frozenset({"mass"}), 1),
    "lighter": (frozenset({"mass"}), -1),
    "longer": (frozenset({"time", "length"}), 1),
    "shorter": (frozenset({"time", "length"}), -1),
    "taller": (frozenset({"length"}), 1),
    **dict.fromkeys(("faster", "quicker"), (frozenset({"time"}), -1)),
    "slower": (frozenset({"time"}), 1),
    "newer": (frozenset({"year"}), 1),
    "older": (frozenset({"year"}), -1),
    **dict.fromkeys(("warmer", "hotter"), (frozenset({"temperature"}), 1)),
    "colder": (frozenset({"temperature"}), -1),
}
_ALL_BUT: dict[str, tuple[frozenset[str], int]] = {
    **dict.fromkeys(("bigger", "larger"), (frozenset({"money", "time", "percent", "year"}), 1)),
    "smaller": (frozenset({"money", "time", "percent", "year"}), -1),
    "higher": (frozenset({"mass", "time", "year"}), 1),
    "lower": (frozenset({"mass", "time", "year"}), -1),
    "more": (frozenset({"year"}), 1),
    **dict.fromkeys(("less", "fewer"), (frozenset({"year"}), -1)),
}
_COSTS = re.compile(r"\b(?:costs?|pay|pays|price[ds]?|expensive|cheap)\b", re.IGNORECASE)
_OF_SHARES = re.compile(r"\b(?:interest|pension|dividends?|yield|bonus|percent\w{0,4})\b|%", re.IGNORECASE)
_SAYS_LITTLE = told_apart(
    "cost costs have has get gets offer offers include includes take takes model plan version one option type kind yes which"
)
_ASKS = re.compile(r"\A(?:which|what|who|is|are|does|do|can|was|were)\b", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s(?:(?:per|an?|each) \w+ )?(?:for|on|in|with|to|at|from)\s(?P<name>[^,;.]{2,60}?)(?=,|;|\.|\sand\s|\swhile\s|\swhereas\s|\sbut\s|\Z)",
    re.IGNORECASE,
)
_NOT_READ = re.compile(
    r"\b(?:or more|difference|together|total|both|combined|average|often|frequently|half|double|twice|times)\b",
    re.IGNORECASE,
)
_NAMES_BOTH = re.compile(r"\b(?:or|than)\b", re.IGNORECASE)
_THAN = re.compile(r"\bthan\b(?P<other>[^?,;]{1,60})", re.IGNORECASE)
_OF_ONE_SIDE = ({Hedge.NONE}, {Hedge.MOST}, {Hedge.LEAST}, {Hedge.NONE, Hedge.MOST}, {Hedge.NONE, Hedge.LEAST})
_TWO, _NOUN = 2, 24  # things, characters
_NOUN_ENDS = re.compile(r"[,;.]|\b(?:and|while|whereas|but|per|on|in|for|with|at|a|an|to)\b")
_APART = 3  # sentences from one thing to another


@dataclass(frozen=True, slots=True)
class _Item:
    """A thing by its words, those that no other has, with its value, what this is an amount of where the thing has several, the sentence that has it, and the
    words behind the value before it there, of whichever kind."""

    words: frozenset[str]
    own: frozenset[str]
    value: Value
    topic: frozenset[str]
    sentence: int
    near: frozenset[str] = frozenset()


def asks_valued(asked: Asked) -> bool:
    """Whether a question asks which of two things has more, or whether one has."""
    denied = NEGATED.search(asked.question) or NEGATED.search(REPLY.sub("", asked.answer, count=1))
    if denied or not _ASKS.match(asked.question) or _NOT_READ.search(asked.question):
        return False
    plain = not any(one.kind in (Kind.QUANTITY, Kind.MONEY) for one in values_of(asked.question)[1])
    return plain and len(COMPARED.findall(asked.question)) == 1


def valued(asked: Asked, sentences: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """The sentences of a document, from one to another one, that state how much each thing has, and whether the one that an answer names has more, or less, as it says."""
    [adjective] = [one.lower() for one in COMPARED.findall(asked.question)]
    only, sign = _ONLY.get(adjective, (None, 0))
    but, other_sign = _ALL_BUT.get(adjective, (None, 0))
    if _COSTS.search(asked.question) and but is not None and not _OF_SHARES.search(asked.question):
        only, sign, but = frozenset({"money"}), other_sign, None
    every = list(_items(sentences))
    kinds = {_kind(one.value) for one in every}
    kinds = kinds & only if only is not None else kinds - but if but is not None else set()
    about = told_apart(asked.question) - _SAYS_LITTLE
    frames = [
        (max((len(about & one.words), len(about & one.near)) for one in frame), frame)
        for kind in sorted(kinds)
        for frame in _frames([one for one in every if _kind(one.value) == kind])
    ]
    most = max((share for share, _ in frames), default=(0, 0))
    best = [frame for share, frame in frames if share == most]
    if len(frames) == 1 or (most[0] and len(best) == 1):
        yield from _compare(asked, sign or other_sign, best[0])


def _compare(asked: Asked, sign: int, items: Sequence[_Item]) -> Iterator[tuple[int, int, bool]]:
    named = [one for one in items if one.own & told_apart(asked.question)]
    if len(named) == 1 or (named and not _NAMES_BOTH.search(asked.question)):
        return  # what is asked tells the values themselves apart: "employer" of "employee pays 4%, employer pays 6%"
    items = named or items
    if len({_amount(one.value) for one in items}) < len(items):
        return
    reply, than = REPLY.match(asked.answer), _THAN.search(asked.question)
    if reply:
        before, behind = asked.question[: than.start()] if than else "", than["other"] if than else ""
        other, mine = _named(behind, items), _named(before, items)
        if other is None or mine is None or other is mine or len(items) > _TWO:
            return
    else:
        mine = _named(COMPARED.split(asked.answer)[0], items) if than is None else None
    if mine is not None:
        best = max(items, key=lambda each: sign * _amount(each.value))
        yield items[0].sentence, items[-1].sentence, (mine is best) == (reply is None or reply["yes"] is not None)


def _named(text: str, items: Sequence[_Item]) -> _Item | None:
    """The one thing that a text names."""
    found = [one for one in items if one.own & told_apart(text)]
    return found[0] if len(found) == 1 else None


def _frames(every: Sequence[_Item]) -> Iterator[list[_Item]]:
    """Two things or more that are told of near each other in words of which they share some."""
    groups: list[list[_Item]] = []
    for one in every:
        last = next((group for group in reversed(groups) if group[-1].topic == one.topic), None)
        near = last is not None and one.sentence - last[-1].sentence <= _APART and one.value.per == last[-1].value.per
        if last is not None and near and one.words & last[-1].words:
            last.append(one)
        else:
            groups.append([one])
    yield from (told for group in groups if len(group) > 1 and (told := _told_apart(group)))


def _told_apart(group: Sequence[_Item]) -> list[_Item]:
    found = []
    for n, one in enumerate(group):
        others = frozenset[str]().union(*(other.words for k, other in enumerate(group) if k != n))
        found.append(replace(one, own=one.words - others))
    return found if all(one.own for one in found) else []


def _items(sentences: Sequence[str]) -> Iterator[_Item]:
    """The things of a document with the values that they have."""
    for n, sentence in enumerate(sentences):
        every = [one for one in values_of(sentence)[1] if _kind(one)]
        if not every or NEGATED.search(sentence):
            continue
        for kind in sorted({_kind(one) for one in every}):
            values = [one for one in every if _kind(one) == kind]
            if {one.hedge for one in values} in _OF_ONE_SIDE:
                for item in _of_sentence(sentence, values, n):
                    before = max((one.end for one in every if one.end <= item.value.start), default=0)
                    yield replace(item, near=told_apart(sentence[before : item.value.start]))


def _of_sentence(sentence: str, values: Sequence[Value], n: int) -> Iterator[_Item]:
    """The things of a sentence: each with a value behind it or before it, or one with several, "8 GB of memory and 256 GB of storage"."""
    behind = [_BEHIND.match(sentence, one.end) for one in values]
    shared, nouns = told_apart(sentence[: values[0].start]), [told_apart(_noun(sentence, one)) for one in values]
    if len(values) > 1 and all(behind):
        for one, found in zip(values, behind, strict=True):
            yield _Item(told_apart(found["name"] if found else "") | shared, frozenset(), one, frozenset(), n)
    elif len(values) > 1 and all(nouns) and len(set(nouns)) == len(nouns):
        for one, noun in zip(values, nouns, strict=True):
            yield _Item(shared | noun, frozenset(), one, noun, n)
    else:
        begins = 0
        for one, noun in zip(values, nouns, strict=True):
            yield _Item(told_apart(sentence[begins : one.start]) | noun, frozenset(), one, frozenset(), n)
            begins = one.end


def _noun(sentence: str, value: Value) -> str:
    """What a value counts or measures: "8 GB of memory and"."""
    return _NOUN_ENDS.split(sentence[value.end : value.end + _NOUN])[0]


def _kind(value: Value) -> str:
    if value.kind is Kind.DATE:
        return "year" if value.dates and value.dates[0].year else ""
    named = {Kind.MONEY: "money", Kind.PERCENT: "percent", Kind.NUMBER: "number"}.get(value.kind, "")
    return named or (dimension(value) if value.kind is Kind.QUANTITY else "")


def _amount(value: Value) -> float:
    if value.kind is Kind.DATE:
        [date] = value.dates[:1]
        return (date.year or 0) * 400 + (date.month or 0) * 31 + (date.day or 0)
    return in_base(value.amount, value.unit) if value.kind is Kind.QUANTITY else value.amount
