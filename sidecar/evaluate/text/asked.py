"""What an answer was to: the part of a question that asks, and answers that mean nothing without it."""

from __future__ import annotations

import re

from sidecar.evaluate.text.clauses import is_sentence

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_FEW_WORDS, _FEWER_WORDS = 8, 5


_YES_OR_NO = re.compile(r"(?:yes|yeah|yep|yup|no|nope|nah)\b", re.IGNORECASE)
_HANGS_ON_QUESTION = re.compile(
    r"(?:because|if|when|while|after|before|by|only|unless|until|since|once|so that|in order to|to)\b", re.IGNORECASE
)


def is_short(claim: str) -> bool:
    """Whether a claim is so short that only the question tells what it says: "14 days", "No, it isn't.", "Because it was late". A whole
    sentence says something by itself, and so do more words, in which a value stands with what it is of."""
    words = len(claim.split())
    if _YES_OR_NO.match(claim) or _HANGS_ON_QUESTION.match(claim):
        return words <= _FEW_WORDS
    return words <= _FEWER_WORDS and not is_sentence(claim)


def short_question(question: str, most_words: int) -> str:
    """The question, or of a longer text its last sentence that asks; empty where that is too long as well."""
    if len(question.split()) <= most_words:
        return question
    asked = [part for part in _SENTENCE_END.split(question) if part.rstrip().endswith("?")]
    return asked[-1].strip() if asked and len(asked[-1].split()) <= most_words else ""
