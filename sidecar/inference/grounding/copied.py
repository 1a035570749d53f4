"""Claims that a document says word for word."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from exporters.result import Evidence
from sidecar.inference.base import Claim, Support
from sidecar.inference.contrasts.steps import ASKED_FOR
from sidecar.inference.embedding.text import Span, sentences
from sidecar.inference.threads import off_loop

_LEAST_COPIED_WORDS = 3
_MOST_MARKS = 8
_CELL = re.compile(r"[^;\n]{1,80}; [^:;\n]{1,80}: \S|\d[^:;.\n]{1,40}: (?:[^.;\n]|\.\d){1,40}\Z")
_NUMBER = re.compile(r"(?:\A|\s)\(?(\d{1,2})[.)]\s{0,3}\Z")
_BEFORE = 10  # characters
_MARKS = ".,;:!?\"'“”‘’*_"


@dataclass(frozen=True, slots=True)
class Copied:
    """The sentence that is a claim: its text's number, its own, and where it stands."""

    document: int
    sentence: int
    span: Span

    @property
    def evidence(self) -> Evidence:
        """The sentence as evidence."""
        return Evidence(self.document, self.span.start, self.span.end)


def copied(claims: Sequence[str], texts: Sequence[str]) -> list[Copied | None]:
    """The first whole sentence of a text that is the claim, but for case, spaces and marks, for each claim. A model may be unsure of words without a
    subject, "It is blue."; that they were said is certain."""
    words = [bare_words([claim]) for claim in claims]
    bare = [" ".join(bare_words([text])) for text in texts]
    return [
        _sentence(claim, own, [n for n, text in enumerate(bare) if " ".join(own) in text], texts)
        if len(own) >= _LEAST_COPIED_WORDS
        else None
        for claim, own in zip(claims, words, strict=True)
    ]


async def copied_in(claims: Sequence[Claim], documents: Sequence[str]) -> list[Copied | None]:
    """The sentences that are a claim."""
    return await off_loop(lambda: copied([claim.text for claim in claims], documents))


async def but_one_copied(answer: str, claims: Sequence[Claim], documents: Sequence[str]) -> bool:
    """Whether an answer is sentences of the documents and one claim at most beside them."""
    if bare_words([answer]) != bare_words(claim.text for claim in claims):
        return False
    return (await copied_in(claims, documents)).count(None) <= 1


def mean_of_cells(claims: Sequence[Claim], supports: Sequence[Support]) -> float | None:
    """The mean probability of claims that are all cells of a table, "Starter; Price: €9", or of a list, "10-15 kg: 5 ml", which no model has learned to read
    together; None of others."""
    cells = sum(_CELL.match(claim.text) is not None for claim in claims)
    return sum(one.probability for one in supports) / len(supports) if cells == len(claims) > 1 else None


def turned(claims: Sequence[Claim], there: Sequence[Copied | None], texts: Sequence[str]) -> frozenset[int]:
    """The claims that are a step of a numbered list, in an answer to a question for steps, that stands before the step which the answer tells just before."""
    if not claims or not ASKED_FOR.search(claims[0].question):
        return frozenset()
    steps = [
        (n, one.document, int(number[1]))
        for n, (claim, one) in enumerate(zip(claims, there, strict=True))
        if claim.numbered and one is not None and (number := _number_before(texts[one.document], one.span.start))
    ]
    return frozenset(
        n
        for (_, document, before), (n, own, number) in itertools.pairwise(steps)
        if own == document and number < before
    )


def _number_before(text: str, start: int) -> re.Match[str] | None:
    return _NUMBER.search(text, max(0, start - _BEFORE), start)


def _sentence(claim: str, words: Sequence[str], numbers: Sequence[int], texts: Sequence[str]) -> Copied | None:
    return next(
        (
            Copied(number, n, span)
            for number in numbers
            for n, span in enumerate(sentences(texts[number]))
            if abs(span.end - span.start - len(claim)) <= _MOST_MARKS
            and bare_words([texts[number][span.start : span.end]]) == words
        ),
        None,
    )


def bare_words(texts: Iterable[str]) -> list[str]:
    """The words of texts, one behind the other, but for case and marks."""
    return [bare for text in texts for word in text.casefold().split() if (bare := word.strip(_MARKS))]
