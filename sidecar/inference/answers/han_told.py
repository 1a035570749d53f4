"""What the documents' sentences say of a Chinese answer to a plain question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sidecar.inference.answers.han_beside import beside
from sidecar.inference.answers.han_compared import compared
from sidecar.inference.answers.han_days import days
from sidecar.inference.answers.han_left_out import left_out
from sidecar.inference.answers.han_reading import LONGEST, sentences_of, told_apart
from sidecar.inference.answers.han_steps import steps
from sidecar.inference.answers.han_yes_or_no import yes_or_no
from sidecar.inference.answers.reading import Told
from sidecar.inference.contrasts.han_words import folded

_WAYS = (days, beside, compared, steps, left_out, yes_or_no)


def told(question: str, answer: str, texts: Sequence[str]) -> Told | None:
    """As `told.told` of English ones."""
    if len(question) > LONGEST or len(answer) > LONGEST:
        return None
    question, answer = folded(question).strip(), folded(answer).strip().rstrip("。！! ")
    every = list(sentences_of(texts))
    found = list(_told(question, answer, every))
    if not found or any(one.holds != found[0].holds for one in found):
        return None
    return None if any(_of_another(f"{question} {answer}", one, every) for one in found) else found[0]


def _told(question: str, answer: str, every: Sequence[tuple[int, int, str]]) -> Iterator[Told]:
    for number, start, sentence in every:
        for way in _WAYS:
            holds = way(question, answer, sentence)
            if holds is not None:
                yield Told(holds, number, start, start + len(sentence))


def _of_another(asks: str, one: Told, every: Sequence[tuple[int, int, str]]) -> bool:
    """Whether another sentence has words of the question, or of the answer, that this one has not: that may be what is asked."""
    others = [sentence for number, start, sentence in every if (number, start) != (one.document, one.start)]
    [own] = [sentence for number, start, sentence in every if (number, start) == (one.document, one.start)]
    left = told_apart(asks) - told_apart(own)
    return any(left & told_apart(other) for other in others)
