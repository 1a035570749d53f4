"""String similarity: how few characters have to change to turn the answer into the reference?"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sidecar.evaluate.base import About, Cost, Dependencies, Section
from sidecar.evaluate.metrics.strings.base import Found, Strings

Distance = Literal["levenshtein", "hamming", "jaro"]


def similarity(one: str, other: str, distance: Distance = "levenshtein") -> float:
    """1 - the distance, normalised to 0..1. Hamming pads the shorter string."""
    from rapidfuzz.distance import Hamming, Jaro, Levenshtein

    measure = {"levenshtein": Levenshtein, "hamming": Hamming, "jaro": Jaro}[distance]
    return float(measure.normalized_similarity(one, other))


class StringSimilaritySettings(Section):
    """How like the reference the answer is, by characters."""

    distance: Distance = Field(default="levenshtein", description="Which distance is measured; it is the method.")


class StringSimilarity(Strings):
    """1 - the distance of answer and reference, normalised."""

    name = "string_similarity"
    method = "levenshtein"
    about = About(
        "1 - normalised Levenshtein (or Hamming, Jaro) distance of answer and reference",
        "Ragas NonLLMStringSimilarity",
        Cost.TEXT,
        libraries=("rapidfuzz",),
    )

    def __init__(self, settings: StringSimilaritySettings, dependencies: Dependencies) -> None:
        self._distance: Distance = settings.distance
        self.method = settings.distance

    def compare(self, answer: str, reference: str) -> Found:
        """By the distance that is set."""
        return Found(similarity(answer, reference, self._distance))
