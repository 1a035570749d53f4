"""Claims that a document says word for word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from exporters.result import Evidence
from sidecar.inference.embedding.text import Span, sentences

_LEAST_COPIED_WORDS = 3
_MOST_MARKS = 8
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
