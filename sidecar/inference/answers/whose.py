"""Which of two clauses: "It removes it." to "What does GET do?" of "GET reads a record and DELETE removes it."."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidecar.inference.answers.reading import Asked, told_apart

WHAT_DOES = re.compile(
    r"\A(?:and )?what (?:do|does|is|are|will|would|can) (?P<who>[^?,;:]{2,60}?) (?:do|does|mean|means|stand for|for|used for|called|contain|show|say)\s?\?\Z",
    re.IGNORECASE,
)
WHICH = re.compile(
    r"\A(?:and )?(?:who|which(?: [a-z-]{2,20})?|what(?: [a-z-]{2,20})?) (?P<what>[^?,;:]{3,80})\?\Z", re.IGNORECASE
)
_HOW = re.compile(
    r"\A(?:and )?how (?:do|can|should|does) (?:i|you|we|one|a user) (?P<what>[^?,;:]{3,80})\?\Z", re.IGNORECASE
)
_CUT = re.compile(r"(?P<strong>; |,? (?:while|whereas) )|,? (?:and|but|or) |, ")
_OWN_SUBJECT = re.compile(r"(?:the|an?|our|your|each|every|all) ", re.IGNORECASE)
_NO_SUBJECT = re.compile(
    r"(?:it|they|he|she|this|that|these|those|which|who|then|is|are|was|were|has|have|can|will|must|may|if|when|to be)\b",
    re.IGNORECASE,
)
_USING = re.compile(
    r"(?:use|set|press|choose|select|pick|click|enter|type|call|dial|swipe|tap|turn|pull|push|to)\b", re.IGNORECASE
)
_ARTICLE = re.compile(r"(?:the|an?|our|your|each|every|all)\s", re.IGNORECASE)
_TO = re.compile(r"\b(?:to|for|by)\b")
_IT = re.compile(r"\b(?:it|them)\b", re.IGNORECASE)
_LEAST_WORDS, _SUBJECT = 2, 4


def asks_whose(asked: Asked) -> bool:
    """Whether a question asks what does something, or what something does."""
    return any(one.match(asked.question) for one in (WHAT_DOES, _HOW, WHICH))


def whose(asked: Asked, sentence: str) -> bool | None:
    """Whether an answer takes what it says from the clause of a sentence that its question asks about, and not from the one beside it."""
    if not told_apart(asked.answer) - told_apart(asked.question) <= told_apart(sentence) or not _CUT.search(sentence):
        return None
    if (found := WHAT_DOES.match(asked.question)) is not None:
        return _deed_of(asked, told_apart(found["who"]), sentence)
    if (found := _HOW.match(asked.question)) is not None:
        return _way_to(asked, told_apart(found["what"]), sentence)
    if (found := WHICH.match(asked.question)) is not None:
        return _who_does(asked, told_apart(found["what"]), sentence)
    return None


def _deed_of(asked: Asked, who: frozenset[str], sentence: str) -> bool | None:
    answer = told_apart(asked.answer) - told_apart(asked.question)
    for one, other in _pairs(sentence):
        own, theirs = told_apart(one), told_apart(other)
        begins = told_apart(" ".join(one.split()[:_SUBJECT]))
        if not (who <= begins and not who <= theirs and (who - theirs)):
            continue
        left = answer - _meant_by_pronoun(one, other)
        mine, others = left & own - theirs, left & theirs - own
        if mine and _IT.search(one):
            return True
        if bool(mine) != bool(others) and answer <= own | theirs:
            return bool(mine)
    return None


def _meant_by_pronoun(one: str, other: str) -> frozenset[str]:
    """What the pronoun of a clause stands for: the last thing that the clause beside it names."""
    if not _IT.search(one):
        return frozenset()
    words = [told_apart(word) for word in other.split()]
    return next((word for word in reversed(words) if word), frozenset())


def _who_does(asked: Asked, what: frozenset[str], sentence: str) -> bool | None:
    answer = told_apart(asked.answer) - told_apart(asked.question) or told_apart(asked.answer)
    for one, other in _pairs(sentence):
        own, theirs = told_apart(one), told_apart(other)
        if not (what <= own and what.isdisjoint(theirs) and answer):
            continue
        mine, others = _begins_with(one, answer), _begins_with(other, answer)
        if mine and not answer & theirs:
            return True
        if others and not answer & own and _one_deed(other, what):
            return False
    return None


def _way_to(asked: Asked, what: frozenset[str], sentence: str) -> bool | None:
    answer = told_apart(asked.answer) - told_apart(asked.question)
    for one, other in _pairs(sentence):
        own, theirs = told_apart(one), told_apart(other)
        alike = _TO.search(one) and _TO.search(other) and one.split()[0].lower() == other.split()[0].lower()
        if not (alike and what & own - theirs and not what & theirs - own):
            continue
        mine, others = answer & own - theirs, answer & theirs - own
        if bool(mine) != bool(others) and answer <= own | theirs:
            return bool(mine)
    return None


def _one_deed(clause: str, what: frozenset[str]) -> bool:
    """Whether a clause says of its subject another thing than is asked."""
    return len(told_apart(clause)) > 1 and what.isdisjoint(told_apart(clause))


def _begins_with(clause: str, answer: frozenset[str]) -> bool:
    """Whether a clause speaks of what an answer names: it stands first in it, or behind a word for using it."""
    words = _ARTICLE.sub("", _USING.sub("", clause, count=1).strip(), count=1).split()
    return (
        bool(words) and answer <= told_apart(" ".join(words[:_SUBJECT])) and not told_apart(words[0]).isdisjoint(answer)
    )


def _pairs(sentence: str) -> Iterator[tuple[str, str]]:
    """Two clauses that stand side by side, each with a subject of its own, either way round."""
    cuts = list(_CUT.finditer(sentence))
    for cut in cuts if len(cuts) == 1 else ():
        one, other = sentence[: cut.start()].strip(), sentence[cut.end() :].strip(" .")
        one = one.rpartition("; ")[2]
        other = other.partition("; ")[0]
        if (
            min(len(one.split()), len(other.split())) < _LEAST_WORDS
            or _NO_SUBJECT.match(other)
            or "but a" in cut.group() + other[:1]
        ):
            continue
        apart = cut["strong"] or _OWN_SUBJECT.match(other) or other[0].isupper() or other[0].isdecimal()
        if apart or other.split()[0].lower() == one.split()[0].lower() or _USING.match(other):
            yield one, other
            yield other, one
