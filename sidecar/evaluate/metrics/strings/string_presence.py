"""String presence: does the answer hold the reference, word by word?"""

from __future__ import annotations

from sidecar.evaluate.base import About, Cost, Dependencies, Section
from sidecar.evaluate.metrics.strings.base import Found, Strings


class StringPresenceSettings(Section):
    """Whether the answer holds the reference."""


class StringPresence(Strings):
    """1 where the reference is a part of the answer, else 0."""

    name = "string_presence"
    method = "substring"
    about = About("1 where the reference is a substring of the answer, else 0", "Ragas StringPresence", Cost.TEXT)

    def __init__(self, settings: StringPresenceSettings, dependencies: Dependencies) -> None:
        pass

    def compare(self, answer: str, reference: str) -> Found:
        """As written; upper and lower case are different."""
        return Found(float(reference in answer))
