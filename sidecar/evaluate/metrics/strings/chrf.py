"""chrF: which runs of characters do answer and reference have in common?"""

from __future__ import annotations

from sidecar.evaluate.base import About, Cost, Dependencies, Section
from sidecar.evaluate.metrics.strings.base import Found, Strings


class ChrfSettings(Section):
    """Runs of characters in common."""


class Chrf(Strings):
    """Sentence chrF of sacrebleu / 100: it fits any script."""

    name = "chrf"
    method = "sentence_chrf"
    about = About(
        "F score (beta 2) of runs of 1 to 6 characters", "Popovic 2015; sacrebleu", Cost.TEXT, libraries=("sacrebleu",)
    )

    def __init__(self, settings: ChrfSettings, dependencies: Dependencies) -> None:
        pass

    def compare(self, answer: str, reference: str) -> Found:
        """With the defaults of sacrebleu."""
        from sacrebleu import sentence_chrf

        return Found(min(1.0, max(0.0, sentence_chrf(answer, [reference]).score / 100)))
