"""Whether something is done or only to come: "Yes." to "Has the hall been reopened?" of "The reopening is planned for 1 October."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sidecar.inference.answers.reading import Asked, told_apart
from sidecar.inference.answers.yes_or_no import REPLY

_ASKS = re.compile(r"\A(?:and |so |but )?(?:has|have|is|are|was|were|did|can|could|do|does)\b", re.IGNORECASE)
_DONE_YET = re.compile(
    r"\b(?:already|yet|been|now|again|finished|complet\w{1,3}|live|launched|released|delivered|signed|approved|installed|rolled out|in place|over)\b",
    re.IGNORECASE,
)
_NOT_READ = re.compile(
    r"\b(?:still|not|never|when|why|how|planned|scheduled|going to|will|should|or|if)\b|n['’]t\b", re.IGNORECASE
)
_TO_COME = re.compile(
    r"\b(?:(?:is|are|remains?)(?: \w+){0,2} (?:planned|scheduled|expected|due|intended|proposed|foreseen|envisaged|slated|under way|underway|in progress|in preparation|"
    r"being \w{3,20})|(?:planned|scheduled|slated) (?:for|in|on|to)|expected (?:to|in|by|for)|coming (?:next|soon)|to follow|will \w+|under way|underway)\b",
    re.IGNORECASE,
)
_TOLD_OF = re.compile(r"\b(?:has|have|had|was|were|is|are|went|became|took)\b", re.IGNORECASE)
_SAYS_LITTLE = told_apart(
    "use get new again now already yet finished completed live released delivered place out up go gone went come roll"
)
_ROOT, _AGAIN = 5, "re"  # letters
_TOLD, _LEAST = 0.7, 2  # share of what is asked about that a document speaks of, and how much of it the sentence does


def asks_status(asked: Asked) -> bool:
    """Whether a question asks for yes or no to what may be done already."""
    found = _ASKS.match(asked.question) and _DONE_YET.search(asked.question)
    return bool(found) and not _NOT_READ.search(asked.question) and REPLY.match(asked.answer) is not None


def status(asked: Asked, sentences: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """The sentence of a document that says of what is asked about that it is to come, where no other one speaks of that or of more of what is asked, and whether the answer is no."""
    every, about = _roots(told_apart(asked.question)), _roots(told_apart(asked.question) - _SAYS_LITTLE)
    reply, said = REPLY.match(asked.answer), [_roots(told_apart(one)) for one in sentences]
    if reply is None or not about or len(about.intersection(frozenset[str]().union(*said))) < _TOLD * len(about):
        return
    coming = [
        n
        for n, one in enumerate(sentences)
        if about & said[n] and len(every & said[n]) >= min(_LEAST, len(about)) and _TO_COME.search(one)
    ]
    best = max(coming, key=lambda n: len(every & said[n]), default=None)
    if best is None:
        return
    told = [said[n] for n, one in enumerate(sentences) if _TOLD_OF.search(one) and not _TO_COME.search(one)]
    if not any(about & said[best] <= one or (about - said[best]) & one for one in told):
        yield best, best, reply["yes"] is None


def _roots(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word.removeprefix(_AGAIN)[:_ROOT] for word in words)
