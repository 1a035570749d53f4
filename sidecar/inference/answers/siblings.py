"""Which of several things of a kind, each with a sentence of its own: "The token is invalid." to "What does error 429 mean?" of "Error 401 means that the token is invalid.
Error 429 means that too many requests were sent."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sidecar.inference.answers.reading import NEGATED, Asked, told_apart
from sidecar.inference.answers.whose import WHAT_DOES, WHICH
from sidecar.inference.answers.yes_or_no import REPLY

_DOES_MEAN = re.compile(
    r"\A(?:and )?(?:does|do|is|can) (?P<who>[^?,;:]{2,40}?) (?:mean|means|stand for|do)(?: that)? (?P<what>[^?]{3,80})\?\Z",
    re.IGNORECASE,
)
_FEW = 4  # words
_HEAD = 5  # words of a sentence among which it names what it is about
_MARKED = re.compile(r"\A\W{0,6}?(?P<mark>`|\*\*|--|-|\d)")
_HEADING = re.compile(r"\A[^\w`]{0,6}")


def asks_siblings(asked: Asked) -> bool:
    """Whether a question asks what something does or means, or what does it."""
    return _asked(asked) is not None


def siblings(asked: Asked, sentences: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """The sentences of a document, from one to another one, of which one is about the thing that is asked about, where an answer says what it says, or
    what the sentence about another thing of its kind does, and whether it is the former."""
    found = _asked(asked)
    if found is None:
        return
    who, said, yes = found
    words, heads = [told_apart(one) for one in sentences], [_head(one) for one in sentences]
    about = [n for n, head in enumerate(heads) if who <= words[n] and who & head]
    if len(about) != 1 or not said:
        return
    [own] = about
    others = [
        n for n in range(len(sentences)) if n != own and _alike(sentences[own], sentences[n], heads[own], heads[n], who)
    ]
    denials = len(NEGATED.findall(REPLY.sub("", asked.answer, count=1) if yes is None else asked.question))
    if said <= words[own]:
        mine = denials == len(NEGATED.findall(sentences[own])) and any(not said <= words[n] for n in others)
        plain = not denials and not any(
            one[0].isdecimal() for one in said
        )  # in one order alone, else what is exchanged has all words as well
        if mine and others and plain and (yes is not None or WHAT_DOES.match(asked.question)):
            yield own, own, yes is not False
        return
    for n in others:
        if (
            said <= words[n]
            and said.isdisjoint(words[own] - words[n])
            and denials == len(NEGATED.findall(sentences[n]))
        ):
            yield min(own, n), max(own, n), yes is False
            return


def _asked(asked: Asked) -> tuple[frozenset[str], frozenset[str], bool | None] | None:
    """What a question names, what is said of that, and whether that is said by yes (True), by no (False), or by the answer itself (None)."""
    if (found := WHAT_DOES.match(asked.question)) is not None:
        return told_apart(found["who"]), told_apart(asked.answer) - told_apart(asked.question), None
    reply, means = REPLY.match(asked.answer), _DOES_MEAN.match(asked.question)
    if means is not None and reply is not None:
        return told_apart(means["who"]), told_apart(means["what"]), reply["yes"] is not None
    named = len(asked.answer.split()) <= _FEW and reply is None
    if named and (found := WHICH.match(asked.question)) is not None:
        return told_apart(asked.answer), told_apart(found["what"]), None
    return None


def _head(sentence: str) -> frozenset[str]:
    return told_apart(" ".join(_HEADING.sub("", sentence).split()[:_HEAD]))


def _alike(one: str, other: str, head: frozenset[str], there: frozenset[str], who: frozenset[str]) -> bool:
    """Whether a sentence is about another thing of a kind: it names the kind where the one does ("error 429", "error 401"), or begins with the same mark."""
    if who <= told_apart(other):
        return False
    mark, own = _MARKED.match(one), _MARKED.match(other)
    same = (
        mark is not None
        and own is not None
        and (mark["mark"] == own["mark"] or (mark["mark"].isdecimal() and own["mark"].isdecimal()))
    )
    return same or not head.isdisjoint(there)
