"""Values of Chinese texts with the pairs of characters that they are about, shared out as words are (stated.py)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sidecar.inference.values.compare import dimension
from sidecar.inference.values.han_changes import with_sides
from sidecar.inference.values.read import read_values
from sidecar.inference.values.stated import Stated
from sidecar.inference.values.units import in_base
from sidecar.inference.values.value import Kind, Value

_MOST_VALUES, _LONGEST, _MOST_WORDS = 40, 600, 60
_NUMERAL = re.compile(r"[\d零一二两三四五六七八九十百千万亿半]")
_ENDS_CLAUSE = re.compile(r"[，,。；;！!？?：:\n（）()]+")
_WORD = re.compile(r"[㐀-鿿]+|[A-Za-z][A-Za-z\d.+-]*")
_RANGE = re.compile(r"\s{0,3}+(?:至|到|[-~～—–]{1,2})\s{0,3}+")
_SAYS_LITTLE = re.compile("[的地得了是为在于]")
_WEEKDAY = re.compile("(?:星期|礼拜)([一二三四五六日天])")  # as long as what takes its place
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}(?=版)|(?<=版)\d{1,4}(?:\.\d{1,4}){1,3}")
_CHANGES = re.compile(r"(?:下跌|上涨|下降|上升|下滑|增加|减少|增长|提高|降低|[涨跌])[了约]?\Z")
_BEFORE = 4  # characters
_MOMENTS = frozenset({Kind.DATE, Kind.TIME})
_ARTICLES = frozenset("个名位种项")
_OWN, _SUBJECT, _OTHERS, _OF_ANOTHER, _FOREIGN, _BEHIND = 1.0, 0.9, 0.6, 0.3, 0.1, 0.6


def han_stated(text: str) -> tuple[Stated, ...]:
    """The values of a Chinese text in simplified characters."""
    text = text[:_LONGEST]
    if not _NUMERAL.search(text):
        return ()
    values = [_as_change(one, text) for one in read_values(text) if one.kind is not Kind.NAME][:_MOST_VALUES]
    values = with_sides(text, values)
    sentence = _Sentence(text, values)
    return tuple(Stated(one, sentence.noun(one), sentence.words(one), row=sentence.names) for one in values)


def _as_change(value: Value, text: str) -> Value:
    """The value, and whether it says by how much something changed: 下跌4.65元."""
    return (
        replace(value, difference=True) if _CHANGES.search(text, max(0, value.start - _BEFORE), value.start) else value
    )


class _Sentence:
    def __init__(self, text: str, values: Sequence[Value]) -> None:
        self._text = text
        self._values = values
        hidden = list(text)
        for one in values:
            hidden[one.start : one.end] = " " * (one.end - one.start)
        self._ends = [one.start() for one in _ENDS_CLAUSE.finditer("".join(hidden))]
        said = ((_as_token(one), one.start) for one in values)
        self._tokens = [*tokens_of("".join(hidden)), *versions(text), *said]
        self._first = min((one.start for one in values), default=0)

    @property
    def names(self) -> frozenset[str]:
        """The one name in Latin letters that a sentence has, where it begins with it, before its values: A型 or Pro版, as of the row of a table."""
        found = {token: at for token, at in reversed(self._tokens) if token.isascii() and token[0].isalpha()}
        return frozenset(token for token, at in found.items() if len(found) == 1 and at < self._first)

    def words(self, value: Value) -> dict[str, float]:
        """The pairs around a value, and how much (0..1) each is its own."""
        alike = [one for one in self._values if dimension(one) == dimension(value)]
        own = self._clause(value.start)
        taken = {self._clause(one.start) for one in alike if one is not value} - {own}
        beside = [one for one in alike if self._clause(one.start) == own]
        found: dict[str, float] = {}
        for token, at in self._tokens:
            if token == _as_token(value):
                continue
            clause = self._clause(at)
            if clause == own:
                much = self._within(at, value, beside)
            elif clause not in taken:
                much = _SUBJECT if at < self._first else _OTHERS
            elif at < self._first:
                much = _SUBJECT if self._begins(value) else _OF_ANOTHER
            else:
                much = _FOREIGN
            found[token] = max(found.get(token, 0.0), much)
        return dict(sorted(found.items(), key=lambda one: -one[1])[:_MOST_WORDS])

    def _within(self, at: int, value: Value, beside: Sequence[Value]) -> float:
        """How much a token of the value's own clause is its own, where others of its kind stand in it: that of the first one behind it, and less that of the one before it."""
        before = [one for one in beside if one.start < value.start and not self._is_range(one, value)]
        behind = [one for one in beside if one.start > value.start and not self._is_range(value, one)]
        if any(at < one.start for one in before):
            return _FOREIGN if at >= self._first else _OTHERS
        if any(at > one.start for one in behind):
            return _FOREIGN
        return _BEHIND if behind and at > value.start else _OWN

    def _is_range(self, one: Value, other: Value) -> bool:
        return _RANGE.fullmatch(self._text, one.end, other.start) is not None

    def _begins(self, value: Value) -> bool:
        """Whether a value's clause has nothing before it."""
        start = max((end for end in self._ends if end < value.start), default=-1) + 1
        return not any(start <= at < value.start for _, at in self._tokens)

    def _clause(self, at: int) -> int:
        return bisect_right(self._ends, at)

    def noun(self, value: Value) -> str:
        """What a number counts: the character behind it, 片 of 2片, or the two behind 个."""
        if value.kind not in (Kind.NUMBER, Kind.ORDINAL):
            return ""
        behind = _WORD.match(self._text, value.end)
        if behind is None:
            return ""
        return behind.group()[1:3] if behind.group()[0] in _ARTICLES else behind.group()[:1]


def _as_token(value: Value) -> str:
    """A value as one of the words about others: of 按10%计 in 24小时以上不足48小时的按10%计 nothing else tells which share it is."""
    return (
        f"＝{dimension(value)} {in_base(value.amount, value.unit):g}"
        if value.kind not in _MOMENTS
        else f"＝{value.dates or value.amount}"
    )


def versions(text: str) -> Iterator[tuple[str, int]]:
    """The versions that a text names, 4.2版, each with its place."""
    return ((match.group(), match.start()) for match in _VERSION.finditer(text))


def tokens_of(text: str) -> Iterator[tuple[str, int]]:
    """The pairs of characters of a text that say something, and its names in Latin letters, each with its place. Of a weekday all ways to write it are one."""
    for match in _WORD.finditer(_SAYS_LITTLE.sub(" ", _WEEKDAY.sub(r" 周\1", text))):
        word = match.group()
        if word[0].isascii():
            yield word.lower(), match.start()
        else:
            yield from ((word[n : n + 2], match.start() + n) for n in range(max(1, len(word) - 1)))
