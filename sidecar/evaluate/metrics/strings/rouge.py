"""ROUGE: which words of the reference does the answer have, singly, in pairs, or in order?"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from sidecar.evaluate.base import About, Cost, Dependencies, Section
from sidecar.evaluate.metrics.strings.base import Found, Strings
from sidecar.evaluate.metrics.strings.tokens import Words, count_words
from sidecar.record.errors import Unscorable

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

# The longest sequence in common takes a step for each pair of words, in Python.
_MOST_PAIRS = 9_000_000


def _pairs(answer: str, reference: str) -> int:
    return count_words(answer) * count_words(reference)


class RougeSettings(Section):
    """Words in common."""

    kind: Literal["rouge1", "rouge2", "rougeL"] = Field(
        default="rougeL", description="Single words, pairs, or the longest sequence in common; it is the method."
    )
    measure: Literal["precision", "recall", "fmeasure"] = Field(
        default="fmeasure", description="Which of the three is the score; part of the method."
    )
    tokenizer: Literal["words", "rouge_score"] = Field(
        default="words",
        description="words: of any script, Chinese by the character; rouge_score: that of the library, which keeps a-z and 0-9 alone.",
    )


class Rouge(Strings):
    """By rouge-score, with stemming of English; precision, recall and F are in the parts."""

    name = "rouge"
    method = "rougeL_fmeasure"
    about = About(
        "F score of the longest sequence of words in common (or of single words, pairs; or precision, recall)",
        "Lin 2004; rouge-score",
        Cost.TEXT,
        libraries=("rouge_score",),
    )

    def __init__(self, settings: RougeSettings, dependencies: Dependencies) -> None:
        self._kind, self._measure = settings.kind, settings.measure
        self._own_words = settings.tokenizer == "words"
        words = [] if self._own_words else ["rouge_score"]
        self.method = "_".join([settings.kind, settings.measure, *words])

    @cached_property
    def _scorer(self) -> RougeScorer:
        """Made with the first reference: its libraries are slow to load, and most commands need none of them."""
        from rouge_score.rouge_scorer import RougeScorer

        return RougeScorer([self._kind], use_stemmer=True, tokenizer=Words() if self._own_words else None)

    def compare(self, answer: str, reference: str) -> Found:
        """The reference is the target. Raises Unscorable: too_long."""
        if self._kind == "rougeL" and _pairs(answer, reference) > _MOST_PAIRS:
            raise Unscorable("too_long")
        found = self._scorer.score(reference, answer)[self._kind]
        parts = {name: float(getattr(found, name)) for name in ("precision", "recall", "fmeasure")}
        return Found(parts[self._measure], parts)
