"""Exact match: is the answer the reference, character by character?"""

from __future__ import annotations

import unicodedata

from pydantic import Field

from sidecar.evaluate.base import About, Cost, Dependencies, Section
from sidecar.evaluate.metrics.strings.base import Found, Strings


class ExactMatchSettings(Section):
    """Whether the answer is the reference."""

    trim: bool = Field(default=False, description="Leave out space around both before they are compared.")
    nfc: bool = Field(
        default=False, description="Compare composed characters (Unicode NFC): é is é however it is written."
    )


class ExactMatch(Strings):
    """1 where both are the same, else 0. Options are part of the method. Native records come without space around their texts."""

    name = "exact_match"
    method = "exact"
    about = About("1 where the answer equals the reference, else 0", "Ragas ExactMatch", Cost.TEXT)

    def __init__(self, settings: ExactMatchSettings, dependencies: Dependencies) -> None:
        self._settings = settings
        options = [word for word, on in (("trim", settings.trim), ("nfc", settings.nfc)) if on]
        self.method = "_".join(["exact", *options])

    def compare(self, answer: str, reference: str) -> Found:
        """As the options say."""
        return Found(float(self._made(answer) == self._made(reference)))

    def _made(self, text: str) -> str:
        text = text.strip() if self._settings.trim else text
        return unicodedata.normalize("NFC", text) if self._settings.nfc else text
