"""Yes or no to what is left out of all: "Yes." to "Does the warranty cover the battery?" of "The warranty covers everything except the battery."."""

from __future__ import annotations

import re

from sidecar.inference.answers.reading import NEGATED, Asked, told_apart
from sidecar.inference.answers.yes_or_no import REPLY, without_little

_BUT = r"(?:except(?: for)?|other than|apart from|bar|but|excluding|with the exception of|save for|aside from)"
_ALL = r"\b(?:all|every|each|any|everything|everyone|everybody|everywhere|daily)\b"
_VERB = r"(?:is|are|was|were|has|have|had|can|may|must|will|do|does|did|apply|applies|get|gets|pay|pays|need|needs|signed|support|supports|work|works)"
_LEFT_OUT = re.compile(
    rf"{_ALL}[^,;.:]{{0,60}}?,? {_BUT} (?P<left>[^,;.:]{{2,40}}?)(?= {_VERB}\b|[,;.:]|$)", re.IGNORECASE
)
_EXCEPTION = re.compile(rf"\b{_BUT}\b", re.IGNORECASE)
_FIRST = re.compile(
    rf"\A(?:except for|apart from|with the exception of|other than|aside from) (?P<left>[^,;.:]{{2,40}}), (?={_ALL}|[^,;.]{{0,30}}{_ALL})",
    re.IGNORECASE,
)
_BENDS = re.compile(r"\b(?:if|unless|when|while|until|once|some|most|only|more|less|than|or)\b|\d", re.IGNORECASE)
_OPEN, _CLOSED = re.compile(r"\bopen\b", re.IGNORECASE), re.compile(r"\b(?:closed|shut)\b", re.IGNORECASE)


def excepted(asked: Asked, sentence: str) -> bool | None:
    """Whether yes or no is right of what a sentence leaves out of all, None where the question asks nothing that it says."""
    found = _LEFT_OUT.search(sentence) or _FIRST.search(sentence)
    reply = REPLY.match(asked.answer)
    if found is None or reply is None or _BENDS.search(sentence) or NEGATED.search(asked.question):
        return None
    rest = (
        f"{sentence[: found.start()]} {sentence[found.end() :]} {found.group()[: found.start('left') - found.start()]}"
    )
    left, asks = told_apart(found["left"]), told_apart(asked.question)
    if not left or not left <= asks or NEGATED.search(_EXCEPTION.sub("", rest)):
        return None
    said = told_apart(rest)
    turned = _OPEN.search(asked.question) is not None and _CLOSED.search(rest) is not None
    others = without_little(asks - left - told_apart("open" if turned else ""))
    if not others <= said or not (others or turned):
        return None
    return (reply["no"] is None) is turned
