"""Claims that a document says word for word."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.inference.embedding.minilm import EncodedDocument

_LEAST_COPIED_WORDS = 3
_MOST_MARKS = 8
_MARKS = ".,;:!?\"'“”‘’*_"


def word_for_word(claim: str, texts: Sequence[str], documents: Sequence[EncodedDocument]) -> bool:
    """Whether a whole sentence of a document is the claim, but for case, spaces and marks. A model may be unsure of words without a
    subject, "It is blue."; that they were said is certain."""
    words = _bare_words(claim)
    return len(words) >= _LEAST_COPIED_WORDS and any(
        abs(span.end - span.start - len(claim)) <= _MOST_MARKS and _bare_words(text[span.start : span.end]) == words
        for text, document in zip(texts, documents, strict=True)
        for span in document.spans
    )


def _bare_words(text: str) -> list[str]:
    return [bare for word in text.casefold().split() if (bare := word.strip(_MARKS))]
