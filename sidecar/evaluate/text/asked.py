"""What an answer was to: the part of a question that asks, and answers that mean nothing without it."""

from __future__ import annotations

import re

from sidecar.evaluate.text import chinese
from sidecar.evaluate.text.clauses import is_sentence
from sidecar.inference.base import Claim
from sidecar.inference.grounding.asked import YES_OR_NO

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_FEW_WORDS, _FEWER_WORDS = 8, 5
_FEW_CHARACTERS = 14

_HANGS_ON_QUESTION = re.compile(
    r"(?:because|if|when|while|after|before|by|only|unless|until|since|once|so that|in order to|to|no \w+ than)\b",
    re.IGNORECASE,
)
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
_TIME = rf"(?:(?=\S{{0,12}}\d)\S++(?:\s+(?!of\b)(?:[a-z]+\b|{_MONTH}))?|noon|midnight|then|now|today|[A-Z][a-z]+day)"
_SUBJECT = rf"(?:(?:the|a|an|no|I|you|he|she|it|we|they|there|this|these|our|your)\b|(?!{_MONTH})[A-Z])"
# After a comma, and after a time: "Since 1998 Acme makes pipes".
_MAY_GO_ON = re.compile(rf",\s+|^(?i:after|before|by|since|until)\s+{_TIME}\s+(?={_SUBJECT})")
_HANGS_TOO = re.compile(
    rf"{_HANGS_ON_QUESTION.pattern}|(?:and|or|but|not|as|who|which|that|in|on|at|for|from|of|with|without|during|may)\b",
    re.IGNORECASE,
)


_AGREES = re.compile(
    r"\A\W{0,3}(?:(?:sure(?: thing)?|of course|absolutely|certainly|definitely|no problem|okay|ok|by all means|you can|sure you can)\W{1,3}){1,3}\Z",
    re.IGNORECASE,
)
_ASKS_YES_OR_NO = re.compile(
    r"\A(?:can|could|may|might|do|does|did|is|are|am|was|were|will|would|should|must|has|have|had)\s[^?]{1,300}\?\s{0,3}\Z",
    re.IGNORECASE,
)


_AGREES_ZH = re.compile(r"\A\W{0,3}(?:可以|可以的|能|行|当然|当然可以|没问题|好的|没问题的)\W{0,3}\Z")
_ASKS_ZH = re.compile(r"(?:吗|么|嘛|嗎|麼)\W{0,3}\Z|能不能|可不可以|是否|行不行")
_REPLIES = re.compile(r"\W{0,3}(?P<reply>yes|yeah|yep|no|nope)\b\W{1,3}", re.IGNORECASE)


def agrees(question: str, answer: str) -> bool:
    """Whether an answer says yes in other words to a question that asks for yes or no: "Sure, no problem."."""
    if _AGREES_ZH.match(answer) is not None:
        return _ASKS_ZH.search(question) is not None
    asked = _SENTENCE_END.split(question.strip())[-1]
    return _AGREES.match(f"{answer.strip()}.") is not None and _ASKS_YES_OR_NO.match(asked) is not None


def reply_before(answer: str, claim: Claim) -> str:
    """The "Yes" or "No" that an answer's first claim stands behind and does not have itself, or empty."""
    found = _REPLIES.match(answer)
    return found["reply"] if found and claim.start == found.end() else ""


def is_short(claim: str) -> bool:
    """Whether a claim is so short that only the question tells what it says: "14 days", "No, it isn't.", "Because it was late". A whole
    sentence says something by itself, and so do more words, in which a value stands with what it is of."""
    if chinese.language(claim) == "zh":
        return len(claim) <= _FEW_CHARACTERS and not chinese.is_sentence(claim)
    words = len(claim.split())
    if YES_OR_NO.match(claim):
        return words <= _FEW_WORDS
    if _HANGS_ON_QUESTION.match(claim):
        return words <= _FEW_WORDS and not _goes_on(claim)
    return words <= _FEWER_WORDS and not is_sentence(claim)


def _goes_on(claim: str) -> bool:
    """Whether what hangs on something has it behind it, so that both are a sentence: "If it rains, we stay at home."."""
    rests = [claim[match.end() :] for match in _MAY_GO_ON.finditer(claim)]
    return any(" " in rest and not _HANGS_TOO.match(rest) and is_sentence(rest) for rest in rests)


def short_question(question: str, most_words: int, most_chars: int) -> str:
    """The question, or of a longer text its last sentences that ask, as many as fit; empty where the last of them is too long as well."""

    def fits(text: str) -> bool:
        return len(text) <= most_chars and len(text.split()) <= most_words

    if fits(question):
        return question
    asked = ""
    for part in reversed(_SENTENCE_END.split(question)):
        if part.rstrip().endswith("?"):
            longer = f"{part.strip()} {asked}".rstrip()
            if not fits(longer):
                break
            asked = longer
    return asked
