"""What nobody has to do: "No." to "Do I have to renew it?" of "Subscriptions renew automatically."."""

from __future__ import annotations

import re

from sidecar.inference.answers.reading import NEGATED, Asked, told_apart
from sidecar.inference.answers.yes_or_no import REPLY

_ASKS = re.compile(
    r"\A(?:and )?(?:(?:do|will|would) (?:i|we|you) (?:have|need) to|(?:must|should) (?:i|we|you)) (?P<what>[^?,;]{3,60}?)"
    r"(?: (?:myself|ourselves|yourself|manually|by hand|every time|each time))?\?\Z",
    re.IGNORECASE,
)
_BY_ITSELF = re.compile(r"\b(?:automatic(?:ally)?|by (?:itself|themselves)|on (?:its|their) own)\b", re.IGNORECASE)
_BENDS = re.compile(
    r"\b(?:if|unless|except|when|once|only|or|but|some|most|after|until|first|manual(?:ly)?)\b", re.IGNORECASE
)
_LITTLE = told_apart("it them this that one these those every time")


def asks_by_itself(asked: Asked) -> bool:
    """Whether a question asks for yes or no to what has to be done."""
    return _ASKS.match(asked.question) is not None and REPLY.match(asked.answer) is not None


def by_itself(asked: Asked, sentence: str) -> bool | None:
    """Whether yes or no is right to what a sentence says to happen by itself, None where it says it of nothing that is asked about."""
    found, reply = _ASKS.match(asked.question), REPLY.match(asked.answer)
    if found is None or reply is None or _BENDS.search(sentence) or NEGATED.search(asked.question):
        return None
    what = told_apart(found["what"]) - _LITTLE
    if (
        not what
        or not what <= told_apart(sentence)
        or not _BY_ITSELF.search(sentence)
        or _BY_ITSELF.search(found["what"])
    ):
        return None
    return reply["yes"] is None
