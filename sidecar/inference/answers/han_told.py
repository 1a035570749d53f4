"""What the documents' sentences say of a Chinese answer to a plain question."""

from __future__ import annotations

from collections.abc import Sequence

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
    found = [
        Told(holds, number, start, start + len(sentence))
        for number, start, sentence in sentences_of(texts)
        for way in _WAYS
        if (holds := way(question, answer, sentence)) is not None
    ]
    if not found or any(one.holds != found[0].holds for one in found):
        return None
    return None if any(_of_another(f"{question} {answer}", one, texts) for one in found) else found[0]


def _of_another(asks: str, one: Told, texts: Sequence[str]) -> bool:
    """Whether other text has words of the question, or of the answer, that the sentence has not: that may be what is asked."""
    own = texts[one.document]
    left = told_apart(asks) - told_apart(folded(own[one.start : one.end]))
    others = [*texts[: one.document], *texts[one.document + 1 :], own[: one.start], own[one.end :]]
    return any(not left.isdisjoint(told_apart(folded(other))) for other in others if left)
