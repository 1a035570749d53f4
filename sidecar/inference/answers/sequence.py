"""Which of several steps, each in a sentence of its own: "Set up your laptop." to "What do I do first?" of "Collect your badge. Then set up your laptop. Finally, ..."."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sidecar.inference.answers.position import AFTER, FIRST, LAST, NTH, NUMBERS, step_behind
from sidecar.inference.answers.reading import NEGATED, Asked, told_apart

_NEXT = re.compile(
    r"\A(?P<mark>then|next|after that|afterwards|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|fifth(?:ly)?|finally|lastly|the (?:last|final) step is(?: to)?)\b,?\s?",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\Afirst(?:ly| of all)?,?\s", re.IGNORECASE)
_ENDS = re.compile(r"finally|lastly|the", re.IGNORECASE)
_ORDINALS = ("second", "third", "fourth", "fifth")
_TURNED = re.compile(r"\b(?:before|after|until|unless|if|meanwhile|at the same time)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\band\b|,|;")


def asks_sequence(asked: Asked) -> bool:
    """Whether a question asks for one of several steps."""
    plain = not NEGATED.search(asked.question) and not NEGATED.search(asked.answer)
    return plain and any(one.search(asked.question) for one in (FIRST, LAST, NTH, AFTER))


def sequence(asked: Asked, sentences: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """The sentences of a document, from one to another one, that tell the steps, and whether an answer names the one that is asked for."""
    runs = list(_runs(sentences))
    if len(runs) != 1:
        return
    [(begins, ends)] = runs
    marks = [_NEXT.match(one) for one in sentences[begins : ends + 1]]
    told = [_HEADING.sub("", _NEXT.sub("", one, count=1), count=1) for one in sentences[begins : ends + 1]]
    if any(_TURNED.search(one) for one in told):
        return
    steps = [told_apart(one) for one in told]
    several = [_SEVERAL.search(one) is not None for one in told]
    wanted = _wanted(asked.question, steps, [one["mark"].lower() if one else "" for one in marks], several)
    answer = told_apart(asked.answer) - told_apart(asked.question) or told_apart(asked.answer)
    own = [n for n, step in enumerate(steps) if answer and answer <= step]
    if wanted is None or not 0 <= wanted < len(steps) or len(own) != 1:
        return
    if own[0] != wanted or not several[wanted]:
        yield begins, ends, own[0] == wanted


def _runs(sentences: Sequence[str]) -> Iterator[tuple[int, int]]:
    """From where to where sentences go on with "then", "second" and the like."""
    n = 0
    while n + 1 < len(sentences):
        ends = n
        while ends + 1 < len(sentences) and _NEXT.match(sentences[ends + 1]):
            ends += 1
        if ends > n and not _NEXT.match(sentences[n]):
            yield n, ends
        n = max(n + 1, ends)


def _wanted(
    question: str, steps: Sequence[frozenset[str]], marks: Sequence[str], several: Sequence[bool]
) -> int | None:
    """The number of the step that a question asks for."""
    if found := AFTER.match(question):
        behind = step_behind(found, steps)
        return None if behind is None or several[behind - 1] else behind
    if found := NTH.search(question):
        word = (found["n"] or found["nth"]).lower()
        nth = int(word) - 1 if word.isdecimal() else NUMBERS[word]
        named = [n for n, one in enumerate(marks) if 0 < nth <= len(_ORDINALS) and one.startswith(_ORDINALS[nth - 1])]
        return named[0] if len(named) == 1 else None
    first, last = FIRST.search(question) is not None, LAST.search(question) is not None
    if first == last or (last and not _ENDS.match(marks[-1])):
        return None
    return 0 if first else len(steps) - 1
