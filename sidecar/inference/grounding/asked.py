"""Answers in a few words, "14 days" or "No, it isn't.": only their question tells what they say, so they are read with it as well.

That the words stand in the documents says little of them: so do the other durations, and nothing at all of a plain yes. See
docs/adr/0076.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from exporters.result import ValueConflict
from sidecar.inference.base import Claim
from sidecar.inference.calibrated import FloatVector, logit
from sidecar.inference.embedding.text import read_words
from sidecar.inference.values.read import read_values

ASKED_FEATURES = ("alone", "with_question")
YES_OR_NO_FEATURES = ("with_question",)
# As a word of its own: "No pets", "No. 5" and "no-reply" say something else.
YES_OR_NO = re.compile(
    r"(?:yes|yeah|yep|yup|nope|nah|not at all)(?![\w-])"
    r"|no(?=\W*$|\s?[,;:!–—(]|\.+\s++\D|\s+-\s|\s+(?:i|you|he|she|it|we|they|there|that|not)\b)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_WORDS_OF_A_TAG = 5
_LEAST_RESTATED = 4  # words
# Logits by which an answer that says its question again ("Yes, the plan was approved.") must stand above where a bare "Yes." would pass: it gives the
# cross-encoder more to read, and of right ones hardly any stands lower (docs/models/embedded.md).
_RESTATED = 1.3


def with_question(claim: Claim) -> Claim:
    """The claim as it is read with its question."""
    return Claim(f"{claim.question} {claim.text}")


def yes_or_no(claim: Claim) -> bool:
    """Whether a claim says no more than yes or no: "Yes.", "No, they don't have to."; "Yes, within 30 days." states a value as well."""
    tag = YES_OR_NO.match(claim.text) is not None and len(claim.text.split()) <= _WORDS_OF_A_TAG
    return tag and not _DIGIT.search(claim.text) and not read_values(claim.text)


def yes_or_no_row(claim: Claim, with_question: float) -> FloatVector:
    """YES_OR_NO_FEATURES (1, 1) of the cross-encoder's logit of a yes or no with its question."""
    return np.array([[with_question - (_RESTATED if _says_again(claim) else 0.0)]], np.float64)


def _says_again(claim: Claim) -> bool:
    """Whether a yes or no says no more than the question does: "Yes, the plan was approved."."""
    said = YES_OR_NO.sub("", claim.text, count=1)
    stems = set(read_words(said).stems)
    return (
        len(claim.text.split()) >= _LEAST_RESTATED and bool(stems) and stems.issubset(read_words(claim.question).stems)
    )


def asked_row(alone: float, with_question: float) -> FloatVector:
    """ASKED_FEATURES (1, 2) of the probability of the words alone, and the cross-encoder's logit of them with the question."""
    return np.array([[logit(alone), with_question]], np.float64)


def in_the_answer(claim: Claim, conflicts: tuple[ValueConflict, ...]) -> tuple[ValueConflict, ...]:
    """Conflicts of the claim with its question, as places in the claim alone; those of the question's own words are none of it."""
    moved = len(with_question(claim).text) - len(claim.text)
    return tuple(replace(one, start=one.start - moved, end=one.end - moved) for one in conflicts if one.start >= moved)
