"""What is included and what is paid for besides: "Yes." to "Is breakfast included?" of "Breakfast can be booked for €12 a day."."""

from __future__ import annotations

import re

from sidecar.inference.answers.reading import NEGATED, Asked, told_apart
from sidecar.inference.answers.yes_or_no import REPLY

_FREE = r"(?:included|free of charge|free|complimentary|part of (?:it|the deal))"
_PAYS = r"(?:cost (?:extra|more|anything)|costs? extra|extra|charged(?: for)?)"
_ASKS_FREE = (
    re.compile(rf"\A(?:and )?(?:is|are) (?P<what>[^?,;]{{2,60}}?) {_FREE}(?: [^?,;]{{0,60}})?\?\Z", re.IGNORECASE),
    re.compile(
        r"\A(?:and )?(?:does|do) [^?,;]{2,60}? (?:include|come with) (?P<what>[^?,;]{2,60})\?\Z",
        re.IGNORECASE,
    ),
)
_ASKS_PAID = (
    re.compile(rf"\A(?:and )?(?:is|are|does|do) (?P<what>[^?,;]{{2,60}}?) {_PAYS}\?\Z", re.IGNORECASE),
    re.compile(r"\A(?:and )?(?:do|will|would) (?:i|we|you) (?:(?:have|need) to )?pay (?:extra |more )?for (?P<what>[^?,;]{2,60})\?\Z", re.IGNORECASE),
    re.compile(r"\A(?:and )?is there (?:a|an|any) (?:extra )?(?:charge|fee|cost|surcharge) for (?P<what>[^?,;]{2,60})\?\Z", re.IGNORECASE),
)  # fmt: skip
_SAYS_FREE = re.compile(
    r"\b(?:included?|includes|complimentary|free|no (?:extra |additional )?(?:charge|cost|fee)s?|costs? (?:you )?nothing|without (?:extra |additional )?(?:charge|cost))\b",
    re.IGNORECASE,
)
_IDIOM = re.compile(
    r"\b(?:no (?:extra |additional )?(?:charge|cost|fee)s?|without (?:extra |additional )?(?:charge|cost))\b",
    re.IGNORECASE,
)
_AT_A_PRICE = re.compile(
    r"\b(?:extra|surcharge|supplement|payable|optional|on top)\b|[€$£]\s?\d|\d\s?(?:€|euros?\b|dollars?\b|pounds?\b)",
    re.IGNORECASE,
)
_BENDS = re.compile(
    r"\b(?:if|unless|except|when|whenever|where|while|only|otherwise|after|over|above|beyond|under|until|first|up to|within|late|second|other|another|some|most|members?|"
    r"than|or|but)\b",
    re.IGNORECASE,
)
_FOR_SOME = re.compile(
    r"\bfor (?!(?:everyone|everybody|all|you|guests|customers|visitors)\b)|\bfor (?:guests|customers|visitors) (?:in|with|of|who)\b",
    re.IGNORECASE,
)
_PARTS, _A_NAME = re.compile(r"[,;]|\b(?:and|while|whereas)\b", re.IGNORECASE), 3  # words
_VACANT = told_apart("room table seat slot place appointment line date desk court")  # may be free themselves
_LITTLE = told_apart("it price rate fare package ticket extra also include included room stay")


def asks_included(asked: Asked) -> bool:
    """Whether a question asks if something is included, or free, or paid for besides."""
    return _asked(asked.question) is not None


def included(asked: Asked, sentence: str) -> bool | None:
    """Whether an answer is right about what a sentence says to be included, or at a price; None where it says neither of what is asked about."""
    found = _asked(asked.question)
    if found is None or _BENDS.search(sentence):
        return None
    what, asks_free = found
    reply = REPLY.match(asked.answer)
    claims = _says(asked.answer) if reply is None else (reply["yes"] is not None) is asks_free
    says = _says_of(what, sentence)
    return None if claims is None or says is None else claims is says


def _says_of(what: frozenset[str], sentence: str) -> bool | None:
    """Whether a sentence says that something is free, by the clause that names it or, of one of several things, by all of it."""
    if not what <= told_apart(sentence):
        return None
    own = [part for part in _PARTS.split(sentence) if what <= told_apart(part)]
    if len(own) == 1 and (len(own[0].split()) > _A_NAME or _says(own[0]) is not None):
        return _says(own[0])
    return _says(sentence)


def _asked(question: str) -> tuple[frozenset[str], bool] | None:
    """What is asked about, and whether yes means that it is free."""
    for free, patterns in ((True, _ASKS_FREE), (False, _ASKS_PAID)):
        for one in patterns:
            if (found := one.match(question)) is not None and not NEGATED.search(question):
                what = told_apart(found["what"]) - _LITTLE
                return (what, free) if what and what.isdisjoint(_VACANT) else None
    return None


def _says(text: str) -> bool | None:
    """Whether a text says that something is free, None where it says neither plainly."""
    free = _SAYS_FREE.search(text) is not None
    denied = NEGATED.search(_IDIOM.sub("", text)) is not None
    if free and denied:
        return False
    if free:
        return None if _FOR_SOME.search(text) or _AT_A_PRICE.search(_IDIOM.sub("", text)) else True
    return False if _AT_A_PRICE.search(text) and not denied else None
