"""Documents by the words that they share with a question."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

_COMMON = frozenset(
    "a about after an and any are at be by can do does for from has have how in is it long many much of on or the them they to up what when where which who will with".split()
)


class SearchError(Exception):
    """The search did not work."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its id."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A document and the share of the question's words that it has, 0..1."""

    document: Document
    score: float


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that the service knows: documents, questions that people ask about them, and sentences that nothing says."""

    documents: tuple[Document, ...]
    questions: tuple[str, ...]
    inventions: tuple[str, ...]

    @classmethod
    def read(cls) -> Knowledge:
        """Out of documents.json beside this file."""
        data = json.loads(Path(__file__).with_name("documents.json").read_text(encoding="utf-8"))
        documents = tuple(Document(one["id"], one["text"]) for one in data["documents"])
        return cls(documents, tuple(data["questions"]), tuple(data["inventions"]))

    def search(self, question: str, most: int = 3) -> list[Found]:
        """The best documents for a question, best first; none that shares no word."""
        found = [Found(one, overlap(question, one.text)) for one in self.documents]
        return sorted((one for one in found if one.score), key=lambda one: -one.score)[:most]


def overlap(question: str, text: str) -> float:
    """Share of the question's words that a text has, 0..1; 0 for a question without a word that counts."""
    asked = _words(question)
    return len(asked & _words(text)) / len(asked) if asked else 0.0


def _words(text: str) -> set[str]:
    words = set(re.findall(r"[a-z0-9]+", text.lower())) - _COMMON
    return {word.removesuffix("s") for word in words}
