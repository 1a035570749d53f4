"""Answers in a few words, "14 days" or "No, it isn't.": only their question tells what they say, so they are read with it as well.

That the words stand in the documents says little of them: so do the other durations, and nothing at all of a plain yes. See
docs/adr/0076. An answer of one longer sentence that is in doubt is read so as well, docs/adr/0097.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from exporters.result import ValueConflict
from sidecar.inference.base import Claim, Support
from sidecar.inference.calibrated import FloatVector, logit, probability
from sidecar.inference.embedding.text import read_words
from sidecar.inference.grounding.values_said import NOTHING, Said
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
# cross-encoder more to read, and of right ones hardly any stands lower (docs/models/embedded-tries.md).
_RESTATED = 1.3
# A sentence behind its question (docs/adr/0097-a-sentence-is-read-behind-its-question-too.md): what a logit of that counts.
_PER_LOGIT, _MOST_BESIDE = 0.2, 40  # the latter in words
_DOUBT = (0.05, 0.6)  # the probability alone
# Names in code, of which the cross-encoder makes as little with the question as without.
_CODE = re.compile(r"\w_\w|\B--\w")


def with_question(claim: Claim) -> Claim:
    """The claim as it is read with its question."""
    return Claim(f"{claim.question} {claim.text}")


def answers_alone(claims: Sequence[Claim]) -> bool:
    """Whether claims are one sentence that takes up words of its question, which says more of it than the sentence does by itself."""
    if (
        len(claims) != 1
        or claims[0].short
        or len(claims[0].text.split()) > _MOST_BESIDE
        or _CODE.search(claims[0].text)
    ):
        return False
    return not set(read_words(claims[0].question).stems).isdisjoint(read_words(claims[0].text).stems)


def behind_question(claim: Claim) -> Claim:
    """Such a sentence as it is read with its question, behind the "Yes" or "No" that it stands behind."""
    return Claim(" ".join(filter(None, (claim.question, claim.reply and f"{claim.reply},", claim.text))))


def in_doubt(support: Support) -> bool:
    """Whether such a reading may change what is made of a claim: nothing that can be compared speaks against it, and it stands near the threshold."""
    return not support.contrary and _DOUBT[0] <= support.probability <= _DOUBT[1]


def beside_question(support: Support, with_question: float, said: Said = NOTHING) -> Support:
    """What was found of such a sentence, with the cross-encoder's logit of it behind its question; no less of one whose values follow from others, which
    that does not count out."""
    most = max(with_question, 0.0) if said.inferred or said.follows else with_question
    return replace(support, probability=probability(logit(support.probability) + _PER_LOGIT * most))


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
