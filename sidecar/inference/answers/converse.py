"""Who does what to whom: "The bank." to "Who borrowed the money?" of "The bank lent the company the money."."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from sidecar.inference.answers.reading import REMEMBERED, Asked, told_apart
from sidecar.inference.embedding.text import stem

# What the one does | what the other one does.
_EVENTS = """
lend lends lent loan loaned loans | borrow borrows borrowed
sell sells sold | buy buys bought purchase purchases purchased
acquire acquires acquired buy buys bought | -
give gives gave send sends sent hand handed pay pays paid award awarded donate donates donated transfer transferred grant granted | receive receives received get gets got
teach teaches taught train trains trained coach coaches coached tutor tutors tutored | learn learns learned learnt
employ employs employed hire hires hired | work works worked
manage manages managed supervise supervises supervised | report reports reported
fine fines fined | pay pays paid
sue sues sued | -
rent rents rented | -
""".strip().splitlines()
_SUMS = told_apart("money sum amount")
_AGENT, _PATIENT = "agent", "patient"
_ROLES: dict[str, list[tuple[int, str]]] = {}
for _number, _line in enumerate(_EVENTS):
    for _side, _role in zip(_line.split("|"), (_AGENT, _PATIENT), strict=True):
        for _each in _side.split():
            if _each != "-":
                _ROLES.setdefault(_each, []).append((_number, _role))
_HANDED = frozenset({0, 1, 3})  # events of which "was given" may be said of the thing
_BEING = frozenset("was were is are been being got gets get be".split())
_HELPING = _BEING | frozenset(
    "has have had will would can could may might must did does do to already then also now recently later".split()
)
_PRONOUNS = frozenset("he she it they we you i him her them us".split())
_TOKEN = re.compile(r"[^\W_]++(?:['’.-][^\W_]++)*+|[^\w\s]")
_ENDS = frozenset(",;:.?!()")
_MOST_SUBJECT = 6  # words
_WHO = re.compile(r"\A(?:who|whom|which [a-z-]{2,20})\s", re.IGNORECASE)
_NOT_READ = re.compile(
    r"\b(?:if|when|while|whereas|because|or|each other|but|who|which|that|for|on behalf|name|with|weekly|monthly)\b|['’]s\b",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r"[a-z]{2,20}ed", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Deed:
    """Who stands before a verb, and what that one is in each event that the verb, of a stem, may tell of; what stands behind it."""

    subject: str
    verb: str
    passive: bool
    roles: dict[int | str, str]
    rest: str

    def said_as(self, other: _Deed) -> bool:
        """Whether both are told by one verb in one voice."""
        return (self.verb, self.passive) == (other.verb, other.passive)


def converse(asked: Asked, sentence: str) -> bool | None:
    """Whether a sentence tells of the one that an answer names what its question, or it, says of that one; None where either is not plain."""
    if _NOT_READ.search(sentence) or not _figures(asked.question) <= _figures(sentence):
        return None
    named = _named(asked)
    if named is None:
        return None
    answer, own = named
    there = _deed(sentence, own)
    if there is None or there.said_as(own):
        return None
    shared = own.roles.keys() & there.roles.keys()
    alike = {own.roles[one] == there.roles[one] for one in shared}
    if len(alike) != 1:
        return None
    [same] = alike
    subject, rest = told_apart(there.subject), told_apart(there.rest)
    about = told_apart(own.rest) - answer - _SUMS
    if about and about.isdisjoint(subject | rest):
        return None
    if answer & subject and answer.isdisjoint(rest):
        return same
    return not same if answer and answer <= rest else None


def asks_converse(asked: Asked) -> bool:
    """Whether a question or an answer tells who does what."""
    return _named(asked) is not None


@functools.lru_cache(maxsize=REMEMBERED)
def _named(asked: Asked) -> tuple[frozenset[str], _Deed] | None:
    """Whom an answer names, and what it, or its question, says that one does."""
    who = _WHO.match(asked.question)
    if who is not None:
        own = _deed(asked.question, None, begins=len(who.group().split()))
        answer = told_apart(asked.answer)
        if own is not None and not own.subject and answer:
            left = answer - told_apart(asked.question)
            return (left or answer), own
        if own is not None:
            return None
    own = _deed(asked.answer, None)
    if own is None or not own.subject or own.subject.lower().split()[-1] in _PRONOUNS:
        return None
    named = told_apart(own.subject) - told_apart(own.rest)
    return (named, own) if named and told_apart(own.rest) else None


def _deed(text: str, like: _Deed | None, *, begins: int = 0) -> _Deed | None:
    """The one deed of a text that is told in an active or a passive voice; of `like` any verb with its stem is one, too."""
    tokens = _TOKEN.findall(text)
    low = [one.lower() for one in tokens]
    own = {one for one in like.roles if isinstance(one, str)} if like else set[str]()
    at = [
        n
        for n in range(begins, len(low))
        if low[n] in _ROLES or stem(low[n]) in own or (begins and _is_passive(low, n))
    ]
    if len(at) != 1:
        return None
    [n] = at
    passive = _is_passive(low, n)
    roles: dict[int | str, str] = {stem(low[n]): _PATIENT if passive else _AGENT}
    for event, role in _ROLES.get(low[n], ()):
        roles[event] = role if not passive else (_AGENT if role == _PATIENT else _PATIENT)
    first = n
    while first > begins and low[first - 1] in _HELPING:
        first -= 1
    start = max((k + 1 for k in range(begins, first) if low[k] in _ENDS), default=begins)
    end = next((k for k in range(n, len(low)) if low[k] in _ENDS and low[k] != ","), len(low))
    if first - start > _MOST_SUBJECT:
        return None
    if passive and like is not None and roles.keys() & _HANDED and not begins:
        return None  # "was given" may be said of what was given
    return _Deed(" ".join(tokens[start:first]), stem(low[n]), passive, roles, " ".join(tokens[n + 1 : end]))


def _figures(text: str) -> frozenset[str]:
    return frozenset(one for one in told_apart(text) if one[0].isdecimal())


def _is_passive(low: list[str], n: int) -> bool:
    before = low[n - 1] if n else ""
    if before in ("already", "then", "also", "later", "recently") and n > 1:
        before = low[n - 2]
    return before in _BEING and (low[n] in _ROLES or _PARTICIPLE.fullmatch(low[n]) is not None)
