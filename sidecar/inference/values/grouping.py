"""Digits as people group them: "12 500" is one number where nothing says that it is two, and "4111 1111 1111 1111" are the digits of "4111111111111111".

Two lengths, two rules. A number with spaces is read as one only where the words around it leave no other reading; where a count and a size stand so too, "2 500 mg
tablets", each is read alone and remembers the one number, to be found equal to it and no more. A long one (of a card, a phone, a router) is
read as it stands and remembers its digits: the very same digits, grouped in another way, are the same number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sidecar.inference.values.tokens import END, Token, plain
from sidecar.inference.values.units import unit_named
from sidecar.inference.values.value import Kind, Value

_LEAST_DIGITS = 6
_MOST_DIGITS = 60  # more are a table, and no number of anything
_GAP = r"\)?(?: ?[/-] ?|[ .,\u00a0\u202f\u2009])?\(?"
_LONG = re.compile(
    r"(?<![\w.,])(?:[A-Z]{2}\d\d(?:[ \u00a0\u202f]?[A-Z0-9]{4}){3,7}+(?:[ \u00a0\u202f]?[A-Z0-9]{1,3}(?!\w))?+"
    rf"|(?:[A-Z]{{1,4}}-?|[+(]{{1,2}})?\d(?:{_GAP}\d)*+)"
)
_GOES_ON = re.compile(r"\w")
# Points within a phone number, points or commas between thousands. Others, of decimals, versions and addresses, stand for something.
_POINTS = re.compile(r"0\d(?:\.\d\d){4}|(?:\+?1\.)?\d{3}\.\d{3}\.\d{4}|\d{1,3}(?:\.\d{3}){2,9}|\d{1,3}(?:,\d{3}){2,9}")
_POINT = re.compile(r"[.,]")
_BETWEEN = re.compile(r"[^A-Z0-9]+")

_SPACED = re.compile(r"[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d{1,2})?")
_LEAVES_NO_DOUBT = re.compile(r" 0|[.,]")
_NO_THINGS = frozenset("is was has its this as of per a an the and or in on at to for from by with ago later".split())
_MOST_BEFORE_THINGS = 3
# A name or a label takes the first group to itself: "Windows 10", "May 12", "room 12".
_LABELS = frozenset(
    "number numbers no nr room rooms page pages item items line lines section sections chapter article figure fig table port flight clause appendix "
    "paragraph gate platform isbn version release step question row column case code level unit zone bus route building floor apartment suite seat "
    "size type model day week".split()
)
_CAPITALISED = frozenset(
    "about around over under between up some all the nearly almost roughly approximately only at of for with from to among our their its these those this that".split()
)
_WANT_A_NUMBER = frozenset(
    "is are was were be been of to about around over under than at nearly almost roughly has have had".split()
)


def with_groups(text: str, tokens: Sequence[Token], *, in_doubt: bool = False) -> list[Token]:
    """The tokens, with "12 500" and "1 250 000,50" as one number each where they can be read in no other way; `in_doubt`, where they can be too."""
    whole: list[Token] = []
    n = 0
    while n < len(tokens):
        end = _row(text, tokens, n)
        if end > n + 1 and _is_one(text, tokens, n, end) and (in_doubt or not _may_be_more(text, tokens, n, end)):
            start, own = tokens[n].start, text[tokens[n].start : tokens[end - 1].end]
            whole.append(Token("number", own, own, start, start + len(own)))
        else:
            whole.extend(tokens[n:end])
        n = end
    return whole


def _row(text: str, tokens: Sequence[Token], n: int) -> int:
    """The token behind the row of numbers that begins at token n, with a space between each two."""
    end = n + 1
    while (
        end < len(tokens)
        and tokens[n].kind == tokens[end].kind == "number"
        and text[tokens[end - 1].end : tokens[end].start] == " "
    ):
        end += 1
    return end


def _is_one(text: str, tokens: Sequence[Token], n: int, end: int) -> bool:
    before = tokens[n - 1] if n else END
    after, then = (*tokens[end : end + 2], END, END)[:2]
    last = tokens[end - 1].end
    if not _SPACED.fullmatch(text, tokens[n].start, last) or not _leads(before, tokens[n]):
        return False
    if after is END or "\n" in text[last : after.start]:  # So do rows of a table end.
        return before.low in _WANT_A_NUMBER or before.text in tuple("€$£¥:")
    if after.start == last and after.text == "-" and then.start == after.end:  # A range, or the digits of a phone.
        return then.kind == "number" and _row(text, tokens, end + 1) > end + 2
    return after.kind in ("word", "sign", "code", "han") and after.text not in ("/", "|", "#")


def _may_be_more(text: str, tokens: Sequence[Token], n: int, end: int) -> bool:
    """Whether what reads as one number may be a count and a size as well, "2 500 mg tablets", or a list, "The scores were 80 120 140."."""
    if _LEAVES_NO_DOUBT.search(text, tokens[n].start, tokens[end - 1].end):
        return False
    after = tokens[end] if end < len(tokens) else END
    if after.kind == "word":
        return unit_named(after.text) is not None and _things(tokens, end + 1)
    alone = after is END or after.text in tuple(".,;:!?)%")
    return end > n + 2 and alone and (n == 0 or tokens[n - 1].text not in tuple("€$£¥"))


def _things(tokens: Sequence[Token], n: int) -> bool:
    """Whether a plural stands at token n, or behind a word or two."""
    for token in tokens[n : n + _MOST_BEFORE_THINGS]:
        if token.kind != "word" or token.low in _NO_THINGS:
            return False
        if token.low.endswith("s") and not token.low.endswith("ss"):
            return True
    return False


def with_wholes(values: Sequence[Value], in_doubt: Sequence[Value]) -> list[Value]:
    """The values, and with those that may be part of one number that number, as it stands among the values that were read `in_doubt`."""
    found: list[Value] = []
    at = 0
    for value in values:
        while at < len(in_doubt) and in_doubt[at].end < value.end:
            at += 1
        within = at < len(in_doubt) and in_doubt[at].start <= value.start
        part = within and (in_doubt[at].start, in_doubt[at].end) != (value.start, value.end)
        found.append(replace(value, whole=in_doubt[at]) if part else value)
    return found


def _leads(before: Token, first: Token) -> bool:
    """Whether what stands before a number leaves the number to itself."""
    if before.kind in ("end", "han"):
        return True
    if before.kind == "word":
        code = before.text.isupper() and len(before.text) == 3
        return before.low in _CAPITALISED or code or (before.text.islower() and before.low not in _LABELS)
    return before.kind == "sign" and before.text not in "#|/" and (before.text not in ".,'" or before.end < first.start)


def with_digits(text: str, values: Sequence[Value]) -> list[Value]:
    """The values, and with those within a long number its digits."""
    found: list[Value] = []
    long, at = (list(_long_numbers(plain(text))) if values else []), 0
    for value in values:
        while at < len(long) and long[at][1] < value.end:
            at += 1
        within = at < len(long) and long[at][0] <= value.start and value.kind in (Kind.NUMBER, Kind.NAME)
        found.append(replace(value, digits=long[at][2]) if within and not value.per else value)
    return found


def _long_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each begins and ends, and its digits (and capitals) without what groups them, the 0 of "+49 (0)30" and the 00 of a call abroad."""
    for match in _LONG.finditer(text):
        own = match.group()
        enough = _LEAST_DIGITS <= sum(one.isdecimal() for one in own) <= _MOST_DIGITS
        if enough and not _GOES_ON.match(text, match.end()) and (not _POINT.search(own) or _POINTS.fullmatch(own)):
            yield match.start(), match.end(), _BETWEEN.sub("", own.replace("(0)", "")).removeprefix("00")
